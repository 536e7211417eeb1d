/** The temporal dimension: how recently and how often a node changed. All ages are in hours. */

import { type Graph, type NodeId, typeName } from '#graph/graph'

/** Hours after which half of the recency is left, per type of node; `other` for types not named. */
type HalfLives = Readonly<Record<string, number>> & { readonly other: number }

export interface Domain {
  halfLives: HalfLives
  /** Whether the history of a repository says which of its files belong together. */
  gitCoChange: boolean
  /** Relations that are usual in it. */
  relations: readonly string[]
}

export const DOMAINS: ReadonlyMap<string, Domain> = new Map<string, Domain>([
  [
    'code',
    {
      halfLives: {
        file: 168,
        function: 336,
        class: 504,
        struct: 504,
        enum: 504,
        type: 504,
        module: 720,
        directory: 720,
        other: 168,
      },
      gitCoChange: true,
      relations: ['contains', 'imports', 'calls', 'references', 'implements', 'names'],
    },
  ],
  [
    'music',
    {
      halfLives: { system: 720, process: 336, material: 168, concept: 504, other: 336 },
      gitCoChange: false,
      relations: ['routes_to', 'sends_to', 'controls', 'modulates', 'contains', 'monitors'],
    },
  ],
  [
    'generic',
    {
      halfLives: { other: 336 },
      gitCoChange: false,
      relations: ['contains', 'references', 'depends_on', 'produces', 'consumes'],
    },
  ],
  [
    'memory',
    {
      halfLives: { file: 1008, module: 720, concept: 720, process: 168, reference: 336, system: 840, other: 504 },
      gitCoChange: false,
      relations: ['contains', 'mentions', 'references', 'relates_to', 'happened_on', 'supersedes', 'decided', 'tracks'],
    },
  ],
  [
    'light',
    {
      halfLives: { file: 1440, module: 1080, concept: 1080, process: 720, reference: 840, system: 1440, other: 840 },
      gitCoChange: false,
      relations: [],
    },
  ],
])

/** Half-life in hours of a type of node (its code) in a domain; an unknown domain counts as `code`. */
export function halfLife(type: number, domain: string): number {
  const halfLives: HalfLives = (DOMAINS.get(domain) ?? CODE).halfLives
  return halfLives[typeName(type)] ?? halfLives.other
}

const CODE: Domain = DOMAINS.get('code') ?? { halfLives: { other: 168 }, gitCoChange: true, relations: [] }

const RECENCY_SHARE = 0.6
const FREQUENCY_SHARE = 0.4
const SECONDS_PER_HOUR = 3600

/** Hours since the node changed; a time in the future counts as now. */
export function ageHours(graph: Graph, v: NodeId, nowSeconds: number): number {
  return Math.max(0, (nowSeconds - graph.lastModified[v]) / SECONDS_PER_HOUR)
}

/**
 * The score of nodes at a given time: 0.6 · recency + 0.4 · change frequency; 0 for a node whose time of change
 * is unknown. Half-lives are looked up once for all nodes.
 */
export function temporalScorer(graph: Graph, nowSeconds: number): (v: NodeId) => number {
  const { types, lastModified, changeFrequency } = graph
  const halfLives = Float64Array.from({ length: 256 }, (_, type) => halfLife(type, graph.meta.domain))
  return (v) => {
    if (!(lastModified[v] > 0)) return 0
    const recency = halved(ageHours(graph, v, nowSeconds), halfLives[types[v]])
    return RECENCY_SHARE * recency + FREQUENCY_SHARE * changeFrequency[v]
  }
}

function halved(age: number, half: number): number {
  return Math.exp((-Math.LN2 * age) / half)
}

const LEAST_DECAY = 1e-6

/** What is left of 1 after `age` hours, never below 1e-6. */
export function decayed(age: number, type: number, domain: string): number {
  return Math.max(LEAST_DECAY, halved(Math.max(0, age), halfLife(type, domain)))
}

/** A node is dormant after so many hours (35 days) without a touch. */
export const DORMANT_HOURS = 840
const RESURRECTION_BASE = 0.3
const RESURRECTION_GROWTH = 0.1

/**
 * The decay of a node that is touched again after `dormancy` hours: a dormant node returns at a floor that
 * grows with its sleep, anything else at its plain decay.
 */
export function resurrected(dormancy: number, type: number, domain: string): number {
  const raw = decayed(dormancy, type, domain)
  if (dormancy <= DORMANT_HOURS) return raw
  const floor = RESURRECTION_BASE + RESURRECTION_GROWTH * Math.log(1 + dormancy / DORMANT_HOURS)
  return Math.max(raw, Math.min(1, floor))
}

const LEAST_DEVIATION = 0.01
/** A z-score beyond this is a trend. */
const TREND = 0.5
/** A z-score within this is not worth a row. */
export const VELOCITY_LISTED = 0.1

/** z-score of each node's change frequency among living nodes of its type, indexed by node. */
export function velocities(graph: Graph): Float64Array {
  const { types, changeFrequency, dead, nNodes } = graph
  const counts = new Float64Array(256)
  const sums = new Float64Array(256)
  const squares = new Float64Array(256)
  for (let v = 0; v < nNodes; v++) {
    if (dead[v] === 1) continue
    counts[types[v]]++
    sums[types[v]] += changeFrequency[v]
  }
  for (let v = 0; v < nNodes; v++) {
    if (dead[v] === 0) squares[types[v]] += (changeFrequency[v] - sums[types[v]] / counts[types[v]]) ** 2
  }
  const scores = new Float64Array(nNodes)
  for (let v = 0; v < nNodes; v++) {
    const type = types[v]
    if (dead[v] === 1) continue
    const deviation = Math.sqrt(squares[type] / counts[type])
    scores[v] = (changeFrequency[v] - sums[type] / counts[type]) / Math.max(deviation, LEAST_DEVIATION)
  }
  return scores
}

export type Trend = 'accelerating' | 'steady' | 'decelerating'

export function trendOf(z: number): Trend {
  if (z > TREND) return 'accelerating'
  return z < -TREND ? 'decelerating' : 'steady'
}

/** A z-score as a number in (0, 1): 0.5 is the mean. */
export function velocityShare(z: number): number {
  return 1 / (1 + Math.exp(-z))
}
