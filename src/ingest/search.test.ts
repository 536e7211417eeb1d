import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchCode } from '#ingest/search'

let base = ''
const FILES: Record<string, string> = {
  'a.py':
    'f = open(path, "r")\nopen(path)\nreopen(path, 1)\n# open(path, 2)\nif x == x:\n    pass\nif x == y:\n    pass\n',
  'b.ts': 'open(path, 1)\nshop.open(path)\nsetTimeout(() => { total() }, 5)\n',
  'c.go': 'package c\nfunc f() {\n\tif err != nil {\n\t\treturn err\n\t}\n\topen(path, 1)\n}\n',
  'D.java': 'class D { void f() { open(path, 1, 2); } }\n',
}

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'search-')))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  symlinkSync('/etc/hostname', join(base, 'link.py'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

async function found(pattern: string, paths = Object.keys(FILES)): Promise<string[]> {
  const { sites } = await searchCode(
    pattern,
    paths.map((path) => ({ path, base })),
    new AbortController().signal,
  )
  return sites.map((it) => `${it.path}:${it.line}`)
}

test('finds code of a shape in every language, not words', async () => {
  expect(await found('open($F, ...)')).toEqual(['a.py:1', 'a.py:2', 'b.ts:1', 'c.go:6', 'D.java:1'])
  expect(await found('open($F)')).toEqual(['a.py:2'])
  expect(await found("open($F, 'r')")).toEqual(['a.py:1'])
})

test('takes the same name for the same part', async () => {
  expect(await found('$X == $X')).toEqual(['a.py:5'])
})

test('tells what is no code, and reads nothing outside of the project', async () => {
  const files = Object.keys(FILES).map((path) => ({ path, base }))
  const { problem } = await searchCode(')(', files, new AbortController().signal)
  expect(problem).toContain('is no code of')
  const linked = await searchCode('open($F)', [{ path: 'link.py', base }], new AbortController().signal)
  expect(linked).toMatchObject({ sites: [], reasons: ['1 files could not be read'] })
})
