import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CLIENTS, ClientFileError, undoEntry, withEntry, writeEntry } from '#server/clients'
import { CLIENT_NAMES } from '#server/init'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'm1nd-clients-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = { command: 'm1nd', args: ['--project', '/shop "one"'] }
const at = () => ({ file: join(folder, 'config', 'mcp.json'), home: join(folder, 'home'), start })

test('all clients are offered by name', () => {
  expect(Object.keys(CLIENTS)).toEqual([...CLIENT_NAMES])
})

describe('an entry', () => {
  test.each(CLIENT_NAMES)('for %s can be read back, and is the same when it is put in twice', (client) => {
    const text = withEntry(client, '', start)
    const value = client === 'codex' ? parse(text) : JSON.parse(text)
    expect(JSON.stringify(value)).toContain('m1nd')
    expect(JSON.stringify(value)).toContain('/shop \\"one\\"')
    expect(withEntry(client, text, start)).toBe(text)
  })

  test('leaves other entries, comments, order and indentation as they are', () => {
    const before =
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"till": { "command": "till" } // keep\n\t},\n\t"theme": "dark"\n}\n'
    const after = withEntry('cursor', before, start)
    for (const line of before.split('\n').slice(0, 3)) expect(after).toContain(line)
    expect(after).toContain('// keep')
    expect(after).toMatch(/"theme": "dark"\n}\n$/)
    expect(after).toContain('\t\t"m1nd": {')
  })

  test('replaces its own table in TOML and no other', () => {
    const before =
      'model = "x"\n\n[mcp_servers.m1nd]\ncommand = "old"\nargs = []\n\n[mcp_servers.till]\ncommand = "till"\n'
    const after = withEntry('codex', before, start)
    expect(parse(after)).toEqual({ model: 'x', mcp_servers: { m1nd: start, till: { command: 'till' } } })
  })

  test.each([
    ['cursor', '{\n  "mcpServers": {\n', 'line 3 is no JSON (CloseBraceExpected)'],
    ['cursor', '[]', 'it holds no JSON object'],
    ['codex', 'model = \n', 'it is no TOML'],
  ])('for %s is refused by a file like %j', (client, text, why) => {
    expect(() => withEntry(client, text, start)).toThrow(ClientFileError)
    expect(() => withEntry(client, text, start)).toThrow(why)
  })
})

describe('what was written', () => {
  test('is taken back to the byte, also when it was written twice', () => {
    const { file, home } = at()
    mkdirSync(join(folder, 'config'))
    const before = '{ "mcpServers": {} }  '
    writeFileSync(file, before)
    writeEntry('cursor', at())
    writeEntry('cursor', { ...at(), start: { command: 'node', args: ['main.js'] } })
    expect(readFileSync(file, 'utf8')).toContain('main.js')
    expect(undoEntry({ file, home })).toBe('restored')
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(join(home, 'backups'))).toEqual([])
  })

  test('to a file that was not there removes it', () => {
    const { file, home } = at()
    writeEntry('cursor', at())
    expect(undoEntry({ file, home })).toBe('removed')
    expect(existsSync(file)).toBe(false)
    expect(() => undoEntry({ file, home })).toThrow('nothing was written')
  })

  test('stays when somebody has changed the file since, and the copy stays too', () => {
    const { file, home } = at()
    writeEntry('cursor', at())
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`)
    expect(() => undoEntry({ file, home })).toThrow('changed since')
    expect(readdirSync(join(home, 'backups'))).toHaveLength(1)
  })

  test('changes nothing where the file cannot be understood', () => {
    const { file, home } = at()
    mkdirSync(join(folder, 'config'))
    writeFileSync(file, '{ oops')
    expect(() => writeEntry('cursor', at())).toThrow(ClientFileError)
    expect(readFileSync(file, 'utf8')).toBe('{ oops')
    expect(existsSync(home)).toBe(false)
  })
})
