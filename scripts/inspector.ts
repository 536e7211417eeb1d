/**
 * Asks `dist/main.js` by the command line of the protocol's inspector, a client that is not ours: `npm run inspector`.
 * npm fetches it for the run, since it is large and of use for nothing else; the version is the last one that takes
 * every Node that we take.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { tools } from '#tools/index'

const INSPECTOR = '@modelcontextprotocol/inspector@0.14.3'
const top = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'm1nd-inspector-'))
writeFileSync(join(folder, 'till.py'), 'def total(prices):\n    return sum(prices)\n')

try {
  const listed = z.object({ tools: z.array(z.object({ name: z.string() })) }).parse(inspect('tools/list'))
  const names = listed.tools.map((it) => it.name).sort()
  expect(names.join() === Object.keys(tools).sort().join(), `tools/list gave ${names.join(', ') || 'nothing'}`)

  const { nodes_created } = tools.ingest.output.parse(call('ingest', { path: folder }))
  expect(nodes_created > 0, 'ingest made no node')
  const { results } = tools.seek.output.parse(call('seek', { query: 'total of prices' }))
  expect(results[0]?.file_path === 'till.py', `seek gave ${JSON.stringify(results.map((it) => it.file_path))}`)
  process.stdout.write(`inspector: ${names.length} tools listed, ingest and seek answered\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function call(name: string, args: Record<string, string>): unknown {
  const given = Object.entries({ agent_id: 'inspector', ...args }).map(([key, value]) => `${key}=${value}`)
  const answer = inspect('tools/call', '--tool-name', name, '--tool-arg', ...given)
  return z.object({ structuredContent: z.unknown() }).parse(answer).structuredContent
}

/** One start of the server, one request, and the answer. */
function inspect(method: string, ...rest: string[]): unknown {
  const server = [process.execPath, join(top, 'dist/main.js'), '--project', folder]
  const client = ['exec', '--yes', `--package=${INSPECTOR}`, '--', 'mcp-inspector', '--cli']
  const answer = execFileSync('npm', [...client, ...server, '--method', method, ...rest], {
    cwd: folder,
    env: { ...process.env, M1ND_HOME: join(folder, 'state') },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return JSON.parse(answer)
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`The inspector and the server do not agree: ${otherwise}.`)
}
