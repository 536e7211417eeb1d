import { describe, expect, test } from 'vitest'
import type { Reached } from '#views/shapes'
import { compare, filesOf, hopsOf, wayTo } from './reach.ts'
import { OUTER, ringsOf, sharedFolder } from './rings.ts'

function reached(id: string, hop: number, signal: number, from = 'file::src/a.ts'): Reached {
  const path = /^file::([^:]+)/.exec(id)?.[1] ?? null
  const label = id.split('::').at(-1) ?? id
  const rest = { node_type: 'function', line: 1, line_end: 2, pagerank: 0, confidence: 'exact', site: null }
  return { id, label, path, hop, signal, from, relation: 'called_by', ...rest }
}

const B = reached('file::src/b.ts::run', 1, 0.5)
const B_FILE = reached('file::src/b.ts', 2, 0.4)
const C = reached('file::src/c.ts', 2, 0.2, 'file::src/b.ts::run')
const PACKAGE = reached('package::shop', 2, 0.1, 'file::src/b.ts')
const ANSWER = {
  affected: [B, B_FILE, C, PACKAGE],
  between: [],
  hops: [
    { hop: 1, nodes: 1, files: 1 },
    { hop: 2, nodes: 9, files: 5 },
  ],
}

describe('files of a reach', () => {
  test('have the nearest hop and the strongest signal of what is in them', () => {
    expect(filesOf(ANSWER)).toMatchObject([
      { id: 'src/b.ts', name: 'b.ts', hop: 1, signal: 0.5, nodes: [{ id: B.id }, { id: B_FILE.id }] },
      { id: 'src/c.ts', hop: 2 },
      { id: 'package::shop', hop: 2 },
    ])
  })

  test('stand at their hop, beside the counts of all that is reached', () => {
    const hops = hopsOf(ANSWER)
    expect(hops.map((it) => [it.hop, it.nodes, it.files, it.rows.map(({ id }) => id)])).toEqual([
      [1, 1, 1, ['src/b.ts']],
      [2, 9, 5, ['src/c.ts', 'package::shop']],
    ])
  })
})

describe('the way to a node', () => {
  test('goes from the source step by step', () => {
    expect(wayTo(C.id, ANSWER).map((it) => it.id)).toEqual([B.id, C.id])
  })
  test('goes through parts of the source', () => {
    const part = reached('file::src/a.ts::part', 1, 0.9)
    const user = reached('file::src/d.ts', 1, 0.3, part.id)
    expect(wayTo(user.id, { affected: [user], between: [part] }).map((it) => it.id)).toEqual([part.id, user.id])
  })
  test('ends where it would go round, and is empty to what is not reached', () => {
    const one = reached('one', 1, 0.5, 'two')
    const two = reached('two', 1, 0.5, 'one')
    expect(wayTo('one', { affected: [one, two], between: [] }).map((it) => it.id)).toEqual(['two', 'one'])
    expect(wayTo('nowhere', ANSWER)).toEqual([])
  })
})

describe('two reaches', () => {
  test('are shared, only left and only right, each file once', () => {
    const right = { affected: [reached('file::src/c.ts::x', 1, 0.9), reached('file::src/z.ts', 1, 0.1)] }
    const found = compare(ANSWER, right)
    expect(found.shared.map((it) => it.id)).toEqual(['src/c.ts'])
    expect(found.left.map((it) => it.id)).toEqual(['src/b.ts', 'package::shop'])
    expect(found.right.map((it) => it.id)).toEqual(['src/z.ts'])
    expect(found.overlap).toBe(1 / 4)
  })
  test('of the same node are all shared, and of nothing are nothing', () => {
    expect(compare(ANSWER, ANSWER)).toMatchObject({ left: [], right: [], overlap: 1 })
    expect(compare({ affected: [] }, { affected: [] })).toEqual({ shared: [], left: [], right: [], overlap: 0 })
  })
})

describe('rings', () => {
  const many = Array.from({ length: 300 }, (_, i) =>
    reached(`file::src/${i % 2 === 0 ? 'x' : 'y'}/${i}.ts`, 1 + (i % 3), 1 / (i + 1)),
  )

  test('hold no more dots than there is room for, the strongest, and say how many are left', () => {
    const { dots, left, radii } = ringsOf(filesOf({ affected: many }), 3)
    expect([dots.length, left, radii]).toEqual([240, 60, [96, 156, 216]])
    expect(dots.map((it) => it.file.id)).toContain('src/x/0.ts')
    expect(dots.map((it) => it.file.id)).not.toContain('src/y/299.ts')
  })

  test('put every dot near the ring of its hop, and folders side by side', () => {
    const { dots, sectors, radii } = ringsOf(filesOf({ affected: many }), 3)
    for (const { x, y, file } of dots) expect(Math.abs(Math.hypot(x, y) - radii[file.hop - 1])).toBeLessThan(20.1)
    expect(sectors.map((it) => [it.name, it.files])).toEqual([
      ['x/', 120],
      ['y/', 120],
    ])
    expect(sectors[0].x).toBeGreaterThan(OUTER)
  })

  test('are there for one hop and for none', () => {
    expect(ringsOf(filesOf({ affected: [B] }), 1)).toMatchObject({ radii: [156], dots: [{ r: 8 }], sectors: [] })
    expect(ringsOf([], 0)).toEqual({ dots: [], sectors: [], radii: [], left: 0 })
  })
})

test('paths share the innermost folder above all of them', () => {
  expect(sharedFolder(['src/a/x.ts', 'src/a/b/y.ts'])).toBe('src/a/')
  expect(sharedFolder(['src/a/x.ts', 'src/ab/y.ts'])).toBe('src/')
  expect(sharedFolder(['a.ts', 'src/b.ts'])).toBe('')
  expect(sharedFolder([])).toBe('')
})
