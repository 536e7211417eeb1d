/** Which files TypeScript's checker is to look at. */

import { isConfigFile } from '#ingest/manifests'
import { filesInHeader } from '#ingest/store'

export interface CheckedProject {
  /** Absolute real path. */
  root: string
  /** Scripts with the hashes of their contents, by path relative to the root. */
  files: ReadonlyMap<string, string>
  /** Manifests and the like, by path relative to the root. */
  configPaths: readonly string[]
}

const SCRIPT = /\.[cm]?[jt]sx?$/

/** The scripts of a root and what tells how they find each other, from the header of its stored facts. */
export function scriptsIn(root: string, header: unknown): CheckedProject {
  const stored = filesInHeader(header)
  return {
    root,
    files: new Map(stored.filter((it) => it.kind === 'text' && SCRIPT.test(it.path)).map((it) => [it.path, it.hash])),
    configPaths: stored.map((it) => it.path).filter(isConfigFile),
  }
}
