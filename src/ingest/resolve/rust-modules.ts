/** The tree of modules: which file a `mod` declares, which module a file is, and the root above it. */

import { baseName, directoryOf, type Host, joinPath } from '#ingest/resolve/host'
import type { Crates } from '#ingest/resolve/rust-crates'

export interface Modules {
  /** The file of `mod name;` in a file, -1 when there is none. */
  child(file: number, module: string, scope: number): number
  /** The scope in which the file is declared as a module; undefined for roots and files that nothing declares. */
  declaredIn(file: number): number | undefined
  /** The root of the crate that a file belongs to. */
  root(file: number): number
}

export function readModules(host: Host, files: readonly number[], crates: Crates): Modules {
  const { program } = host
  const { facts, paths, fileByPath, nDefs, base } = program
  const outer = new Map<number, number>()
  /** Files whose modules lie beside them, since an attribute names them. */
  const beside = new Set<number>()
  const roots = new Map<number, number>()

  // from the roots down, since where a file looks for its modules depends on how it is declared
  const queue = files.filter((it) => crates.roots.has(it))
  const seen = new Set(queue)
  const walk = (): void => {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) declare(file)
  }
  walk()
  for (const file of files) {
    if (seen.has(file)) continue
    seen.add(file)
    queue.push(file)
    walk()
  }

  function declare(file: number): void {
    for (const { kind, module, scope, line } of facts[file].imports) {
      if (kind !== 'module') continue
      const found = candidates(file, module, scope)
      if (found === null) {
        host.problem(file, line, `The path ${module.slice(2)} of a module leads out of the root.`)
        continue
      }
      if (found.length === 0) {
        host.problem(file, line, `There is no file for the module ${module.replace('./', '')}.`)
        continue
      }
      if (found.length > 1)
        host.problem(
          file,
          line,
          `The module ${module} has two files, ${paths[found[0]]} and ${paths[found[1]]}; the first is taken.`,
        )
      const child = found[0]
      if (child === file || outer.has(child)) continue
      outer.set(child, scope < 0 ? nDefs + file : base[file] + scope)
      if (module.startsWith('./')) beside.add(child)
      if (seen.has(child)) continue
      seen.add(child)
      queue.push(child)
    }
  }

  /** The files that a declaration may mean, null when it leads out of the root. */
  function candidates(file: number, module: string, scope: number): number[] | null {
    const inline: string[] = []
    for (let s = scope; s >= 0; s = facts[file].definitions[s].parent)
      if (facts[file].definitions[s].kind === 'mod') inline.unshift(facts[file].definitions[s].name)
    const folder = directoryOf(paths[file])
    const own = ownsFolder(file) ? folder : paths[file].replace(/\.rs$/, '')
    if (module.startsWith('./')) {
      const path = joinPath(inline.length === 0 ? folder : [own, ...inline].join('/'), module)
      if (path === null) return null
      const found = fileByPath.get(path)
      return found === undefined ? [] : [found]
    }
    const stem = [own, ...inline, module].filter((it) => it !== '').join('/')
    return [`${stem}.rs`, `${stem}/mod.rs`].flatMap((it) => fileByPath.get(it) ?? [])
  }

  function ownsFolder(file: number): boolean {
    return baseName(paths[file]) === 'mod.rs' || crates.roots.has(file) || beside.has(file)
  }

  function root(file: number): number {
    const known = roots.get(file)
    if (known !== undefined) return known
    let at = file
    for (let depth = 0; depth < 100; depth++) {
      const scope = outer.get(at)
      if (scope === undefined) break
      at = scope >= nDefs ? scope - nDefs : program.fileOf[scope]
    }
    // what nothing declares belongs to the library of its package
    if (at === file && !crates.roots.has(file)) {
      const library = crates.of(paths[file])?.library ?? -1
      if (library >= 0) at = library
    }
    roots.set(file, at)
    return at
  }

  return {
    child(file, module, scope) {
      return candidates(file, module, scope)?.[0] ?? -1
    },
    declaredIn: (file) => outer.get(file),
    root,
  }
}
