/** Something that most siblings have is taken away from one: does `missing` name it among the first ten? */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  DEAD_EDGE,
  FILE,
  fileOf,
  type Graph,
  GUESS,
  labelOf,
  type NodeId,
  NONE,
  PRIMARY,
  relationOf,
  tagsOf,
  text,
} from '#graph/graph'
import { Random } from '#std/random'
import { ask } from './checkout.ts'
import type { Place } from './replay-removal.ts'

export interface Lack {
  kind: 'test' | 'error handling' | 'registration'
  takings: number
  /** Named among the first ten, and in what place on average. */
  named: number
  meanPlace: number
  /** Already named before anything was taken: no credit for these, they are left out of the takings. */
  before: number
}

/** One thing to take away: lines or whole files, from the member whose lack should be told. */
interface Taking {
  member: NodeId
  /** Label that the gap has: `tests`, or what is no longer used or registered with. */
  label: string
  files: string[]
  lines: { path: string; pattern: RegExp } | null
}

const LEAST_SIBLINGS = 3
const SHARE = 0.6
const FIRST = 10
const ERROR = /err|exception|fail|panic|abort|throw|raise/i

export async function replayLack(at: Place, most: number): Promise<Lack[]> {
  const found: Lack[] = []
  for (const [kind, takings] of [
    ['test', testsIn(at.engine.brain.graph)],
    ['error handling', errorHandlersIn(at.engine.brain.graph)],
    ['registration', registrationsIn(at.engine.brain.graph)],
  ] as const) {
    const lack: Lack = { kind, takings: 0, named: 0, meanPlace: 0, before: 0 }
    let places = 0
    for (const it of shuffled(takings)) {
      if (lack.takings === most) break
      const query = topicOf(at.engine.brain.graph, it.member)
      const member = text(at.engine.brain.graph, at.engine.brain.graph.paths[it.member])
      if ((await placeIn(at, query, member, it.label)) > 0) {
        lack.before++
        continue
      }
      const undo = take(at, it)
      if (undo === null) continue
      await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
      const place = await placeIn(at, query, member, it.label)
      lack.takings++
      if (place > 0) {
        lack.named++
        places += place
      }
      at.show(
        `  ${kind}: ${member} without ${it.label}, asked "${query}": ${place > 0 ? `place ${place}` : 'not named'}`,
      )
      undo()
      await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
    }
    lack.meanPlace = lack.named === 0 ? 0 : places / lack.named
    found.push(lack)
  }
  return found
}

/** Words of the file and of its folder, as somebody asks about a topic. */
function topicOf(graph: Graph, v: NodeId): string {
  const parts = text(graph, graph.paths[v])
    .replace(/\.[^.]+$/, '')
    .split('/')
  return parts
    .slice(-3)
    .join(' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Place of the gap among the first ten holes, 0 when it is not among them. */
async function placeIn(at: Place, query: string, member: string, label: string): Promise<number> {
  const said = await ask(at.engine, 'missing', { query }, at.now)
  const holes: unknown[] = Array.isArray(said.holes) ? said.holes : []
  const place = holes
    .slice(0, FIRST)
    .findIndex(
      (it) =>
        typeof it === 'object' &&
        it !== null &&
        'label' in it &&
        it.label === label &&
        'source_path' in it &&
        it.source_path === member,
    )
  return place + 1
}

/** Takes it away from the files on disk; null when nothing would change. */
function take({ folder }: Place, { files, lines }: Taking): (() => void) | null {
  const saved = new Map<string, string>()
  for (const path of files) saved.set(path, readFileSync(join(folder, path), 'utf8'))
  if (lines !== null) {
    const before = readFileSync(join(folder, lines.path), 'utf8')
    const after = before
      .split('\n')
      .filter((line) => !lines.pattern.test(line))
      .join('\n')
    if (after === before) return null
    saved.set(lines.path, before)
    writeFileSync(join(folder, lines.path), after)
  }
  for (const path of files) rmSync(join(folder, path))
  return () => {
    for (const [path, content] of saved) writeFileSync(join(folder, path), content)
  }
}

/** Files with siblings in their folder of which most are tested; what is taken are all files that test one of them. */
function testsIn(graph: Graph): Taking[] {
  const testers = new Map<NodeId, Set<NodeId>>()
  eachUse(graph, (source, target, relation) => {
    if (relation !== 'tests') return
    const file = fileOf(graph, target)
    testers.set(file, (testers.get(file) ?? new Set()).add(fileOf(graph, source)))
  })
  return groupsOf(graph).flatMap((group) => {
    const tested = group.filter((v) => testers.has(v))
    if (tested.length - 1 < SHARE * group.length) return []
    return tested.map((member) => ({
      member,
      label: 'tests',
      files: [...(testers.get(member) ?? [])].filter((v) => v !== NONE).map((v) => text(graph, graph.paths[v])),
      lines: null,
    }))
  })
}

/** Files that use something with a name of errors which most of their siblings use too; what is taken are its lines. */
function errorHandlersIn(graph: Graph): Taking[] {
  const users = new Map<NodeId, Set<NodeId>>()
  eachUse(graph, (source, target, relation) => {
    if (relation === 'tests' || !ERROR.test(labelOf(graph, target)) || graph.types[target] === FILE) return
    users.set(target, (users.get(target) ?? new Set()).add(fileOf(graph, source)))
  })
  return groupsOf(graph).flatMap((group) =>
    [...users].flatMap(([handler, by]) => {
      const having = group.filter((v) => by.has(v) && fileOf(graph, handler) !== v)
      if (having.length - 1 < SHARE * group.length || having.length < 2) return []
      const name = labelOf(graph, handler)
      return having.map((member) => ({
        member,
        label: name,
        files: [],
        lines: { path: text(graph, graph.paths[member]), pattern: wordPattern(name) },
      }))
    }),
  )
}

/** Files that one file imports, registers or re-exports with most of their siblings; what is taken are the lines that name one. */
function registrationsIn(graph: Graph): Taking[] {
  const named = new Map<NodeId, Set<NodeId>>()
  eachUse(graph, (source, target, relation) => {
    const [by, of] = [fileOf(graph, source), fileOf(graph, target)]
    if (
      !['imports', 'registers', 'reexports', 'declares_module'].includes(relation) ||
      by === NONE ||
      of === NONE ||
      by === of
    )
      return
    named.set(by, (named.get(by) ?? new Set()).add(of))
  })
  return groupsOf(graph).flatMap((group) =>
    [...named].flatMap(([register, of]) => {
      const registered = group.filter((v) => of.has(v))
      if (
        group.includes(register) && group.length === registered.length + 1
          ? registered.length < 3
          : registered.length - 1 < SHARE * group.length
      )
        return []
      const path = text(graph, graph.paths[register])
      return registered.map((member) => ({
        member,
        label: labelOf(graph, register),
        files: [],
        lines: { path, pattern: wordPattern(stemOf(graph, member)) },
      }))
    }),
  )
}

function stemOf(graph: Graph, v: NodeId): string {
  const stem = labelOf(graph, v).replace(/\.[^.]+$/, '')
  const folder = dirname(text(graph, graph.paths[v])).split('/').at(-1) ?? ''
  return /^(?:index|mod|__init__)$/.test(stem) ? folder : stem
}

function wordPattern(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`)
}

/** Files without tests of one folder and ending, and of one name in folders side by side; at least three. */
function groupsOf(graph: Graph): NodeId[][] {
  const groups = new Map<string, NodeId[]>()
  const add = (name: string, v: NodeId) => {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [v])
    else group.push(v)
  }
  for (let v: NodeId = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1 || tagsOf(graph, v).includes('test')) continue
    const path = text(graph, graph.paths[v])
    add(`${dirname(path)} ${/\.\w+$/.exec(path)?.[0]}`, v)
    add(`${dirname(dirname(path))} * ${labelOf(graph, v)}`, v)
  }
  return [...groups.values()].filter((it) => it.length >= LEAST_SIBLINGS)
}

function eachUse(graph: Graph, visit: (source: NodeId, target: NodeId, relation: string) => void): void {
  for (let v: NodeId = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) === PRIMARY && graph.tiers[e] !== GUESS)
        visit(v, graph.out.targets[e], relationOf(graph, e))
    }
  }
}

function shuffled<T>(list: readonly T[]): T[] {
  const random = new Random(42)
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const it = copy[i]
    copy[i] = copy[j]
    copy[j] = it
  }
  return copy
}
