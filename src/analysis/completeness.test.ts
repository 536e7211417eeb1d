import { describe, expect, test } from 'vitest'
import { certainty } from '#analysis/certainty'
import { completeness, emptyReason, lastIdentifier, type Question } from '#analysis/completeness'
import { node, sketch, sketchInput } from '#analysis/sketch'
import { buildGraph } from '#graph/build'
import { CHECKED_TAGS, PARTLY_CHECKED } from '#graph/checked'
import type { Graph } from '#graph/graph'

const nothing = { guesses: 0, unreachable: 0 }

function shop(coverage: Partial<Graph['meta']['coverage']> = {}, more = ''): Graph {
  const graph = sketch(
    `cart.ts contains total() 1\ntotal() calls net() 0.4\nprice.ts contains net() 1\nreadme.md\n${more}`,
  )
  Object.assign(graph.meta.coverage, { filesParsed: 3, ...coverage })
  return graph
}

function judge(graph: Graph, key: string, more: Partial<Question> = {}) {
  return completeness(graph, { nodes: [node(graph, key)], asks: 'incoming', skipped: nothing, ...more })
}

describe('completeness', () => {
  test('is exact when every site was understood', () => {
    expect(judge(shop(), 'net()')).toEqual({ level: 'exact', reasons: [], unresolved_sites: [], unresolved_total: 0 })
  })

  test('an unresolved call of the same name may be a missing caller, one of another name is none', () => {
    const sites = [
      { path: 'till.ts', line: 4, text: 'this.price.net()' },
      { path: 'till.ts', line: 9, text: 'this.price.round()' },
    ]
    expect(judge(shop({ sites, unresolved: 2 }), 'net()')).toMatchObject({
      level: 'lower_bound',
      reasons: ['1 unresolved reference of that name'],
      unresolved_sites: [sites[0]],
      unresolved_total: 1,
    })
  })

  test('an import that leads nowhere may mean the file of that name', () => {
    const sites = [{ path: 'till.ts', line: 1, text: 'import ./price' }]
    const graph = shop({ sites, unresolved: 1 })
    expect(judge(graph, 'price.ts').unresolved_total).toBe(1)
    expect(judge(graph, 'cart.ts').level).toBe('exact')
  })

  test('for what a node relies on, unresolved calls inside it count', () => {
    const graph = shop({ sites: [{ path: 'cart.ts', line: 3, text: 'log.write' }], unresolved: 1 })
    graph.lineEnd[node(graph, 'cart.ts')] = 10
    expect(judge(graph, 'cart.ts', { asks: 'outgoing' }).reasons).toEqual(['1 unresolved reference inside it'])
    expect(judge(graph, 'price.ts', { asks: 'outgoing' }).level).toBe('exact')
  })

  test('shows five sites and counts all', () => {
    const sites = Array.from({ length: 8 }, (_, i) => ({ path: 'till.ts', line: i + 1, text: 'net()' }))
    const { unresolved_sites, unresolved_total } = judge(shop({ sites, unresolved: 8 }), 'net()')
    expect([unresolved_sites.length, unresolved_total]).toEqual([5, 8])
  })

  test('guesses, partly read files and sites without a name make it a lower bound', () => {
    expect(judge(shop(), 'net()', { skipped: { guesses: 2, unreachable: 1 } }).reasons).toEqual([
      '2 guessed edges left out; include_guesses follows them',
      '1 reference in code that cannot run left out',
    ])
    expect(judge(shop({ filesPartial: 1 }), 'net()').reasons).toEqual(['1 file could be read only in part'])
    expect(judge(shop({ unresolved: 7 }), 'net()').reasons).toEqual([
      '7 unresolved references of the project not kept by name',
    ])
  })

  test('is unknown for a kind of file that shows no references anywhere', () => {
    const graph = shop()
    expect(judge(graph, 'readme.md')).toMatchObject({
      level: 'unknown',
      reasons: ['no references are known from any .md file, so none found says little'],
    })
    expect(judge(graph, 'price.ts').level).toBe('exact')
  })

  describe('of files that a compiler looked at', () => {
    function looked(partly: string[] = [], files = ['cart.ts', 'price.ts']): Graph {
      const input = sketchInput('cart.ts contains total() 1\ntotal() calls net() 0.4\nprice.ts contains net() 1')
      for (const it of input.nodes) {
        if (files.includes(it.key)) it.tags = [CHECKED_TAGS.typescript]
        if (partly.includes(it.key)) it.tags = [...(it.tags ?? []), PARTLY_CHECKED]
      }
      return buildGraph(input)
    }
    const inIt = "every name in it was looked up by TypeScript's checker"
    const everywhere = "every name in every .ts file was looked up by TypeScript's checker"

    test('an exact answer says who vouches for it', () => {
      expect(judge(looked(), 'total()', { asks: 'outgoing' })).toMatchObject({ level: 'exact', reasons: [inIt] })
      expect(judge(looked(), 'net()')).toMatchObject({ level: 'exact', reasons: [everywhere] })
    })

    test('nobody vouches for users that may stand in a file that was not looked at, or not in all of it', () => {
      expect(judge(looked([], ['price.ts']), 'net()').reasons).toEqual([])
      expect(judge(looked(['cart.ts']), 'net()').reasons).toEqual([])
      expect(judge(looked(['cart.ts']), 'total()', { asks: 'outgoing' }).reasons).toEqual([])
      expect(judge(looked(['cart.ts']), 'net()', { asks: 'outgoing' }).reasons).toEqual([inIt])
    })

    test('their numbers are counted by who looked', () => {
      expect(certainty(looked(['cart.ts']))).toEqual({
        edges_by_tier: { exact: 3 },
        checked: { typescript: { files: 2, partly: 1, edges: 3 } },
      })
    })
  })

  test('an empty answer says which empty it is', () => {
    const graph = shop()
    const exact = judge(graph, 'total()')
    const reason = (whole = exact, skipped = nothing) =>
      emptyReason(graph, [node(graph, 'total()')], 'dependents', whole, skipped).reason
    expect(reason()).toBe('total() is indexed and has no dependents.')
    expect(reason(exact, { guesses: 2, unreachable: 0 })).toBe(
      'total() is indexed; only 2 guessed edges would be dependents.',
    )
    expect(reason({ ...exact, level: 'lower_bound', unresolved_total: 3 })).toBe(
      'total() is indexed and has no known dependents; 3 unresolved references could be some.',
    )
    expect(reason({ ...exact, level: 'unknown' })).toContain('nothing can be said')
    const kinds = (tags: string, stale = 0, skipped = nothing) => {
      const tagged = shop({}, `total() tagged ${tags}`)
      return emptyReason(tagged, [node(tagged, 'total()')], 'dependents', judge(tagged, 'total()'), skipped, stale)
        .empty
    }
    expect(kinds('framework_root:http_route')).toBe('framework')
    expect(kinds('test')).toBe('framework')
    expect(kinds('async')).toBe('none')
    expect(kinds('async', 0, { guesses: 0, unreachable: 2 })).toBe('unreachable_only')
    expect(kinds('framework_root:http_route', 1)).toBe('stale')
  })

  test('what a framework calls is never said to be without callers', () => {
    const graph = shop({}, 'net() tagged framework_root:pytest_fixture')
    expect(judge(graph, 'net()')).toMatchObject({
      level: 'lower_bound',
      reasons: ['net is reached by a framework or the runtime (pytest fixture)'],
    })
    // whom it uses has nothing to do with who calls it
    expect(judge(graph, 'net()', { asks: 'outgoing' }).level).toBe('exact')
  })

  test('a method that overrides another may be called through it, inside of the project or outside', () => {
    const classes = `Store contains sell() 1
Shelf contains shelf.sell() 1
shelf.sell() labelled sell
Shelf implements Store
till.ts calls sell()`
    const inside = sketch(classes)
    expect(judge(inside, 'shelf.sell()').reasons).toEqual(['1 call of Store.sell may reach it, as it overrides that'])
    const outside = sketch(`${classes}\nStore tagged external_base:Component`)
    expect(judge(outside, 'shelf.sell()').reasons[1]).toBe(
      'sell may be called through component, which stands outside of the project',
    )
  })

  test('a site known only at run time counts where its file can reach the node', () => {
    const boundaries = [
      { path: 'till.ts', line: 4, text: 'shop[name]()' },
      { path: 'far.ts', line: 9, text: 'eval(code)' },
    ]
    const graph = sketch(
      'price.ts contains net() 1\ntill.ts imports price.ts\nfar.ts imports tax.ts\nnet() calls tax.ts',
    )
    Object.assign(graph.meta.coverage, { filesParsed: 3, boundaries })
    expect(judge(graph, 'net()')).toMatchObject({
      level: 'lower_bound',
      reasons: ['1 site in files that reach it whose target is known only at run time'],
      unresolved_sites: [boundaries[0]],
    })
  })

  test('a reference guessed to be another of the same name may mean this one', () => {
    const graph = sketch(`price.ts contains net() 1
tax.ts contains tax.net() 1
tax.net() labelled net
till.ts contains till() 1
till() calls tax.net() 1 guess`)
    expect(judge(graph, 'net()').reasons).toEqual(['1 ambiguous reference guessed to be tax.net() may mean it'])
  })

  test('a tag that every object has as a name says nothing', () => {
    const graph = shop({}, 'net() tagged constructor toString')
    expect(judge(graph, 'net()')).toMatchObject({ level: 'exact', reasons: [] })
  })

  test('what a package exports may be used by code outside', () => {
    const graph = sketch(`index.ts reexports net()
price.ts contains net() 1
price.ts contains inner() 1
index.ts tagged framework_root:package_entry`)
    expect(judge(graph, 'net()').reasons).toEqual([
      'net is offered by index.ts, an entry of its package, to code outside',
    ])
    expect(judge(graph, 'inner()').level).toBe('exact')
  })

  test('of several nodes each one counts, in whatever order they are asked about', () => {
    const graph = sketch(`price.ts contains net() 1
tax.ts contains tax.net() 1
tax.net() labelled net
till.ts contains till() 1
till() calls tax.net() 1 guess
door.ts contains open() 1
open() tagged framework_root:http_route
bell.ts imports door.ts
readme.md`)
    const boundaries = [{ path: 'bell.ts', line: 4, text: 'door[name]()' }]
    Object.assign(graph.meta.coverage, { filesParsed: 3, boundaries })
    const nodes = ['till()', 'net()', 'open()'].map((it) => node(graph, it))
    const found = completeness(graph, { nodes, asks: 'both', skipped: nothing })
    expect(found).toMatchObject({ level: 'lower_bound', unresolved_total: 2 })
    expect(found.reasons).toEqual([
      '1 ambiguous reference guessed to be tax.net() may mean net',
      '1 site in files that reach them whose target is known only at run time',
      'open is reached by a framework or the runtime (http route)',
    ])
    const turned = completeness(graph, { nodes: nodes.toReversed(), asks: 'both', skipped: nothing })
    expect(new Set(turned.reasons)).toEqual(new Set(found.reasons))
    for (const pair of [
      ['net()', 'readme.md'],
      ['readme.md', 'net()'],
    ])
      expect(
        completeness(graph, { nodes: pair.map((it) => node(graph, it)), asks: 'both', skipped: nothing }).level,
      ).toBe('unknown')
  })

  test('an empty answer about several names them all', () => {
    const graph = shop()
    const reason = (...keys: string[]) => {
      const nodes = keys.map((it) => node(graph, it))
      return emptyReason(
        graph,
        nodes,
        'dependents',
        completeness(graph, { nodes, asks: 'incoming', skipped: nothing }),
        nothing,
      )
    }
    expect(reason('total()', 'cart.ts').reason).toBe('total(), cart.ts are indexed and have no dependents.')
    expect(reason('total()', 'cart.ts', 'net()', 'price.ts').reason).toContain('net() and 1 more are indexed')
    expect(reason('total()', 'readme.md')).toEqual({
      empty: 'language_gap',
      reason: 'total(), readme.md are indexed, but the language of one yields no references, so nothing can be said.',
    })
  })

  test('changed files and an ingest that stopped early are causes', () => {
    const graph = shop({ truncated: 'max_nodes' })
    expect(judge(graph, 'net()', { stale: 2 }).reasons).toEqual([
      '2 files behind the answer changed since the ingest',
      'the ingest stopped before the last file (max_nodes)',
    ])
  })
})

test('the last identifier of an expression is what is called', () => {
  expect(['self.pool.acquire()', 'pkg.F', 'items[].name', 'größe()', 'make()()', '()'].map(lastIdentifier)).toEqual([
    'acquire',
    'F',
    'name',
    'größe',
    '',
    '',
  ])
})
