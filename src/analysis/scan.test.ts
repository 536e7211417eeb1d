import { describe, expect, test } from 'vitest'
import { builtIn, scan, type ScanOptions } from '#analysis/scan'
import { node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'
import { PATTERNS, type PatternSite, RULES } from '#graph/patterns'
import { scopeOf } from '#query/scope'

function withSites(graph: Graph, sites: Partial<PatternSite>[]): Graph {
  graph.meta.coverage.patterns = sites.map((it) => ({ rule: '', path: '', line: 1, text: 'code', remedy: '', ...it }))
  return graph
}

function scanned(graph: Graph, pattern: string, options: Partial<ScanOptions> = {}) {
  return scan(graph, {
    patterns: PATTERNS.filter((it) => it.id === pattern),
    inScope: () => true,
    matching: 'syntax',
    validate: true,
    severityMin: 0,
    limit: 50,
    ...options,
  })
}

const shop = () =>
  withSites(
    sketch(`
      cart.py contains total() 1
      tests/test_cart.py contains test_total() 1
      tests/test_cart.py calls total() 0.4
      pool.py contains take() 1
      take() calls close_pool() 0.4
    `),
    [
      { rule: 'swallowed_error', path: 'cart.py' },
      { rule: 'swallowed_error', path: 'cart.py', line: 2, remedy: 'a comment says why' },
      { rule: 'swallowed_error', path: 'tests/test_cart.py' },
      { rule: 'endpoint', path: 'cart.py', line: 3 },
    ],
  )

describe('scan', () => {
  test('judges each place, and the status scales the severity', () => {
    const found = scanned(shop(), 'error_handling')
    expect(found.findings.map((it) => [it.path, it.line, it.status, Number(it.severity.toFixed(3))])).toEqual([
      ['cart.py', 1, 'confirmed', 0.6],
      ['cart.py', 2, 'mitigated', 0.24],
      ['tests/test_cart.py', 1, 'false_positive', 0.06],
    ])
    expect(found).toMatchObject({ raw: 3, validated: 2, filesScanned: 3, total: 3 })
    expect(found.findings[1].message).toBe('An error is caught and nothing is done about it; a comment says why.')
  })

  test('drops what is not grave enough, and keeps what is exactly so', () => {
    expect(scanned(shop(), 'error_handling', { severityMin: 0.6 }).findings.length).toBe(1)
    expect(scanned(shop(), 'error_handling', { severityMin: 0.61 }).findings.length).toBe(0)
  })

  test('leaves all as it is without validation', () => {
    const { findings } = scanned(shop(), 'error_handling', { validate: false })
    expect(new Set(findings.map((it) => it.status))).toEqual(new Set(['raw']))
    expect(findings.every((it) => it.severity === 0.6)).toBe(true)
  })

  test('keeps to a scope', () => {
    const found = scanned(shop(), 'error_handling', { inScope: scopeOf('tests/') })
    expect(found).toMatchObject({ raw: 1, filesScanned: 1 })
  })

  test('finds functions that no test reaches within three calls', () => {
    const graph = sketch(`
      cart.py contains total() 1
      cart.py contains far() 1
      cart.py contains lost() 1
      other.py contains alone() 1
      tests/test_cart.py contains test_total() 1
      test_total() calls total() 0.4
      total() calls far() 0.4
    `)
    for (const name of ['total()', 'far()', 'lost()', 'alone()']) graph.lineEnd[node(graph, name)] = 20
    const { findings } = scanned(graph, 'test_coverage')
    const rows = findings.map((it) => [it.path, it.rule, it.status]).sort()
    expect(rows).toEqual([
      ['cart.py', 'untested', 'confirmed'],
      ['other.py', 'untested', 'confirmed'],
    ])
  })

  test('notices the endpoint without a check among others with one', () => {
    const graph = withSites(sketch('api/a.py contains a() 1'), [
      { rule: 'guarded_endpoint', path: 'api/a.py', line: 1 },
      { rule: 'guarded_endpoint', path: 'api/a.py', line: 5 },
      { rule: 'endpoint', path: 'api/a.py', line: 9 },
    ])
    expect(scanned(graph, 'auth_boundary').findings.map((it) => [it.rule, it.line])).toEqual([
      ['unguarded_endpoint', 9],
    ])
  })

  test('by words looks at names, and what is named like the remedy mitigates', () => {
    const graph = sketch(`
      pool.py contains open_pool() 1
      open_pool() calls close_pool() 0.4
      pool.py contains close_pool() 1
      pool.py contains connect() 1
    `)
    const { findings } = scanned(graph, 'resource_cleanup', { matching: 'seed' })
    expect(findings.map((it) => [it.node, it.status])).toEqual([
      [node(graph, 'connect()'), 'confirmed'],
      [node(graph, 'open_pool()'), 'mitigated'],
    ])
  })

  test('of an empty graph finds nothing', () => {
    for (const { id } of PATTERNS) expect(scanned(sketch(''), id)).toMatchObject({ raw: 0, filesScanned: 0 })
  })
})

test('every rule belongs to a pattern, and patterns are known in any spelling', () => {
  for (const { pattern } of Object.values(RULES)) expect(PATTERNS.some((it) => it.id === pattern)).toBe(true)
  expect(builtIn(' Error-Handling ')?.id).toBe('error_handling')
  expect(builtIn('error')).toBeNull()
})

test.each([
  ['', 'src/a.ts', true],
  ['src', 'src/a.ts', true],
  ['./src/a', 'src/a.ts', true],
  ['src', 'lib/a.ts', false],
  ['src/**/*.ts', 'src/x/a.ts', true],
  ['*.{ts,tsx}', 'src/a.tsx', true],
  ['*.{ts,tsx}', 'src/a.js', false],
  ['src/** !*.test.ts', 'src/a.test.ts', false],
  ['!tests/**', 'src/a.ts', true],
  ['!tests/**', 'tests/a.ts', false],
])('scope %j and %s', (scope, path, expected) => {
  expect(scopeOf(scope)(path)).toBe(expected)
})
