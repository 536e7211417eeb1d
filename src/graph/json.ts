/** The JSON snapshot, version 3, and the descriptor form that users write by hand; both are read by one reader. */

import { buildGraph } from '#graph/build'
import {
  BIDIRECTIONAL,
  CUSTOM,
  DEAD_EDGE,
  type Graph,
  type GraphMeta,
  INHIBITORY,
  keyOf,
  labelOf,
  LIFTED,
  NODE_TYPES,
  type NodeId,
  PRIMARY,
  TIERS,
  type Tier,
  tagsOf,
  text,
  UNREACHABLE,
} from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta, metaFromJson, metaToJson } from '#graph/meta'
import { causalStrength, isInhibitory } from '#graph/relations'

const VERSION = 3
/** Characters gathered before a piece is handed on. */
const CHUNK = 1 << 16
const MAX_WARNINGS = 20
const MAX_WEIGHT = 3
/** What a hand-written node gets when it does not say how often it changes. */
const CHANGE_FREQUENCY = 0.3

/**
 * The snapshot as pieces of text, about 64 kB each: nodes in order of id without removed ones, every logical
 * edge once as it was added, with its weight at ingest. Reading it back and writing it again gives the same
 * text. Throws on a number that is not finite, so that a broken graph never replaces a good file. With `learned`
 * edges also have their present weight where it is another one, for comparisons.
 */
export function* writeJson(graph: Graph, { learned = false } = {}): Generator<string> {
  const nNodes = graph.dead.reduce((sum, dead) => sum + 1 - dead, 0)
  const meta = { ...metaToJson(graph.meta), counts: { nodes: nNodes, edges: graph.nLogical } }
  let piece = `{"version":${VERSION},"meta":${JSON.stringify(meta)},"nodes":[`
  let separator = '\n'
  const short = new ShortNumbers()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    piece += separator + nodeToJson(graph, v, short)
    separator = ',\n'
    if (piece.length < CHUNK) continue
    yield piece
    piece = ''
  }

  piece += '\n],"edges":['
  separator = '\n'
  const quoted = new QuotedTexts(graph)
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      piece += separator + edgeToJson(graph, v, e, { quoted, short, learned })
      separator = ',\n'
      if (piece.length < CHUNK) continue
      yield piece
      piece = ''
    }
  }
  yield `${piece}\n]}\n`
}

function nodeToJson(graph: Graph, v: NodeId, short: ShortNumbers): string {
  const path = text(graph, graph.paths[v])
  const excerpt = text(graph, graph.excerpts[v])
  const namespace = text(graph, graph.namespaces[v])
  const lineStart = graph.lineStart[v]
  const lineEnd = graph.lineEnd[v]
  const canonical = graph.canonical[v] === 1
  const hasProvenance = path !== '' || excerpt !== '' || namespace !== '' || lineStart > 0 || lineEnd > 0 || canonical
  return JSON.stringify({
    external_id: keyOf(graph, v),
    label: labelOf(graph, v),
    node_type: graph.types[v],
    tags: tagsOf(graph, v),
    last_modified: finite(graph.lastModified[v], graph, v, 'last_modified'),
    change_frequency: short.of(finite(graph.changeFrequency[v], graph, v, 'change_frequency')),
    provenance: hasProvenance
      ? {
          source_path: path || undefined,
          line_start: lineStart || undefined,
          line_end: lineEnd || undefined,
          excerpt: excerpt || undefined,
          namespace: namespace || undefined,
          canonical,
        }
      : undefined,
  })
}

/** Put together by hand: there are several edges to a node, and their texts repeat. */
function edgeToJson(graph: Graph, v: NodeId, e: number, { quoted, short, learned }: Writers): string {
  const flags = graph.flags[e]
  const weight = short.of(finite(graph.ingestWeights[e], graph, v, 'weight'))
  const causal = short.of(finite(graph.causal[e], graph, v, 'causal_strength'))
  let json = `{"source_id":${quoted.of(graph.keys[v])},"target_id":${quoted.of(graph.keys[graph.out.targets[e]])}`
  json += `,"relation":${quoted.of(graph.relations[e])},"weight":${weight},"direction":${flags & BIDIRECTIONAL ? 1 : 0}`
  json += `,"inhibitory":${(flags & INHIBITORY) !== 0},"causal_strength":${causal}`
  json += `,"confidence":"${TIERS[graph.tiers[e]]}","line":${graph.lines[e]}`
  if (learned && graph.weights[e] !== graph.ingestWeights[e])
    json += `,"current_weight":${short.of(finite(graph.weights[e], graph, v, 'current_weight'))}`
  if (flags & LIFTED) json += ',"lifted":true'
  if (flags & UNREACHABLE) json += ',"unreachable":true'
  return `${json}}`
}

interface Writers {
  quoted: QuotedTexts
  short: ShortNumbers
  learned: boolean
}

class QuotedTexts {
  private readonly graph: Graph
  private readonly known: (string | undefined)[] = []

  constructor(graph: Graph) {
    this.graph = graph
    // at once, since an array that grows by leaps is slow
    this.known.length = graph.strings.count
  }

  of(handle: number): string {
    const known = this.known[handle]
    if (known !== undefined) return known
    const quoted = JSON.stringify(this.graph.strings.get(handle))
    this.known[handle] = quoted
    return quoted
  }
}

function finite(value: number, graph: Graph, v: NodeId, what: string): number {
  if (Number.isFinite(value)) return value
  throw new Error(`${what} of ${keyOf(graph, v)} is ${value}; expected a finite number`)
}

/** Writes 32-bit floats as the shortest decimal that is the same float: 0.4 instead of 0.4000000059604645. */
class ShortNumbers {
  /** Few values occur, each many times. */
  private readonly known = new Map<number, number>()

  of(value: number): number {
    let found = this.known.get(value)
    if (found === undefined) {
      found = shortest(value)
      this.known.set(value, found)
    }
    return found
  }
}

function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return rounded
  }
  return value
}

export interface JsonInput {
  input: GraphInput
  /** The first 20 things that were left out, a sentence each. */
  warnings: string[]
  /** Number of nodes whose key had occurred before. */
  collisions: number
  /** Number of nodes and edges left out, whatever the reason. */
  skipped: number
}

/** A snapshot of a version that this program does not know. */
export class VersionError extends Error {}

/**
 * Reads a parsed snapshot of version 3 or older, or a descriptor (`id`, `type`, `source`, `target`, nearly
 * all fields optional). Unknown fields are ignored. Nodes without a key, repeated keys, edges to nodes that
 * are not there and weights that are no number from 0 up are left out and named in `warnings`.
 *
 * Throws an `Error` when the value is of another shape, a `VersionError` when it is of a newer version.
 */
export function readJson(value: unknown): JsonInput {
  if (!isRecord(value)) throw new Error('expected a JSON object with the arrays nodes and edges')
  const { version } = value
  if (version !== undefined && !(typeof version === 'number' && version <= VERSION)) {
    const said = `the snapshot has version ${JSON.stringify(version)}, expected version ${VERSION} or older`
    throw typeof version === 'number' ? new VersionError(said) : new Error(said)
  }
  if (!Array.isArray(value.nodes)) throw new Error('expected nodes to be an array')
  if (!Array.isArray(value.edges)) throw new Error('expected edges to be an array')

  const problems = new Problems()
  const nodes: NodeInput[] = []
  const indices = new Map<string, number>()
  value.nodes.forEach((it: unknown, i) => {
    const node = isRecord(it) ? readNode(it) : null
    if (node === null) problems.add(`node ${i} has no id`)
    else if (indices.has(node.key)) problems.addCollision(`node ${i} repeats the id ${node.key}`)
    else indices.set(node.key, nodes.push(node) - 1)
  })

  const edges: EdgeInput[] = []
  value.edges.forEach((it: unknown, i) => {
    if (!isRecord(it)) {
      problems.add(`edge ${i} is not an object`)
      return
    }
    const from = (string(it.source_id) || string(it.source)).toWellFormed()
    const to = (string(it.target_id) || string(it.target)).toWellFormed()
    const source = indices.get(from)
    const target = indices.get(to)
    const weight = it.weight ?? 1
    if (source === undefined) problems.add(`edge ${i} is dangling: its source ${JSON.stringify(from)} is no node`)
    else if (target === undefined) problems.add(`edge ${i} is dangling: its target ${JSON.stringify(to)} is no node`)
    else if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0) {
      problems.add(`edge ${i} from ${from} to ${to} has the weight ${JSON.stringify(weight)}`)
    } else edges.push(readEdge(it, source, target, Math.min(weight, MAX_WEIGHT)))
  })
  const { warnings, collisions, skipped } = problems
  return { input: { nodes, edges, meta: readMeta(value) }, warnings, collisions, skipped }
}

/**
 * A graph of its own from a parsed snapshot, for looking at only: edges have the weight that was learned when it was
 * written, where it says so. Throws as `readJson` does.
 */
export function graphFromJson(value: unknown): { graph: Graph; skipped: number } {
  const { input, skipped } = readJson(value)
  const graph = buildGraph(input)
  const edges: unknown[] = isRecord(value) && Array.isArray(value.edges) ? value.edges : []
  for (const it of edges) {
    if (!isRecord(it) || typeof it.current_weight !== 'number' || !Number.isFinite(it.current_weight)) continue
    const source = graph.strings.find(string(it.source_id))
    const target = graph.strings.find(string(it.target_id))
    const relation = graph.strings.find(string(it.relation))
    if (source >= graph.nNodes) continue
    for (let e = graph.out.offsets[source]; e < graph.out.offsets[source + 1]; e++)
      if (graph.out.targets[e] === target && graph.relations[e] === relation) graph.weights[e] = it.current_weight
  }
  return { graph, skipped }
}

class Problems {
  readonly warnings: string[] = []
  collisions = 0
  skipped = 0

  add(problem: string): void {
    this.skipped++
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(problem)
  }

  addCollision(problem: string): void {
    this.collisions++
    this.add(problem)
  }
}

function readMeta(value: Record<string, unknown>): GraphMeta {
  if (isRecord(value.meta)) return metaFromJson(value.meta)
  return { ...emptyMeta(), domain: value.version === undefined ? 'generic' : 'code' }
}

function readNode(from: Record<string, unknown>): NodeInput | null {
  const key = (string(from.external_id) || string(from.id)).toWellFormed()
  if (key === '') return null
  const provenance = isRecord(from.provenance) ? from.provenance : {}
  return {
    key,
    label: typeof from.label === 'string' ? from.label : key,
    type: typeCode(from.node_type ?? from.type),
    tags: Array.isArray(from.tags) ? from.tags.filter((it: unknown) => typeof it === 'string') : [],
    lastModified: number(from.last_modified, 0),
    changeFrequency: number(from.change_frequency, CHANGE_FREQUENCY),
    path: string(provenance.source_path) || undefined,
    lineStart: lineNumber(provenance.line_start),
    lineEnd: lineNumber(provenance.line_end),
    excerpt: string(provenance.excerpt) || undefined,
    namespace: string(provenance.namespace) || undefined,
    canonical: provenance.canonical === true,
  }
}

function readEdge(from: Record<string, unknown>, source: number, target: number, weight: number): EdgeInput {
  const relation = string(from.relation) || 'relates_to'
  return {
    source,
    target,
    relation,
    weight,
    causal: number(from.causal_strength, defaultCausal(relation)),
    bidirectional: isBidirectional(from.direction, relation),
    inhibitory: typeof from.inhibitory === 'boolean' ? from.inhibitory : isInhibitory(relation),
    tier: tier(from.confidence),
    line: lineNumber(from.line),
    lifted: from.lifted === true,
    unreachable: from.unreachable === true,
  }
}

/** Flow relations that descriptors use and the table of code relations does not know. */
function defaultCausal(relation: string): number {
  if (relation === 'depends_on') return 0.6
  return relation === 'routes_to' ? 0.5 : causalStrength(relation)
}

function isBidirectional(direction: unknown, relation: string): boolean {
  if (direction === 1 || direction === 'bidirectional') return true
  if (direction === 0 || direction === 'forward') return false
  return relation === 'contains'
}

const typeCodes = new Map<string, number>(NODE_TYPES.map((name, code) => [name, code]))

/** Code of a node type given as a code or as a name in any case; `custom(0)` for what is unknown. */
function typeCode(type: unknown): number {
  if (typeof type === 'number') {
    const known = Number.isInteger(type) && type >= 0 && (type < NODE_TYPES.length || (type >= CUSTOM && type <= 255))
    return known ? type : CUSTOM
  }
  const name = string(type).toLowerCase()
  const custom = /^custom\((\d+)\)$/.exec(name)
  if (custom !== null) return Math.min(255, CUSTOM + Number(custom[1]))
  return typeCodes.get(name) ?? CUSTOM
}

function tier(confidence: unknown): Tier | undefined {
  return TIERS.find((it) => it === confidence)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

function lineNumber(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0
}
