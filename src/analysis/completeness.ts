/** How whole an answer about callers, dependents and the like can be, and why. */

import type { Skipped } from '#analysis/steps'
import { FILE, type Graph, GUESS, keyOf, labelOf, type NodeId, relationOf, text } from '#graph/graph'

export type Completeness = {
  /** `exact`: nothing is known to be missing. `lower_bound`: there may be more. `unknown`: cannot be told. */
  level: 'exact' | 'lower_bound' | 'unknown'
  reasons: string[]
  /** Sites that were read but not understood and could belong to the answer. */
  unresolved_sites: { path: string; line: number; text: string }[]
  unresolved_total: number
}

export interface Question {
  /** The nodes asked about, with their parts where these count as well. */
  nodes: readonly NodeId[]
  /** `incoming`: who uses them, so any unresolved site of that name may be missing. `outgoing`: whom they use. */
  asks: 'incoming' | 'outgoing' | 'both'
  skipped: Skipped
  /** Further causes, each of which makes the answer a lower bound. */
  reasons?: readonly string[]
}

const SITES_SHOWN = 5
/** Parts of a node whose names are looked for among the unresolved sites. */
const NAMES = 500

/**
 * Sites are matched by name: the last identifier of an unresolved call against the labels of the nodes asked
 * about (they may be the missing callers), or by place, a site within a node's lines (what it may call).
 */
export function completeness(graph: Graph, { nodes, asks, skipped, reasons: more = [] }: Question): Completeness {
  const { coverage } = graph.meta
  const reasons: string[] = []

  const sites = suspects(graph, nodes.slice(0, NAMES), asks)
  if (sites.length > 0) {
    const where = { incoming: 'of that name', outgoing: 'inside it', both: 'of that name or inside it' }[asks]
    reasons.push(`${count(sites.length, 'unresolved reference')} ${where}`)
  }
  const unnamed = coverage.unresolved - coverage.sites.length
  if (unnamed > 0) reasons.push(`${count(unnamed, 'unresolved reference')} of the project not kept by name`)
  if (skipped.guesses > 0)
    reasons.push(`${count(skipped.guesses, 'guessed edge')} left out; include_guesses follows them`)
  if (skipped.unreachable > 0)
    reasons.push(`${count(skipped.unreachable, 'reference')} in code that cannot run left out`)
  const partial = nodes.find((v) => isPartial(graph, v))
  if (partial !== undefined) reasons.push(`${text(graph, graph.paths[partial])} could be read only in part`)
  else if (coverage.filesPartial > 0) reasons.push(`${count(coverage.filesPartial, 'file')} could be read only in part`)
  reasons.push(...more)

  const unread = unreadLanguage(graph, nodes[0])
  if (unread !== '') reasons.unshift(unread)
  return {
    level: unread !== '' ? 'unknown' : reasons.length > 0 ? 'lower_bound' : 'exact',
    reasons,
    unresolved_sites: sites.slice(0, SITES_SHOWN),
    unresolved_total: sites.length,
  }
}

type Site = Graph['meta']['coverage']['sites'][number]

interface Sites {
  byName: Map<string, number[]>
  byPath: Map<string, number[]>
}

const siteIndexes = new WeakMap<readonly Site[], Sites>()

function indexSites(sites: readonly Site[]): Sites {
  const known = siteIndexes.get(sites)
  if (known !== undefined) return known
  const index: Sites = { byName: new Map(), byPath: new Map() }
  const add = (map: Map<string, number[]>, key: string, i: number) => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [i])
    else list.push(i)
  }
  sites.forEach((it, i) => {
    add(index.byName, lastIdentifier(it.text), i)
    add(index.byPath, it.path, i)
  })
  siteIndexes.set(sites, index)
  return index
}

/** Unresolved sites that may belong to the answer, in file order. */
function suspects(graph: Graph, nodes: readonly NodeId[], asks: Question['asks']): Site[] {
  const { sites } = graph.meta.coverage
  const { byName, byPath } = indexSites(sites)
  const found = new Set<number>()
  for (const v of nodes) {
    if (asks !== 'outgoing') {
      for (const name of namesOf(graph, v)) for (const i of byName.get(name) ?? []) found.add(i)
    }
    if (asks === 'incoming') continue
    for (const i of byPath.get(text(graph, graph.paths[v])) ?? []) {
      const { line } = sites[i]
      if (graph.lineStart[v] <= line && line <= graph.lineEnd[v]) found.add(i)
    }
  }
  return [...found].sort((a, b) => a - b).map((i) => sites[i])
}

/** By its label; a file also by its name without the ending, as imports name it. */
function namesOf(graph: Graph, v: NodeId): string[] {
  const label = labelOf(graph, v)
  const stem = graph.types[v] === FILE ? label.replace(/\.[^.]*$/, '') : label
  return stem === label ? [label] : [label, stem]
}

/** `self.pool.acquire()` → `acquire`; '' for `make()()`, where what is called has no name. */
export function lastIdentifier(expression: string): string {
  if (/[)\]]\(\)$/.test(expression)) return ''
  return /([\p{L}\p{N}_$]+)[^\p{L}\p{N}_$]*$/u.exec(expression)?.[1] ?? ''
}

function isPartial(graph: Graph, v: NodeId): boolean {
  for (let i = graph.tagOffsets[v]; i < graph.tagOffsets[v + 1]; i++) {
    const tag = graph.strings.get(graph.tags[i])
    if (tag === 'parse_partial' || tag === 'minified' || tag === 'oversize') return true
  }
  return false
}

const readExtensions = new WeakMap<Graph, Set<string>>()

/**
 * A sentence when the project's files of this kind show no call or reference at all, so that silence about
 * one of them means nothing; '' otherwise. Graphs that did not come from source files state their own edges.
 */
function unreadLanguage(graph: Graph, v: NodeId | undefined): string {
  if (v === undefined || graph.meta.coverage.filesParsed === 0) return ''
  const extension = extensionOf(text(graph, graph.paths[v]))
  if (extension === '' || extensionsWithEdges(graph).has(extension)) return ''
  return `no references are known from any .${extension} file, so none found says little`
}

function extensionsWithEdges(graph: Graph): Set<string> {
  const known = readExtensions.get(graph)
  if (known !== undefined) return known
  const extensions = new Set<string>()
  const seen = new Uint8Array(graph.strings.count)
  const counts = new Uint8Array(graph.strings.count)
  for (let v = 0; v < graph.nNodes; v++) {
    const handle = graph.paths[v]
    if (handle >= seen.length || seen[handle] === 1) continue
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if (graph.tiers[e] === GUESS || !isReference(graph, e, counts)) continue
      seen[handle] = 1
      extensions.add(extensionOf(graph.strings.get(handle)))
      break
    }
  }
  readExtensions.set(graph, extensions)
  return extensions
}

const YES = 1
const NO = 2

function isReference(graph: Graph, slot: number, known: Uint8Array): boolean {
  const handle = graph.relations[slot]
  if (known[handle] === 0) {
    known[handle] = ['calls', 'references', 'implements', 'imports'].includes(relationOf(graph, slot)) ? YES : NO
  }
  return known[handle] === YES
}

function extensionOf(path: string): string {
  return /\.([\p{L}\p{N}_+-]+)$/u.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Why an answer about a node is empty: nothing there, or nothing known. */
export function emptyReason(
  graph: Graph,
  v: NodeId,
  what: string,
  { level, unresolved_total }: Completeness,
  skipped: Skipped,
): string {
  const name = keyOf(graph, v)
  if (skipped.guesses > 0) return `${name} is indexed; only ${count(skipped.guesses, 'guessed edge')} would be ${what}.`
  if (level === 'unknown') return `${name} is indexed, but its language yields no references, so nothing can be said.`
  if (unresolved_total > 0)
    return `${name} is indexed and has no known ${what}; ${count(unresolved_total, 'unresolved reference')} could be some.`
  return `${name} is indexed and has no ${what}${level === 'exact' ? '' : ' that are known'}.`
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
