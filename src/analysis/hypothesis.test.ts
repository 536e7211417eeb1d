import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ClaimType } from '#analysis/claim'
import { PUBLISHED } from '#analysis/factors'
import { posterior, weigh } from '#analysis/hypothesis'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'
import { buildCoChange } from '#query/cochange'
import type { Ghost } from '#query/ghosts'

interface Over {
  negated?: boolean
  includeGuesses?: boolean
  pathBudget?: number
  maxHops?: number
  ghosts?: Ghost[]
  likeness?: number
}

function judge(graph: Graph, type: ClaimType, subject: string, object = '', over: Over = {}) {
  const { negated = false, includeGuesses = false, pathBudget = 1000, maxHops = 5, ghosts = [], likeness = 1 } = over
  return weigh(
    graph,
    buildCoChange(graph, []),
    { type, negated },
    {
      subjects: [node(graph, subject)],
      objects: object === '' ? [] : [node(graph, object)],
      likeness,
    },
    { factors: PUBLISHED, ghosts: () => ghosts, reach: { maxHops, includeGuesses, containment: 'parts', pathBudget } },
  )
}

const chain = sketch(`
  a.ts imports b.ts 0.5
  b.ts imports c.ts 0.5
  c.ts imports d.ts 0.5
  d.ts imports e.ts 0.5
  e.ts imports f.ts 0.5
  alone.ts
`)

describe('a posterior', () => {
  test.each([
    ['depends_on', 6, 0.8129],
    ['depends_on', 3.5, 0.7171],
    ['depends_on', 2, 0.5915],
    ['depends_on', 0.7, 0.3364],
    ['depends_on', 0.15, 0.098],
    ['never_calls', 6, 0.8571],
    ['never_calls', 0.25, 0.2],
    ['never_calls', 0.1, 0.0909],
    ['isolated', 8, 0.8889],
  ] as const)('of a %s claim with a factor of %d', (type, factor, expected) => {
    expect(posterior(type, false, [{ factor }], PUBLISHED)).toBeCloseTo(expected, 4)
  })

  test('stays within 0.01 and 0.99, and order in time within 0.75', () => {
    expect(posterior('depends_on', false, [{ factor: 1e9 }], PUBLISHED)).toBe(0.99)
    expect(posterior('depends_on', false, [{ factor: 1e-9 }], PUBLISHED)).toBe(0.01)
    expect(posterior('always_before', false, [{ factor: 1e9 }], PUBLISHED)).toBe(0.75)
    expect(posterior('always_before', true, [{ factor: 1e-9 }], PUBLISHED)).toBe(0.25)
  })

  test('of a claim and of its denial add up to one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.02, max: 50, noNaN: true }), (factor) => {
        const plain = posterior('coupling', false, [{ factor }], PUBLISHED)
        expect(plain + posterior('coupling', true, [{ factor: 1 / factor }], PUBLISHED)).toBeCloseTo(1, 9)
      }),
    )
  })
})

describe('depends_on', () => {
  test('over one helper is likely, with the path as evidence', () => {
    const graph = sketch(`
      worker.ts contains work() 1
      helper.ts contains post() 1
      work() calls post() 0.4
      post() calls messaging.ts 0.4
    `)
    const { confidence, evidence, paths } = judge(graph, 'depends_on', 'worker.ts', 'messaging.ts')
    expect(confidence).toBeCloseTo(0.7171, 4)
    expect(names(graph, paths[0].nodes)).toEqual(['worker.ts', 'post()', 'messaging.ts'])
    expect(evidence).toHaveLength(1)
    expect(evidence[0]).toMatchObject({ type: 'path_found', factor: 3.5, relations: ['calls', 'calls'] })
    expect(evidence[0].description).toContain('worker.ts → post → messaging.ts (2 hops')
    expect(evidence[0].weight).toBeCloseTo(0.16)
  })

  test('says less with every hop, and has a direction', () => {
    const confidences = ['b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'].map(
      (it) => judge(chain, 'depends_on', 'a.ts', it).confidence,
    )
    expect(confidences.map((it) => it.toFixed(4))).toEqual(['0.8129', '0.7171', '0.5915', '0.5207', '0.4649'])
    const back = judge(chain, 'depends_on', 'c.ts', 'a.ts')
    expect(back.confidence).toBeCloseTo(0.098, 3)
    expect(
      names(
        chain,
        back.partial.map((it) => it.node),
      ),
    ).toEqual(['d.ts', 'e.ts', 'f.ts'])
    expect(back.partial.map((it) => it.hops)).toEqual([1, 2, 3])
  })

  test('stays open when the budget ends the search, or only a guess makes a path', () => {
    const wide = sketch(Array.from({ length: 80 }, (_, i) => `a.ts imports x${i}.ts 1`).join('\n') + '\nz.ts')
    expect(judge(wide, 'depends_on', 'a.ts', 'z.ts', { pathBudget: 1 })).toMatchObject({ exhausted: true })
    expect(judge(wide, 'depends_on', 'a.ts', 'z.ts', { pathBudget: 1 }).confidence).toBeCloseTo(0.3364, 4)
    const guessed = sketch('a.ts calls b.ts 0.2 guess')
    const open = judge(guessed, 'depends_on', 'a.ts', 'b.ts')
    expect(open.confidence).toBeCloseTo(0.3364, 4)
    expect(open.evidence[0].description).toContain('guessed edges make one')
    expect(judge(guessed, 'depends_on', 'a.ts', 'b.ts', { includeGuesses: true }).confidence).toBeCloseTo(0.8129, 4)
  })

  test('says nothing about a thing and itself, or about a whole and its part', () => {
    const graph = sketch('a.ts contains f() 1')
    expect(judge(graph, 'depends_on', 'a.ts', 'a.ts').evidence[0]).toMatchObject({ type: 'no_path', factor: 1 })
    expect(judge(graph, 'never_calls', 'f()', 'a.ts').confidence).toBe(0.5)
  })

  test('says less about what is only named like a side', () => {
    expect(judge(chain, 'depends_on', 'a.ts', 'b.ts', { likeness: 0.5 }).confidence).toBeLessThan(0.7)
  })
})

describe('never_calls and no_dependency', () => {
  test('are likely where nothing leads there, and unlikely by the nearness of a path', () => {
    for (const type of ['never_calls', 'no_dependency'] as const) {
      expect(judge(chain, type, 'a.ts', 'alone.ts').confidence).toBeCloseTo(0.8571, 4)
      const confidences = ['b.ts', 'c.ts', 'd.ts', 'e.ts'].map((it) => judge(chain, type, 'a.ts', it).confidence)
      expect(confidences.map((it) => it.toFixed(4))).toEqual(['0.0909', '0.2000', '0.3103', '0.3103'])
    }
  })

  test('contradict a dependency: never both likely', () => {
    const edges = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 12 })
    fc.assert(
      fc.property(edges, fc.constantFrom('never_calls', 'no_dependency'), (pairs, type) => {
        const graph = sketch(['f0.ts', 'f5.ts', ...pairs.map(([a, b]) => `f${a}.ts imports f${b}.ts 1`)].join('\n'))
        const claim = judge(graph, 'depends_on', 'f0.ts', 'f5.ts').confidence
        const opposite = judge(graph, type, 'f0.ts', 'f5.ts').confidence
        expect(claim >= 0.7 && opposite >= 0.7).toBe(false)
        expect(claim <= 0.3 && opposite <= 0.3).toBe(false)
      }),
    )
  })
})

describe('circular', () => {
  const graph = sketch(`
    a.ts imports b.ts 0.5
    b.ts imports a.ts 0.5
    b.ts imports c.ts 0.5
    d.ts
  `)
  test('needs both ways', () => {
    expect(judge(graph, 'circular', 'a.ts', 'b.ts').confidence).toBeCloseTo(0.8129, 4)
    expect(judge(graph, 'circular', 'a.ts', 'b.ts').evidence).toHaveLength(2)
    expect(judge(graph, 'circular', 'a.ts', 'c.ts').confidence).toBeCloseTo(0.1785, 4)
    expect(judge(graph, 'circular', 'a.ts', 'd.ts').confidence).toBeCloseTo(0.0675, 4)
  })

  test('of one side needs a way back to it', () => {
    expect(judge(graph, 'circular', 'a.ts').confidence).toBeCloseTo(0.8129, 4)
    expect(judge(graph, 'circular', 'c.ts').confidence).toBeCloseTo(0.0675, 4)
  })

  test('is open where a guess would close it', () => {
    const guessed = sketch(
      'a.ts imports b.ts 0.5\nb.ts imports a.ts 0.5 guess\nc.ts imports c2.ts 0.5\nc2.ts imports c.ts 0.5 guess',
    )
    const { confidence, evidence } = judge(guessed, 'circular', 'a.ts', 'b.ts')
    expect(confidence).toBeCloseTo(0.3364, 4)
    expect(evidence[0].description).toContain('no path the other way, but guessed edges make one')
    expect(judge(guessed, 'circular', 'c.ts').confidence).toBeCloseTo(0.3364, 4)
    // the way there is open, the way back surely not
    const half = sketch('a.ts imports b.ts 0.5 guess')
    expect(judge(half, 'circular', 'a.ts', 'b.ts').confidence).toBeCloseTo(0.0675, 4)
    expect(judge(sketch('a.ts imports b.ts 0.5'), 'circular', 'a.ts', 'b.ts').evidence[0].description).toMatch(
      /and no path the other way$/,
    )
  })

  test('denied turns its evidence round', () => {
    const { confidence, evidence } = judge(graph, 'circular', 'a.ts', 'b.ts', { negated: true })
    expect(confidence).toBeCloseTo(1 - 0.8129, 4)
    expect(evidence.every((it) => it.factor < 1)).toBe(true)
  })
})

describe('coupling', () => {
  test('counts an edge, common commits and communities', () => {
    const graph = sketch('a.ts imports b.ts 0.5\nb.ts imports c.ts 0.5\nx.ts imports y.ts 0.5')
    const types = (s: string, o: string) => judge(graph, 'coupling', s, o).evidence.map((it) => [it.type, it.factor])
    expect(types('a.ts', 'b.ts')).toEqual([
      ['path_found', 4],
      ['community_membership', 1.5],
    ])
    expect(types('a.ts', 'x.ts')).toEqual([['community_membership', 0.3]])
    const [path] = judge(graph, 'coupling', 'b.ts', 'a.ts').paths
    expect(path).toMatchObject({ relations: ['imports'], weight: 0.5 })
    expect(names(graph, path.nodes)).toEqual(['a.ts', 'b.ts'])

    const commits = Array.from({ length: 5 }, () => Uint32Array.of(node(graph, 'a.ts'), node(graph, 'x.ts')))
    const cochange = buildCoChange(graph, commits)
    const { evidence } = weigh(
      graph,
      cochange,
      { type: 'coupling', negated: false },
      { subjects: [node(graph, 'a.ts')], objects: [node(graph, 'x.ts')], likeness: 1 },
      {
        factors: PUBLISHED,
        ghosts: () => [],
        reach: { maxHops: 5, includeGuesses: false, containment: 'parts', pathBudget: 10 },
      },
    )
    expect(evidence[0]).toMatchObject({ type: 'causal_chain', relations: ['co_changes'] })
    expect(evidence[0].factor).toBeCloseTo(3, 5)
    expect(evidence[0].description).toContain('changed together in 5 commits')
  })
})

describe('gateway', () => {
  const graph = sketch(`
    repository.ts imports db.ts 0.5
    shop.ts imports repository.ts 0.5
    cart.ts imports repository.ts 0.5
    main.ts imports shop.ts 0.5
    report.ts imports log.ts 0.5
    cart.ts imports log.ts 0.5
  `)
  test('is measured by who loses every path without it', () => {
    const all = judge(graph, 'gateway', 'repository.ts', 'db.ts')
    expect(all.evidence[0]).toMatchObject({ type: 'counterfactual_impact', factor: 8, weight: 1 })
    expect(all.evidence[0].description).toContain('3 of 3 nodes')
    expect(judge(graph, 'gateway', 'report.ts', 'log.ts').evidence[0]).toMatchObject({ factor: 0.2, weight: 0 })
  })

  test('without anything that could lose a path nothing is said', () => {
    const { confidence, evidence } = judge(graph, 'gateway', 'main.ts', 'report.ts')
    expect(confidence).toBeCloseTo(0.42, 4)
    expect(evidence[0]).not.toHaveProperty('weight')
  })

  test('of several that a name may mean, one that something depends on is judged', () => {
    const { evidence } = weigh(
      graph,
      buildCoChange(graph, []),
      { type: 'gateway', negated: false },
      {
        subjects: [node(graph, 'report.ts')],
        objects: ['main.ts', 'log.ts'].map((it) => node(graph, it)),
        likeness: 1,
      },
      {
        factors: PUBLISHED,
        ghosts: () => [],
        reach: { maxHops: 5, includeGuesses: false, containment: 'parts', pathBudget: 10 },
      },
    )
    expect(evidence[0]).toMatchObject({ factor: 0.2, weight: 0 })
  })

  test('of one side is what is central or holds files together', () => {
    expect(judge(graph, 'gateway', 'db.ts').evidence[0].factor).toBe(3)
    expect(judge(graph, 'gateway', 'report.ts').evidence[0].factor).toBe(0.4)
  })
})

describe('what fits no wording', () => {
  test('is tested by any connection, whose paths are told', () => {
    const found = judge(chain, 'unknown', 'c.ts', 'a.ts')
    expect(found.evidence[0]).toMatchObject({ type: 'path_found', factor: 1.5, weight: 0.25 })
    expect(found.paths.map((it) => names(chain, it.nodes))).toEqual([['c.ts', 'b.ts', 'a.ts']])
    expect(found.explored).toBeGreaterThan(0)
    expect(judge(chain, 'unknown', 'c.ts', 'alone.ts')).toMatchObject({ paths: [], hasLonger: false })
  })
})

describe('a search that ends at the limit of hops', () => {
  test('says so where there are longer ways', () => {
    expect(judge(chain, 'depends_on', 'a.ts', 'f.ts', { maxHops: 4 })).toMatchObject({ paths: [], hasLonger: true })
    expect(judge(chain, 'depends_on', 'a.ts', 'alone.ts', { maxHops: 4 }).hasLonger).toBe(true)
    expect(judge(chain, 'depends_on', 'a.ts', 'alone.ts', { maxHops: 5 }).hasLonger).toBe(false)
    expect(judge(chain, 'depends_on', 'a.ts', 'c.ts', { maxHops: 2 }).hasLonger).toBe(false)
  })
})

describe('always_before', () => {
  test('follows calls, is never surer than 0.75, and the opposite path speaks against it', () => {
    expect(judge(chain, 'always_before', 'a.ts', 'b.ts').confidence).toBe(0.75)
    expect(judge(chain, 'always_before', 'b.ts', 'a.ts').confidence).toBeCloseTo(0.1785, 4)
    expect(judge(chain, 'always_before', 'a.ts', 'alone.ts').confidence).toBeCloseTo(0.098, 3)
  })
})

describe('always_before, of functions', () => {
  test('is open where others reach the second without the first', () => {
    const only = sketch('open() calls read() 0.4\nmain() calls open() 0.4')
    expect(judge(only, 'always_before', 'open()', 'read()').confidence).toBe(0.75)
    const shared = sketch('open() calls read() 0.4\nmain() calls open() 0.4\npeek() calls read() 0.4')
    const { confidence, evidence } = judge(shared, 'always_before', 'open()', 'read()')
    expect(confidence).toBeLessThan(0.4)
    expect(evidence[1]).toMatchObject({ type: 'counterfactual_impact' })
    expect(evidence[1].description).toContain('1 other node reaches read without open')
  })
})

describe('isolated', () => {
  test('counts what a node is connected with, containment apart', () => {
    const graph = sketch(`
      lib/ contains alone.ts 0.3
      alone.ts contains f() 1
      few.ts imports a.ts 0.5
      few.ts imports b.ts 0.5
      many.ts imports a.ts 0.5
      many.ts imports b.ts 0.5
      many.ts imports c.ts 0.5
      few.ts co_changes alone.ts 0.5 observed
    `)
    expect(judge(graph, 'isolated', 'alone.ts').confidence).toBeCloseTo(0.8889, 4)
    expect(judge(graph, 'isolated', 'few.ts').confidence).toBeCloseTo(0.6, 4)
    expect(judge(graph, 'isolated', 'many.ts').confidence).toBeCloseTo(0.1304, 4)
    expect(judge(graph, 'isolated', 'alone.ts', 'a.ts').confidence).toBeCloseTo(0.8571, 4)
  })

  test('is open where guesses lead to it from outside', () => {
    const graph = sketch(
      'alone.ts contains f() 1\nalone.ts contains g() 1\nf() calls g() 0.4 guess\nh() calls k() 0.4 guess',
    )
    expect(judge(graph, 'isolated', 'alone.ts').confidence).toBeCloseTo(0.8889, 4)
    const { confidence, evidence } = judge(graph, 'isolated', 'k()')
    expect(confidence).toBeCloseTo(0.6, 4)
    expect(evidence[0].description).toBe('nothing is connected with k, but 1 guessed edge would be')
    expect(judge(graph, 'isolated', 'k()', '', { includeGuesses: true }).evidence[0].description).toContain(
      '1 other node',
    )
  })
})

describe('what fits no kind', () => {
  test('is more likely where anything connects the two', () => {
    expect(judge(chain, 'unknown', 'c.ts', 'a.ts').confidence).toBeCloseTo(0.6, 4)
    expect(judge(chain, 'unknown', 'a.ts', 'alone.ts').confidence).toBeCloseTo(0.3333, 4)
  })
})

describe('a connection that the dimensions suggest', () => {
  const ghost: Ghost = {
    source: node(chain, 'alone.ts'),
    target: node(chain, 'a.ts'),
    shared: ['semantic', 'causal'],
    strength: 0.3,
  }

  test('speaks weakly for what is claimed to be there, and against what is claimed not to be', () => {
    const dependent = judge(chain, 'depends_on', 'a.ts', 'alone.ts', { ghosts: [ghost] })
    expect(dependent.evidence.map((it) => [it.type, it.factor])).toEqual([
      ['no_path', 0.15],
      ['ghost_edge', 1.3],
    ])
    expect(judge(chain, 'never_calls', 'a.ts', 'alone.ts', { ghosts: [ghost] }).evidence[1].factor).toBe(0.8)
  })

  test('counts for nothing beside a path', () => {
    const { evidence } = judge(chain, 'depends_on', 'a.ts', 'b.ts', {
      ghosts: [{ ...ghost, source: node(chain, 'b.ts') }],
    })
    expect(evidence.map((it) => it.type)).toEqual(['path_found'])
  })
})

describe('a side that may mean several nodes', () => {
  test('is read as the one that the graph connects best', () => {
    const { subject, object } = weigh(
      chain,
      buildCoChange(chain, []),
      { type: 'depends_on', negated: false },
      { subjects: [node(chain, 'alone.ts'), node(chain, 'a.ts')], objects: [node(chain, 'b.ts')], likeness: 1 },
      {
        factors: PUBLISHED,
        ghosts: () => [],
        reach: { maxHops: 5, includeGuesses: false, containment: 'parts', pathBudget: 10 },
      },
    )
    expect(names(chain, [subject, object])).toEqual(['a.ts', 'b.ts'])
  })
})
