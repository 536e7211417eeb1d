/** Names and `*` imports that lead from module to module and back without a definition. */

import type { Host } from '#ingest/resolve/host'
import { ENTRY_IMPORT, type Entry } from '#ingest/resolve/program'
import { MODULE, type Value } from '#ingest/resolve/value'

type ResolveModule = (file: number, written: string) => Value

/** `asked` are those of `files` whose problems are wanted. */
export function reportCircles(
  host: Host,
  files: readonly number[],
  asked: readonly number[],
  resolveModule: ResolveModule,
): void {
  reportNames(host, asked, resolveModule)
  reportStars(host, files, resolveModule)
}

/**
 * An imported name is one step to the module it comes from; a step back to a name on the way is a circle. It is told
 * at the first of its files, wherever the way to it began.
 */
function reportNames({ program, problem }: Host, files: readonly number[], resolveModule: ResolveModule): void {
  const done = new Set<string>()
  for (const file of files) {
    for (const [name, entry] of program.scopes.at(program.nDefs + file) ?? []) {
      if (onlyImport(entry) < 0) continue
      const way: { file: number; name: string; entry: Entry | undefined }[] = []
      let at: { file: number; name: string; entry: Entry | undefined } = { file, name, entry }
      for (;;) {
        if (done.has(`${at.file} ${at.name}`)) break
        const start = way.findIndex((it) => it.file === at.file && it.name === at.name)
        if (start >= 0) {
          const circle = fromFirst(way.slice(start))
          const first = onlyImport(circle[0].entry)
          const line = first < 0 ? 1 : program.facts[circle[0].file].imports[first].line
          const places = [...circle, circle[0]].map((it) => program.paths[it.file]).join(', ')
          problem(circle[0].file, line, `The import of ${circle[0].name} leads back to itself: ${places}.`)
          break
        }
        way.push(at)
        const index = onlyImport(at.entry)
        if (index < 0) break
        const item = program.facts[at.file].imports[index]
        const target = item.name === '' ? undefined : resolveModule(at.file, item.module)
        if (target?.kind !== MODULE) break
        // a package has its submodules by their names
        const isPackage = /(?:^|\/)__init__\.pyi?$/.test(program.paths[target.id])
        if (isPackage && resolveModule(target.id, `.${item.name}`).kind === MODULE) break
        at = { file: target.id, name: item.name, entry: program.scopes.at(program.nDefs + target.id)?.get(item.name) }
      }
      for (const it of way) done.add(`${it.file} ${it.name}`)
    }
  }
}

/** A circle as seen from its first file, and of several places there from the first name. */
function fromFirst<T extends { file: number; name: string }>(circle: readonly T[]): T[] {
  let first = 0
  circle.forEach(({ file, name }, i) => {
    const best = circle[first]
    if (file < best.file || (file === best.file && name < best.name)) first = i
  })
  return [...circle.slice(first), ...circle.slice(0, first)]
}

/** The import that a name has as its only meaning; -1 when it has none or another. */
function onlyImport(entry: Entry | undefined): number {
  return entry !== undefined && entry.kind === ENTRY_IMPORT && entry.next === undefined ? entry.index : -1
}

function reportStars({ program, problem }: Host, files: readonly number[], resolveModule: ResolveModule): void {
  const targets = new Map<number, { to: number; line: number }[]>()
  for (const file of files) {
    for (const index of program.stars.get(program.nDefs + file) ?? []) {
      const { module, line } = program.facts[file].imports[index]
      const target = resolveModule(file, module)
      if (target.kind !== MODULE || target.id === file) continue
      const list = targets.get(file)
      if (list) list.push({ to: target.id, line })
      else targets.set(file, [{ to: target.id, line }])
    }
  }
  const told = new Set<number>()
  for (const [file, steps] of targets) {
    if (told.has(file)) continue
    for (const { to, line } of steps) {
      const way = wayBetween(targets, to, file)
      if (way === undefined) continue
      for (const it of way) told.add(it)
      const names = [file, ...way].map((it) => program.paths[it])
      problem(file, line, `The import of everything leads back to itself: ${names.join(', ')}.`)
      break
    }
  }
}

/** The shortest way along `*` imports; undefined when there is none. */
function wayBetween(targets: ReadonlyMap<number, { to: number }[]>, from: number, to: number): number[] | undefined {
  const before = new Map<number, number>([[from, -1]])
  const queue = [from]
  for (let i = 0; i < queue.length; i++) {
    if (queue[i] === to) {
      const way: number[] = []
      for (let at = to; at >= 0; at = before.get(at) ?? -1) way.unshift(at)
      return way
    }
    for (const { to: next } of targets.get(queue[i]) ?? []) {
      if (before.has(next)) continue
      before.set(next, queue[i])
      queue.push(next)
    }
  }
  return undefined
}
