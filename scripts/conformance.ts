/**
 * Runs the protocol's own conformance suite against `m1nd serve`, for both eras: `npm run conformance`. What it checks
 * and we do not offer is listed in `test/conformance`, with the reason; anything else that fails, fails the run, and
 * so does an entry there that passes. Needs no network.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const REVISIONS = ['2025-11-25', '2026-07-28']

const top = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'm1nd-conformance-'))
writeFileSync(join(folder, 'till.py'), 'def total(prices):\n    return sum(prices)\n')

const server = spawn(process.execPath, [join(top, 'dist/main.js'), 'serve', '--port', '0', '--ephemeral'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'pipe'],
})
try {
  const url = await address(server)
  let failed = false
  for (const revision of REVISIONS) if ((await run(url, revision)) !== 0) failed = true
  process.exitCode = failed ? 1 : 0
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Where the server serves MCP, from what it says when it listens. */
function address({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    stderr?.on('data', (chunk) => {
      said += chunk
      const found = /MCP at (\S+\/mcp)/.exec(said)
      if (found !== null) resolve(found[1])
    })
    stderr?.on('close', () => reject(new Error(`The server did not start: ${said}`)))
  })
}

function run(url: string, revision: string): Promise<number | null> {
  const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
  const args = ['server', '--url', url, '--requirements', revision]
  const expected = ['--expected-failures', join(top, `test/conformance/${revision}.yml`)]
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(top, 'test/conformance/old-node.mjs'),
      join(dirname(suite), 'dist/index.js'),
      ...args,
      ...expected,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve) =>
    child.on('close', (code) => {
      const from = text.indexOf('=== SUMMARY ===')
      console.log(`${revision}\n${from < 0 ? text : text.slice(from)}`)
      resolve(code)
    }),
  )
}
