/** What goes into resolution and what comes out of it. */

import type { FileCoverage, Tier } from '#graph/graph'
import type { Facts } from '#ingest/facts'
import type { Upgrade } from '#ingest/upgrade'

export interface SourceFile {
  /** Relative to the ingest root, with `/`. */
  path: string
  facts: Facts
  /** Of the content, as git names it. */
  hash?: string
  /** What a compiler said about this content. */
  upgrade?: Upgrade
}

export interface Project {
  /** Absolute. */
  root: string
  /** Ascending by path. */
  files: readonly SourceFile[]
  /** Relative path → text of package.json, tsconfig*.json, go.mod, Cargo.toml, pyproject.toml and the like. */
  configFiles: ReadonlyMap<string, string>
}

export interface ResolvedEdge {
  fromFile: number
  /** Index into the definitions of the file, -1 for the file itself. */
  from: number
  toFile: number
  to: number
  relation: string
  weight: number
  causal: number
  tier: Tier
  line: number
  unreachable?: boolean
  lifted?: boolean
}

export interface ExternalEdge {
  fromFile: number
  from: number
  /** `npm::react`, `pypi::requests`, `go::fmt`. */
  package: string
  relation: string
  line: number
}

export interface Resolution {
  edges: ResolvedEdge[]
  externals: ExternalEdge[]
  /** Types whose base stands outside of the project, so that code there may call their methods. */
  externalBases: { file: number; from: number; name: string }[]
  /** Reference sites by outcome; `resolved` does not hold the ambiguous ones. */
  counts: { resolved: number; ambiguous: number; unresolved: number; external: number }
  perFile: FileCoverage[]
  /** Unresolved call sites, at most `MAX_SITES`. */
  sites: { path: string; line: number; text: string; reason: string }[]
  problems: { path: string; line: number; message: string }[]
}
