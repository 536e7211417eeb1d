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

/** An import of several files as one; which of them it leads to shows only when all edges are known. */
export interface PackageImport {
  files: readonly number[]
  /** Leads to the first file when none of them is used by name. */
  always: boolean
  line: number
}

/** What resolution found out about one file. Records are never changed once they are here. */
export interface FileResolution {
  /** All edges from its nodes. */
  edges: readonly ResolvedEdge[]
  /** Those of its own imports and references, before the files were looked at together. */
  own: readonly ResolvedEdge[]
  /** Interfaces that its types satisfy without naming them. */
  satisfies: readonly { from: number; toFile: number; to: number }[]
  /** Types of it whose base stands outside of the project, so that code there may call their methods. */
  externalBases: { from: number; name: string }[]
  /** Bases of its types that nothing but its own text names; `toFile` is -1 for one outside of the project. */
  bases: readonly { from: number; toFile: number; to: number }[]
  /** Other files whose types get bases from its text. */
  givesBasesTo: readonly number[]
  externals: ExternalEdge[]
  packageImports: PackageImport[]
  counts: FileCoverage
  /** Of the bases that its text names. */
  heritage: FileCoverage
  /** Unresolved call sites, at most `MAX_SITES`. */
  sites: { line: number; text: string; reason: string }[]
  problems: { line: number; message: string }[]
}

export interface Resolution {
  files: readonly FileResolution[]
  /** Those of all files; joined anew each time. */
  readonly edges: ResolvedEdge[]
  readonly externals: ExternalEdge[]
  counts: FileCoverage
  /** Unresolved call sites, at most `MAX_SITES`. */
  sites: { path: string; line: number; text: string; reason: string }[]
  problems: { path: string; line: number; message: string }[]
}
