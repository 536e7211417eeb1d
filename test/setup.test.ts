/** Setting up: `m1nd init` and `m1nd doctor`, as a person runs them. */

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, commit, copyOf, PROGRAM, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

function place() {
  const project = copyOf('shop')
  commit(project, 'Open the shop')
  return { project, home: temporaryFolder() }
}

const environment = (home: string) => ({ M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1', NO_COLOR: '1' })

function run(args: string[], { project, home }: { project: string; home: string }) {
  return new Promise<{ stdout: string; stderr: string; code: number }>((resolve) => {
    const env = { ...process.env, ...environment(home) }
    const child = execFile(process.execPath, [PROGRAM, ...args], { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : 0 })
    })
    child.stdin?.end()
  })
}

describe('init', () => {
  test('reads the project, makes its folder, and says what comes next', async () => {
    const at = place()
    const { stdout, code } = await run(['init'], at)
    expect(code).toBe(0)
    expect(stdout).toMatch(/nodes and .* edges/)
    expect(stdout).toContain('--client')
    expect(readFileSync(join(at.project, '.m1nd/.gitignore'), 'utf8')).toBe('inbox.jsonl\n')
    expect((await run(['seek', 'cart total'], at)).stdout).toContain('cart.ts')
    // twice is once
    writeFileSync(join(at.project, '.m1nd/.gitignore'), 'mine\n')
    expect((await run(['init', '.'], at)).code).toBe(0)
    expect(readFileSync(join(at.project, '.m1nd/.gitignore'), 'utf8')).toBe('mine\n')
  })

  test('shows what a client needs and changes nothing; writes it when told, and takes it back', async () => {
    const at = place()
    const file = join(at.project, '.cursor/mcp.json')
    const shown = await run(['init', '--client', 'cursor'], at)
    const { command, args } = JSON.parse(shown.stdout).mcpServers.m1nd
    expect([command, args]).toEqual([process.execPath, [realpathSync(PROGRAM), '--project', at.project]])
    expect(shown.stderr).toContain(file)
    expect(existsSync(join(at.project, '.cursor'))).toBe(false)

    expect((await run(['init', '--client', 'cursor', '--write'], at)).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.m1nd.args).toContain(at.project)
    // what it names is a server
    const client = new Client(args.slice(1), { cwd: at.home, env: environment(at.home) })
    expect((await client.call('health', {})).structuredContent).toMatchObject({ project: at.project })
    await client.end()
    expect((await run(['init', '--client', 'cursor', '--undo'], at)).stdout).toContain('removed')
    expect(existsSync(file)).toBe(false)
  })

  test.each([
    [['init', 'nowhere'], 3, 'nowhere does not exist'],
    [['init', '--write'], 3, 'Which client?'],
    [['init', '--client', 'notepad'], 2, 'Allowed choices'],
    [['init', '--client', 'cursor', '--undo'], 3, 'nothing was written there'],
  ])('%j is refused with the next step', async (args, code, why) => {
    const result = await run(args, place())
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(why)])
  })
})

describe('doctor', () => {
  test('finds a set-up well, and says what is missing', async () => {
    const at = place()
    const before = await run(['doctor'], at)
    expect(before.stdout).toContain('nothing has been ingested')
    expect(before.stdout).toContain('m1nd ingest .')
    await run(['ingest', '.'], at)
    const after = await run(['doctor', '--json'], at)
    expect(after.code).toBe(0)
    const findings: { what: string; state: string; says: string }[] = JSON.parse(after.stdout)
    expect(findings.filter((it) => it.state === 'wrong')).toEqual([])
    expect(findings.find((it) => it.what === 'graph')).toMatchObject({ state: 'ok' })
    expect(findings.find((it) => it.what === 'grammars')).toMatchObject({ state: 'ok' })
  })

  test('sees the owner of the state, a client that starts a program that is gone, and what was set aside', async () => {
    const at = place()
    const server = new Client([], { cwd: at.project, env: environment(at.home) })
    await server.call('ingest', { path: at.project })
    writeFileSync(join(at.project, '.mcp.json'), '{"mcpServers":{"m1nd":{"command":"node","args":["/gone/main.js"]}}}')
    const folder = String((await server.call('health', {})).structuredContent?.state_folder)
    writeFileSync(join(folder, 'learned.json.corrupt-1'), 'x')
    const { stdout, code } = await run(['doctor'], at)
    expect(code).toBe(3)
    expect(stdout).toContain(`owned by process ${server.process.pid}, which answers`)
    expect(stdout).toContain('/gone/main.js, which is not there')
    expect(stdout).toContain('learned.json.corrupt-1')
    await server.end()
  })
})
