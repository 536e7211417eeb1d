/** Finding nodes: by key, by label, by what a person or an agent writes, by containment. */

import { parseReference, type Written } from '#graph/lookup/reference'
import { DIRECTORY, FILE, type Graph, keyOf, labelOf, NONE, type NodeId, type Root, text } from '#graph/graph'
import { labelIndex, nodesLabelled } from '#graph/lookup/labels'
import { Bitset } from '#std/bitset'
import { topPositions } from '#std/heap'

export interface Resolution {
  node: NodeId
  /** How the reference was understood: the kind of name it turned out to be. */
  resolvedFrom: 'id' | 'file_prefix' | 'alias' | 'path' | 'line' | 'label' | 'case_insensitive' | 'substring'
  /** Number of nodes that fit equally well, 1 when there is no doubt. */
  ambiguousMatches: number
  /** Those nodes, highest PageRank first, then by id; the first is `node`. */
  candidates: NodeId[]
}

export interface ResolveOptions {
  /** Also accept a part of a label, or else of a key. */
  substring?: boolean
  /** Where absolute paths are looked for; the graph's own roots unless given. */
  roots?: readonly Root[]
}

/** The node of a key, NONE when there is none or it is removed. Constant time. */
export function nodeByKey(graph: Graph, key: string): NodeId {
  const handle = graph.strings.find(key)
  return handle < graph.nNodes && !graph.dead[handle] ? handle : NONE
}

/** Nodes with exactly this label, by id. */
export function nodesByLabel(graph: Graph, label: string): NodeId[] {
  return nodesLabelled(graph, labelIndex(graph), label, false)
}

const childIndexes = new WeakMap<Graph, { offsets: Uint32Array; nodes: Uint32Array }>()

/** The nodes whose parent is `v`, by id; a view, not to be changed. */
export function childrenOf(graph: Graph, v: NodeId): Uint32Array {
  const { offsets, nodes } = childIndexOf(graph)
  return nodes.subarray(offsets[v], offsets[v + 1])
}

/** The same for loops over many nodes: those in `v` are `nodes[offsets[v] … offsets[v + 1] - 1]`. */
export function childIndexOf(graph: Graph): { offsets: Uint32Array; nodes: Uint32Array } {
  let index = childIndexes.get(graph)
  if (index === undefined) {
    index = indexChildren(graph)
    childIndexes.set(graph, index)
  }
  return index
}

function indexChildren({ nNodes, parents, dead }: Graph): { offsets: Uint32Array; nodes: Uint32Array } {
  const offsets = new Uint32Array(nNodes + 1)
  for (let v = 0; v < nNodes; v++) if (parents[v] !== NONE && !dead[v]) offsets[parents[v] + 1]++
  for (let v = 0; v < nNodes; v++) offsets[v + 1] += offsets[v]
  const nodes = new Uint32Array(offsets[nNodes])
  const next = offsets.slice(0, nNodes)
  for (let v = 0; v < nNodes; v++) if (parents[v] !== NONE && !dead[v]) nodes[next[parents[v]]++] = v
  return { offsets, nodes }
}

const fileIndexes = new WeakMap<Graph, Map<string, NodeId>>()

/** The files by the path of their source; of several repositories with one path, one of them. */
export function filesByPath(graph: Graph): ReadonlyMap<string, NodeId> {
  let index = fileIndexes.get(graph)
  if (index !== undefined) return index
  index = new Map()
  for (let v = 0; v < graph.nNodes; v++) {
    const path = graph.types[v] === FILE && graph.dead[v] === 0 ? text(graph, graph.paths[v]) : ''
    if (path !== '') index.set(path, v)
  }
  fileIndexes.set(graph, index)
  return index
}

/** The innermost node under `file` whose extent holds a line; `file` itself when no definition does. */
export function nodeAtLine(graph: Graph, file: NodeId, line: number): NodeId {
  const { lineStart, lineEnd } = graph
  const extent = (v: NodeId) => Math.max(lineStart[v], lineEnd[v]) - lineStart[v]
  let innermost = file
  for (;;) {
    let best = NONE
    for (const v of childrenOf(graph, innermost)) {
      if (lineStart[v] === 0 || line < lineStart[v] || line > Math.max(lineStart[v], lineEnd[v])) continue
      if (best === NONE || extent(v) < extent(best)) best = v
    }
    if (best === NONE) return innermost
    innermost = best
  }
}

/**
 * The node that a reference means, or null. Tried in this order, the first that fits wins: the key itself;
 * the key without `file::`; the same with kinds, classes or the name of the repository left out, as
 * `file::pool.py::acquire`, `pool.py::acquire` or `pool.py:20`; a path or its end, absolute paths too; a
 * label, also as `ConnectionPool.acquire`; all of these in another case, when only one fits; at last, when
 * asked for, a part of a label. Backslashes, a leading `./` and trailing `()` do no harm.
 */
export function resolveNode(graph: Graph, ref: string, options: ResolveOptions = {}): Resolution | null {
  const { substring = false, roots = graph.meta.roots } = options
  const exact = nodeByKey(graph, ref)
  if (exact !== NONE) return resolution(graph, 'id', [exact])
  const prefixed = nodeByKey(graph, `file::${ref}`)
  if (prefixed !== NONE) return resolution(graph, 'file_prefix', [prefixed])

  const readings = parseReference(ref, roots)
  for (const written of readings) {
    const found = search(graph, written, { roots, anyCase: false })
    if (found.length > 0) return resolution(graph, kindOf(written), found)
  }
  for (const written of readings) {
    const found = search(graph, written, { roots, anyCase: true })
    if (found.length === 1) return resolution(graph, 'case_insensitive', found)
  }
  if (!substring) return null
  const found = bySubstring(graph, ref)
  return found.length === 0 ? null : resolution(graph, 'substring', found)
}

function kindOf({ path, names, line }: Written): Resolution['resolvedFrom'] {
  if (line > 0) return 'line'
  if (path === '') return 'label'
  return names.length === 0 ? 'path' : 'alias'
}

function resolution(graph: Graph, resolvedFrom: Resolution['resolvedFrom'], nodes: NodeId[]): Resolution {
  const candidates = nodes.toSorted((a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b)
  return { node: candidates[0], resolvedFrom, ambiguousMatches: candidates.length, candidates }
}

interface SearchOptions {
  roots: readonly Root[]
  anyCase: boolean
}

/** The nodes that fit one reading best; several when they fit equally well. */
function search(graph: Graph, written: Written, options: SearchOptions): NodeId[] {
  if (written.names.length > 0) return definitions(graph, written, options)
  const places = written.path === '' ? [] : byPath(graph, written, options)
  return written.line === 0 ? places : places.map((v) => nodeAtLine(graph, v, written.line))
}

function definitions(graph: Graph, written: Written, options: SearchOptions): NodeId[] {
  const last = written.names[written.names.length - 1]
  const label = last.replace(/#\d+$/, '')
  const index = labelIndex(graph)
  const candidates = nodesLabelled(graph, index, last, options.anyCase)
  if (label !== last) candidates.push(...nodesLabelled(graph, index, label, options.anyCase))
  return best(candidates, (v) => misfit(graph, v, written, options))
}

/** How far a definition is from what was written: 0 fits wholly, more fits worse, -1 not at all. */
function misfit(graph: Graph, v: NodeId, { path, names, kinds, repo }: Written, options: SearchOptions): number {
  const { anyCase, roots } = options
  const same = comparer(anyCase)
  let i = names.length - 1
  const [kind, name] = lastOfKey(graph, v)
  if (!same(names[i], name) && (names[i].includes('#') || !same(names[i], labelOf(graph, v)))) return -1
  const otherKind = kinds[i] !== '' && kinds[i] !== kind
  // the second `m` of a file is `m#2`: without a number the first is meant
  const numbered = path !== '' && !same(names[i], name) && name.includes('#')
  i--

  // every further name must be met on the way up to the file; what is met besides is a gap
  let gap = false
  let u = graph.parents[v]
  for (; u !== NONE && graph.types[u] !== FILE && graph.types[u] !== DIRECTORY; u = graph.parents[u]) {
    if (i >= 0 && (same(names[i], labelOf(graph, u)) || same(names[i], lastOfKey(graph, u)[1]))) i--
    else if (i >= 0 || path !== '') gap = true
  }
  if (graph.types[v] === FILE) u = v
  if (i >= 0) {
    const module = u === NONE || path !== '' ? -1 : moduleMisfit(graph, u, names.slice(0, i + 1), same)
    if (module < 0) return -1
    if (module > 0) gap = true
  }
  if (repo !== '' && !keyOf(graph, v).startsWith(repo)) return -1

  let far = 0
  if (path !== '') {
    far = u === NONE ? -1 : pathMisfit(graph, u, path, { roots, anyCase })
    if (far < 0) return -1
  }
  return far * 8 + (gap ? 4 : 0) + (otherKind ? 2 : 0) + (numbered ? 1 : 0)
}

/** Kind and name that a key ends with; a kind of '' when it has none. */
function lastOfKey(graph: Graph, v: NodeId): [kind: string, name: string] {
  const key = keyOf(graph, v)
  const at = key.lastIndexOf('::')
  if (at < 0) return ['', key]
  const before = key.lastIndexOf('::', at - 1)
  return [before < 0 ? '' : key.slice(before + 2, at), key.slice(at + 2)]
}

/**
 * 0 when names are the end of a file's path without its extension, as modules are written; 1 when they are
 * the end of its folder, as packages are; -1 otherwise.
 */
function moduleMisfit(graph: Graph, file: NodeId, names: string[], same: (a: string, b: string) => boolean): number {
  if (graph.types[file] !== FILE) return -1
  const parts = placeOf(graph, file)
    .replace(/\.[^./]+$/, '')
    .replace(/\/(__init__|index|mod|lib)$/, '')
    .split('/')
  for (const skipped of [0, 1]) {
    const start = parts.length - skipped - names.length
    if (start >= 0 && names.every((name, i) => same(name, parts[start + i]))) return skipped
  }
  return -1
}

function byPath(graph: Graph, { path, repo, folder }: Written, options: SearchOptions): NodeId[] {
  const index = labelIndex(graph)
  const bare = path.replace(/\/+$/, '')
  const name = bare.slice(bare.lastIndexOf('/') + 1)
  const inRepo = (v: NodeId) => repo === '' || keyOf(graph, v).startsWith(repo)
  const fits = (v: NodeId) => (inRepo(v) ? pathMisfit(graph, v, bare, options) : -1)
  const tops = options.roots.map(({ prefix }) => nodeByKey(graph, `${prefix}dir::./`))
  if (bare === '.') return [...new Set(tops)].filter((v) => v !== NONE && inRepo(v))

  if (!folder) {
    const files = nodesLabelled(graph, index, name, options.anyCase).filter((v) => graph.types[v] === FILE)
    const found = best(files, fits)
    if (found.length > 0) return found
    const placed = options.anyCase ? [] : atPath(graph, bare).filter(inRepo)
    if (placed.length > 0) return placed
  }
  const folders = nodesLabelled(graph, index, `${name}/`, options.anyCase)
  folders.push(...nodesLabelled(graph, index, name, options.anyCase))
  const distinct = [...new Set([...folders, ...tops])].filter((v) => v !== NONE && graph.types[v] === DIRECTORY)
  return best(distinct, fits)
}

const pathSets = new WeakMap<Graph, Bitset>()

/** The strings that are the source path of some node. */
function pathsOf(graph: Graph): Bitset {
  let set = pathSets.get(graph)
  if (set === undefined) {
    set = new Bitset(graph.strings.count)
    for (const handle of graph.paths) if (handle !== NONE) set.add(handle)
    pathSets.set(graph, set)
  }
  return set
}

/** Nodes whose source path is this one, without those inside of them: files whose label is not their name. */
function atPath(graph: Graph, path: string): NodeId[] {
  const { paths, parents, dead } = graph
  const handle = graph.strings.find(path)
  const found: NodeId[] = []
  if (handle === NONE || !pathsOf(graph).has(handle)) return found
  for (let v = 0; v < graph.nNodes; v++) {
    if (paths[v] !== handle || dead[v]) continue
    if (parents[v] === NONE || paths[parents[v]] !== handle) found.push(v)
  }
  const files = found.filter((v) => graph.types[v] === FILE)
  return files.length > 0 ? files : found
}

/** 0 when a path is that of a file or folder, 1 when it is the end of it, -1 otherwise. */
function pathMisfit(graph: Graph, v: NodeId, path: string, { roots, anyCase }: SearchOptions): number {
  const wanted = anyCase ? path.toLowerCase() : path
  const key = keyOf(graph, v)
  const own = placeOf(graph, v)
  const source = text(graph, graph.paths[v])
  const places = [own, source]
  for (const root of roots) {
    if (!/^(file|dir)::/.test(key.slice(root.prefix.length)) || !key.startsWith(root.prefix)) continue
    places.push(join(root.path, own))
    if (source !== '') places.push(join(root.base, source))
  }
  let misfit = -1
  for (const place of places) {
    const known = anyCase ? place.toLowerCase() : place
    if (known === wanted && known !== '') return 0
    if (known.endsWith(`/${wanted}`)) misfit = 1
  }
  return misfit
}

/** The path in the key of a file or folder; '' for the root folder. */
function placeOf(graph: Graph, v: NodeId): string {
  const key = keyOf(graph, v)
  const at = Math.max(key.lastIndexOf('file::'), key.lastIndexOf('dir::'))
  const path = at < 0 ? '' : key.slice(key.indexOf('::', at) + 2).replace(/\/+$/, '')
  return path === '.' ? '' : path
}

function join(folder: string, path: string): string {
  const base = folder.replaceAll('\\', '/').replace(/\/+$/, '')
  return path === '' ? base : `${base}/${path}`
}

function comparer(anyCase: boolean): (a: string, b: string) => boolean {
  return anyCase ? (a, b) => a.toLowerCase() === b.toLowerCase() : (a, b) => a === b
}

/** The nodes of the smallest misfit; none when nothing fits. */
function best(nodes: NodeId[], misfitOf: (v: NodeId) => number): NodeId[] {
  let least = Number.POSITIVE_INFINITY
  let found: NodeId[] = []
  for (const v of nodes) {
    const misfit = misfitOf(v)
    if (misfit < 0 || misfit > least) continue
    if (misfit < least) found = []
    least = misfit
    found.push(v)
  }
  return found
}

function bySubstring(graph: Graph, ref: string): NodeId[] {
  const needle = ref.trim().toLowerCase()
  if (needle === '') return []
  for (const nameOf of [labelOf, keyOf]) {
    const found: NodeId[] = []
    for (let v = 0; v < graph.nNodes; v++) {
      if (!graph.dead[v] && nameOf(graph, v).toLowerCase().includes(needle)) found.push(v)
    }
    if (found.length > 0) return found
  }
  return []
}

/** Grams are told apart by 16 bits; two that fall together only make a candidate look a little closer. */
const GRAM_MASK = 0xffff
const IN_NAME = 1
const IN_REF = 2
const MIN_SIMILARITY = 0.3

/**
 * Keys of up to `n` nodes whose label or key looks most like a reference that was not found, closest first.
 * Similarity is the share of common trigrams (Dice), any case; one pass over the bytes of all keys and
 * labels, without an index: about 15 ms for 100,000 nodes.
 */
export function nearestKeys(graph: Graph, ref: string, n: number): string[] {
  const encoder = new TextEncoder()
  const whole = encoder.encode(ref.trim().replaceAll('\\', '/').toLowerCase())
  const name = encoder.encode(
    ref
      .trim()
      .replaceAll('\\', '/')
      .replace(/\/+$/, '')
      .replace(/^.*(::|\/)/, '')
      .toLowerCase(),
  )
  const grams = new Uint8Array(GRAM_MASK + 1)
  addGrams(grams, whole, IN_REF)
  addGrams(grams, name, IN_NAME)

  const { strings, keys, labels, dead } = graph
  const scores = new Float32Array(graph.nNodes)
  for (let v = 0; v < graph.nNodes; v++) {
    if (dead[v]) continue
    const byKey = similarity(strings.bytes, strings.offsets, keys[v], grams, IN_REF, whole.length)
    const byLabel = similarity(strings.bytes, strings.offsets, labels[v], grams, IN_NAME, name.length)
    // what both agree on comes before what only one of them likes
    scores[v] = Math.max(byKey, byLabel) + 0.1 * Math.min(byKey, byLabel)
  }
  return topPositions(scores, n, MIN_SIMILARITY).map((v) => keyOf(graph, v))
}

function addGrams(grams: Uint8Array, folded: Uint8Array, bit: number): void {
  for (let i = 0; i + 2 < folded.length; i++) grams[gramOf(folded[i], folded[i + 1], folded[i + 2])] |= bit
}

function gramOf(a: number, b: number, c: number): number {
  return (Math.imul(a, 961) + Math.imul(b, 31) + c) & GRAM_MASK
}

function similarity(
  bytes: Uint8Array,
  offsets: Uint32Array,
  handle: number,
  grams: Uint8Array,
  bit: number,
  queryLength: number,
): number {
  if (handle === NONE || queryLength < 3) return 0
  const start = offsets[handle]
  const end = offsets[handle + 1]
  if (end - start < 3) return 0
  let shared = 0
  let a = lower(bytes[start])
  let b = lower(bytes[start + 1])
  for (let i = start + 2; i < end; i++) {
    const c = lower(bytes[i])
    if (grams[gramOf(a, b, c)] & bit) shared++
    a = b
    b = c
  }
  return (2 * Math.min(shared, queryLength - 2)) / (queryLength - 2 + (end - start - 2))
}

function lower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}
