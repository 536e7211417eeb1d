/** How much of the code could be read, and how sure what was found is. */

import {
  DEAD_EDGE,
  FILE,
  type FileCoverage,
  type Graph,
  LIFTED,
  PRIMARY,
  tagsOf,
  text,
  TIERS,
  typeName,
} from '#graph/graph'
import type { Work } from '#std/work'

export interface CoverageReport {
  files: { parsed: number; partly: number; nameOnly: number }
  /** Files of the graph that were not read whole, by the tag that says why. */
  reasons: Reason[]
  languages: LanguageCoverage[]
  callsByTier: Record<string, number>
  edgesByTier: Record<string, number>
  edgesByRelation: Record<string, number>
  nodesByType: Record<string, number>
  /** Lowest share of known references first. */
  weakest: { path: string; resolvedPercent: number; unresolved: number }[]
}

export interface Reason {
  reason: string
  files: number
  sample: string[]
}

export interface LanguageCoverage extends FileCoverage {
  language: string
  files: number
  partly: number
  nodes: number
}

/** Tags of files whose content is in the graph by name alone. */
const NAME_ONLY = ['oversize', 'absent', 'minified', 'parse_failed']
const PARTLY = 'parse_partial'
const SAMPLE = 5
const WEAKEST = 20
/** A file with fewer references says little by their share. */
const FEW_REFERENCES = 5
/** Nodes that are looked at before the work can be put down. */
const PER_STEP = 2048

export function* coverageWork(graph: Graph): Work<CoverageReport> {
  const files = { parsed: 0, partly: 0, nameOnly: 0 }
  const reasons = new Map<string, Reason>()
  const languages = new Map<string, LanguageCoverage>()
  const languageOf = new Map<number, LanguageCoverage>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (v % PER_STEP === 0) yield
    if (graph.types[v] !== FILE || graph.dead[v] === 1) continue
    const tags = tagsOf(graph, v)
    const path = text(graph, graph.paths[v])
    // the first tag of a file is its language
    const language = languageFor(languages, tags[0] ?? 'none')
    languageOf.set(graph.paths[v], language)
    language.files++
    addTo(language, graph.meta.coverage.files.get(path))
    const why = [...NAME_ONLY, PARTLY].find((it) => tags.includes(it))
    if (why === undefined) {
      files.parsed++
      continue
    }
    if (why === PARTLY) {
      files.partly++
      language.partly++
    } else files.nameOnly++
    const reason = reasons.get(why) ?? { reason: why, files: 0, sample: [] }
    reason.files++
    if (reason.sample.length < SAMPLE) reason.sample.push(path)
    reasons.set(why, reason)
  }

  const calls = graph.strings.find('calls')
  const nodes = new Map<string, number>()
  const relations = new Map<number, number>()
  const [callTiers, tiers] = [new Uint32Array(TIERS.length), new Uint32Array(TIERS.length)]
  for (let v = 0; v < graph.nNodes; v++) {
    if (v % PER_STEP === 0) yield
    if (graph.dead[v] === 1) continue
    const type = typeName(graph.types[v])
    nodes.set(type, (nodes.get(type) ?? 0) + 1)
    const language = languageOf.get(graph.paths[v])
    if (language !== undefined) language.nodes++
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      tiers[graph.tiers[e]]++
      relations.set(graph.relations[e], (relations.get(graph.relations[e]) ?? 0) + 1)
      if (graph.relations[e] === calls && (graph.flags[e] & LIFTED) === 0) callTiers[graph.tiers[e]]++
    }
  }
  return {
    files,
    reasons: [...reasons.values()].sort((a, b) => b.files - a.files || (a.reason < b.reason ? -1 : 1)),
    languages: [...languages.values()].sort((a, b) => b.files - a.files || (a.language < b.language ? -1 : 1)),
    callsByTier: named(callTiers),
    edgesByTier: named(tiers),
    edgesByRelation: byCount([...relations].map(([handle, count]) => [text(graph, handle), count])),
    nodesByType: byCount([...nodes]),
    weakest: weakestFiles(graph),
  }
}

function languageFor(languages: Map<string, LanguageCoverage>, name: string): LanguageCoverage {
  const known = languages.get(name)
  if (known !== undefined) return known
  const fresh = { language: name, files: 0, partly: 0, nodes: 0, resolved: 0, ambiguous: 0, unresolved: 0, external: 0 }
  languages.set(name, fresh)
  return fresh
}

function addTo(sum: FileCoverage, counts: FileCoverage | undefined): void {
  if (counts === undefined) return
  sum.resolved += counts.resolved
  sum.ambiguous += counts.ambiguous
  sum.unresolved += counts.unresolved
  sum.external += counts.external
}

function named(tiers: Uint32Array): Record<string, number> {
  return Object.fromEntries(TIERS.flatMap((it, i) => (tiers[i] > 0 ? [[it, tiers[i]]] : [])))
}

function byCount(counts: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries(counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

/** Of the references that mean something in the project, how many are known for sure; null when there is none. */
export function resolvedPercent({ resolved, ambiguous, unresolved }: FileCoverage): number | null {
  const all = resolved + ambiguous + unresolved
  return all === 0 ? null : Math.round((1000 * resolved) / all) / 10
}

function weakestFiles(graph: Graph): CoverageReport['weakest'] {
  const files: CoverageReport['weakest'] = []
  for (const [path, counts] of graph.meta.coverage.files) {
    const percent = resolvedPercent(counts)
    const references = counts.resolved + counts.ambiguous + counts.unresolved
    if (percent === null || percent === 100 || references < FEW_REFERENCES) continue
    files.push({ path, resolvedPercent: percent, unresolved: counts.unresolved })
  }
  return files
    .sort((a, b) => a.resolvedPercent - b.resolvedPercent || b.unresolved - a.unresolved || (a.path < b.path ? -1 : 1))
    .slice(0, WEAKEST)
}
