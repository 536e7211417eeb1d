/** What the rules of a language work with. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import type { Program } from '#ingest/resolve/program'

export interface Host {
  program: Program
  evaluator(): Evaluator
  problem(file: number, line: number, message: string): void
  /** A problem of a configuration file. */
  problemIn(path: string, line: number, message: string): void
}

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The path that `relative` means when read in `directory`; null when it leaves the root. */
export function joinPath(directory: string, relative: string): string | null {
  const parts = directory === '' ? [] : directory.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else parts.push(part)
  }
  return parts.join('/')
}

/** A folder and the folders above it, nearest first, ending with the root ''. */
export function ancestors(directory: string): string[] {
  const all = [directory]
  while (all[all.length - 1] !== '') all.push(directoryOf(all[all.length - 1]))
  return all
}

/** Every folder that holds one of the paths, at any depth. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let dir = directoryOf(path); !folders.has(dir); dir = directoryOf(dir)) folders.add(dir)
  }
  return folders
}

/** Files that a set of languages covers, in order. */
export function filesOf(program: Program, languages: ReadonlySet<string>): number[] {
  const files: number[] = []
  for (let f = 0; f < program.nFiles; f++) if (languages.has(program.facts[f].language)) files.push(f)
  return files
}
