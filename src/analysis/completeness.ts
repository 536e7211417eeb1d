/** How whole an answer about callers, dependents and the like can be, and why. */

import { ambiguousSites, boundariesIn, count, hasTag, outsideUse, reachingFiles } from '#analysis/outside'
import { partsOf } from '#analysis/impact'
import type { Skipped } from '#analysis/steps'
import { checkedFiles } from '#graph/checked'
import {
  DIRECTORY,
  FILE,
  fileOf,
  type Graph,
  GUESS,
  keyOf,
  labelOf,
  type NodeId,
  relationOf,
  type Site,
  text,
} from '#graph/graph'
import { ROOT_TAG } from '#graph/roots'

export type Completeness = {
  /** `exact`: nothing is known to be missing. `lower_bound`: there may be more. `unknown`: cannot be told. */
  level: 'exact' | 'lower_bound' | 'unknown'
  /** Why it is not exact; of an exact answer, who vouches for it. */
  reasons: string[]
  /** Sites that were read but not understood and could belong to the answer. */
  unresolved_sites: { path: string; line: number; text: string }[]
  unresolved_total: number
}

export interface Question {
  /** The nodes asked about, in any order. */
  nodes: readonly NodeId[]
  /** What is in them, where that counts as well. */
  parts?: readonly NodeId[]
  /** `incoming`: who uses them, so any unresolved site of that name may be missing. `outgoing`: whom they use. */
  asks: 'incoming' | 'outgoing' | 'both'
  skipped: Skipped
  /** Files behind the question that changed since the ingest. */
  stale?: number
  /** Further causes, each of which makes the answer a lower bound. */
  reasons?: readonly string[]
  /** Why nothing can be told at all; '' or none where something can. */
  unknown?: string
}

const SITES_SHOWN = 5
/** Nodes whose names are looked for among the unresolved sites. */
const NAMES = 500
/** Sentences about uses from outside, of all nodes together. */
const USES_TOLD = 4

/** Candidates of an ambiguous name that are listed. */
const CANDIDATES_SHOWN = 3

/**
 * Sites are matched by name: the last identifier of an unresolved call against the labels of the nodes asked
 * about (they may be the missing callers), or by place, a site within a node's lines (what it may call). Sites
 * whose target exists only at run time count where their file can reach the node.
 */
export function completeness(graph: Graph, question: Question): Completeness {
  const { asks, skipped, stale = 0, reasons: more = [], unknown = '' } = question
  const asked = [...new Set(question.nodes)]
  const nodes = [...new Set([...asked, ...(question.parts ?? [])])]
  const { coverage } = graph.meta
  const reasons: string[] = []

  const sites = suspects(graph, nodes.slice(0, NAMES), asks)
  if (sites.length > 0) {
    const it = asked.length === 1 ? 'it' : 'them'
    const where = { incoming: 'of that name', outgoing: `inside ${it}`, both: `of that name or inside ${it}` }[asks]
    reasons.push(`${count(sites.length, 'unresolved reference')} ${where}`)
  }
  for (const v of asks === 'outgoing' ? [] : asked) {
    const ambiguous = ambiguousSites(graph, v)
    if (ambiguous.sites.length === 0) continue
    const others = ambiguous.others.slice(0, CANDIDATES_SHOWN).map((it) => keyOf(graph, it))
    const rest = ambiguous.others.length - others.length
    const it = asked.length === 1 ? 'it' : labelOf(graph, v)
    reasons.push(
      `${count(ambiguous.sites.length, 'ambiguous reference')} guessed to be ${others.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} may mean ${it}`,
    )
    sites.push(...ambiguous.sites)
  }
  // a folder is what its files are
  const inFolders = asked.some((v) => graph.types[v] === DIRECTORY) ? nodes.filter((v) => graph.types[v] === FILE) : []
  const boundaries = boundariesOf(graph, [...asked, ...inFolders], asks)
  if (boundaries.length > 0) {
    const it = asked.length === 1 ? 'it' : 'them'
    const where = asks === 'outgoing' ? `inside ${it}` : `in files that reach ${it}`
    reasons.push(`${count(boundaries.length, 'site')} ${where} whose target is known only at run time`)
    sites.push(...boundaries)
  }
  if (asks !== 'outgoing') reasons.push(...usesFromOutside(graph, asked, nodes.slice(asked.length, NAMES)))
  const unnamed = coverage.unresolved - coverage.sites.length
  if (unnamed > 0) reasons.push(`${count(unnamed, 'unresolved reference')} of the project not kept by name`)
  if (skipped.guesses > 0)
    reasons.push(`${count(skipped.guesses, 'guessed edge')} left out; include_guesses follows them`)
  if (skipped.unreachable > 0)
    reasons.push(`${count(skipped.unreachable, 'reference')} in code that cannot run left out`)
  const partial = nodes.find((v) => isPartial(graph, v))
  if (partial !== undefined) reasons.push(`${text(graph, graph.paths[partial])} could be read only in part`)
  else if (coverage.filesPartial > 0) reasons.push(`${count(coverage.filesPartial, 'file')} could be read only in part`)
  if (stale > 0) reasons.push(`${count(stale, 'file')} behind the answer changed since the ingest`)
  if (coverage.truncated !== '') reasons.push(`the ingest stopped before the last file (${coverage.truncated})`)
  reasons.push(...more)

  const unread = unknown || unreadLanguage(graph, asked)
  if (unread !== '') reasons.unshift(unread)
  const level = unread !== '' ? 'unknown' : reasons.length > 0 ? 'lower_bound' : 'exact'
  const looked = level === 'exact' ? lookedUp(graph, nodes, asks) : ''
  if (looked !== '') reasons.push(looked)
  return {
    level,
    reasons,
    unresolved_sites: sites.slice(0, SITES_SHOWN),
    unresolved_total: sites.length,
  }
}

/** Run-time sites that may use one of the nodes, or that stand inside of one. */
function boundariesOf(graph: Graph, asked: readonly NodeId[], asks: Question['asks']): Site[] {
  if (graph.meta.coverage.boundaries.length === 0) return []
  if (asks !== 'outgoing') {
    const files = new Set(asked.flatMap((v) => [...reachingFiles(graph, v)]))
    return boundariesIn(graph, files)
  }
  const found = asked.flatMap((v) =>
    boundariesIn(graph, new Set([text(graph, graph.paths[v])])).filter(
      ({ line }) => graph.lineStart[v] <= line && line <= graph.lineEnd[v],
    ),
  )
  return [...new Set(found)]
}

/** For nodes asked about all that is known, of their parts only how many. */
function usesFromOutside(graph: Graph, asked: readonly NodeId[], inside: readonly NodeId[]): string[] {
  const own = [...new Set(asked.flatMap((v) => outsideUse(graph, v)))]
  const told = own.slice(0, USES_TOLD)
  if (own.length > told.length) told.push(`${count(own.length - told.length, 'more use')} of such a kind`)
  if (own.length > 0 && asked.length === 1) return told
  // what the language calls of a part is known from the uses of the whole
  const parts = inside.filter(
    (it) => !hasTag(graph, it, `${ROOT_TAG}language_protocol`) && outsideUse(graph, it).length > 0,
  )
  if (parts.length === 0) return told
  const [first] = outsideUse(graph, parts[0])
  const whole = asked.length === 1 ? 'it' : 'them'
  return [
    ...told,
    parts.length === 1 ? first : `${first}, and ${count(parts.length - 1, 'more part')} of ${whole} in such a way`,
  ]
}

const BY = { typescript: "TypeScript's checker", scip: 'the compiler behind an index file' }

/** Who looked up every name that the answer could rest on; '' when some were not. */
function lookedUp(graph: Graph, nodes: readonly NodeId[], asks: Question['asks']): string {
  const checked = checkedFiles(graph)
  const own = [...new Set(nodes.map((v) => fileOf(graph, v)))]
  const [first] = own
  const by = checked.get(first)
  if (by === undefined || own.some((v) => checked.get(v)?.partly !== false)) return ''
  if (asks === 'outgoing') return `every name in it was looked up by ${BY[by.checker]}`
  const extension = extensionOf(labelOf(graph, first))
  return filesOf(graph, extension).every((v) => checked.get(v)?.partly === false)
    ? `every name in every .${extension} file was looked up by ${BY[by.checker]}`
    : ''
}

function filesOf(graph: Graph, extension: string): NodeId[] {
  const files: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] === FILE && graph.dead[v] === 0 && extensionOf(labelOf(graph, v)) === extension) files.push(v)
  }
  return files
}

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

/** Unresolved sites inside of a node that bear the name of another one or of one of its parts, in file order. */
export function sitesNaming(graph: Graph, inside: NodeId, named: NodeId): Site[] {
  const { sites } = graph.meta.coverage
  if (sites.length === 0) return []
  const names = new Set([named, ...partsOf(graph, named)].slice(0, NAMES).flatMap((v) => namesOf(graph, v)))
  const own = indexSites(sites).byPath.get(text(graph, graph.paths[inside])) ?? []
  return own
    .map((i) => sites[i])
    .filter(({ line }) => graph.lineStart[inside] <= line && line <= graph.lineEnd[inside])
    .filter((it) => names.has(lastIdentifier(it.text)))
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
  return ['parse_partial', 'parse_failed', 'minified', 'oversize', 'absent'].some((it) => hasTag(graph, v, it))
}

const readExtensions = new WeakMap<Graph, Set<string>>()

/**
 * A sentence when the project's files of the kind of one of the nodes show no call or reference at all, so that silence
 * about it means nothing; '' otherwise. Graphs that did not come from source files state their own edges.
 */
function unreadLanguage(graph: Graph, asked: readonly NodeId[]): string {
  if (graph.meta.coverage.filesParsed === 0) return ''
  const known = extensionsWithEdges(graph)
  const extensions = asked.map((v) => extensionOf(text(graph, graph.paths[v])))
  const extension = extensions.find((it) => it !== '' && !known.has(it))
  return extension === undefined ? '' : `no references are known from any .${extension} file, so none found says little`
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
    known[handle] = ['calls', 'references', 'implements', 'imports', 'names'].includes(relationOf(graph, slot))
      ? YES
      : NO
  }
  return known[handle] === YES
}

function extensionOf(path: string): string {
  return /\.([\p{L}\p{N}_+-]+)$/u.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Kinds of empty answers about a node that is indexed. */
export type Empty = 'stale' | 'language_gap' | 'guesses_only' | 'framework' | 'unresolved' | 'unreachable_only' | 'none'

/** Nodes that a reason names. */
const NAMED = 3

/** Why an answer about nodes is empty: nothing there, or nothing known. */
export function emptyReason(
  graph: Graph,
  nodes: readonly NodeId[],
  what: string,
  { level, unresolved_total }: Completeness,
  { guesses, unreachable }: Skipped,
  stale = 0,
): { empty: Empty; reason: string } {
  const keys = nodes.slice(0, NAMED).map((v) => keyOf(graph, v))
  const names = `${keys.join(', ')}${nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : ''}`
  const isOne = nodes.length === 1
  const areIndexed = `${names} ${isOne ? 'is' : 'are'} indexed`
  const has = isOne ? 'has' : 'have'
  if (stale > 0)
    return {
      empty: 'stale',
      reason: `${areIndexed}, but ${isOne ? 'its file' : 'files of them'} changed since; ingest again to know the ${what}.`,
    }
  if (level === 'unknown')
    return {
      empty: 'language_gap',
      reason: `${areIndexed}, but ${isOne ? 'its language' : 'the language of one'} yields no references, so nothing can be said.`,
    }
  if (guesses > 0)
    return {
      empty: 'guesses_only',
      reason: `${areIndexed}; only ${count(guesses, 'guessed edge')} would be ${what}.`,
    }
  const [outside] = what === 'dependencies' ? [] : nodes.flatMap((v) => outsideUse(graph, v))
  if (outside !== undefined)
    return {
      empty: 'framework',
      reason: `${names} ${has} no known ${what} in the project, and that is no sign of disuse: ${outside}.`,
    }
  if (unresolved_total > 0)
    return {
      empty: 'unresolved',
      reason: `${areIndexed} and ${has} no known ${what}; ${count(unresolved_total, 'unresolved reference')} could be some.`,
    }
  if (unreachable > 0)
    return {
      empty: 'unreachable_only',
      reason: `${areIndexed}; only ${count(unreachable, 'reference')} in code that cannot run would be ${what}.`,
    }
  return {
    empty: 'none',
    reason: `${areIndexed} and ${has} no ${what}${level === 'exact' ? '' : ' that are known'}.`,
  }
}
