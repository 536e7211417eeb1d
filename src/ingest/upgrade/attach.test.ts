import type { Checker } from '#graph/checked'
import { expect, test } from 'vitest'
import { emptyFacts } from '#ingest/facts'
import type { FileEntry } from '#ingest/nodes'
import { type UpgradeSet, UpgradeWriter } from '#ingest/upgrade'
import { attachUpgrades, mergeSets } from '#ingest/upgrade/attach'

function entry(path: string, hash: string): FileEntry {
  return { path, hash, facts: emptyFacts('python'), sourcePath: path, lastModified: 0, changeFrequency: 0 }
}

function setOf(source: Checker, origin: string, files: [path: string, hash: string][]): UpgradeSet {
  const writer = new UpgradeWriter()
  for (const [path, hash] of files) writer.add(path, hash, [])
  return writer.finish({ source, origin, originHash: '', stale: 0 }, () => '')
}

test('a file is marked by who spoke of its present content, and whether of all of it', () => {
  const entries = [entry('a.py', '1'), entry('b.py', '2'), entry('c.py', '3')]
  entries[1].facts.references.push({ from: -1, relation: 'calls', path: 'cart.total', line: 3 })
  const index = setOf('scip', 'index.scip', [
    ['a.py', '1'],
    ['b.py', '2'],
  ])

  const { marks, lost } = attachUpgrades(entries, [index])
  expect(lost).toEqual([])
  expect(entries.map((it) => marks.get(it.path)?.map(({ tag }) => tag))).toEqual([
    ['checked:scip'],
    ['checked:scip', 'checked:partly'],
    undefined,
  ])
})

test('a file that changed loses its upgrade, and the report says so', () => {
  const entries = [entry('a.py', 'new'), entry('b.py', '2')]
  const index = setOf('scip', 'index.scip', [
    ['a.py', '1'],
    ['b.py', '2'],
    ['gone.py', '3'],
  ])

  expect(attachUpgrades(entries, [index]).lost).toEqual([
    '1 file changed since a compiler looked at the project, so their edges are resolved without it: a.py.',
  ])
  expect(entries[0].upgrade).toBeUndefined()
  expect(entries[1].upgrade?.file.path).toBe('b.py')
})

test('the own checker is believed before an index file', () => {
  const entries = [entry('a.ts', '1')]
  attachUpgrades(entries, [setOf('scip', 'index.scip', [['a.ts', '1']]), setOf('typescript', '', [['a.ts', '1']])])

  expect(entries[0].upgrade?.set.source).toBe('typescript')
})

test('a newer set takes the place of the one with the same origin only', () => {
  const old = setOf('scip', 'index.scip', [])
  const other = setOf('scip', 'web/index.scip', [])
  const fresh = setOf('scip', 'index.scip', [['a.py', '1']])

  expect(mergeSets([old, other], [fresh])).toEqual([other, fresh])
})
