import { expect, test } from 'vitest'
import type { ActivationRow, TreeEntry } from '#views/shapes'
import { foldersAbove, glowOf, heatOf, inOrder } from './heat.ts'

function row(id: string, path: string | null, activation: number): ActivationRow {
  const none = { structural: 0, semantic: 0, temporal: 0, causal: 0 }
  const rest = { label: '', node_type: 'function', line: 1, line_end: 1, pagerank: 0, within: [], reason: '', tags: [] }
  return { id, path, activation, dimensions: none, contributions: none, ...rest }
}

function entry(path: string, change: number, rest: Partial<TreeEntry> = {}): TreeEntry {
  return {
    id: `file::${path}`,
    name: path,
    path,
    line: 0,
    node_type: 'file',
    files: 1,
    nodes: 1,
    children: 0,
    heat: { change, learning: 0 },
    last_changed_ms: null,
    ...rest,
  }
}

test('a folder is as hot as the hottest in it, against the best row', () => {
  const glow = glowOf({
    rows: [
      row('file::src/a/x.ts::f', 'src/a/x.ts', 4),
      row('file::src/a/x.ts', 'src/a/x.ts', 1),
      row('dir::b/', 'b/', 2),
    ],
  })
  expect(Object.fromEntries(glow)).toEqual({
    'file::src/a/x.ts::f': 1,
    'file::src/a/x.ts': 0.25,
    'src/a/x.ts': 1,
    'src/a': 1,
    src: 1,
    'dir::b/': 0.5,
    b: 0.5,
  })
  expect(glowOf({ rows: [row('concept', null, 0)] }).get('concept')).toBe(0)
})

test('folders above a path, the innermost first', () => {
  expect(foldersAbove('src/a/x.ts')).toEqual(['src/a', 'src'])
  expect(foldersAbove('src/a/')).toEqual(['src'])
  expect(foldersAbove('x.ts')).toEqual([])
})

test('a definition has its own heat, a file that of all in it', () => {
  const glow = new Map([
    ['a.ts', 1],
    ['file::a.ts::f', 0.5],
  ])
  expect(heatOf(entry('a.ts', 0.2), 'activation', glow)).toBe(1)
  expect(heatOf(entry('a.ts', 0.2, { id: 'file::a.ts::f', files: 0, node_type: 'function' }), 'activation', glow)).toBe(
    0.5,
  )
  expect(heatOf(entry('src/', 0.2, { node_type: 'directory', files: 9 }), 'activation', new Map([['src', 0.7]]))).toBe(
    0.7,
  )
  expect(heatOf(entry('a.ts', 0.2), 'change', glow)).toBe(0.2)
})

test('the order of names is that of the server, else the hottest come first', () => {
  const entries = [entry('a', 0.1), entry('b', 0.9), entry('c', 0.1)]
  expect(inOrder(entries, 'name', new Map())).toBe(entries)
  expect(inOrder(entries, 'change', new Map()).map((it) => it.name)).toEqual(['b', 'a', 'c'])
})
