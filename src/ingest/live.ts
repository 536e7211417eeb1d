/** What an ingest leaves in memory for the next one of the same root, and how the next one makes use of it. */

import type { EdgeInput, GraphInput } from '#graph/input'
import type { GraphMeta } from '#graph/graph'
import type { LexicalFile } from '#graph/lexical'
import type { Stretch } from '#graph/patch'
import type { CommitRecord } from '#ingest/commits'
import type { Facts } from '#ingest/facts'
import type { History } from '#ingest/history'
import { isConfigFile } from '#ingest/manifests'
import type { FileEntry } from '#ingest/nodes'
import type { Records } from '#ingest/records'
import type { IngestReport } from '#ingest/report'
import {
  prepared,
  type Resolution,
  resolve,
  type ResolvedEdge,
  type ResolveOptions,
  type Resolving,
  type SourceFile,
} from '#ingest/resolve'
import { affectedFiles } from '#ingest/resolve/affected'
import { Meanings } from '#ingest/resolve/meanings'
import { counterparts, renumber } from '#ingest/resolve/renumber'
import type { FactsStore } from '#ingest/store'
import type { WalkMemory } from '#ingest/walk'
import { leadsTo } from '#ingest/upgrade'

/** With the same path, the same gives the same facts; an empty hash says that this cannot be told. */
export interface Source {
  kind: string
  hash: string
  tags: readonly string[]
}

export interface Live {
  /** Of another ingest only one under the same rules can make use. */
  rules: string
  walk: WalkMemory
  entries: readonly FileEntry[]
  /** What the facts of each file were made of. */
  sources: readonly Source[]
  /** Facts as the files themselves say them, and what manifests and compilers said about each. */
  plain: readonly Facts[]
  marks: readonly string[]
  configFiles: ReadonlyMap<string, string>
  resolution: Resolution
  history: History
  records: Records
}

/** How the graph differs from the one before, for the same files. */
export interface Change {
  /** There is nothing to tell the new graph from the old one. */
  isNone: boolean
  /** How to get from the old graph to the new one; null when the graph has to be built from all records. */
  patch: { stretches: Stretch[]; hasNewEdges: Uint8Array; edges: EdgeInput[] } | null
  /** What history says is the same. */
  samePast: boolean
  /** Positions of the files whose text changed. */
  files: number[]
  /** Their words as they were, with nodes of the old graph, and as they are; and the number of all files. */
  words: { before: LexicalFile[]; after: LexicalFile[]; nFiles: number }
}

interface Outcome {
  meta: GraphMeta
  records: Records
  facts: () => FactsStore
  report: IngestReport
  live: Live | null
  change: Change | null
}

/** The result of an ingest. What only some callers need is made when they ask for it. */
export class Ingested {
  readonly meta: GraphMeta
  readonly report: IngestReport
  /** Null when nothing can be built upon it, as after an ingest that was cut short. */
  readonly live: Live | null
  /** Null when there is nothing in memory to compare with. */
  readonly change: Change | null
  readonly #records: Records
  readonly #makeFacts: () => FactsStore
  #facts: FactsStore | null = null
  #input: GraphInput | null = null

  constructor({ meta, records, facts, report, live, change }: Outcome) {
    this.meta = meta
    this.report = report
    this.live = live
    this.change = change
    this.#records = records
    this.#makeFacts = facts
  }

  get input(): GraphInput {
    this.#input ??= { ...this.#records.all(), meta: this.meta }
    return this.#input
  }

  /** Search terms by file, for the lexical index. */
  get words(): LexicalFile[] {
    return this.#records.entries.map((_, f) => this.#records.wordsOf(f))
  }

  get commits(): CommitRecord[] {
    const { past, fileNodes } = this.#records
    return past.commits.map((it) => ({ ...it, files: it.files.map((f) => fileNodes[f]) }))
  }

  /** For the next ingest. */
  get facts(): FactsStore {
    this.#facts ??= this.#makeFacts()
    return this.#facts
  }
}

/** What was resolved, compared with what was before. */
export interface ResolvedAgain {
  resolution: Resolution
  /** Null when the files are others, or are looked up otherwise. */
  again: {
    /** Files that say something else now. */
    changed: number[]
    /** Files from which other edges lead. */
    led: number[]
    /** Files whose types have other bases outside of the project. */
    based: number[]
  } | null
}

interface Project {
  root: string
  files: readonly SourceFile[]
  configFiles: ReadonlyMap<string, string>
}

/** Resolves only what may have another outcome than before; the result is that of resolving everything. */
export function resolveAgain(project: Project, before: Live | null, options: ResolveOptions): ResolvedAgain {
  if (before === null || !isSameFrame(project, before)) return { resolution: resolve(project, options), again: null }
  const old = new Map<number, Facts>()
  project.files.forEach(({ facts }, f) => {
    if (facts !== before.entries[f].facts) old.set(f, before.entries[f].facts)
  })
  const changed = [...old.keys()]
  const told = toldAnew(project.files, before.entries, changed)
  if (changed.length + told.length === 0)
    return { resolution: before.resolution, again: { changed, led: [], based: [] } }

  const moved = new Map(changed.map((f) => [f, counterparts(before.entries[f].facts, project.files[f].facts)]))
  const { files, lost } = renumber(before.resolution.files, moved)
  let resolving: Resolving | undefined
  const worlds = () => {
    resolving ??= prepared(project)
    return { before: prepared({ ...project, files: before.entries }), after: resolving }
  }
  const affected = affectedFiles(project.files, old, new Meanings(worlds, moved))
  const asked = affected === null ? null : [...new Set([...affected.files, ...lost, ...told])].sort((a, b) => a - b)
  const sameInterfaces = affected?.sameInterfaces === true
  const resolution = (resolving ?? prepared(project)).run(
    asked === null ? options : { ...options, before: { files, asked, sameInterfaces } },
  )
  const led: number[] = []
  const based: number[] = []
  files.forEach((it, f) => {
    const now = resolution.files[f]
    if (it !== now && !(isSameEdges(it.edges, now.edges) && isSameExternals(it, now))) led.push(f)
    if (it !== now && JSON.stringify(it.externalBases) !== JSON.stringify(now.externalBases)) based.push(f)
  })
  return { resolution, again: { changed, led, based } }
}

/** Files about which compilers say something else than before, or about whose targets they do. */
function toldAnew(files: readonly SourceFile[], before: readonly SourceFile[], changed: readonly number[]): number[] {
  const paths = changed.map((f) => files[f].path)
  const told: number[] = []
  files.forEach(({ upgrade }, f) => {
    const old = before[f].upgrade
    const isSame = upgrade?.set === old?.set && upgrade?.file === old?.file
    if (!isSame || (upgrade !== undefined && leadsTo(upgrade, paths))) told.push(f)
  })
  return told
}

function isSameFrame({ root, files, configFiles }: Project, before: Live): boolean {
  return (
    root === before.records.root &&
    files.length === before.entries.length &&
    files.every((it, f) => it.path === before.entries[f].path) &&
    isSameText(configFiles, before.configFiles) &&
    isSameText(before.configFiles, configFiles)
  )
}

/** Whether the files that say how names are looked up are among the others. */
function isSameText(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  return [...some].every(([path, text]) => !isConfigFile(path) || others.get(path) === text)
}

function isSameEdges(a: readonly ResolvedEdge[], b: readonly ResolvedEdge[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const one = a[i]
    const other = b[i]
    if (
      one.from !== other.from ||
      one.toFile !== other.toFile ||
      one.to !== other.to ||
      one.relation !== other.relation ||
      one.weight !== other.weight ||
      one.causal !== other.causal ||
      one.tier !== other.tier ||
      one.line !== other.line ||
      one.unreachable !== other.unreachable ||
      one.lifted !== other.lifted
    )
      return false
  }
  return true
}

type Externals = Pick<Resolution['files'][number], 'externals'>

function isSameExternals({ externals: a }: Externals, { externals: b }: Externals): boolean {
  return (
    a.length === b.length &&
    a.every(
      (it, i) =>
        it.from === b[i].from && it.package === b[i].package && it.relation === b[i].relation && it.line === b[i].line,
    )
  )
}

/** How to get from the old graph to the new one; null when the files are not the same. */
export function changeOf(before: Live | null, records: Records, { again }: ResolvedAgain): Change | null {
  if (before === null || again === null) return null
  const old = before.records
  const words = {
    before: again.changed.map((f) => old.wordsOf(f)),
    after: again.changed.map((f) => records.wordsOf(f)),
    nFiles: records.entries.length,
  }
  const samePast = old.past === records.past
  const others = [...again.changed, ...again.led]
  const isPatchable = samePast && isSameKinds(old, records) && !old.hasOpposites() && !records.hasOppositesIn(others)
  const patch = isPatchable ? patchOf(old, records, again) : null
  return { isNone: patch !== null && isWhole(patch), patch, samePast, files: again.changed, words }
}

/** Whether all code is kept; folders and packages follow from it. */
function isWhole({ stretches, hasNewEdges }: NonNullable<Change['patch']>): boolean {
  return !hasNewEdges.includes(1) && stretches.every((it, i) => 'to' in it || i === stretches.length - 1)
}

function isSameKinds({ kinds: a }: Records, { kinds: b }: Records): boolean {
  return a.size === b.size && [...a].every(([name, kind]) => b.get(name) === kind)
}

function patchOf(old: Records, records: Records, { changed, led, based }: NonNullable<ResolvedAgain['again']>) {
  const { entries, fileNodes, nNodes } = records
  const isNew = new Uint8Array(entries.length)
  for (const f of changed.concat(based)) isNew[f] = 1
  entries.forEach(({ lastModified, changeFrequency }, f) => {
    const was = old.entries[f]
    if (was.lastModified !== lastModified || was.changeFrequency !== changeFrequency) isNew[f] = 1
  })

  const endOf = (of: Records, f: number) => (f + 1 < entries.length ? of.fileNodes[f + 1] : of.nCode)
  const stretches: Stretch[] = []
  const hasNewEdges = new Uint8Array(nNodes)
  for (let f = 0; f < entries.length; f++) {
    if (isNew[f] === 1) {
      stretches.push({ nodes: records.nodesOf(f) })
      hasNewEdges.fill(1, fileNodes[f], endOf(records, f))
      continue
    }
    const last = stretches[stretches.length - 1]
    if (last !== undefined && 'to' in last) last.to = endOf(old, f)
    else stretches.push({ from: old.fileNodes[f], to: endOf(old, f) })
  }
  // with the same files and manifests, edges of folders and packages are what they were
  stretches.push({ nodes: records.tail })
  for (const f of led) hasNewEdges.fill(1, fileNodes[f], endOf(records, f))
  return { stretches, hasNewEdges, edges: records.edgesFrom((v) => hasNewEdges[v] === 1) }
}
