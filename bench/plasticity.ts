/**
 * What the two learning policies do to retrieval, on a generated project; figures in src/plasticity/policies.md.
 * Run: npx tsx bench/plasticity.ts [nodes]
 */

import { buildGraph } from '#graph/build'
import { type Graph, keyOf, labelOf, type NodeId } from '#graph/graph'
import { learnFromQuery } from '#plasticity/cycle'
import { emptyLearned } from '#plasticity/learned'
import { Random } from '#std/random'
import activate from '#tools/activate'
import learn from '#tools/learn'
import { type Place, placeOf } from '#tools/learning-for-tests'
import { generateInput } from './generate.ts'

const POLICIES = ['literal', 'default'] as const
type Policy = (typeof POLICIES)[number]

const NODES = Number(process.argv[2] ?? 3000)
const SIZE = { nodes: NODES, edges: NODES * 4, seed: 7 }
const ASKED = 1000
const FEEDBACK_ROUNDS = [1, 2, 3, 5, 10]

function fresh(policy: Policy): Place {
  return placeOf(buildGraph(generateInput(SIZE)), { settings: { plasticity: policy } })
}

async function ask(place: Place, query: string, learns = true, priming = true): Promise<string[]> {
  const { activated } = await place.call(activate, { query, learn: learns, priming, include_ghost_edges: false })
  return activated.map((it) => it.node_id)
}

/** Two words of a label as a question, its node as the answer that is wanted. */
interface Question {
  query: string
  wanted: string
}

/** Questions by the first word of a label: those of one half of the words are asked, those of the other are not. */
function questions(graph: Graph): { asked: Question[]; untouched: Question[] } {
  const random = new Random(11)
  const byWord = new Map<string, NodeId[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    const word = labelOf(graph, v).match(/^[a-z]+_([a-z]+)_([a-z]+)\d/)?.[1]
    if (word !== undefined) byWord.set(word, [...(byWord.get(word) ?? []), v])
  }
  const words = [...byWord.keys()].sort()
  const sides: Question[][] = [[], []]
  words.forEach((word, i) => {
    const own = new Set(words.filter((_, j) => j % 2 === i % 2))
    for (const v of byWord.get(word) ?? []) {
      const other = labelOf(graph, v).match(/_([a-z]+)\d+$/)?.[1] ?? ''
      if (own.has(other)) sides[i % 2].push({ query: `${word} ${other}`, wanted: keyOf(graph, v) })
    }
  })
  const pick = (list: Question[], n: number) => Array.from({ length: n }, () => list[random.below(list.length)])
  return { asked: pick(sides[0], ASKED), untouched: pick(sides[1], 100) }
}

function reciprocal(ranking: readonly string[], wanted: string): number {
  const at = ranking.indexOf(wanted)
  return at < 0 ? 0 : 1 / (at + 1)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, it) => sum + it, 0) / Math.max(1, values.length)
}

function overlap(a: readonly string[], b: readonly string[], k: number): number {
  const first = new Set(a.slice(0, k))
  return b.slice(0, k).filter((it) => first.has(it)).length / Math.max(1, Math.min(k, first.size))
}

function report(label: string, values: readonly string[]): void {
  process.stdout.write(`${label.padEnd(62)} ${values.map((it) => it.padStart(10)).join('')}\n`)
}

async function untouchedTopics(policy: Policy, feedback: boolean): Promise<string[]> {
  const place = fresh(policy)
  const { asked, untouched } = questions(place.brain.graph)
  const before: string[][] = []
  for (const { query } of untouched) before.push(await ask(place, query, false))
  for (const [i, { query }] of asked.entries()) {
    const ranking = await ask(place, query)
    if (!feedback) continue
    if (i % 5 === 0) await place.call(learn, { query, feedback: 'correct', node_ids: ranking.slice(2, 4) })
    if (i % 10 === 5) await place.call(learn, { query, feedback: 'wrong', node_ids: ranking.slice(0, 1) })
  }
  const after: string[][] = []
  for (const { query } of untouched) after.push(await ask(place, query, false))
  const mrr = (rankings: string[][]) => mean(rankings.map((it, i) => reciprocal(it, untouched[i].wanted)))
  const recall = (rankings: string[][]) =>
    mean(rankings.map((it, i) => Number(it.slice(0, 10).includes(untouched[i].wanted))))
  return [
    `${mrr(before).toFixed(4)}`,
    `${mrr(after).toFixed(4)}`,
    `${recall(before).toFixed(3)}`,
    `${recall(after).toFixed(3)}`,
    mean(before.map((it, i) => overlap(it, after[i], 10))).toFixed(3),
  ]
}

/** Questions whose wanted answer is one that ranks low at first. */
async function lowRanked(place: Place, n: number, lowest: number, highest: number): Promise<Question[]> {
  const found: Question[] = []
  const seen = new Set<string>()
  for (const { query } of questions(place.brain.graph).asked) {
    if (found.length === n) break
    if (seen.has(query)) continue
    seen.add(query)
    const ranking = await ask(place, query, false)
    const wanted = ranking[lowest + (found.length % (highest - lowest))]
    if (wanted !== undefined) found.push({ query, wanted })
  }
  return found
}

async function speedOfLearning(policy: Policy, priming: boolean): Promise<string[]> {
  const place = fresh(policy)
  const targets = await lowRanked(place, 30, 5, 18)
  const { asked } = questions(place.brain.graph)
  const rank = async () =>
    mean(
      await Promise.all(targets.map(async (it) => reciprocal(await ask(place, it.query, false, priming), it.wanted))),
    )
  const results = [(await rank()).toFixed(3)]
  let round = 0
  let other = 0
  for (const until of FEEDBACK_ROUNDS) {
    for (; round < until; round++) {
      for (const { query, wanted } of targets) {
        await ask(place, query)
        await place.call(learn, { query, feedback: 'correct', node_ids: [wanted] })
      }
      for (let i = 0; i < 20; i++) await ask(place, asked[other++ % ASKED].query)
    }
    results.push((await rank()).toFixed(3))
  }
  return results
}

async function wrongAnswers(policy: Policy): Promise<string[]> {
  const place = fresh(policy)
  const targets = await lowRanked(place, 30, 0, 4)
  let left = 0
  for (const { query, wanted } of targets) {
    await ask(place, query)
    await place.call(learn, { query, feedback: 'wrong', node_ids: [wanted] })
    if (!(await ask(place, query, false)).slice(0, 5).includes(wanted)) left++
  }
  return [`${left} of 30`]
}

/** One node is confirmed once, after the whole list was shown thirty times. */
async function exposure(policy: Policy): Promise<string[]> {
  const place = fresh(policy)
  const targets = await lowRanked(place, 20, 5, 18)
  const top5: number[] = []
  const samePlaces: number[] = []
  const won: number[] = []
  for (const { query, wanted } of targets) {
    const before = await ask(place, query, false)
    for (let i = 0; i < 30; i++) await ask(place, query)
    const shown = await ask(place, query, false)
    await place.call(learn, { query, feedback: 'correct', node_ids: [wanted] })
    const told = await ask(place, query, false)
    top5.push(overlap(before, shown, 5))
    samePlaces.push(mean(before.map((it, i) => Number(shown[i] === it))))
    won.push((shown.includes(wanted) ? shown.indexOf(wanted) : 20) - told.indexOf(wanted))
  }
  return [mean(top5).toFixed(3), mean(samePlaces).toFixed(3), mean(won).toFixed(1)]
}

function cost(policy: Policy): string[] {
  const graph = buildGraph(generateInput({ nodes: 100_000, edges: 400_000, seed: 1 }))
  const random = new Random(3)
  const learned = emptyLearned()
  const rates = { plasticity: policy, learningRate: 0.08, decayRate: 0.005, ltdCountsPassiveDecay: true }
  const times: number[] = []
  for (let q = 0; q < 400; q++) {
    const near = new Set([random.below(graph.nNodes)])
    for (const v of near) {
      for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1] && near.size < 20; e++)
        near.add(graph.out.targets[e])
    }
    const ranked = [...near].map((node, i) => ({ node, score: 1 - i / 30 }))
    const start = performance.now()
    learnFromQuery(
      graph,
      learned,
      { text: `query ${q}`, agent: 'bench', time: 0, seeds: ranked.slice(0, 3), ranked },
      rates,
    )
    times.push(performance.now() - start)
  }
  const [first] = times
  times.sort((a, b) => a - b)
  return [`${first.toFixed(1)} ms`, `${times[40].toFixed(2)} ms`, `${times[200].toFixed(2)} ms`]
}

process.stdout.write(`${SIZE.nodes} nodes, ${SIZE.edges} edges\n`)
for (const policy of POLICIES) {
  process.stdout.write(`\n${policy}\n`)
  report('1000 questions on other topics: MRR, recall@10; overlap@10', await untouchedTopics(policy, false))
  report('  the same with feedback on 300 of them', await untouchedTopics(policy, true))
  report(
    `answers ranked 6 to 18: MRR after 0, ${FEEDBACK_ROUNDS.join(', ')} "correct"`,
    await speedOfLearning(policy, true),
  )
  report('  the same by weights alone', await speedOfLearning(policy, false))
  report('answers out of the top 5 after one "wrong"', await wrongAnswers(policy))
  report('30 exposures: overlap@5, same places; ranks won by a "correct"', await exposure(policy))
  report('100,000 nodes, 400,000 edges: first cycle, p10, p50', cost(policy))
}
