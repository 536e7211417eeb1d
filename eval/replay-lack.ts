/** Something that most siblings have is taken away from one: does `missing` name it among the first ten? */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  DEAD_EDGE,
  FILE,
  fileOf,
  FUNCTION,
  type Graph,
  GUESS,
  keyOf,
  labelOf,
  type NodeId,
  NONE,
  PRIMARY,
  relationOf,
  tagsOf,
  text,
} from '#graph/graph'
import { resolveNode } from '#graph/lookup'
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
  /** Gaps among the first ten of the answers before anything was taken, and how many answers these were. */
  alarms: number
  untouched: number
}

/** One thing to take away: lines or whole files, from the member whose lack should be told. */
interface Taking {
  member: NodeId
  /** Key of what is no longer used or registered with; null for tests. */
  shared: string | null
  /** Files to remove. */
  files: string[]
  /** Lines to remove: those of a file, all or in a range from 1, that hold a word. */
  lines: { path: string; from: number; to: number; pattern: RegExp } | null
  /** Whether it is gone, and nothing that its siblings have. */
  isGone(graph: Graph): boolean
}

const LEAST_SIBLINGS = 3
const SHARE = 0.6
const FIRST = 10
const ERROR = /err|exception|fail|panic|abort|throw|raise/i

export async function replayLack(at: Place, most: number): Promise<Lack[]> {
  const found: Lack[] = []
  for (const [kind, takingsIn] of [
    ['test', testsIn],
    ['error handling', errorHandlersIn],
    ['registration', registrationsIn],
  ] as const) {
    const lack: Lack = { kind, takings: 0, named: 0, meanPlace: 0, before: 0, alarms: 0, untouched: 0 }
    let places = 0
    const graphBefore = at.engine.brain.graph
    for (const it of shuffled(takingsIn(graphBefore))) {
      if (lack.takings === most) break
      const query = topicOf(graphBefore, it.member)
      const member = keyOf(graphBefore, it.member)
      const untouched = await firstGaps(at, query)
      lack.untouched++
      lack.alarms += untouched.filter((row) => row.kind === 'gap').length
      if (placeOf(untouched, member, it.shared) > 0) {
        lack.before++
        continue
      }
      const undo = take(at, it)
      if (undo === null) continue
      await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
      if (it.isGone(at.engine.brain.graph)) {
        const place = placeOf(await firstGaps(at, query), member, it.shared)
        lack.takings++
        if (place > 0) {
          lack.named++
          places += place
        }
        at.show(
          `  ${kind}: ${member} without ${it.shared ?? 'tests'}, asked "${query}": ${place > 0 ? `place ${place}` : 'not named'}`,
        )
      }
      undo()
      await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
    }
    lack.meanPlace = lack.named === 0 ? 0 : places / lack.named
    found.push(lack)
  }
  return found
}

/** Words of the file, of its folder and of the definition, as somebody asks about a topic. */
function topicOf(graph: Graph, v: NodeId): string {
  const parts = text(graph, graph.paths[v])
    .replace(/\.[^.]+$/, '')
    .split('/')
  const named = graph.types[v] === FILE ? parts.slice(-3) : [...parts.slice(-2), labelOf(graph, v)]
  return named
    .join(' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

interface Row {
  kind: string
  member: string
  shared: string | null
}

async function firstGaps(at: Place, query: string): Promise<Row[]> {
  const said = await ask(at.engine, 'missing', { query }, at.now)
  const holes: unknown[] = Array.isArray(said.holes) ? said.holes : []
  return holes.slice(0, FIRST).map((it) => {
    const row = typeof it === 'object' && it !== null ? it : {}
    return {
      kind: 'kind' in row ? String(row.kind) : '',
      member: 'member' in row ? String(row.member) : '',
      shared: 'shared' in row && row.shared !== null ? String(row.shared) : null,
    }
  })
}

/** Place of the gap among the first ten, 0 when it is not among them. A part of a file that lacks something, or that it is lacking in, speaks for the file. */
function placeOf(rows: readonly Row[], member: string, shared: string | null): number {
  const isOf = (key: string, whole: string) => key === whole || key.startsWith(`${whole}::`)
  return (
    1 +
    rows.findIndex(
      (it) =>
        it.kind === 'gap' &&
        isOf(it.member, member) &&
        (shared === null ? it.shared === null : it.shared !== null && isOf(it.shared, shared)),
    )
  )
}

/** Takes it away from the files on disk; null when nothing would change. */
function take({ folder }: Place, { files, lines }: Taking): (() => void) | null {
  const saved = new Map<string, string>()
  for (const path of files) saved.set(path, readFileSync(join(folder, path), 'utf8'))
  if (lines !== null) {
    const before = readFileSync(join(folder, lines.path), 'utf8')
    const after = before
      .split('\n')
      .filter((line, i) => i + 1 < lines.from || i + 1 > lines.to || !lines.pattern.test(line))
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
  const testers = testersIn(graph)
  return groupsOf(graph).flatMap((group) => {
    const tested = group.filter((v) => testers.has(v))
    if (tested.length - 1 < SHARE * group.length) return []
    return tested.map((member) => ({
      member,
      shared: null,
      files: [...(testers.get(member) ?? [])].filter((v) => v !== NONE).map((v) => text(graph, graph.paths[v])),
      lines: null,
      isGone: (after) => !testersIn(after).has(resolveNode(after, keyOf(graph, member))?.node ?? NONE),
    }))
  })
}

function testersIn(graph: Graph): Map<NodeId, Set<NodeId>> {
  const testers = new Map<NodeId, Set<NodeId>>()
  eachUse(graph, (source, target, relation) => {
    if (relation !== 'tests') return
    const file = fileOf(graph, target)
    testers.set(file, (testers.get(file) ?? new Set()).add(fileOf(graph, source)))
  })
  return testers
}

/** Files, or functions of one file, class or name, that use something with a name of errors which most of their siblings use too. */
function errorHandlersIn(graph: Graph): Taking[] {
  const users = new Map<NodeId, Set<NodeId>>()
  eachUse(graph, (source, target, relation) => {
    if (relation === 'tests' || !ERROR.test(labelOf(graph, target)) || graph.types[target] === FILE) return
    const by = users.get(target) ?? new Set()
    users.set(target, by)
    by.add(source)
    by.add(fileOf(graph, source))
  })
  return [...groupsOf(graph), ...functionGroupsOf(graph)].flatMap((group) =>
    [...users].flatMap(([handler, by]) => {
      const having = group.filter((v) => by.has(v) && fileOf(graph, handler) !== v)
      if (having.length - 1 < SHARE * group.length || having.length < 2) return []
      const shared = keyOf(graph, handler)
      return having.map((member) => ({
        member,
        shared,
        files: [],
        lines: {
          path: text(graph, graph.paths[member]),
          ...(graph.types[member] === FILE
            ? { from: 1, to: Number.POSITIVE_INFINITY }
            : { from: graph.lineStart[member] + 1, to: graph.lineEnd[member] }),
          pattern: wordPattern(labelOf(graph, handler)),
        },
        isGone: lacksLink(graph, member, having, (after, v, end) => usesOf(after, v).has(end), shared),
      }))
    }),
  )
}

/** Nodes that a node, or something in it, uses, with their files. */
function usesOf(graph: Graph, v: NodeId): Set<NodeId> {
  const found = new Set<NodeId>()
  eachUse(graph, (source, target) => {
    if (source === v || (graph.types[v] === FILE && fileOf(graph, source) === v)) {
      found.add(target)
      found.add(fileOf(graph, target))
    }
  })
  return found
}

/** Whether after a taking the member has no link to what is shared, while each of its siblings still has. */
function lacksLink(
  before: Graph,
  member: NodeId,
  having: readonly NodeId[],
  isLinked: (graph: Graph, v: NodeId, end: NodeId) => boolean,
  shared: string,
): (after: Graph) => boolean {
  const keys = having.filter((v) => v !== member).map((v) => keyOf(before, v))
  return (after) => {
    const nodeOf = (key: string) => resolveNode(after, key)?.node ?? NONE
    const end = nodeOf(shared)
    const linked = (key: string) => {
      const v = nodeOf(key)
      return v !== NONE && isLinked(after, v, end)
    }
    return (
      end !== NONE && nodeOf(keyOf(before, member)) !== NONE && !linked(keyOf(before, member)) && keys.every(linked)
    )
  }
}

/**
 * Files that one file imports, registers or re-exports with most of their siblings, and definitions that one function
 * or constant uses with all of their siblings; what is taken are the lines that name one.
 */
function registrationsIn(graph: Graph): Taking[] {
  const named = new Map<NodeId, Set<NodeId>>()
  const used = new Map<NodeId, Set<NodeId>>()
  const add = (to: Map<NodeId, Set<NodeId>>, by: NodeId, of: NodeId) => to.set(by, (to.get(by) ?? new Set()).add(of))
  eachUse(graph, (source, target, relation) => {
    const [by, of] = [fileOf(graph, source), fileOf(graph, target)]
    if (by === NONE || of === NONE) return
    if (REGISTERS.has(relation) && by !== of) add(named, by, of)
    if (!USES.has(relation) || source === by || target === of || source === target) return
    if (!tagsOf(graph, by).includes('test')) add(used, source, target)
  })
  const ofFiles = groupsOf(graph).flatMap((group) =>
    [...named].flatMap(([register, of]) => {
      const registered = group.filter((v) => of.has(v))
      const isAll = group.includes(register) && group.length === registered.length + 1
      if (isAll ? registered.length < 3 : registered.length - 1 < SHARE * group.length) return []
      return registered.map((member) =>
        registration(graph, { register, member, registered, name: nameOf(graph, member, group) }),
      )
    }),
  )
  const ofDefinitions = definitionGroupsOf(graph).flatMap((group) =>
    [...used].flatMap(([register, of]) => {
      const others = group.filter((v) => v !== register)
      if (others.length < LEAST_LISTED || !others.every((v) => of.has(v))) return []
      return others.map((member) =>
        registration(graph, { register, member, registered: others, name: labelOf(graph, member) }),
      )
    }),
  )
  return [...ofFiles, ...ofDefinitions]
}

function registration(
  graph: Graph,
  {
    register,
    member,
    registered,
    name,
  }: { register: NodeId; member: NodeId; registered: readonly NodeId[]; name: string },
): Taking {
  const shared = keyOf(graph, register)
  const range =
    graph.types[register] === FILE
      ? { from: 1, to: Number.POSITIVE_INFINITY }
      : { from: graph.lineStart[register], to: graph.lineEnd[register] }
  return {
    member,
    shared,
    files: [],
    lines: { path: text(graph, graph.paths[register]), ...range, pattern: wordPattern(name) },
    isGone: lacksLink(graph, member, registered, (after, v, end) => usesOf(after, end).has(v), shared),
  }
}

/** Definitions of one type in one file or class, and the classes of one folder; without tests. */
function definitionGroupsOf(graph: Graph): NodeId[][] {
  const groups = new Map<string, NodeId[]>()
  for (let v: NodeId = 0; v < graph.nNodes; v++) {
    const file = fileOf(graph, v)
    if (graph.dead[v] === 1 || file === NONE || file === v || tagsOf(graph, file).includes('test')) continue
    const names = [`${graph.types[v]} ${graph.parents[v]}`]
    if (graph.parents[v] === file && graph.types[v] !== FUNCTION)
      names.push(`${graph.types[v]} in ${graph.parents[file]}`)
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), v])
  }
  return [...groups.values()].filter((it) => it.length >= LEAST_LISTED && it.length <= MOST_LISTED)
}

const LEAST_LISTED = 4
const MOST_LISTED = 60
const USES = new Set(['calls', 'references', 'registers'])
const REGISTERS = new Set(['imports', 'registers', 'reexports', 'declares_module'])

/** The name by which a file is imported: its folder's where all files of a group are called the same. */
function nameOf(graph: Graph, v: NodeId, group: readonly NodeId[]): string {
  const label = labelOf(graph, v)
  const isEntry = /^(?:index|mod|__init__)\./.test(label) || group.every((it) => labelOf(graph, it) === label)
  return isEntry ? (dirname(text(graph, graph.paths[v])).split('/').at(-1) ?? '') : label.replace(/\.[^.]+$/, '')
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

/** Functions that stand side by side in one file or class; at least three, without tests. */
function functionGroupsOf(graph: Graph): NodeId[][] {
  const groups = new Map<NodeId, NodeId[]>()
  for (let v: NodeId = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FUNCTION || graph.dead[v] === 1 || graph.parents[v] === NONE) continue
    if (tagsOf(graph, v).includes('test') || tagsOf(graph, fileOf(graph, v)).includes('test')) continue
    const group = groups.get(graph.parents[v])
    if (group === undefined) groups.set(graph.parents[v], [v])
    else group.push(v)
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
