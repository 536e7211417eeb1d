/** What a dotted path in a text means in Python, where no import tells from where it counts. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import { ancestors, directoryOf } from '#ingest/resolve/host'
import { memberNamed } from '#ingest/resolve/named'
import { fileScope, type Program } from '#ingest/resolve/program'
import { STANDARD_MODULES } from '#ingest/resolve/python-standard'

export interface PythonPlaces {
  program: Program
  evaluator(): Evaluator
  /** Path without extension, of a package its folder → file. */
  modules: ReadonlyMap<string, number>
  /** Folders from which modules are found. */
  roots: readonly string[]
  packageFolders: ReadonlySet<string>
}

/**
 * A module by its full path from one of the folders that modules are found in, and what is in it: first from those around
 * the file, where it would be found at run time, then from all. Several modules of that path are none.
 */
export function pythonNamed({ program, evaluator, modules, roots, packageFolders }: PythonPlaces) {
  const starts = new Map<string, Set<string>>()
  const isRoot = new Set(roots)
  for (const name of modules.keys()) {
    for (let at = name; at !== ''; ) {
      const folder = directoryOf(at)
      if (isRoot.has(folder)) {
        const first = folder === '' ? at : at.slice(folder.length + 1)
        const known = starts.get(first)
        if (known === undefined) starts.set(first, new Set([folder]))
        else known.add(folder)
      }
      at = folder
    }
  }

  return (file: number, segments: readonly string[]): readonly number[] => {
    const around = ancestors(directoryOf(program.paths[file])).filter((it) => !packageFolders.has(it))
    const near = modulesBelow(around, segments)
    if (near.size === 0 && STANDARD_MODULES.has(segments[0])) return []
    const [found, another] = near.size > 0 ? near : modulesBelow(starts.get(segments[0]) ?? [], segments)
    if (found === undefined || another !== undefined) return []
    const [module, length] = found
    const rest = segments.slice(length)
    if (rest.length === 0) return [fileScope(program, module)]
    const node = memberNamed(program, evaluator(), fileScope(program, module), rest)
    if (node < 0) return []
    // what a module has from elsewhere is named through the module
    const isOwn = node >= program.nDefs || program.fileOf[node] === module
    return isOwn ? [node] : [node, fileScope(program, module)]
  }

  /** Modules that a path begins with, the longest beginning of each root, and how many segments it takes. */
  function modulesBelow(folders: Iterable<string>, segments: readonly string[]): Map<number, number> {
    const found = new Map<number, number>()
    for (const folder of folders) {
      for (let n = segments.length; n > 0; n--) {
        const path = segments.slice(0, n).join('/')
        const file = modules.get(folder === '' ? path : `${folder}/${path}`)
        if (file === undefined) continue
        found.set(file, n)
        break
      }
    }
    return found
  }
}
