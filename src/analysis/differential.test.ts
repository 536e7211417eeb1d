import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differential } from '#analysis/differential'
import { sketch } from '#analysis/sketch'
import { buildGraph } from '#graph/build'
import type { Graph } from '#graph/graph'
import { libraryInput } from '#graph/library-for-tests'

const all = { question: '', focus: [] }

const before = `
  till.ts contains pay() 1
  till.ts imports bank.ts 0.6
  till.ts imports log.ts 0.6
  bank.ts contains charge() 1
  pay() calls charge() 0.5
`
const now = `
  till.ts contains pay() 1
  till.ts imports bank.ts 0.8
  bank.ts contains charge() 1
  bank.ts imports vault.ts 0.6
  pay() calls charge() 0.5005
`

describe('differential', () => {
  test('a graph does not differ from itself, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 200 }),
        fc.nat(),
        (nNodes, nEdges, seed) => {
          const graph = buildGraph(libraryInput(nNodes, nEdges, seed))
          const same = buildGraph(libraryInput(nNodes, nEdges, seed))
          const { inFocus: _, sections: __, ...lists } = differential(graph, same, all)
          expect(Object.values(lists)).toEqual(Object.values(lists).map(() => []))
        },
      ),
      { numRuns: 30 },
    )
  })

  test('turned round, what was new is gone and every change has the other sign', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const a = buildGraph(libraryInput(40, 90, one))
        const b = buildGraph(libraryInput(30, 120, other))
        const forth = differential(a, b, all)
        const back = differential(b, a, all)
        expect(new Set(back.removedNodes)).toEqual(new Set(forth.newNodes))
        expect(back.newEdges).toEqual(forth.removedEdges)
        expect(back.weightChanges.length).toBe(forth.weightChanges.length)
      }),
      { numRuns: 30 },
    )
  })

  test('names nodes and edges that came and went, and weights that changed by more than a thousandth', () => {
    const found = differential(sketch(before), sketch(now), all)
    expect(found.newNodes).toEqual(['vault.ts'])
    expect(found.removedNodes).toEqual(['log.ts'])
    expect(found.newEdges).toEqual([
      { source: 'bank.ts', target: 'vault.ts', relation: 'imports', weight: expect.closeTo(0.6, 6) },
    ])
    expect(found.removedEdges.map((it) => it.target)).toEqual(['log.ts'])
    expect(found.weightChanges).toEqual([
      {
        source: 'till.ts',
        target: 'bank.ts',
        relation: 'imports',
        before: expect.closeTo(0.6, 6),
        now: expect.closeTo(0.8, 6),
      },
    ])
  })

  test('both halves of a bidirectional edge are one, from whichever end it was added', () => {
    const edge = (source: number, target: number): Graph =>
      buildGraph({
        ...libraryInput(2, 0, 1),
        edges: [{ source, target, relation: 'co_changes', weight: 0.5, causal: 0, bidirectional: true }],
      })
    const found = differential(edge(0, 1), edge(1, 0), all)
    expect([found.newEdges, found.removedEdges]).toEqual([[], []])
  })

  test('a question narrows to what its words mean and two steps around', () => {
    const far = '\n  shelf.ts imports book.ts 0.6'
    const found = differential(sketch(before), sketch(now + far), {
      question: 'what is new around the till?',
      focus: [],
    })
    expect(found.sections).toEqual(['new'])
    expect(found.newNodes).toEqual(['vault.ts'])
    expect(found.removedNodes).toEqual([])
    expect(differential(sketch(before), sketch(now + far), { question: '', focus: ['shelf.ts'] }).newNodes).toEqual([
      'shelf.ts',
      'book.ts',
    ])
    expect(differential(sketch(before), sketch(now), { question: 'zebra', focus: [] }).inFocus).toBe(0)
  })

  test('tells which parts lean on each other more than before', () => {
    const parts = `
      a/one.ts imports a/two.ts 1
      a/two.ts imports a/three.ts 1
      a/three.ts imports a/one.ts 1
      b/four.ts imports b/five.ts 1
      b/five.ts imports b/six.ts 1
      b/six.ts imports b/four.ts 1
    `
    const [delta, ...others] = differential(
      sketch(parts),
      sketch(`${parts}\n a/one.ts imports b/four.ts 1`),
      all,
    ).couplingDeltas
    expect(others).toEqual([])
    // one of seven edges
    expect(delta).toMatchObject({ before: 0, now: expect.closeTo(1 / 7, 6) })
  })
})
