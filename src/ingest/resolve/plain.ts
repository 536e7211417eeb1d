/** Languages whose files see each other by path only: an import names a file by a suffix of its path. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { isGlobal } from '#ingest/resolve/builtins'
import { baseName, directoryOf, filesOf, type Host, joinPath } from '#ingest/resolve/host'
import { builtin, DEFINITION, external, moduleOf, type Value } from '#ingest/resolve/value'

const SELF = new Set(['self', 'this', '$this'])

export function plainEcosystem(host: Host, language: string): Ecosystem {
  const { program } = host
  const files = filesOf(program, new Set([language]))
  const find = suffixSearch(program.paths, files)

  const busy = new Map<string, number>()
  function exported(file: number, name: string): Value | undefined {
    const key = `${file} ${name}`
    const evaluator = host.evaluator()
    const asking = busy.get(key)
    if (asking !== undefined) {
      evaluator.memo.lean(asking)
      return undefined
    }
    busy.set(key, evaluator.memo.level)
    let value = evaluator.fileName(file, name)
    if (value?.kind !== DEFINITION) {
      // a module that gives back one table has the members of the table
      const main = program.facts[file].exports.find((it) => it.name === 'default')
      const table = main === undefined ? undefined : evaluator.evaluate(program.nDefs + file, main.local)
      value = table === undefined || name === 'default' ? table : evaluator.member(table, name)
    }
    busy.delete(key)
    return value?.kind === DEFINITION ? value : undefined
  }

  return {
    name: language,
    module(file, item): Value {
      for (const written of spellings(language, item.module)) {
        const found = find(program.paths[file], written)
        if (found >= 0) return moduleOf(found)
      }
      return external(item.module)
    },
    exported,
    ambient(file, name) {
      // what a file includes it sees
      for (const item of program.facts[file].imports) {
        if (item.alias !== '' || item.name !== '') continue
        const target = find(program.paths[file], item.module)
        const value = target < 0 || target === file ? undefined : exported(target, name)
        if (value !== undefined) return value
      }
      return isGlobal(language, name) ? builtin : undefined
    },
    selfNames: SELF,
    ownClassNames: new Set(['Self', 'static']),
    superNames: new Set(['super', 'base', 'parent']),
    implicitThis: true,
    modulesAreClosed: false,
    closedWorld: false,
  }
}

/** The paths that a name of a module may mean. Lua separates folders by dots. */
function spellings(language: string, module: string): string[] {
  if (language !== 'lua' || module.includes('/') || !module.includes('.')) return [module, `${module}/init`]
  const path = module.replaceAll('.', '/')
  return [module, path, `${path}/init`]
}

/** Finds files by paths as `include` and `source` write them: beside the file, from the root, else by a unique suffix. */
export function suffixSearch(
  paths: readonly string[],
  files: readonly number[],
): (fromPath: string, written: string) => number {
  const exact = new Map<string, number>()
  const byName = new Map<string, number[]>()
  for (const file of files) {
    const path = paths[file]
    exact.set(path, file)
    const dot = path.lastIndexOf('.')
    const stem = dot > path.lastIndexOf('/') ? path.slice(0, dot) : path
    if (!exact.has(stem)) exact.set(stem, file)
    for (const name of new Set([baseName(path), baseName(stem)])) {
      const list = byName.get(name)
      if (list) list.push(file)
      else byName.set(name, [file])
    }
  }

  return (fromPath, written) => {
    const clean = written.replaceAll('\\', '/').replace(/^\.\//, '')
    const near = joinPath(directoryOf(fromPath), clean)
    const beside = near === null ? undefined : exact.get(near)
    if (beside !== undefined) return beside
    const rooted = joinPath('', clean)
    const fromRoot = rooted === null ? undefined : exact.get(rooted)
    if (fromRoot !== undefined) return fromRoot
    const tail = clean.replace(/^(\.\.\/)+/, '')
    const alike = (byName.get(baseName(tail)) ?? []).filter((it) => {
      const path = paths[it]
      return path.endsWith(`/${tail}`) || path.replace(/\.[^./]*$/, '').endsWith(`/${tail}`)
    })
    return alike.length === 1 ? alike[0] : -1
  }
}
