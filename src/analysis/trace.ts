/** From a stack trace to the places that may have to be fixed. */

import { impact } from '#analysis/impact'
import { type OffStack, offStack } from '#analysis/off-stack'
import { type Place, placeOf } from '#analysis/places'
import { FILE, fileOf, type Graph, labelOf, NONE, type NodeId, relationOf } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import type { Messages } from '#graph/messages'
import { type CoChange, coChangeOf } from '#query/cochange'
import { CODE_ROLE, corpusOf, GENERATED_ROLE, TEST_ROLE } from '#query/corpus'
import type { Frame } from '#query/frames'

/**
 * `seed`: 0.40 · depth + 0.35 · recency + 0.25 · centrality of each frame. `fused`: depth falls off faster, further
 * places of one file stand back, tests and generated code last; measured in `trace.md`.
 */
export type TraceRanking = 'fused' | 'seed'

const DEPTH = 0.4
const RECENCY = 0.35
const CENTRALITY = 0.25
const HALF_LIFE_HOURS = 168
const SECONDS_PER_HOUR = 3600

/** Share of what is left per frame outwards. */
const OUTWARD = 0.8
/** A further place in a file that stands above already. */
const SAME_FILE = 0.4
/** A file that is on no frame, at full share: behind fresh files, before most further places of a file. */
const OFF_STACK = 0.5
const MOST_OFF_STACK = 5
/** Code that is run to find out, or not written by hand. */
const ROLES: Readonly<Record<number, number>> = { [CODE_ROLE]: 1, [TEST_ROLE]: 0.3, [GENERATED_ROLE]: 0.3 }
const OTHER_ROLE = 0.6

const CALLERS = 5
const CO_CHANGES = 10
const TESTS = 10
const LEAST_COUPLING = 0.3
const BLAST_DEPTH = 2

export interface MappedFrame extends Place {
  frame: Frame
}

export interface Suspect {
  node: NodeId
  file: NodeId
  /** 0..1 */
  score: number
  /** 1 for the deepest. */
  depth: number
  recency: number
  centrality: number
  /** Line that the frame named, 0 for a file that is on no frame. */
  line: number
  /** Why a file that is on no frame is named; '' for one that is. */
  reason: string
  /** `file::symbol` of those that call it, the next frame outwards first. */
  callers: string[]
}

export interface TraceResult {
  /** All frames, outermost first. */
  places: MappedFrame[]
  /** Best first. */
  suspects: Suspect[]
  /** Mapped frames, deepest first, as `file::symbol`. */
  chain: string[]
  coChanges: { node: NodeId; reason: string }[]
  /** Nodes within two hops that depend on the first suspect. */
  blast: number
  tests: NodeId[]
}

export interface TraceOptions {
  ranking: TraceRanking
  windowHours: number
  topK: number
  nowSeconds: number
  /** Of the error; '' when there is none. */
  message: string
}

export function traceSuspects(
  graph: Graph,
  indexes: { cochange: CoChange; lexical: Lexical; messages: Messages },
  frames: readonly Frame[],
  options: TraceOptions,
): TraceResult {
  const { cochange, lexical } = indexes
  const places = frames.map((frame): MappedFrame => ({ frame, ...placeOf(graph, frame) }))
  const mapped = merged(places)
  const nodes = mapped.map((it) => it.node)
  const chain = nodes.toReversed().map((v) => nameOf(graph, v))

  const { roles, fileDocOf } = corpusOf(graph, lexical)
  const rows = new Map<NodeId, Suspect>()
  mapped.forEach(({ node, file, frame }, i) => {
    const depth = (i + 1) / mapped.length
    const recency = recencyOf(graph, node, options.nowSeconds)
    const centrality = graph.pagerank[node]
    const role = fileDocOf[file] === NONE ? CODE_ROLE : roles[fileDocOf[file]]
    const score =
      options.ranking === 'seed'
        ? DEPTH * depth + RECENCY * recency + CENTRALITY * centrality
        : OUTWARD ** (mapped.length - 1 - i) * (ROLES[role] ?? OTHER_ROLE)
    const known = rows.get(node)
    // of a function that is on the stack several times the strongest counts
    if (known !== undefined && known.score > score) return
    const next = i > 0 ? [nameOf(graph, nodes[i - 1])] : []
    rows.set(node, { node, file, score, depth, recency, centrality, line: frame.line, callers: next, reason: '' })
  })
  let suspects = [...rows.values()].sort(byScore)
  if (options.ranking === 'fused') {
    const own = new Set(places.map((it) => it.file).filter((it) => it !== NONE))
    const deepest = places.findLastIndex((it) => it.node !== NONE)
    const others = offStack(graph, indexes, {
      suspects,
      message: options.message,
      foreign: places.slice(deepest + 1).map((it) => it.frame),
      own,
      nowSeconds: options.nowSeconds,
    })
    suspects = spreadOverFiles(suspects)
    if (suspects.length > 0)
      suspects = suspects
        .concat(others.slice(0, MOST_OFF_STACK).map((it) => besideStack(graph, it, options)))
        .sort(byScore)
  }
  const shown = suspects.slice(0, options.topK)
  for (const it of shown) it.callers = callersOf(graph, it)

  const first = shown[0]
  return {
    places,
    suspects,
    chain,
    coChanges: first === undefined ? [] : coChanges(graph, cochange, first, suspects, options.windowHours),
    blast:
      first === undefined
        ? 0
        : impact(graph, first.node, {
            direction: 'forward',
            depth: BLAST_DEPTH,
            includeGuesses: false,
            containment: 'parts',
          }).affected.length,
    tests: testsOf(graph, lexical, shown),
  }
}

/** `low` below five nodes or 0.1 % of all, `medium` below 1 %, `high` below 5 %, else `critical`. */
export function riskLevel(blast: number, nNodes: number): 'low' | 'medium' | 'high' | 'critical' {
  const share = nNodes === 0 ? 0 : blast / nNodes
  if (blast < 5 || share < 0.001) return 'low'
  if (share < 0.01) return 'medium'
  return share < 0.05 ? 'high' : 'critical'
}

/** Frames with a node, consecutive ones of the same node as one: the deepest stays. */
function merged(places: readonly MappedFrame[]): MappedFrame[] {
  const kept: MappedFrame[] = []
  for (const it of places) {
    if (it.node === NONE) continue
    if (kept[kept.length - 1]?.node === it.node) kept.pop()
    kept.push(it)
  }
  return kept
}

function besideStack(graph: Graph, { file, share, reason }: OffStack, { nowSeconds }: TraceOptions): Suspect {
  return {
    node: file,
    file,
    score: OFF_STACK * Math.sqrt(share),
    depth: 0,
    recency: recencyOf(graph, file, nowSeconds),
    centrality: graph.pagerank[file],
    line: 0,
    callers: [],
    reason,
  }
}

function byScore(a: Suspect, b: Suspect): number {
  return b.score - a.score || b.depth - a.depth || a.node - b.node
}

/** Lets further places of a file stand back behind the first ones of others. */
function spreadOverFiles(suspects: readonly Suspect[]): Suspect[] {
  const seen = new Map<NodeId, number>()
  for (const it of suspects) {
    const times = seen.get(it.file) ?? 0
    seen.set(it.file, times + 1)
    it.score *= SAME_FILE ** times
  }
  return suspects.toSorted(byScore)
}

function recencyOf(graph: Graph, v: NodeId, now: number): number {
  const at = graph.lastModified[v]
  if (at <= 0) return 0
  return Math.exp((-Math.LN2 * Math.max(0, now - at)) / SECONDS_PER_HOUR / HALF_LIFE_HOURS)
}

/** `cart.py::total`, or `cart.py` for a file. */
export function nameOf(graph: Graph, v: NodeId): string {
  const file = fileOf(graph, v)
  return file === v || file === NONE ? labelOf(graph, v) : `${labelOf(graph, file)}::${labelOf(graph, v)}`
}

function callersOf(graph: Graph, { node, callers }: Suspect): string[] {
  const names = new Set(callers)
  for (let i = graph.in.offsets[node]; i < graph.in.offsets[node + 1] && names.size < CALLERS; i++) {
    const slot = graph.in.slots[i]
    if (graph.weights[slot] > 0 && relationOf(graph, slot) === 'calls') names.add(nameOf(graph, graph.in.targets[i]))
  }
  return [...names].slice(0, CALLERS)
}

/** Files that changed when the first suspect's did, or usually change with it. */
function coChanges(
  graph: Graph,
  cochange: CoChange,
  first: Suspect,
  suspects: readonly Suspect[],
  windowHours: number,
): TraceResult['coChanges'] {
  const own = new Set(suspects.map((it) => it.file))
  const reasons = new Map<NodeId, string>()
  for (const { node, strength, observed } of coChangeOf(cochange, first.file)) {
    const file = fileOf(graph, node)
    if (observed && strength >= LEAST_COUPLING && file !== NONE && !own.has(file))
      reasons.set(file, 'usually changes with it')
  }
  const at = graph.lastModified[first.file]
  // without commits the times are those of the disk
  const what = graph.meta.commit === '' ? 'written' : 'last changed'
  if (at > 0) {
    for (let v = 0; v < graph.nNodes; v++) {
      if (graph.types[v] !== FILE || graph.dead[v] === 1 || own.has(v) || graph.lastModified[v] <= 0) continue
      const hours = Math.abs(graph.lastModified[v] - at) / SECONDS_PER_HOUR
      if (hours > windowHours) continue
      const near = hours < 0.01 ? `${what} at the same time` : `${what} within ${Math.ceil(hours)} h of it`
      reasons.set(v, reasons.has(v) ? `${reasons.get(v)}, ${near}` : near)
    }
  }
  const isBoth = (reason: string) => (reason.startsWith('usually') ? 1 : 0)
  return [...reasons]
    .map(([node, reason]) => ({ node, reason }))
    .sort(
      (a, b) =>
        graph.lastModified[b.node] - graph.lastModified[a.node] ||
        isBoth(b.reason) - isBoth(a.reason) ||
        a.node - b.node,
    )
    .slice(0, CO_CHANGES)
}

/** Test files with an edge into the files of suspects, those of the first suspect first. */
function testsOf(graph: Graph, lexical: Lexical, suspects: readonly Suspect[]): NodeId[] {
  const { roles, fileDocOf } = corpusOf(graph, lexical)
  const found = new Set<NodeId>()
  const seen = new Set<NodeId>()
  for (const { node, file } of suspects) {
    for (const v of [node, file]) {
      if (seen.has(v)) continue
      seen.add(v)
      for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1] && found.size < TESTS; i++) {
        const from = fileOf(graph, graph.in.targets[i])
        if (from === NONE || from === file || fileDocOf[from] === NONE || roles[fileDocOf[from]] !== TEST_ROLE) continue
        if (graph.weights[graph.in.slots[i]] > 0) found.add(from)
      }
    }
  }
  return [...found]
}
