/** Rust: names by crates and modules, `crate`, `self` and `super`, macros, and what conditions leave out. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { nodeOf } from '#ingest/resolve/named'
import { filesOf, type Host } from '#ingest/resolve/host'
import type { Import } from '#ingest/facts'
import { boundName, ENTRY_IMPORT, scopeOf } from '#ingest/resolve/program'
import { readCondition } from '#ingest/resolve/rust-conditions'
import { readCrates } from '#ingest/resolve/rust-crates'
import { RustLibrary } from '#ingest/resolve/rust-library'
import { readModules } from '#ingest/resolve/rust-modules'
import {
  builtin,
  DEFINITION,
  definitionOf,
  EXTERNAL,
  external,
  isOpaque,
  MODULE,
  moduleOf,
  STANDARD_FUNCTION,
  STANDARD_ITEM,
  type Value,
} from '#ingest/resolve/value'

export function rustEcosystem(host: Host): Ecosystem {
  const { program } = host
  const { facts, paths, fileByPath, defs, parent, nDefs } = program
  const files = filesOf(program, new Set(['rust']))
  const crates = readCrates(program.project.configFiles, fileByPath, host.problemIn)
  const modules = readModules(host, files, crates)
  const library = new RustLibrary(host)
  const crateOf = paths.map((it) => crates.of(it))
  const macros = new Map<string, number[]>()
  for (const file of files) {
    facts[file].definitions.forEach((it, d) => {
      if (!it.tags.includes('macro')) return
      const list = macros.get(it.name)
      if (list) list.push(program.base[file] + d)
      else macros.set(it.name, [program.base[file] + d])
    })
  }

  function moduleScope(file: number, scope: number): number {
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) if (defs[s].kind === 'mod') return s
    return nDefs + file
  }

  function moduleValue(scope: number): Value {
    return scope >= nDefs ? moduleOf(scope - nDefs) : definitionOf([scope])
  }

  function outerModule(scope: number, file: number): Value | undefined {
    if (scope < nDefs) return moduleValue(moduleScope(file, parent[scope]))
    const outer = modules.declaredIn(file)
    if (outer === undefined) return undefined
    return moduleValue(outer < nDefs ? moduleScope(program.fileOf[outer], outer) : outer)
  }

  function externCrate(file: number, name: string): Value | undefined {
    if (name === 'self') return moduleOf(modules.root(file))
    const root = crates.library(paths[file], name)
    return root === undefined ? undefined : moduleOf(root)
  }

  /** Those that are built together; all when that leaves none. */
  function built(file: number, ids: readonly number[]): readonly number[] {
    const features = crateOf[file]?.features
    const kept = ids.filter((id) =>
      defs[id].tags.every((it) => !it.startsWith('cfg:') || readCondition(it.slice(4), features)),
    )
    return kept.length === 0 ? ids : kept
  }

  /** A macro by name: of the own file, the own crate, else of the only crate that has one. */
  function macroNamed(file: number, name: string): Value | undefined {
    const all = macros.get(name)
    if (all === undefined) return undefined
    const ids = all.length === 1 ? all : built(file, all)
    const near = ids.filter((it) => program.fileOf[it] === file)
    if (near.length > 0) return definitionOf(near)
    const root = modules.root(file)
    const own = ids.filter((it) => modules.root(program.fileOf[it]) === root)
    if (own.length > 0) return definitionOf(own)
    const others = new Set(ids.map((it) => modules.root(program.fileOf[it])))
    return others.size === 1 ? definitionOf(ids) : undefined
  }

  function macro(file: number, scope: number, path: string): Value | undefined {
    const evaluator = host.evaluator()
    const dot = path.lastIndexOf('.')
    const name = path.slice(dot + 1)
    if (!macros.has(name)) return builtin
    if (dot > 0) {
      const around = evaluator.evaluate(scope, path.slice(0, dot))
      if (around?.kind === MODULE) return macroNamed(around.id, name)
      return around?.kind === DEFINITION ? macroNamed(program.fileOf[around.id], name) : builtin
    }
    // one that is imported from elsewhere
    for (let s = scope; ; s = parent[s] < 0 ? nDefs + program.fileOf[s] : parent[s]) {
      for (let it = program.scopes.at(s)?.get(name); it !== undefined; it = it.next) {
        if (it.kind !== ENTRY_IMPORT) continue
        const item = facts[file].imports[it.index]
        if (item.kind === 'module') continue
        const module = moduleOfImport(file, item.module, s)
        if (module.kind === EXTERNAL) return module
        const found = module.kind === MODULE ? macroNamed(module.id, item.name) : undefined
        if (found !== undefined) return found
      }
      if (s >= nDefs) break
    }
    return macroNamed(file, name) ?? builtin
  }

  function exported(file: number, name: string): Value | undefined {
    if (name === 'super') return outerModule(nDefs + file, file)
    return host.evaluator().fileName(file, name) ?? (modules.root(file) === file ? macroNamed(file, name) : undefined)
  }

  /** True when a re-exported name leads back to itself and nowhere else. */
  function isCircular(file: number, item: Import): boolean {
    const seen = new Set<Import>()
    let at: Import | undefined = item
    for (let from = file; at !== undefined; ) {
      if (seen.has(at)) return at === item
      seen.add(at)
      const module = moduleOfImport(from, at.module, scopeOf(program, from, at.scope))
      if (module.kind !== MODULE) return false
      const { name }: Import = at
      from = module.id
      at = facts[from].imports.find((it) => it.kind === 'reexport' && boundName(it) === name)
    }
    return false
  }

  function moduleOfImport(file: number, module: string, scope: number): Value {
    const evaluator = host.evaluator()
    const path = module.includes(':') ? module.replaceAll('::', '.') : module
    const from = moduleScope(file, scope)
    if (path === '') return moduleValue(from)
    const fromRoot = crateOf[file]?.fromRoot === true
    const first = /^\.?[^.]*/.exec(path)?.[0] ?? ''
    // `::name` is a crate, or before 2018 what the root has
    if (path.startsWith('.')) {
      const name = first.slice(1)
      const root = fromRoot ? evaluator.fileName(modules.root(file), name) : undefined
      const start = root ?? externCrate(file, name)
      if (start === undefined) return external(name)
      return evaluator.follow(start, path.slice(first.length)) ?? external(name)
    }
    const isRelative = first === 'crate' || first === 'self' || first === 'super' || first === '$crate'
    const near = scope < nDefs ? scope : from
    let value = fromRoot && !isRelative ? evaluator.evaluate(nDefs + modules.root(file), path) : undefined
    if (value === undefined || isOpaque(value)) value = evaluator.evaluate(near, path)
    if (value?.kind === DEFINITION && defs[value.id].kind === 'fn') value = evaluator.moduleBeside(near, path) ?? value
    if (value?.kind === STANDARD_ITEM || value?.kind === STANDARD_FUNCTION) return external(first)
    if (value !== undefined && value.kind !== builtin.kind) return value
    return value !== undefined && value.name !== '' ? value : external(first)
  }

  return {
    name: 'cargo',
    named(_file, segments, scope) {
      const node = nodeOf(program, host.evaluator().evaluate(scope, segments.join('.')))
      return node < 0 ? [] : [node]
    },
    namesByScope: true,
    module(file, item, scope) {
      if (item.kind !== 'module') return moduleOfImport(file, item.module, scope)
      const child = modules.child(file, item.module, item.scope)
      return child >= 0 ? moduleOf(child) : builtin
    },
    imported(file, item, scope) {
      if (item.kind === 'module') return undefined
      if (item.module === '') {
        // `use anyhow;` names a crate or something in scope
        return (
          externCrate(file, item.name) ??
          host.evaluator().nameIn(moduleScope(file, scope), item.name) ??
          external(item.name)
        )
      }
      if (item.name === '' || item.name === '*') return undefined
      const target = moduleOfImport(file, item.module, scope)
      return target.kind === EXTERNAL ? (library.item(item.name) ?? target) : undefined
    },
    exported,
    ambient(file, name, scope) {
      switch (name) {
        case 'crate':
        case '$crate':
          return moduleOf(modules.root(file))
        case 'self':
          return moduleValue(moduleScope(file, scope))
        case 'super':
          return outerModule(moduleScope(file, scope), file)
      }
      if (name === '::self') return moduleValue(moduleScope(file, scope))
      if (name.startsWith('::')) return library.prelude(name.slice(2)) ?? moduleOfImport(file, name, scope)
      return externCrate(file, name) ?? library.prelude(name)
    },
    macro,
    isCircular,
    library,
    isActive: (file, condition) => readCondition(condition, crateOf[file]?.features),
    selfNames: new Set(['self']),
    ownClassNames: new Set(['Self']),
    superNames: new Set(),
    implicitThis: false,
    modulesAreClosed: true,
    closedWorld: true,
  }
}
