import { describe, expect, test } from 'vitest'
import { degreesOf, diverge, type DivergeInput } from '#analysis/diverge'
import { sketch, sketchInput } from '#analysis/sketch'
import { buildGraph } from '#graph/build'
import { FILE, type Graph, keyOf } from '#graph/graph'

/** A graph of files with these numbers of lines. */
function shop(files: Record<string, number>, edges = ''): Graph {
  const input = sketchInput(`${Object.keys(files).join('\n')}\n${edges}`)
  for (const it of input.nodes)
    if (it.type === FILE) Object.assign(it, { lineEnd: files[it.key] ?? 1, tags: ['python'] })
  return buildGraph(input)
}

function since(files: string[], more: Partial<DivergeInput> = {}): DivergeInput {
  return {
    earlier: { files: new Set(files), degrees: null, lines: new Map() },
    changes: null,
    groupsBefore: [],
    groupsSince: [],
    isInScope: () => true,
    isOwn: () => true,
    ...more,
  }
}

function times(n: number, ...group: string[]): string[][] {
  return Array.from({ length: n }, () => group)
}

describe('diverge', () => {
  test('of ten files eight stayed, two went and one came', () => {
    const before = Array.from({ length: 10 }, (_, i) => `f${i}.py`)
    const graph = shop(Object.fromEntries([...before.slice(0, 8), 'new.py'].map((it) => [it, 10])))
    const found = diverge(graph, since(before))
    expect(found.drift).toBeCloseTo(0.272727, 6)
    expect(found.newFiles.map((v) => keyOf(graph, v))).toEqual(['new.py'])
    expect(found.removed).toEqual(['f8.py', 'f9.py'])
    expect(diverge(shop({}), since([])).drift).toBe(0)
  })

  test('a file that grew from 494 lines to 914 is a spike worth a remark', () => {
    const graph = shop({ 'till.py': 914, 'test_till.py': 10 })
    const changes = new Map([['till.py', { added: 450, deleted: 30 }]])
    const { modified, anomalies } = diverge(graph, since(['till.py', 'test_till.py'], { changes }))
    expect(modified).toEqual([{ path: 'till.py', added: 450, deleted: 30, growth: expect.closeTo(1.850202, 6) }])
    expect(anomalies).toMatchObject([{ type: 'velocity_spike', file: 'till.py', severity: 'info' }])
  })

  test.each([
    [3, 'warning'],
    [5, 'critical'],
  ])('a file of %d times its size is worth a %s', (growth, severity) => {
    const graph = shop({ 'till.py': 1000 * growth, 'test_till.py': 10 })
    const changes = new Map([['till.py', { added: 1000 * growth - 1000, deleted: 0 }]])
    expect(diverge(graph, since(['till.py', 'test_till.py'], { changes })).anomalies).toMatchObject([{ severity }])
  })

  test('new code, and much changed code, wants a test; tests, settings and small changes do not', () => {
    const graph = shop({
      'a.py': 9,
      'b.py': 99,
      'c.py': 99,
      'd.py': 99,
      'test_d.py': 9,
      'settings.toml': 9,
      'test_b2.py': 1,
      'b2.py': 9,
    })
    const changes = new Map([
      ['b.py', { added: 50, deleted: 0 }],
      ['c.py', { added: 49, deleted: 0 }],
    ])
    const { anomalies } = diverge(graph, since(['b.py', 'c.py'], { changes }))
    expect(anomalies.map(({ type, file }) => [type, file])).toEqual([
      ['test_deficit', 'a.py'],
      ['test_deficit', 'b.py'],
    ])
  })

  test('what a test uses directly is tested, whatever its name', () => {
    const graph = shop({ 'a.go': 9, 'b.go': 9, 'b_test.go': 9 }, 'b_test.go calls a.go 1')
    expect(diverge(graph, since([])).anomalies).toEqual([])
  })

  test('a test edge is a test, whatever its name', () => {
    const graph = shop({ 'a.py': 9, 'checks.py': 9 }, 'checks.py tests a.py 1')
    expect(diverge(graph, since(['checks.py'])).anomalies).toEqual([])
  })

  test('a new test whose source is nowhere is an orphan', () => {
    const graph = shop({ 'tests/test_gone.py': 9, 'tests/test_till.py': 9, 'till.py': 9 })
    expect(diverge(graph, since(['till.py'])).anomalies).toMatchObject([
      { type: 'orphan_test', file: 'tests/test_gone.py', severity: 'info' },
    ])
  })

  test('couplings that came, went, grew and shrank are told from three common commits on', () => {
    const files = ['a.py', 'b.py', 'c.py', 'd.py', 'e.py', 'f.py', 'test_a.py']
    const graph = shop(Object.fromEntries(files.map((it) => [it, 9])))
    const { couplings, anomalies } = diverge(
      graph,
      since(files, {
        groupsBefore: [
          ...times(4, 'a.py'),
          ...times(3, 'b.py'),
          ...times(3, 'c.py', 'd.py'),
          ...times(2, 'e.py', 'f.py'),
        ],
        groupsSince: [...times(3, 'a.py', 'b.py'), ...times(3, 'c.py'), ...times(3, 'd.py'), ...times(1, 'e.py')],
      }),
    )
    expect(couplings).toEqual([
      { pair: ['a.py', 'b.py'], was: 0, now: 1, direction: 'new_coupling' },
      { pair: ['c.py', 'd.py'], was: 1, now: 0, direction: 'decoupled' },
    ])
    expect(anomalies.filter((it) => it.type === 'new_coupling')).toMatchObject([{ file: 'a.py', severity: 'warning' }])
  })

  test('a pair whose files rest is no less coupled, and a change of 0.15 is none', () => {
    const rest = { groupsBefore: times(4, 'a.py', 'b.py'), groupsSince: times(1, 'a.py') }
    const little = {
      groupsBefore: times(4, 'a.py', 'b.py'),
      groupsSince: [...times(6, 'a.py', 'b.py'), ...times(1, 'a.py')],
    }
    for (const more of [rest, little])
      expect(diverge(shop({ 'a.py': 1, 'b.py': 1 }), since(['a.py', 'b.py'], more)).couplings).toEqual([])
  })

  test('a file that lost its last edge is cut off; containment and history are no edges', () => {
    const before = shop({ 'a.py': 9, 'b.py': 9 }, 'a.py imports b.py 1')
    const graph = shop({ 'a.py': 9, 'b.py': 9 }, 'lib/ contains a.py 1\na.py co_changes b.py 0.5 both observed')
    const earlier = { files: new Set(['a.py', 'b.py']), degrees: degreesOf(before), lines: new Map() }
    expect(diverge(graph, since([], { earlier })).anomalies).toMatchObject([
      { type: 'isolation', file: 'a.py', severity: 'warning', detail: 'had 1 edge and has none' },
      { type: 'isolation', file: 'b.py' },
    ])
    expect([
      ...degreesOf(sketch('a.py contains pay() 1\nb.py contains bill() 1\npay() calls bill() 1')).values(),
    ]).toEqual([1, 1])
  })

  test('only what is in scope counts', () => {
    const graph = shop({ 'a/x.py': 9, 'b/y.py': 9 })
    const found = diverge(graph, since(['a/x.py', 'b/z.py'], { isInScope: (path) => path.startsWith('a/') }))
    expect(found).toMatchObject({ drift: 0, newFiles: [], removed: [] })
  })
})
