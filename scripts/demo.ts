/**
 * What m1nd does, shown on real code that the install brings: `npm run demo`. Needs no network and leaves nothing
 * behind.
 */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { progressLine, styleFor } from '#server/terminal'
import { callTool } from '#tools/call'

const zod = fileURLToPath(new URL('../node_modules/zod/src', import.meta.url))
const project = existsSync(zod) ? zod : fileURLToPath(new URL('../src', import.meta.url))
const settings = { ...defaults(), project, ephemeral: true }
const engine = openEngine(settings, { version: 'demo', log: (line) => console.error(line), cwd: project })
const style = await styleFor(process.stdout, process.env)
const line = progressLine(process.stderr)

async function show(heading: string, command: string, name: string, args: Record<string, unknown>): Promise<void> {
  console.log(`\n${style.bold(heading)}\n${style.dim(`$ m1nd ${command}`)}`)
  const result = await callTool(engine, name, { agent_id: 'demo', ...args }, { now: Date.now(), progress: line.show })
  line.clear()
  if (!result.ok) {
    console.error(`${result.failure.message}\n${result.failure.hint}`)
    process.exitCode = 1
    return
  }
  console.log(result.tool.render(result.tool.output.parse(result.output), style))
}

await show('1. Read a project: the sources of the zod library', 'ingest node_modules/zod/src', 'ingest', {
  path: project,
})
await show('2. Ask for code by what it does', "seek 'convert a schema to JSON Schema'", 'seek', {
  query: 'convert a schema to JSON Schema',
  top_k: 5,
})
await show('3. See what a change would reach', 'impact v4/core/util.ts', 'impact', {
  node_id: 'v4/core/util.ts',
  top_k: 8,
})
await engine.close()

console.log(
  [
    '',
    style.bold('On your own project'),
    '  npm run build && npm link          once; or npx m1nd from a published package',
    '  cd your/project && m1nd ingest .   nothing leaves this machine; state lies under ~/.m1nd',
    '  m1nd seek "what you look for"      m1nd --help lists the rest',
    '',
  ].join('\n'),
)
