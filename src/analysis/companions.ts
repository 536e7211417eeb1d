/**
 * Which files change together with a file: what past commits say, then use in both directions, names and places.
 * Every witness gives a share; they are combined as independent ones, so that none has to be there.
 */

import { Cases, type Prediction, type PredictOptions } from '#analysis/cases'
import { partsOf } from '#analysis/impact'
import { CONTAINMENT, eachInfluence, type InfluenceOptions, Kinds, stepName, TESTS } from '#analysis/steps'
import { FILE, fileOf, type Graph, GUESS, labelOf, type NodeId, NONE, text } from '#graph/graph'
import type { Messages } from '#graph/messages'
import { splitIdentifier } from '#graph/terms'
import { type CoChange, coChangeOf } from '#query/cochange'
import {
  CODE_ROLE,
  CONFIG_ROLE,
  DECLARATION_ROLE,
  DOC_ROLE,
  EXAMPLE_ROLE,
  EXTERNAL_ROLE,
  GENERATED_ROLE,
  roleOf,
  TEST_ROLE,
} from '#query/corpus'

/** Shares and half-life were measured on later commits of six repositories: `companions.md`. */
const HALF_LIFE_SECONDS = 4 * 365.25 * 86_400
/** A commit counts 1 / (its other files)^WIDTH. */
const WIDTH = 0.25
/** Commits that a file is given beside its own, so that a single one is no certainty. */
const PRIOR = 0.7
const HISTORY = 0.95
const CONFIRMED = 0.9
/** Of a file that uses the other, or is used by it, when about twenty places do. */
const USE = 0.15
const MANY_USES = 20
const SAME_FOLDER = 0.05
/** Of a folder that is the same down to the last part. */
const NEAR_FOLDER = 0.05
const NAME = 0.07
/** Of a file with about 150 commits. */
const OFTEN = 0.1
const MANY_COMMITS = 150
/** Place and name alone make a file a candidate from this on. */
const LEAST_ALONE = 0.05
const STANDING: Record<number, number> = {
  [CODE_ROLE]: 1,
  [TEST_ROLE]: 0.3,
  [DOC_ROLE]: 0.3,
  [EXAMPLE_ROLE]: 0.4,
  [GENERATED_ROLE]: 0.3,
  [EXTERNAL_ROLE]: 0.1,
  [DECLARATION_ROLE]: 0.5,
  [CONFIG_ROLE]: 0.5,
}

export interface CompanionOptions extends PredictOptions {
  nowSeconds: number
  /** What a file counts by its role, 0..1; less for what is no code unless told otherwise. */
  standing?: (file: NodeId) => number
}

/** Predictions for a file, by confidence, then node; and the number of guessed edges that took part. */
export function companions(
  graph: Graph,
  { cochange, messages }: { cochange: CoChange; messages: Messages },
  file: NodeId,
  { includeVelocity, nowSeconds, standing }: CompanionOptions,
): { rows: Prediction[]; guesses: number } {
  const parts = partsOf(graph, file)
  const cases = new Cases(graph, file, parts)
  const commits = commitsOfFiles(messages)
  fromCommits(cases, messages, commits.get(file) ?? [], file, nowSeconds)
  const partners = coChangeOf(cochange, file)
  for (const { node, strength, observed, commits: together } of partners) {
    if (!observed || together > 0) continue
    cases.tell(node, 'confirmed', CONFIRMED * strength, 'confirmed together')
    cases.observe(node)
  }
  const guesses = fromUse(graph, cases, [file, ...parts])
  fromPlace(graph, cases, file)
  for (const { node, strength } of partners) cases.couple(node, strength)
  for (const v of cases.nodes()) {
    const often = Math.min(1, Math.log1p(commits.get(v)?.length ?? 0) / Math.log1p(MANY_COMMITS))
    cases.tell(v, 'often', OFTEN * often, 'changes often')
  }
  return { rows: cases.rows(includeVelocity, standing ?? ((v) => STANDING[roleOf(graph, v)] ?? 1)), guesses }
}

const known = new WeakMap<Messages, Map<NodeId, number[]>>()

/** Commits of each file, in the order of the index. */
function commitsOfFiles(messages: Messages): Map<NodeId, number[]> {
  const before = known.get(messages)
  if (before !== undefined) return before
  const found = new Map<NodeId, number[]>()
  const { fileOffsets, files, times } = messages
  for (let c = 0; c < times.length; c++) {
    for (let i = fileOffsets[c]; i < fileOffsets[c + 1]; i++) {
      const list = found.get(files[i])
      if (list === undefined) found.set(files[i], [c])
      else list.push(c)
    }
  }
  known.set(messages, found)
  return found
}

/** The part of the file's commits, by age and width, that touched each other file too. */
function fromCommits(
  cases: Cases,
  { fileOffsets, files, times }: Messages,
  commits: readonly number[],
  file: NodeId,
  nowSeconds: number,
): void {
  let total = PRIOR
  const together = new Map<NodeId, { weight: number; count: number }>()
  for (const c of commits) {
    const weight = 0.5 ** (Math.max(0, nowSeconds - times[c]) / HALF_LIFE_SECONDS)
    total += weight
    const others = Math.max(1, fileOffsets[c + 1] - fileOffsets[c] - 1)
    for (let i = fileOffsets[c]; i < fileOffsets[c + 1]; i++) {
      const other = files[i]
      if (other === file) continue
      const sum = together.get(other) ?? { weight: 0, count: 0 }
      sum.weight += weight / others ** WIDTH
      sum.count++
      together.set(other, sum)
    }
  }
  for (const [other, { weight, count }] of together) {
    const reason = `changed together in ${count} of ${commits.length} commits of few files`
    cases.tell(other, 'history', (HISTORY * weight) / total, reason)
    cases.observe(other)
  }
}

/** Files that use the file or are used by it, by the number of places. Returns how many of these are guesses. */
function fromUse(graph: Graph, cases: Cases, nodes: readonly NodeId[]): number {
  const kinds = new Kinds(graph)
  const skipped = { guesses: 0, unreachable: 0 }
  const own = new Set(nodes)
  let guesses = 0
  const each = (direction: InfluenceOptions['direction']) => {
    const uses = new Map<NodeId, { count: number; reason: string; weight: number }>()
    for (const v of nodes) {
      eachInfluence(graph, kinds, v, { direction, includeGuesses: true }, skipped, (u, slot, kind, along) => {
        if ((kind & CONTAINMENT) !== 0 || own.has(u)) return
        if (graph.tiers[slot] === GUESS) {
          guesses++
          return
        }
        const other = fileOf(graph, u)
        const use = uses.get(other) ?? { count: 0, reason: '', weight: -1 }
        use.count++
        const weight = (kind & TESTS) !== 0 ? Number.POSITIVE_INFINITY : graph.weights[slot]
        if (weight > use.weight) {
          use.weight = weight
          // the name is read from the other end
          use.reason = (kind & TESTS) !== 0 ? 'tests it' : `${stepName(graph, slot, !along).replaceAll('_', ' ')} it`
        }
        uses.set(other, use)
      })
    }
    for (const [other, { count, reason }] of uses) {
      cases.tell(other, direction, USE * Math.min(1, Math.log1p(count) / Math.log1p(MANY_USES)), reason)
    }
  }
  each('dependents')
  each('dependencies')
  return guesses
}

interface Place {
  folders: string[]
  name: Set<string>
}

const places = new WeakMap<Graph, Map<NodeId, Place>>()

/** Where each file stands and the parts of its name. */
function placesOf(graph: Graph): Map<NodeId, Place> {
  const before = places.get(graph)
  if (before !== undefined) return before
  const found = new Map<NodeId, Place>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1) continue
    const path = text(graph, graph.paths[v])
    const name = splitIdentifier(labelOf(graph, v).replace(/\.[^/]*$/, '')).map((it) => it.toLowerCase())
    found.set(v, { folders: path.split('/').slice(0, -1), name: new Set(name) })
  }
  places.set(graph, found)
  return found
}

/** Files near in the tree or alike in name; alone they make a file a candidate only when they say enough. */
function fromPlace(graph: Graph, cases: Cases, file: NodeId): void {
  const all = placesOf(graph)
  const own = all.get(file)
  if (own === undefined) return
  const folder = graph.parents[file]
  for (const [v, { folders, name }] of all) {
    if (v === file) continue
    const isBeside = folder !== NONE && graph.parents[v] === folder
    const near = isBeside ? SAME_FOLDER : NEAR_FOLDER * overlap(own.folders, folders)
    const named = NAME * alike(own.name, name)
    if (!cases.has(v) && !isBeside && near + named <= LEAST_ALONE) continue
    cases.tell(v, 'place', near, isBeside ? 'same folder' : 'near in the tree')
    cases.tell(v, 'name', named, 'named alike')
  }
}

/** Leading folders that two paths share against all they have, 0..1 (Dice). */
function overlap(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return a.length + b.length === 0 ? 1 : (2 * shared) / (a.length + b.length)
}

/** Shared parts of two names against all their parts, 0..1 (Dice). */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const part of a) if (b.has(part)) shared++
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}
