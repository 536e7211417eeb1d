/** JavaScript and TypeScript: module specifiers, exports, CommonJS. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { filesOf, type Host } from '#ingest/resolve/host'
import { type Held, MapSlot } from '#ingest/resolve/memo'
import { type Program, SCRIPT_LANGUAGES } from '#ingest/resolve/program'
import { createSpecifiers } from '#ingest/resolve/specifiers'
import type { Problem } from '#ingest/resolve/workspace'
import {
  DEFINITION,
  definitionOf,
  external,
  isOpaque,
  MODULE,
  moduleOf,
  unknown,
  type Value,
} from '#ingest/resolve/value'

export function scriptEcosystem(host: Host): Ecosystem {
  const { program } = host
  const files = filesOf(program, SCRIPT_LANGUAGES)
  const specifiers = createSpecifiers(program)
  /** Per file: its `export … from` imports by visible name, and those of everything. */
  const reexports = new Map<number, { named: Map<string, number>; stars: number[] }>()
  const known = new Map<number, Map<string, Value | null | Held<Value | null>>>()
  for (const file of files) {
    const named = new Map<string, number>()
    const stars: number[] = []
    program.facts[file].imports.forEach((item, i) => {
      if (item.kind !== 'reexport') return
      if (item.name === '*') stars.push(i)
      else named.set(item.alias !== '' ? item.alias : item.name, i)
    })
    if (named.size > 0 || stars.length > 0) reexports.set(file, { named, stars })
  }

  joinDeclarations(program, files)

  const marked = new Map<number, boolean>()
  const reported = new Set<string>()
  function module(file: number, specifier: string, line: number): Value {
    const found = specifiers.resolve(program.paths[file], specifier)
    if (found.file >= 0) return moduleOf(found.file)
    if (found.package !== '') return external(found.package)
    if (found.reason !== '' && !reported.has(`${file}:${specifier}`)) {
      reported.add(`${file}:${specifier}`)
      host.problem(file, line, found.reason)
    }
    return unknown
  }

  function exported(file: number, name: string): Value | undefined {
    let names = known.get(file)
    if (names === undefined) {
      names = new Map()
      known.set(file, names)
    }
    const { memo } = host.evaluator()
    const before = names.get(name)
    if (before !== undefined) return memo.read(before) ?? undefined
    // modules that re-export each other end here
    return memo.work(new MapSlot(names, name), { value: null }, () => find(file, name) ?? null) ?? undefined
  }

  function find(file: number, name: string): Value | undefined {
    const evaluator = host.evaluator()
    const facts = program.facts[file]
    const scope = program.nDefs + file
    const lists = reexports.get(file)
    const isCommon = facts.exports.length > 0 && facts.exports.every((it) => it.name !== 'default')

    for (const item of facts.exports) {
      if (item.name !== name) continue
      const value = item.local === '' ? undefined : evaluator.evaluate(scope, item.local)
      if (value !== undefined && !isOpaque(value)) return value
      const own = evaluator.nameIn(scope, name)
      if (own !== undefined && own.kind === DEFINITION) return own
      return value ?? unknown
    }
    const own = program.scopes.at(scope)?.get(name)
    if (own !== undefined) {
      const value = evaluator.nameIn(scope, name)
      if (value?.kind === DEFINITION && (program.defs[value.id].exported === true || nothingMarked(file))) return value
    }
    const index = lists?.named.get(name)
    if (index !== undefined) return evaluator.imported(file, scope, index)
    if (name !== 'default') {
      for (const star of lists?.stars ?? []) {
        const target = module(file, facts.imports[star].module, facts.imports[star].line)
        if (target.kind !== MODULE) continue
        const value = exported(target.id, name)
        if (value !== undefined) return value
      }
      // members of objects whose members are exported
      for (const item of facts.exports) {
        const whole = item.name === '*' ? evaluator.evaluate(scope, item.local) : undefined
        const value = whole === undefined ? undefined : evaluator.member(whole, name)
        if (value !== undefined && !isOpaque(value)) return value
      }
      // members of what a CommonJS module stands for
      const main = facts.exports.find((it) => it.name === 'default')
      if (main !== undefined) {
        const value = exported(file, 'default')
        if (value !== undefined && value.kind !== MODULE) return evaluator.member(value, name)
      }
      return undefined
    }
    // the default of a CommonJS module is its exports; a lone `default` definition may be unnamed
    return isCommon && !lists ? moduleOf(file) : undefined
  }

  /** Names that declaration files without imports and exports give to all. */
  const globals = new Map<string, number[]>()
  for (const file of files) {
    const isAmbient =
      program.paths[file].endsWith('.d.ts') && program.facts[file].imports.length === 0 && nothingMarked(file)
    program.facts[file].definitions.forEach(({ name, parent }, d) => {
      const around = parent < 0 ? undefined : program.facts[file].definitions[parent]
      const isGlobal =
        around === undefined ? isAmbient : around.parent < 0 && around.kind === 'mod' && around.name === 'global'
      if (!isGlobal) return
      const list = globals.get(name)
      if (list) list.push(program.base[file] + d)
      else globals.set(name, [program.base[file] + d])
    })
  }

  /** True for files without any export: scripts and declaration files, whose names are seen by all who load them. */
  function nothingMarked(file: number): boolean {
    let none = marked.get(file)
    if (none === undefined) {
      const facts = program.facts[file]
      none = facts.exports.length === 0 && !reexports.has(file) && facts.definitions.every((it) => it.exported !== true)
      marked.set(file, none)
    }
    return none
  }

  /** Modules that hand on everything of each other, one problem for each circle. */
  function circles(): Problem[] {
    const found: Problem[] = []
    const done = new Set<number>()
    const path: number[] = []
    const visit = (file: number): void => {
      const start = path.indexOf(file)
      if (start >= 0) {
        const names = [...path.slice(start), file].map((it) => program.paths[it])
        const line = program.facts[file].imports[reexports.get(file)?.stars[0] ?? 0].line
        const message = `Modules re-export each other in a circle: ${names.join(' → ')}.`
        found.push({ path: program.paths[file], line, message })
        return
      }
      if (done.has(file)) return
      done.add(file)
      path.push(file)
      for (const star of reexports.get(file)?.stars ?? []) {
        const item = program.facts[file].imports[star]
        const target = module(file, item.module, item.line)
        if (target.kind === MODULE) visit(target.id)
      }
      path.pop()
    }
    for (const file of reexports.keys()) visit(file)
    return found
  }

  function* imports(): Iterable<{ path: string; specifier: string }> {
    for (const file of files)
      for (const it of program.facts[file].imports) yield { path: program.paths[file], specifier: it.module }
  }

  const lost = specifiers.aliasProblem(imports())
  for (const it of [...specifiers.problems, ...circles(), ...(lost === undefined ? [] : [lost])])
    host.problemIn(it.path, it.line, it.message)

  return {
    name: 'npm',
    module: (file, item) => module(file, item.module, item.line),
    exported,
    ambient(_file, name) {
      const ids = globals.get(name)
      return ids === undefined ? undefined : definitionOf(ids)
    },
    selfNames: new Set(['this']),
    ownClassNames: new Set(),
    superNames: new Set(['super']),
    implicitThis: false,
    modulesAreClosed: false,
    closedWorld: true,
  }
}

/** Classes and interfaces of one name in one scope are one type. */
function joinDeclarations(program: Program, files: readonly number[]): void {
  const { base, defs, parent, nDefs, twins } = program
  for (const file of files) {
    const byName = new Map<string, number[]>()
    for (let id = base[file]; id < base[file + 1]; id++) {
      if (defs[id].kind !== 'interface' && defs[id].kind !== 'class') continue
      const key = `${parent[id] < 0 ? nDefs : parent[id]} ${defs[id].name}`
      const known = byName.get(key)
      if (known === undefined) byName.set(key, [id])
      else known.push(id)
    }
    for (const ids of byName.values())
      if (ids.length > 1)
        for (const id of ids)
          twins.set(
            id,
            ids.filter((it) => it !== id),
          )
  }
}
