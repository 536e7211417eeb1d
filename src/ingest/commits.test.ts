import { describe, expect, test } from 'vitest'
import { coChangeEdges, commitRecords, fileAges } from '#ingest/commits'

const history = {
  head: 'abc',
  commits: [
    ...Array.from({ length: 11 }, (_, i) => ({ time: 900 - i, message: 'Tune', paths: ['cart.py'] })),
    { time: 500, message: 'Add both', paths: ['cart.py', 'till.py', 'gone.py'] },
  ],
}

function file(path: string, more = {}) {
  return { path, mtimeMs: 1_234_567, tracked: true, clean: true, ...more }
}

describe('fileAges', () => {
  test('takes the last commit and the number of commits of unchanged files', () => {
    expect(fileAges([file('cart.py'), file('till.py')], history)).toEqual([
      { lastModified: 900, changeFrequency: 0.24 },
      { lastModified: 500, changeFrequency: 0.1 },
    ])
  })

  test('takes the time of the file system for changed and untracked files', () => {
    expect(
      fileAges([file('cart.py', { clean: false }), file('new.py', { tracked: false, clean: false })], history),
    ).toEqual([
      { lastModified: 1234, changeFrequency: 0.24 },
      { lastModified: 1234, changeFrequency: 0.3 },
    ])
  })

  test('takes a tracked file without commits in reach for as old as the oldest commit', () => {
    expect(fileAges([file('old.py')], history)).toEqual([{ lastModified: 500, changeFrequency: 0.1 }])
  })

  test('knows nothing without history', () => {
    expect(fileAges([file('cart.py')], { commits: [] })).toEqual([{ lastModified: 1234, changeFrequency: 0.3 }])
  })
})

test('commit records name the files that still exist', () => {
  const records = commitRecords(
    history,
    new Map([
      ['till.py', 7],
      ['cart.py', 9],
    ]),
  )

  expect(records).toHaveLength(12)
  expect(records[11]).toEqual({ time: 500, message: 'Add both', files: Uint32Array.of(7, 9), width: 3 })
  expect(commitRecords(history, new Map())).toEqual([])
})

test('files that change together often enough are joined both ways, without being a cause', () => {
  const groups = Array.from({ length: 4 }, () => Uint32Array.of(3, 5))

  expect(coChangeEdges(groups)).toEqual([
    { source: 3, target: 5, relation: 'co_changes', weight: 0.4, causal: 0, bidirectional: true, tier: 'observed' },
  ])
  expect(coChangeEdges([...groups, ...groups])[0].weight).toBe(0.5)
  expect(coChangeEdges(groups.slice(2))).toEqual([])
})
