import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Graph } from '#graph/graph'
import { FILE, FUNCTION } from '#graph/graph'
import { graphOf, labelIn } from '#query/graph-for-tests'
import { stemsOfFile } from '#query/names'
import { findSeeds, findSeedsSemantic, MAX_SEEDS } from '#query/seeds'
import { buildSemantic } from '#query/semantic'
import { parseQuery } from '#query/tokens'

function seedsOf(graph: Graph, query: string, k = 50): Record<string, number> {
  return Object.fromEntries(
    findSeeds(graph, buildSemantic(graph), query, k).map((it) => [labelIn(graph, it.node), it.relevance]),
  )
}

const relevance = (query: string, ...nodes: Parameters<typeof graphOf>[0]) =>
  Object.values(seedsOf(graphOf(nodes), query))[0] ?? 0

describe('levels of a match', () => {
  test('equal, prefix, substring, tag', () => {
    expect(relevance('auth', 'auth')).toBe(1)
    expect(relevance('auth', 'auth_handler')).toBe(0.9)
    expect(relevance('auth', 'pre_auth_check')).toBe(0.8)
    expect(relevance('auth', { label: 'wallet', tags: ['authentication'] })).toBe(0.85)
  })

  test('similar spelling counts 0.7 of the cosine of gram counts', () => {
    expect(relevance('authenticaton', 'authentication')).toBeCloseTo(0.548345, 4)
    expect(relevance('sesion', 'session')).toBeCloseTo(0.469574, 4)
    expect(relevance('connectoin', 'connection')).toBeCloseTo(0.4375, 4)
  })

  test('a file is found by its stem, and a name inside the word counts like a word inside the name', () => {
    const graph = graphOf(['auth.py', { label: 'session.py', tags: ['auth'] }])
    expect(seedsOf(graph, 'authentication')).toEqual({ 'auth.py': 0.9, 'session.py': 0.85 })
  })

  test('a test file is also found by the name before its first dot', () => {
    expect(stemsOfFile('total.test.ts')).toEqual(['total.test', 'total'])
    expect(stemsOfFile('.gitignore')).toEqual([])
    expect(relevance('total', 'total.test.ts')).toBe(1)
  })

  test('the tag wins over the substring', () => {
    expect(relevance('cart', { label: 'shopping_cart_row', tags: ['cart'] })).toBe(0.85)
  })

  test('synonyms count 0.6 and only as whole parts', () => {
    expect(relevance('function', 'fn')).toBeCloseTo(0.6)
    expect(seedsOf(graphOf(['config', 'run_fn']), 'function')).toEqual({ run_fn: 0.6 * 0.8 })
  })
})

test('a node that matches few of the words loses up to a quarter', () => {
  const graph = graphOf([{ label: 'pool.py', tags: ['session', 'pool'] }])
  expect(seedsOf(graph, 'session pool management')['pool.py']).toBeCloseTo(0.916667, 4)
})

test('of equal matches the more important node comes first', () => {
  const graph = graphOf(
    [
      { label: 'cart', key: 'a' },
      { label: 'cart', key: 'b' },
    ],
    [{ from: 'checkout', to: 'b' }],
  )
  expect(findSeeds(graph, buildSemantic(graph), 'cart', 5).map((it) => it.node)).toEqual([1, 0])
})

test('never more than 200 seeds', () => {
  const graph = graphOf(Array.from({ length: 300 }, (_, i) => `loan_${i}`))
  const index = buildSemantic(graph)
  expect(findSeeds(graph, index, 'loan', 5000)).toHaveLength(MAX_SEEDS)
  expect(findSeedsSemantic(graph, index, 'loan', 5000)).toHaveLength(MAX_SEEDS)
})

test('the semantic score lifts the label that is spelled most like the whole question', () => {
  const graph = graphOf(['session_pool', 'session_store', 'wallet'])
  const [first, second] = findSeedsSemantic(graph, buildSemantic(graph), 'session pool', 5)
  expect(labelIn(graph, first.node)).toBe('session_pool')
  expect(first.relevance).toBeGreaterThan(second.relevance)
})

test('removed nodes are no seeds even when the index still knows them', () => {
  const graph = graphOf(['cart', 'cart_row'])
  const index = buildSemantic(graph)
  expect(findSeeds({ ...graph, dead: Uint8Array.of(1, 0) }, index, 'cart', 5).map((it) => it.node)).toEqual([1])
})

// the rule, word by word over all nodes

function trigramCosine(a: string, b: string): number {
  const count = (text: string) => {
    const grams = new Map<string, number>()
    const characters = Array.from(text)
    for (let i = 0; i <= Math.max(0, characters.length - 3); i++) {
      const gram = characters.slice(i, i + 3).join('')
      grams.set(gram, (grams.get(gram) ?? 0) + 1)
    }
    return grams
  }
  const x = count(a)
  const y = count(b)
  let dot = 0
  for (const [gram, n] of x) dot += n * (y.get(gram) ?? 0)
  const norm = (grams: Map<string, number>) => Math.sqrt(Array.from(grams.values()).reduce((acc, n) => acc + n * n, 0))
  return dot / (norm(x) * norm(y))
}

function inside(a: string, b: string): number {
  if (a === b) return 1
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter.length < 3) return 0
  return longer.startsWith(shorter) ? 0.9 : longer.includes(shorter) ? 0.8 : 0
}

function slowScore(label: string, type: number, tags: string[], query: string): number {
  const stems = type === FILE && stemsOfFile(label).length > 0 ? stemsOfFile(label) : [label]
  const { words } = parseQuery(query)
  let best = 0
  let covered = 0
  for (const word of words) {
    let ofWord = 0
    for (const { text, weight, whole } of word.terms) {
      if (whole) continue
      for (const name of [label, ...stems]) {
        let level = inside(text, name)
        if (level === 0 && stems.includes(name)) {
          const sim = trigramCosine(text, name)
          if (sim > 0.3) level = 0.7 * sim
        }
        ofWord = Math.max(ofWord, weight * level)
      }
      for (const tag of tags) if (inside(text, tag) > 0) ofWord = Math.max(ofWord, weight * 0.85)
    }
    if (ofWord > 0) covered++
    best = Math.max(best, ofWord)
  }
  const score = best * (0.75 + (0.25 * covered) / words.length)
  return score >= 0.1 ? score : 0
}

test('agrees with comparing every word to every name', () => {
  // few letters make many partial matches; none of these words has synonyms
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 7 })
  const node = fc.record({
    stem: name,
    extension: fc.constantFrom('', '.ts', '.test.ts'),
    tags: fc.array(name, { maxLength: 2 }),
  })
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 12 }),
      fc.array(name, { minLength: 1, maxLength: 3 }),
      (nodes, words) => {
        const query = words.join(' ')
        const inputs = nodes.map(({ stem, extension, tags }, i) => ({
          key: `node ${i}`,
          label: stem + extension,
          type: extension === '' ? FUNCTION : FILE,
          tags,
        }))
        const graph = graphOf(inputs)
        const found = new Map(findSeeds(graph, buildSemantic(graph), query, 100).map((it) => [it.node, it.relevance]))
        inputs.forEach(({ label, type, tags }, v) => {
          expect(found.get(v) ?? 0).toBeCloseTo(slowScore(label, type, tags, query), 6)
        })
      },
    ),
    { numRuns: 200 },
  )
})
