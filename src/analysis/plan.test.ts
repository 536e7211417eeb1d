import { describe, expect, test } from 'vitest'
import { findGaps, type Planned, riskOf } from '#analysis/plan'
import { sketch } from '#analysis/sketch'
import { keyOf, type Graph } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { buildMessages, emptyMessages } from '#graph/messages'
import { buildCoChange } from '#query/cochange'

const SHOP = `
  till.py contains pay() 1
  bank.py contains charge() 1
  shop.py imports till.py 0.5
  street.py imports shop.py 0.5
  town.py imports street.py 0.5
  land.py imports town.py 0.5
  till.py imports bank.py 0.5
  test_till.py tests till.py 0.5
  rumour.py calls pay() 0.5 guess
  package-lock.json imports till.py 0.5
`

function gapsOf(
  graph: Graph,
  plan: Record<string, Planned['action']>,
  ranking: 'fused' | 'seed' = 'seed',
  commits: string[][] = [],
) {
  const planned = Object.entries(plan).map(([path, action]) => ({ node: nodeByKey(graph, path), action }))
  const groups = commits.map((it) => Uint32Array.from(it, (path) => nodeByKey(graph, path)))
  const messages =
    commits.length === 0
      ? emptyMessages()
      : buildMessages(groups.map((files, i) => ({ time: 1e9 + i, message: 'x', files, width: files.length })))
  const found = findGaps(graph, { cochange: buildCoChange(graph, groups), messages }, planned, {
    ranking,
    nowSeconds: 1e9,
  })
  return { ...found, byPath: new Map(found.gaps.map((it) => [keyOf(graph, it.node), it])) }
}

describe('findGaps', () => {
  test('direct relations warn, two and three steps are remarked, four are not; planned and generated files are none', () => {
    const { byPath, blast, skipped } = gapsOf(sketch(SHOP), { 'till.py': 'modify', 'town.py': 'test' })
    expect(byPath.get('shop.py')).toMatchObject({
      severity: 'warning',
      strength: expect.closeTo(0.65, 1),
      reason: expect.stringContaining('imports'),
    })
    expect(byPath.get('bank.py')).toMatchObject({ severity: 'warning' })
    expect(byPath.get('test_till.py')).toMatchObject({ severity: 'warning' })
    expect(byPath.get('street.py')).toMatchObject({ severity: 'info', strength: expect.closeTo(0.3, 1) })
    for (const it of ['town.py', 'land.py', 'till.py', 'package-lock.json', 'rumour.py'])
      expect(byPath.has(it)).toBe(false)
    // shop, street, town, the test and the lock file
    expect(blast).toBe(5)
    expect(skipped.guesses).toBe(1)
  })

  test('a dependent with half of the history on top is critical', () => {
    const commits = Array.from({ length: 5 }, () => ['till.py', 'shop.py'])
    const { byPath } = gapsOf(sketch(SHOP), { 'till.py': 'modify' }, 'seed', commits)
    expect(byPath.get('shop.py')).toMatchObject({ severity: 'critical', strength: expect.closeTo(0.8075, 6) })
  })

  test.each(['fused', 'seed'] as const)('who uses what is deleted or renamed is critical (%s)', (ranking) => {
    for (const action of ['delete', 'rename'] as const) {
      const commits = [['till.py', 'bank.py'], ['till.py'], ['till.py'], ['till.py']]
      const { gaps } = gapsOf(sketch(SHOP), { 'till.py': action }, ranking, commits)
      expect(
        gaps
          .filter((it) => it.severity === 'critical')
          .map((it) => it.reason)
          .sort(),
      ).toEqual(['imports till.py, which goes', 'tests till.py, which goes'])
    }
  })

  test('by history, files that always change along come before neighbours', () => {
    const graph = sketch(`${SHOP}\nCHANGES.md\nshelf.py`)
    const commits = Array.from({ length: 6 }, () => ['till.py', 'CHANGES.md'])
    const { gaps } = gapsOf(graph, { 'till.py': 'modify' }, 'fused', commits)
    expect(keyOf(graph, gaps[0].node)).toBe('CHANGES.md')
    expect(gaps[0]).toMatchObject({
      severity: 'critical',
      reason: expect.stringContaining('changed together in 6 of 6'),
    })
    expect(gaps.map((it) => keyOf(graph, it.node))).not.toContain('shelf.py')
  })

  test('without any history of what is planned the plain formula speaks', () => {
    const { ranking, byPath } = gapsOf(sketch(SHOP), { 'till.py': 'modify' }, 'fused', [['bank.py', 'shop.py']])
    expect([ranking, byPath.get('shop.py')?.severity]).toEqual(['seed', 'warning'])
  })

  test('nothing planned, nothing missing', () => {
    expect(gapsOf(sketch(SHOP), {})).toMatchObject({ gaps: [], blast: 0 })
  })
})

describe('riskOf', () => {
  test('one warning, one remark, half tested, 47 nodes in reach: medium', () => {
    const { score, level } = riskOf({ critical: 0, warning: 1, info: 1, coverage: 0.5, blast: 47 })
    expect(score).toBeCloseTo(0.519466, 6)
    expect(level).toBe('medium')
  })

  test('is between 0 and 1, and never falls with more gaps or reach', () => {
    expect(riskOf({ critical: 0, warning: 0, info: 0, coverage: 1, blast: 0 })).toEqual({ score: 0, level: 'low' })
    expect(riskOf({ critical: 99, warning: 99, info: 99, coverage: 0, blast: 1e9 })).toMatchObject({
      level: 'critical',
    })
    expect(riskOf({ critical: 99, warning: 99, info: 99, coverage: 0, blast: 1e9 }).score).toBeLessThanOrEqual(1)
  })
})
