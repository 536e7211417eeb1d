/** Meta of a graph as plain data, the same in the JSON snapshot and in the header of the binary one. */

import { type Coverage, emptyCoverage, type GraphMeta, type Root } from '#graph/graph'

export function emptyMeta(): GraphMeta {
  return {
    domain: 'code',
    ingestedAt: 0,
    roots: [],
    commit: '',
    coverage: emptyCoverage(),
    generation: 0,
    plasticityGeneration: 0,
  }
}

export function metaToJson(meta: GraphMeta): object {
  const { coverage } = meta
  return {
    domain: meta.domain,
    ingested_at: meta.ingestedAt,
    commit: meta.commit,
    generation: meta.generation,
    plasticity_generation: meta.plasticityGeneration,
    roots: meta.roots.map(({ path, prefix, adapter, base, commit }) => ({
      path,
      prefix,
      adapter,
      base,
      ...(commit && { commit }),
    })),
    coverage: {
      files_parsed: coverage.filesParsed,
      files_partial: coverage.filesPartial,
      files_skipped: coverage.filesSkipped,
      resolved: coverage.resolved,
      ambiguous: coverage.ambiguous,
      unresolved: coverage.unresolved,
      external: coverage.external,
      sites: sitesToJson(coverage.sites),
      boundaries: sitesToJson(coverage.boundaries),
      patterns: patternsToJson(coverage.patterns),
      files: filesToJson(coverage.files),
      truncated: coverage.truncated,
    },
  }
}

/** Reads what `metaToJson` wrote; whatever is missing or of another type gets its empty value. */
export function metaFromJson(value: unknown): GraphMeta {
  const from = record(value)
  let coverage: Coverage | null = null
  return {
    domain: string(from.domain, 'code'),
    ingestedAt: number(from.ingested_at),
    roots: list(from.roots).map(rootFromJson),
    commit: string(from.commit),
    // the most of it, and seldom asked for
    get coverage() {
      coverage ??= coverageFromJson(from.coverage)
      return coverage
    },
    generation: number(from.generation),
    plasticityGeneration: number(from.plasticity_generation),
  }
}

function rootFromJson(value: unknown): Root {
  const from = record(value)
  const path = string(from.path)
  const commit = string(from.commit)
  return {
    path,
    prefix: string(from.prefix),
    adapter: string(from.adapter, 'code'),
    base: string(from.base, path),
    ...(commit && { commit }),
  }
}

function coverageFromJson(value: unknown): Coverage {
  const from = record(value)
  return {
    filesParsed: number(from.files_parsed),
    filesPartial: number(from.files_partial),
    filesSkipped: number(from.files_skipped),
    resolved: number(from.resolved),
    ambiguous: number(from.ambiguous),
    unresolved: number(from.unresolved),
    external: number(from.external),
    sites: sitesFromJson(from.sites),
    boundaries: sitesFromJson(from.boundaries),
    patterns: patternsFromJson(from.patterns),
    files: filesFromJson(from.files),
    truncated: string(from.truncated),
  }
}

type Sites = Coverage['sites']

/** Each path and text once, and per site the numbers of both around its line: there may be very many. */
function sitesToJson(sites: Sites): { paths: string[]; texts: string[]; at: number[] } {
  const paths = new Map<string, number>()
  const texts = new Map<string, number>()
  const numberOf = (known: Map<string, number>, it: string) => {
    const number = known.get(it) ?? known.size
    known.set(it, number)
    return number
  }
  const at: number[] = []
  for (const { path, line, text } of sites) at.push(numberOf(paths, path), line, numberOf(texts, text))
  return { paths: Array.from(paths.keys()), texts: Array.from(texts.keys()), at }
}

/** Also reads one object per site, the form of older snapshots. */
function sitesFromJson(value: unknown): Sites {
  if (Array.isArray(value)) {
    return value.map((it) => {
      const site = record(it)
      return { path: string(site.path), line: number(site.line), text: string(site.text) }
    })
  }
  const from = record(value)
  const paths = list(from.paths)
  const texts = list(from.texts)
  const at = list(from.at)
  return Array.from({ length: Math.floor(at.length / 3) }, (_, i) => ({
    path: string(paths[number(at[3 * i])]),
    line: number(at[3 * i + 1]),
    text: string(texts[number(at[3 * i + 2])]),
  }))
}

/** Texts once each, and five numbers per place: rule, path, line, text and remedy. */
function patternsToJson(sites: Coverage['patterns']): { texts: string[]; at: number[] } {
  const texts = new Map<string, number>()
  const numberOf = (it: string) => {
    const number = texts.get(it) ?? texts.size
    texts.set(it, number)
    return number
  }
  const at: number[] = []
  for (const { rule, path, line, text, remedy } of sites)
    at.push(numberOf(rule), numberOf(path), line, numberOf(text), numberOf(remedy))
  return { texts: Array.from(texts.keys()), at }
}

function patternsFromJson(value: unknown): Coverage['patterns'] {
  const from = record(value)
  const texts = list(from.texts)
  const at = list(from.at).map((it) => number(it))
  return Array.from({ length: Math.floor(at.length / 5) }, (_, i) => {
    const [rule, path, line, text, remedy] = at.slice(5 * i, 5 * i + 5)
    return {
      rule: string(texts[rule]),
      path: string(texts[path]),
      line,
      text: string(texts[text]),
      remedy: string(texts[remedy]),
    }
  })
}

/** The paths, and per path four numbers in a row. */
function filesToJson(files: Coverage['files']): { paths: string[]; counts: number[] } {
  const counts = Array.from(files.values(), (it) => [it.resolved, it.ambiguous, it.unresolved, it.external])
  return { paths: Array.from(files.keys()), counts: counts.flat() }
}

function filesFromJson(value: unknown): Coverage['files'] {
  const from = record(value)
  const counts = list(from.counts).map((it) => number(it))
  return new Map(
    list(from.paths).map((path, i) => {
      const [resolved = 0, ambiguous = 0, unresolved = 0, external = 0] = counts.slice(4 * i, 4 * i + 4)
      return [string(path), { resolved, ambiguous, unresolved, external }]
    }),
  )
}

function record(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function string(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
