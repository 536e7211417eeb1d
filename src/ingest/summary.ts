/** The numbers of an ingest, and how well the project could be read. */

import { type Coverage, type FileCoverage, MAX_SITES } from '#graph/graph'
import { languageOf } from '#ingest/extract'
import type { FileEntry } from '#ingest/nodes'
import { emptyReport, type IngestReport, type LeftOut, type Problem, type Truncation } from '#ingest/report'
import type { FileResolution, Resolution } from '#ingest/resolve'
import type { Read } from '#ingest/store'
import { isMinifiedName } from '#ingest/text'
import type { Walk } from '#ingest/walk'

export interface Account {
  walked: Walk
  /** One per walked file, undefined when it was not taken. */
  reads: readonly (Read | undefined)[]
  /** Files with nodes. */
  entries: readonly FileEntry[]
  resolution: Resolution
  nNodes: number
  collisions: number
  /** Problems inside of files. */
  problems: readonly Problem[]
  truncated: Truncation
}

/** Problems shown; the rest is counted. */
const SHOWN_PROBLEMS = 20
/** Files that are named of those that were left out for one reason. */
const SAMPLE = 5

export function summarise(account: Account): IngestReport {
  const { walked, reads, entries, resolution, nNodes, collisions, problems, truncated } = account
  const { files, ignored } = walked
  const by = new Map<string, number>()
  const without = new Map<LeftOut['reason'], LeftOut>()
  const failed = [...walked.problems]
  for (let f = 0; f < reads.length; f++) {
    const read = reads[f]
    if (read === undefined) continue
    const { kind, reused, message } = read
    const sort = kind === 'text' && reused ? 'unchanged' : kind
    by.set(sort, (by.get(sort) ?? 0) + 1)
    if (kind === 'text') continue
    const { path } = files[f]
    if (kind !== 'bare' && kind !== 'unchanged') {
      const same = without.get(kind) ?? { reason: kind, files: 0, sample: [] }
      same.files++
      if (same.sample.length < SAMPLE) same.sample.push(path)
      without.set(kind, same)
    }
    if (kind === 'unreadable' || kind === 'failed') failed.push({ path, line: 0, message })
    else if (kind === 'encoding')
      failed.push({ path, line: 0, message: 'The encoding is unknown; the file was skipped.' })
    else if (kind === 'binary' && languageOf(path) !== 'generic')
      failed.push({ path, line: 0, message: 'The file holds NUL bytes; it was skipped as binary.' })
  }
  const count = (kind: string) => by.get(kind) ?? 0
  const skipped = count('binary') + count('encoding') + count('bare') + ignored
  const failures = count('unreadable') + count('failed')
  // what could not be read at all comes first, as the list is cut
  const all = [...failed.sort(byPlace), ...leftOut(entries), ...[...problems, ...resolution.problems].sort(byPlace)]
  return {
    ...emptyReport(),
    files_scanned: count('text') + count('unchanged') + skipped + failures,
    files_parsed: count('text'),
    files_skipped: skipped,
    files_skipped_binary: count('binary'),
    files_skipped_encoding: count('encoding'),
    files_skipped_size: count('bare'),
    files_skipped_ignored: ignored,
    files_unchanged: count('unchanged'),
    files_failed: failures,
    nodes_created: nNodes,
    node_count: nNodes,
    references_resolved: resolution.counts.resolved,
    references_ambiguous: resolution.counts.ambiguous,
    references_unresolved: resolution.counts.unresolved,
    references_external: resolution.counts.external,
    label_collisions: collisions,
    languages: countLanguages(entries),
    warnings: warningsOf(walked, truncated),
    problems: all.slice(0, SHOWN_PROBLEMS),
    problems_total: all.length,
    left_out: [
      ...[...without.values()].sort((a, b) => b.files - a.files || (a.reason < b.reason ? -1 : 1)),
      ...(ignored > 0 ? [{ reason: 'ignored' as const, files: ignored, sample: [] }] : []),
    ],
    truncated,
  }
}

/** Files that are in the graph by name alone, for a reason that a reader of their names does not see. */
function leftOut(entries: readonly FileEntry[]): Problem[] {
  const found: Problem[] = []
  for (const { path, facts } of entries) {
    if (facts.tags.includes('oversize'))
      found.push({ path, line: 0, message: 'The file is larger than max_file_bytes; its content was not read.' })
    else if (facts.tags.includes('absent'))
      found.push({
        path,
        line: 0,
        message: 'A pointer stands in place of the file (Git LFS): fetch it with git lfs pull.',
      })
    else if (facts.tags.includes('minified') && !isMinifiedName(path))
      found.push({ path, line: 0, message: 'A line is longer than max_line_bytes; the content was not read.' })
  }
  return found
}

function warningsOf({ warnings, files }: Walk, truncated: Truncation): string[] {
  const all = [...warnings]
  if (files.length === 0) all.push('No file was found that is not ignored; the graph holds the folder alone.')
  if (truncated !== '')
    all.push(`Not all files were taken (${truncated}); the graph is consistent for those that were.`)
  return all
}

export function coverageOf(entries: readonly FileEntry[], resolution: Resolution, report: IngestReport): Coverage {
  const partial = entries.filter((it) => it.facts.partial).length
  return {
    ...resolution.counts,
    filesParsed: entries.length - report.files_skipped_size - partial,
    filesPartial: partial,
    filesSkipped: report.files_skipped + report.files_failed,
    sites: openSites(entries, resolution),
    boundaries: boundariesOf(entries),
    patterns: patternsOf(entries),
    files: outcomesByPath(entries, resolution),
    truncated: report.truncated,
  }
}

function boundariesOf(entries: readonly FileEntry[]): Coverage['boundaries'] {
  const all: Coverage['boundaries'] = []
  for (const { sourcePath, facts } of entries)
    for (const { line, text } of facts.dynamic) if (all.length < MAX_SITES) all.push({ path: sourcePath, line, text })
  return all
}

function patternsOf(entries: readonly FileEntry[]): Coverage['patterns'] {
  const all: Coverage['patterns'] = []
  for (const { sourcePath, facts } of entries)
    for (const it of facts.patterns) if (all.length < MAX_SITES) all.push({ ...it, path: sourcePath })
  return all
}

function outcomesByPath(entries: readonly FileEntry[], { files }: Resolution): Coverage['files'] {
  const outcomes = new Map<string, FileCoverage>()
  entries.forEach(({ sourcePath }, f) => outcomes.set(sourcePath, outcomesOf(files[f])))
  return outcomes
}

function outcomesOf({ counts, heritage }: FileResolution): FileCoverage {
  return {
    resolved: counts.resolved + heritage.resolved,
    ambiguous: counts.ambiguous + heritage.ambiguous,
    unresolved: counts.unresolved + heritage.unresolved,
    external: counts.external + heritage.external,
  }
}

/** Places whose target resolution did not find, by file and line. */
function openSites(entries: readonly FileEntry[], { files }: Resolution): Coverage['sites'] {
  const all: Coverage['sites'] = []
  for (let f = 0; f < entries.length && all.length < MAX_SITES; f++) {
    if (files[f].sites.length === 0) continue
    const { sourcePath } = entries[f]
    for (const { line, text } of files[f].sites.toSorted((a, b) => a.line - b.line))
      if (all.length < MAX_SITES) all.push({ path: sourcePath, line, text })
  }
  return all
}

function countLanguages(entries: readonly FileEntry[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { facts } of entries) counts.set(facts.language, (counts.get(facts.language) ?? 0) + 1)
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))
}

function byPlace(a: Problem, b: Problem): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1
}
