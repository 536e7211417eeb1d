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
    roots: meta.roots.map(({ path, prefix, adapter, base }) => ({ path, prefix, adapter, base })),
    coverage: {
      files_parsed: coverage.filesParsed,
      files_partial: coverage.filesPartial,
      files_skipped: coverage.filesSkipped,
      resolved: coverage.resolved,
      ambiguous: coverage.ambiguous,
      unresolved: coverage.unresolved,
      external: coverage.external,
      sites: coverage.sites.map(({ path, line, text }) => ({ path, line, text })),
    },
  }
}

/** Reads what `metaToJson` wrote; whatever is missing or of another type gets its empty value. */
export function metaFromJson(value: unknown): GraphMeta {
  const from = record(value)
  return {
    domain: string(from.domain, 'code'),
    ingestedAt: number(from.ingested_at),
    roots: list(from.roots).map(rootFromJson),
    commit: string(from.commit),
    coverage: coverageFromJson(from.coverage),
    generation: number(from.generation),
    plasticityGeneration: number(from.plasticity_generation),
  }
}

function rootFromJson(value: unknown): Root {
  const from = record(value)
  const path = string(from.path)
  return { path, prefix: string(from.prefix), adapter: string(from.adapter, 'code'), base: string(from.base, path) }
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
    sites: list(from.sites).map((it) => {
      const site = record(it)
      return { path: string(site.path), line: number(site.line), text: string(site.text) }
    }),
  }
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
