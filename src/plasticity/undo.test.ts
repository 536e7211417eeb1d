import { expect, test } from 'vitest'
import type { Graph } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { learnFromQuery } from '#plasticity/cycle'
import { confirmedPairs, type FeedbackKind, learnFromFeedback } from '#plasticity/feedback'
import { DEFAULT, graphOf, LITERAL, scored, weightOf } from '#plasticity/graph-for-tests'
import { emptyLearned, type Learned } from '#plasticity/learned'
import { priming } from '#plasticity/priming'
import { undo } from '#plasticity/undo'
import { learnedEdges, type Rates } from '#plasticity/weights'

const lead = { text: '', agent: 'lead', time: 99 }

const library = (): Graph =>
  graphOf([
    ['desk', 'imports', 'card', 0.5],
    ['desk', 'imports', 'loan', 0.4],
    ['card', 'contains', 'card#Holder', 1, true],
    ['loan', 'calls', 'card#Holder', 0.4],
  ])

function tell(graph: Graph, learned: Learned, agent: string, kind: FeedbackKind, keys: string[], rates: Rates): void {
  const nodes = keys.map((key) => nodeByKey(graph, key))
  const seeds = scored(graph, { desk: 1 })
  learnFromFeedback(
    graph,
    learned,
    { kind, text: 'loan desk', agent, time: 1, nodes, seeds, activated: [], strength: 0.2, grade: 1 },
    rates,
  )
}

function ask(graph: Graph, learned: Learned, agent: string, ranking: Record<string, number>, rates: Rates): void {
  const ranked = scored(graph, ranking)
  learnFromQuery(graph, learned, { text: 'loan desk', agent, time: 1, seeds: ranked.slice(0, 1), ranked }, rates)
}

test.each([LITERAL, DEFAULT])('undoing all gives the graph as ingested, under $plasticity', (rates) => {
  const graph = library()
  const learned = emptyLearned()
  ask(graph, learned, 'ann', { desk: 1, card: 0.7 }, rates)
  tell(graph, learned, 'ann', 'correct', ['desk', 'card'], rates)
  tell(graph, learned, 'ben', 'wrong', ['loan'], rates)
  const { edges } = undo(graph, learned, { scope: 'all' }, lead, rates)
  expect(edges).toBeGreaterThan(0)
  expect([...graph.weights]).toEqual([...library().weights])
  expect(learnedEdges(graph)).toBe(0)
  expect(learned).toMatchObject({ memory: [], verdicts: [] })
  expect(learned.journal).toMatchObject([{ kind: 'reset', agent: 'lead', time: 99 }])
})

test('undoing some nodes sets back their edges and what was said about them', () => {
  const graph = library()
  const learned = emptyLearned()
  tell(graph, learned, 'ann', 'correct', ['desk', 'loan'], DEFAULT)
  tell(graph, learned, 'ann', 'correct', ['desk', 'card'], DEFAULT)
  undo(graph, learned, { scope: 'nodes', nodes: [nodeByKey(graph, 'card')] }, lead, DEFAULT)
  expect(weightOf(graph, 'desk', 'card')).toBe(0.5)
  expect(weightOf(graph, 'card', 'card#Holder', 'contains')).toBe(1)
  expect(weightOf(graph, 'desk', 'loan')).toBeGreaterThan(0.55)
  const boosts = priming(graph, learned, scored(graph, { desk: 1 }), DEFAULT)
  expect([...boosts.keys()]).toEqual([nodeByKey(graph, 'loan')])
})

test('undoing an agent leaves what others taught', () => {
  const graph = library()
  const learned = emptyLearned()
  ask(graph, learned, 'ann', { desk: 1, card: 1 }, DEFAULT)
  tell(graph, learned, 'ann', 'correct', ['desk', 'card'], DEFAULT)
  tell(graph, learned, 'ben', 'correct', ['desk', 'loan'], DEFAULT)
  const byBen = library()
  tell(byBen, emptyLearned(), 'ben', 'correct', ['desk', 'loan'], DEFAULT)

  undo(graph, learned, { scope: 'agent', agent: 'ann' }, lead, DEFAULT)
  graph.weights.forEach((weight, slot) => expect(weight).toBeCloseTo(byBen.weights[slot], 3))
  expect(learned.memory).toEqual([])
  expect(learned.journal.map((it) => [it.agent, it.kind])).toEqual([
    ['ben', 'correct'],
    ['lead', 'reset'],
  ])
})

test('an agent who taught the same edge as another loses its half, also after the edge has relaxed', () => {
  const graph = library()
  const learned = emptyLearned()
  tell(graph, learned, 'ann', 'correct', ['desk', 'card'], DEFAULT)
  tell(graph, learned, 'ben', 'correct', ['desk', 'card'], DEFAULT)
  for (let i = 0; i < 1000; i++) ask(graph, learned, 'cleo', { loan: 0 }, DEFAULT)
  expect(weightOf(graph, 'desk', 'card')).toBeCloseTo(0.7, 2)
  undo(graph, learned, { scope: 'agent', agent: 'ann' }, lead, DEFAULT)
  expect(weightOf(graph, 'desk', 'card')).toBeCloseTo(0.6, 2)
})

test('undoing an agent who taught nothing changes nothing', () => {
  const graph = library()
  const learned = emptyLearned()
  tell(graph, learned, 'ann', 'correct', ['desk', 'card'], DEFAULT)
  const before = [...graph.weights]
  expect(undo(graph, learned, { scope: 'agent', agent: 'nobody' }, lead, DEFAULT)).toEqual({
    edges: 0,
    records: 0,
  })
  expect([...graph.weights]).toEqual(before)
})

test('confirmed pairs are those of the journal that nobody took back, in its order', () => {
  const graph = library()
  const learned = emptyLearned()
  const of = (...keys: string[]) => keys.map((key) => nodeByKey(graph, key))
  tell(graph, learned, 'ann', 'correct', ['desk', 'card#Holder'], DEFAULT)
  tell(graph, learned, 'ben', 'correct', ['desk', 'loan'], DEFAULT)
  tell(graph, learned, 'ben', 'wrong', ['desk', 'card'], DEFAULT)
  expect(confirmedPairs(graph, learned)).toEqual([of('desk', 'card#Holder'), of('desk', 'loan')])

  undo(graph, learned, { scope: 'nodes', nodes: of('card') }, lead, DEFAULT)
  expect(confirmedPairs(graph, learned)).toEqual([of('desk', 'loan')])
  tell(graph, learned, 'ann', 'correct', ['desk', 'card#Holder'], DEFAULT)
  expect(confirmedPairs(graph, learned)).toEqual([of('desk', 'loan'), of('desk', 'card#Holder')])
  undo(graph, learned, { scope: 'agent', agent: 'lead' }, lead, DEFAULT)
  undo(graph, learned, { scope: 'agent', agent: 'ben' }, lead, DEFAULT)
  expect(confirmedPairs(graph, learned)).toEqual([of('desk', 'card#Holder')])
  expect(confirmedPairs(graphOf([['desk', 'imports', 'loan', 0.4]]), learned)).toEqual([])
})
