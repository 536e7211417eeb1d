/** Starts a tool or a language: `npm run new tool sounding`, `npm run new language kotlin`. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const top = new URL('../', import.meta.url)
const [kind, name = ''] = process.argv.slice(2)

function put(path: string, content: string): void {
  const url = new URL(path, top)
  if (existsSync(url)) throw new Error(`${path} exists already.`)
  mkdirSync(new URL('./', url), { recursive: true })
  writeFileSync(url, content)
  console.log(`wrote ${path}`)
}

function tool(): string {
  return `import * as z from 'zod'
import { AgentId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: '${name}',
  group: 'analysis',
  effect: 'read',
  summary: 'One sentence: what the answer tells.',
  details: ['When to call it, and which neighbour to call instead.'],
  input: z.object({ agent_id: AgentId }),
  output: z.looseObject({ nodes: z.int() }),
  examples: [{ title: 'What it is for', input: { agent_id: 'dev' } }],

  run: ({ graph }) => ({ nodes: graph.nNodes }),

  render: ({ nodes }) => \`\${nodes} nodes\`,
})
`
}

if (!/^[a-z]+(_[a-z]+)*$/.test(name) || (kind !== 'tool' && kind !== 'language')) {
  console.error('npm run new tool <name> or npm run new language <name>, the name in lower case with underscores')
  process.exit(2)
}
if (kind === 'tool') {
  put(`src/tools/${name}.ts`, tool())
  console.log('Next: npm run gen, then npm test; test/tools.test.ts tests it already.')
} else {
  put(`test/golden/languages/${name}/function.txt`, '---\n')
  console.log(
    `Next: src/ingest/languages/${name}.ts beside its neighbours, its line in src/ingest/languages.ts, then ${fileURLToPath(top)}test/golden.`,
  )
}
