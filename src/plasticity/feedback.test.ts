import { describe, expect, test } from 'vitest'
import { type Graph, LTD_APPLIED, LTP_APPLIED } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { learnFromQuery } from '#plasticity/cycle'
import { type Feedback, type FeedbackKind, learnFromFeedback } from '#plasticity/feedback'
import { DEFAULT, type EdgeLine, graphOf, LITERAL, scored, slotOf, weightOf } from '#plasticity/graph-for-tests'
import { emptyLearned, type Learned } from '#plasticity/learned'
import type { Rates } from '#plasticity/weights'

interface Given {
  seeds?: string[]
  activated?: string[]
  strength?: number
  grade?: number
}

function tell(
  graph: Graph,
  learned: Learned,
  kind: FeedbackKind,
  keys: string[],
  { seeds = [], activated = [], strength = 0.2, grade = 1 }: Given = {},
  rates: Rates = LITERAL,
) {
  const feedback: Feedback = {
    kind,
    text: 'till',
    agent: 'ann',
    time: 1000,
    nodes: keys.map((key) => nodeByKey(graph, key)),
    seeds: scored(graph, Object.fromEntries(seeds.map((key) => [key, 1]))),
    activated: activated.map((key) => nodeByKey(graph, key)),
    strength,
    grade,
  }
  return learnFromFeedback(graph, learned, feedback, rates)
}

const fork = (): Graph =>
  graphOf([
    ['a', 'imports', 'b', 0.5],
    ['a', 'imports', 'c', 0.4],
  ])

describe.each([LITERAL, DEFAULT])('under $plasticity', (rates) => {
  test('correct strengthens between the reported nodes, wrong weakens what leads to them from the seeds', () => {
    const graph = fork()
    const learned = emptyLearned()
    const right = tell(graph, learned, 'correct', ['a', 'b'], {}, rates)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.7, 6)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.4, 6)
    expect(right).toMatchObject({
      strengthened: 1,
      weakened: 0,
      expanded: 2,
      pairs: [[nodeByKey(graph, 'a'), nodeByKey(graph, 'b')]],
    })
    expect(right.meanChange).toBeCloseTo(0.2, 6)

    const wrong = tell(graph, learned, 'wrong', ['b'], { seeds: ['a'] }, rates)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.56, 6)
    expect(wrong).toMatchObject({ strengthened: 0, weakened: 1, pairs: [] })
  })

  test('partial strengthens half as much between confirmed nodes and weakens what leads to other answers', () => {
    const graph = fork()
    tell(graph, emptyLearned(), 'partial', ['a', 'b'], { activated: ['a', 'b', 'c'] }, rates)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.6, 6)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.4 * 0.95, 6)
  })

  test('edges to other answers of the query change half as much', () => {
    const graph = fork()
    tell(graph, emptyLearned(), 'correct', ['a', 'b'], { activated: ['c'] }, rates)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.5, 6)
    tell(graph, emptyLearned(), 'wrong', ['a', 'b'], { activated: ['c'] }, rates)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.45, 6)
  })

  test('both halves of a bidirectional edge change together and count once', () => {
    const graph = graphOf([['a', 'contains', 'b', 0.5, true]])
    const counts = tell(graph, emptyLearned(), 'correct', ['a', 'b'], {}, rates)
    expect(weightOf(graph, 'a', 'b', 'contains')).toBeCloseTo(0.7, 6)
    expect(weightOf(graph, 'b', 'a', 'contains')).toBeCloseTo(0.7, 6)
    expect(counts.strengthened).toBe(1)
  })

  test('five times correct brings the bonus, five times wrong the penalty, each once', () => {
    const graph = fork()
    const learned = emptyLearned()
    const ltp = Array.from({ length: 6 }, () => tell(graph, learned, 'correct', ['a', 'b'], {}, rates).ltp)
    expect(ltp).toEqual([0, 0, 0, 0, 1, 0])
    const ltd = Array.from({ length: 6 }, () => tell(graph, learned, 'wrong', ['a', 'b'], {}, rates).ltd)
    expect(ltd).toEqual([0, 0, 0, 0, 1, 0])
    expect(graph.marks[slotOf(graph, 'a', 'b')]).toBe(LTP_APPLIED | LTD_APPLIED)
  })

  test('a container brings its whole content', () => {
    const graph = graphOf([
      ['shop', 'contains', 'shop#Till', 0.5, true],
      ['shop#Till', 'contains', 'shop#Till#open', 0.5, true],
      ['shop#Till#open', 'calls', 'bank', 0.4],
    ])
    const counts = tell(graph, emptyLearned(), 'correct', ['shop'], { seeds: ['bank'] }, rates)
    expect(counts.expanded).toBe(3)
    expect(weightOf(graph, 'shop#Till', 'shop#Till#open', 'contains')).toBeCloseTo(0.7, 6)
    expect(weightOf(graph, 'shop#Till#open', 'bank', 'calls')).toBeCloseTo(0.6, 6)
  })

  test('what lies on a short path between seed and reported node belongs to the region', () => {
    const graph = graphOf([
      ['door', 'imports', 'hall', 0.5],
      ['hall', 'imports', 'till', 0.5],
      ['till', 'imports', 'bank', 0.5],
    ])
    tell(graph, emptyLearned(), 'correct', ['till'], { seeds: ['door'] }, rates)
    expect(weightOf(graph, 'hall', 'till')).toBeCloseTo(0.7, 6)
    expect(weightOf(graph, 'door', 'hall')).toBeCloseTo(0.5, 6)
    expect(weightOf(graph, 'till', 'bank')).toBeCloseTo(0.5, 6)
  })

  test('the grade scales the strength; a grade of 0 changes nothing', () => {
    const graph = fork()
    tell(graph, emptyLearned(), 'correct', ['a', 'b'], { grade: 0.5 }, rates)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.6, 6)
    const learned = emptyLearned()
    const counts = tell(graph, learned, 'correct', ['a', 'b'], { grade: 0, seeds: ['a'] }, rates)
    expect(counts).toMatchObject({ strengthened: 0, meanChange: 0, pairs: [] })
    expect(learned.verdicts).toEqual([])
  })

  test('nodes without an edge between them are no failure', () => {
    const counts = tell(fork(), emptyLearned(), 'correct', ['c'], {}, rates)
    expect(counts).toMatchObject({ strengthened: 0, weakened: 0, meanChange: 0 })
  })

  test('the journal says who changed which edges', () => {
    const graph = fork()
    const learned = emptyLearned()
    tell(graph, learned, 'correct', ['a', 'b'], {}, rates)
    expect(learned.journal).toEqual([
      {
        kind: 'correct',
        agent: 'ann',
        time: 1000,
        query: 0,
        text: 'till',
        grade: 1,
        keys: ['a', 'b'],
        about: 2,
        edges: [[0, 1, 'imports', 0.2]],
      },
    ])
  })
})

test('under default what is learned about an edge is bounded', () => {
  const graph = fork()
  const learned = emptyLearned()
  for (let i = 0; i < 50; i++) tell(graph, learned, 'correct', ['a', 'b'], { strength: 1 }, DEFAULT)
  expect(weightOf(graph, 'a', 'b')).toBeCloseTo(2, 6)
  for (let i = 0; i < 50; i++) tell(graph, learned, 'wrong', ['a', 'b'], { strength: 1 }, DEFAULT)
  expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.1, 6)
})

test('under default a ceiling takes from what was learned, never from what ingest gave', () => {
  const clerks = Array.from({ length: 10 }, (_, i): EdgeLine => [`clerk${i}`, 'imports', 'till', 1])
  const graph = graphOf(clerks)
  const keys = [...clerks.map(([clerk]) => clerk), 'till']
  const counts = tell(graph, emptyLearned(), 'correct', keys, { strength: 1 }, DEFAULT)
  expect(counts.rescaled).toBe(1)
  for (const [clerk] of clerks) expect(weightOf(graph, clerk, 'till')).toBeCloseTo(1.2, 5)
})

test('under default confirming both ends of a suppressing edge leaves it alone', () => {
  const graph = graphOf([['a', 'replaces', 'b', 0.5]])
  tell(graph, emptyLearned(), 'correct', ['a', 'b'], {}, DEFAULT)
  expect(weightOf(graph, 'a', 'b', 'replaces')).toBe(0.5)
  tell(graph, emptyLearned(), 'correct', ['a', 'b'], {}, LITERAL)
  expect(weightOf(graph, 'a', 'b', 'replaces')).toBeCloseTo(0.7, 6)
})

test('under default one feedback outweighs ten exposures', () => {
  const shown = fork()
  const learned = emptyLearned()
  const ranked = scored(shown, { a: 1, b: 1 })
  for (let i = 0; i < 10; i++)
    learnFromQuery(shown, learned, { text: 'till', agent: 'ann', time: 0, seeds: [], ranked }, DEFAULT)
  const told = fork()
  tell(told, emptyLearned(), 'correct', ['a', 'b'], {}, DEFAULT)
  expect(weightOf(told, 'a', 'b') - 0.5).toBeGreaterThan(weightOf(shown, 'a', 'b') - 0.5)
})
