import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ballAround, compareSnapshots, isEmpty, Succession, takeSnapshot } from '#analysis/locked'
import { names, node, sketch } from '#analysis/sketch'
import { type Graph, keyOf, relationOf } from '#graph/graph'

describe('the ball around nodes', () => {
  test('goes both ways along edges, so many steps', () => {
    const graph = sketch('a calls b\nb calls c\nc calls d')
    expect(names(graph, ballAround(graph, [node(graph, 'b')], 1))).toEqual(['a', 'b', 'c'])
    expect(names(graph, ballAround(graph, [node(graph, 'a')], 2))).toEqual(['a', 'b', 'c'])
  })

  test('does not reach siblings, and enters folders only from above', () => {
    const graph = sketch(
      'src/ contains a.py\nsrc/ contains b.py\na.py sibling b.py\na.py contains f()\nlib/ contains src/',
    )
    expect(names(graph, ballAround(graph, [node(graph, 'a.py')], 4))).toEqual(['a.py', 'f()'])
    expect(names(graph, ballAround(graph, [node(graph, 'lib/')], 2)).sort()).toEqual(['a.py', 'b.py', 'lib/', 'src/'])
    const packaged = sketch('shop contains a.py\nshop contains b.py\na.py imports npm')
    expect(names(packaged, ballAround(packaged, [node(packaged, 'a.py')], 4))).toEqual(['a.py', 'npm'])
    expect(names(packaged, ballAround(packaged, [node(packaged, 'shop')], 1)).sort()).toEqual(['a.py', 'b.py', 'shop'])
  })
})

const inside = (graph: Graph, keys: readonly string[]) =>
  takeSnapshot(
    graph,
    keys.map((it) => node(graph, it)).sort((a, b) => a - b),
  )

describe('the difference of a region', () => {
  test('names new nodes, edges and weights, and keeps what crosses the boundary apart', () => {
    const before = sketch('a calls b 0.5\nb calls c 0.5\nc calls d 0.5')
    const after = sketch('a calls b 0.7\nb calls c 0.5\nb calls e 0.5\nc calls d 0.5\nx calls a 0.5')
    const at = inside(before, ['a', 'b', 'c'])
    expect(at.weights).toHaveLength(2)
    expect(at.sources).toHaveLength(3)
    expect(compareSnapshots(at, inside(after, ['a', 'b', 'c', 'e']))).toEqual({
      newNodes: ['e'],
      removedNodes: [],
      newEdges: ['b->e|calls'],
      removedEdges: [],
      boundaryAdded: ['x->a|calls'],
      boundaryRemoved: [],
      weightChanges: [{ edge_key: 'a->b|calls', old_weight: 0.5, new_weight: 0.7 }],
    })
  })

  test('sees the weight of either half of an edge that runs both ways, once', () => {
    const graph = sketch('a contains b 0.5')
    const at = inside(graph, ['a', 'b'])
    const back = graph.out.offsets[node(graph, 'b')]
    graph.weights[back] = 0.8
    expect(compareSnapshots(at, inside(graph, ['a', 'b'])).weightChanges).toEqual([
      { edge_key: 'a->b|contains', old_weight: 0.5, new_weight: 0.8 },
    ])
  })

  test('is that of two naive lists, whatever the graphs are', () => {
    const edge = fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.constantFrom('calls', 'imports', 'contains'),
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.constantFrom(0.25, 0.5, 0.75),
    )
    const anyGraph = fc.array(edge, { maxLength: 12 }).map((edges) => {
      const distinct = new Map(edges.map((it) => [it.slice(0, 3).join(' '), it]))
      return sketch(['a', 'b', 'c', 'd', 'e', ...[...distinct.values()].map((it) => it.join(' '))].join('\n'))
    })
    const region = fc.subarray(['a', 'b', 'c', 'd', 'e'])
    fc.assert(
      fc.property(anyGraph, anyGraph, region, region, (one, two, inOne, inTwo) => {
        const was = naive(one, new Set(inOne))
        const is = naive(two, new Set(inTwo))
        const found = compareSnapshots(inside(one, inOne), inside(two, inTwo))
        const minus = (a: Iterable<string>, b: { has(it: string): boolean }) => [...a].filter((it) => !b.has(it)).sort()
        expect([...found.newNodes].sort()).toEqual(minus(inTwo, new Set(inOne)))
        expect([...found.removedNodes].sort()).toEqual(minus(inOne, new Set(inTwo)))
        expect([...found.newEdges].sort()).toEqual(minus(is.inner.keys(), was.inner))
        expect([...found.removedEdges].sort()).toEqual(minus(was.inner.keys(), is.inner))
        expect([...found.boundaryAdded].sort()).toEqual(minus(is.outer, was.outer))
        expect([...found.boundaryRemoved].sort()).toEqual(minus(was.outer, is.outer))
        const changed = [...is.inner].filter(([key, w]) => was.inner.has(key) && was.inner.get(key) !== w)
        expect(found.weightChanges.map((it) => it.edge_key).sort()).toEqual(changed.map(([key]) => key).sort())
        expect(isEmpty(compareSnapshots(inside(one, inOne), inside(one, inOne)))).toBe(true)
      }),
    )
  })
})

/** Edges with both ends inside with their weight, and those with one, told by the slots as they were added. */
function naive(graph: Graph, region: ReadonlySet<string>) {
  const inner = new Map<string, number>()
  const outer = new Set<string>()
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & 4) === 0) continue
      const [a, b] = [keyOf(graph, v), keyOf(graph, graph.out.targets[e])]
      const key = `${a}->${b}|${relationOf(graph, e)}`
      if (region.has(a) && region.has(b)) inner.set(key, graph.weights[e])
      else if (region.has(a) || region.has(b)) outer.add(key)
    }
  }
  return { inner, outer }
}

describe('a region is touched', () => {
  const BEFORE = 'a.py contains f()\nb.py contains g()\nf() calls g()\nb.py imports c.py'
  const touched = (after: string, keys: readonly string[], change: (graph: Graph) => void = () => {}) => {
    const [one, two] = [sketch(BEFORE), sketch(after)]
    change(two)
    const nodes = (graph: Graph) => keys.map((it) => node(graph, it))
    return new Succession(one, two).isTouched(nodes(one), nodes(two))
  }

  test('by what changes in it or next to it, not by what changes elsewhere', () => {
    expect(touched(BEFORE, ['a.py', 'f()'])).toBe(false)
    // the same edges in another order, with other numbers
    expect(
      touched('z.py imports b.py\nb.py imports c.py\nf() calls g()\nb.py contains g()\na.py contains f()', [
        'a.py',
        'f()',
      ]),
    ).toBe(false)
    expect(touched(`${BEFORE}\na.py contains h()`, ['a.py', 'f()'])).toBe(true)
    expect(touched(`${BEFORE}\nz.py imports a.py`, ['a.py', 'f()'])).toBe(true)
    expect(touched('a.py contains f()\nb.py contains g()\nb.py imports c.py', ['a.py', 'f()'])).toBe(true)
    expect(touched(`${BEFORE}\nc.py contains h()`, ['a.py', 'f()'])).toBe(false)
  })

  test('by another length or a later change of a node of it', () => {
    expect(touched(BEFORE, ['f()'], (graph) => (graph.lineEnd[node(graph, 'f()')] = 9))).toBe(true)
    expect(touched(BEFORE, ['f()'], (graph) => (graph.lastModified[node(graph, 'f()')] = 9))).toBe(true)
    expect(touched(BEFORE, ['f()'], (graph) => (graph.lastModified[node(graph, 'g()')] = 9))).toBe(false)
    expect(touched(BEFORE, ['f()'], (graph) => graph.weights.fill(3))).toBe(false)
  })
})
