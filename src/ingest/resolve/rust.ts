/** Rust: crates by Cargo.toml, the tree of modules, `crate`, `self` and `super`, macros. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { ancestors, baseName, directoryOf, filesOf, type Host, joinPath } from '#ingest/resolve/host'
import { builtin, definitionOf, external, moduleOf, type Value } from '#ingest/resolve/value'
import { readToml, tableAt, textAt } from '#ingest/toml'

interface Crate {
  folder: string
  /** Root file of the library, -1 when there is none. */
  library: number
  /** Local name of a dependency → name of its package. */
  renamed: Map<string, string>
}

export function rustEcosystem(host: Host): Ecosystem {
  const { program } = host
  const { facts, paths, fileByPath, defs, parent, nDefs } = program
  const files = filesOf(program, new Set(['rust']))
  const { byFolder, byName } = readCrates(program.project.configFiles, fileByPath)
  /** Per file: the scope of the module that declares it, -1 for roots. */
  const declaredIn = new Map<number, number>()
  const macros = new Map<string, number[]>()

  for (const file of files) {
    for (const item of facts[file].imports) {
      if (item.kind !== 'module') continue
      const child = childFile(file, item.module, item.scope)
      if (child >= 0 && child !== file)
        declaredIn.set(child, item.scope < 0 ? nDefs + file : program.base[file] + item.scope)
    }
    facts[file].definitions.forEach((it, d) => {
      if (!it.tags.includes('macro')) return
      const list = macros.get(it.name)
      if (list) list.push(program.base[file] + d)
      else macros.set(it.name, [program.base[file] + d])
    })
  }

  /** Modules that hold others in a folder of their own name, unless they are roots or `mod.rs`. */
  function childFile(file: number, name: string, scope: number): number {
    const path = paths[file]
    if (name.startsWith('./') || name.endsWith('.rs')) {
      const target = joinPath(directoryOf(path), name)
      return target === null ? -1 : (fileByPath.get(target) ?? -1)
    }
    const inline: string[] = []
    for (let s = scope; s >= 0; s = facts[file].definitions[s].parent)
      if (facts[file].definitions[s].kind === 'mod') inline.unshift(facts[file].definitions[s].name)
    const stem = path.replace(/\.rs$/, '')
    const bases = [directoryOf(path), stem]
    if (!/(^|\/)(mod|lib|main)\.rs$/.test(path)) bases.reverse()
    for (const base of bases) {
      const prefix = [base, ...inline, name].filter((it) => it !== '').join('/')
      const found = fileByPath.get(`${prefix}.rs`) ?? fileByPath.get(`${prefix}/mod.rs`)
      if (found !== undefined) return found
    }
    return -1
  }

  function moduleScope(file: number, scope: number): number {
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) if (defs[s].kind === 'mod') return s
    return nDefs + file
  }

  function moduleValue(scope: number): Value {
    return scope >= nDefs ? moduleOf(scope - nDefs) : definitionOf([scope])
  }

  function rootOf(file: number): number {
    let at = file
    for (let i = 0; i < 50; i++) {
      const outer = declaredIn.get(at)
      if (outer === undefined) break
      at = outer >= nDefs ? outer - nDefs : program.fileOf[outer]
    }
    if (at !== file || declaredIn.has(file)) return at
    // a file that no module declares: the root of its crate, unless it is a root itself
    if (
      /(^|\/)(lib|main|build)\.rs$/.test(paths[file]) ||
      /(^|\/)(bin|tests|examples|benches)\/[^/]+\.rs$/.test(paths[file])
    )
      return file
    const library = crateOf(file)?.library ?? -1
    return library >= 0 ? library : file
  }

  function crateOf(file: number): Crate | undefined {
    for (const folder of ancestors(directoryOf(paths[file]))) {
      const crate = byFolder.get(folder)
      if (crate !== undefined) return crate
    }
    return undefined
  }

  function externCrate(file: number, name: string): Value | undefined {
    const renamed = crateOf(file)?.renamed.get(name)
    const library = byName.get(renamed ?? name)
    return library === undefined ? undefined : moduleOf(library)
  }

  function macro(file: number, name: string): Value | undefined {
    const ids = macros.get(name)
    if (ids === undefined) return undefined
    const root = rootOf(file)
    const own = ids.filter((it) => rootOf(program.fileOf[it]) === root)
    if (own.length > 0) return definitionOf(own)
    return ids.length === 1 ? definitionOf(ids) : undefined
  }

  function exported(file: number, name: string): Value | undefined {
    return host.evaluator().fileName(file, name) ?? (rootOf(file) === file ? macro(file, name) : undefined)
  }

  return {
    name: 'cargo',
    module(file, item, scope) {
      if (item.kind === 'module') {
        const child = childFile(file, item.module, item.scope)
        return child >= 0 ? moduleOf(child) : builtin
      }
      const path = item.module.replace(/^::/, '').replaceAll('::', '.')
      const from = moduleScope(file, scope)
      if (path === '') return moduleValue(from)
      const value = host.evaluator().evaluate(scope < nDefs ? scope : from, path)
      if (value !== undefined && value.kind !== builtin.kind) return value
      return value !== undefined && value.name !== '' ? value : external(path.split('.')[0])
    },
    imported(file, item, scope) {
      // `use anyhow;` names a crate or something in scope
      if (item.kind === 'module' || item.module !== '') return undefined
      return (
        externCrate(file, item.name) ??
        host.evaluator().nameIn(moduleScope(file, scope), item.name) ??
        external(item.name)
      )
    },
    exported,
    ambient(file, name, scope) {
      switch (name) {
        case 'crate':
        case '$crate':
          return moduleOf(rootOf(file))
        case 'self':
          return moduleValue(moduleScope(file, scope))
        case 'super': {
          const own = moduleScope(file, scope)
          if (own < nDefs) return moduleValue(moduleScope(file, parent[own]))
          const outer = declaredIn.get(file)
          return outer === undefined
            ? undefined
            : moduleValue(outer < nDefs ? moduleScope(program.fileOf[outer], outer) : outer)
        }
      }
      return externCrate(file, name) ?? macro(file, name)
    },
    selfNames: new Set(['self']),
    ownClassNames: new Set(['Self']),
    superNames: new Set(),
    implicitThis: false,
    modulesAreClosed: true,
    closedWorld: true,
  }
}

/** Every package of the project by folder, and the root files of libraries by the name that code uses. */
function readCrates(
  configFiles: ReadonlyMap<string, string>,
  fileByPath: ReadonlyMap<string, number>,
): { byFolder: Map<string, Crate>; byName: Map<string, number> } {
  const byFolder = new Map<string, Crate>()
  const byName = new Map<string, number>()
  for (const [path, text] of configFiles) {
    if (baseName(path) !== 'Cargo.toml') continue
    const folder = directoryOf(path)
    const manifest = readToml(text)
    const name = textAt(tableAt(manifest, 'package'), 'name')
    if (name === '') continue
    const lib = tableAt(manifest, 'lib')
    const file = joinPath(folder, textAt(lib, 'path') || 'src/lib.rs')
    const library = file === null ? -1 : (fileByPath.get(file) ?? -1)
    const renamed = new Map<string, string>()
    for (const kind of ['dependencies', 'dev-dependencies', 'build-dependencies']) {
      const dependencies = tableAt(manifest, kind)
      for (const dependency of Object.keys(dependencies)) {
        const real = textAt(tableAt(dependencies, dependency), 'package')
        if (real !== '') renamed.set(codeName(dependency), codeName(real))
      }
    }
    byFolder.set(folder, { folder, library, renamed })
    if (library < 0) continue
    byName.set(codeName(textAt(lib, 'name') || name), library)
    if (!byName.has(codeName(name))) byName.set(codeName(name), library)
  }
  return { byFolder, byName }
}

function codeName(name: string): string {
  return name.replaceAll('-', '_')
}
