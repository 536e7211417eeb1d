/** How far a project has moved from an earlier state of it, and what about that is worth a look. */

import { eachEdge } from '#analysis/both'
import { type Tests, testsOf } from '#analysis/tests-of'
import { FILE, type Graph, keyOf, NONE, type NodeId, OBSERVED, relationOf, text } from '#graph/graph'
import { isContainment } from '#graph/relations'

/** The state that is compared with. */
export interface Earlier {
  /** Paths of files, those that would be indexed. */
  files: ReadonlySet<string>
  /** Edges of a file besides containment; null when the graph of that time is not known. */
  degrees: ReadonlyMap<string, number> | null
  /** Lines by path; only for what `changes` does not tell. */
  lines: ReadonlyMap<string, number>
}

export interface DivergeInput {
  earlier: Earlier
  /** Lines by path since then; null when git does not know. */
  changes: ReadonlyMap<string, { added: number; deleted: number }> | null
  /** Paths of one commit each, up to that time and since. */
  groupsBefore: readonly (readonly string[])[]
  groupsSince: readonly (readonly string[])[]
  isInScope: (path: string) => boolean
  /** Whether a file of the graph, by its key, belongs to the root that is compared. */
  isOwn: (key: string) => boolean
}

export interface Modified {
  path: string
  added: number
  deleted: number
  /** Lines now over lines then; 1 when unknown. */
  growth: number
}

export type Direction = 'new_coupling' | 'decoupled' | 'strengthened' | 'weakened'

export interface CouplingChange {
  pair: [string, string]
  was: number
  now: number
  direction: Direction
}

export type Severity = 'info' | 'warning' | 'critical'

export interface Anomaly {
  type: 'test_deficit' | 'velocity_spike' | 'new_coupling' | 'isolation' | 'orphan_test'
  file: string
  detail: string
  severity: Severity
}

export interface Divergence {
  /** 1 − shared files over all files, 0..1. */
  drift: number
  newFiles: NodeId[]
  removed: string[]
  modified: Modified[]
  couplings: CouplingChange[]
  anomalies: Anomaly[]
}

const COUPLING_CHANGE = 0.15
/** Of one commit that touched two files nothing follows. */
const FEWEST_COMMITS = 3
const WIDEST_COMMIT = 30
const MANY_ADDED = 50
const SPIKE = { lines: 200, info: 1.5, warning: 3, critical: 5 }
const INDEPENDENT = 0.05
const COUPLED = { info: 0.3, warning: 0.6 }
const RANK: Record<Severity, number> = { critical: 0, warning: 1, info: 2 }

export function diverge(graph: Graph, input: DivergeInput): Divergence {
  const { earlier, isInScope } = input
  const now = filesOf(graph, input)
  const then = [...earlier.files].filter(isInScope)
  const newFiles = [...now].filter(([path]) => !earlier.files.has(path)).map(([, v]) => v)
  const removed = then.filter((it) => !now.has(it)).sort()
  const all = now.size + removed.length
  const modified = modifiedFiles(graph, now, input)
  const before = new Together(input.groupsBefore)
  const couplings = couplingChanges(before, new Together(input.groupsSince), input)
  const knewBefore = (path: string) => before.busiest(path, path) >= FEWEST_COMMITS
  return {
    drift: all === 0 ? 0 : 1 - (all - newFiles.length - removed.length) / all,
    newFiles,
    removed,
    modified,
    couplings: couplings.filter(({ was, now }) => Math.abs(now - was) > COUPLING_CHANGE),
    anomalies: anomaliesOf(graph, { now, newFiles, modified, couplings, earlier, knewBefore }),
  }
}

function filesOf(graph: Graph, { isInScope, isOwn }: Pick<DivergeInput, 'isInScope' | 'isOwn'>): Map<string, NodeId> {
  const files = new Map<string, NodeId>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1 || graph.paths[v] === NONE || !isOwn(keyOf(graph, v))) continue
    const path = text(graph, graph.paths[v])
    if (isInScope(path)) files.set(path, v)
  }
  return files
}

/** By lines touched, then path. */
function modifiedFiles(graph: Graph, now: ReadonlyMap<string, NodeId>, { earlier, changes }: DivergeInput): Modified[] {
  const modified: Modified[] = []
  for (const [path, v] of now) {
    if (!earlier.files.has(path)) continue
    const lines = graph.lineEnd[v]
    const before = earlier.lines.get(path)
    if (changes !== null) {
      const change = changes.get(path)
      if (change !== undefined)
        modified.push({ path, ...change, growth: growth(lines, lines - change.added + change.deleted) })
    } else if (before !== undefined && before !== lines) {
      const net = lines - before
      modified.push({ path, added: Math.max(0, net), deleted: Math.max(0, -net), growth: growth(lines, before) })
    }
  }
  const size = ({ added, deleted }: Modified) => added + deleted
  return modified.sort((a, b) => size(b) - size(a) || (a.path < b.path ? -1 : 1))
}

function growth(now: number, before: number): number {
  return now > 0 && before > 0 ? now / before : 1
}

const knownDegrees = new WeakMap<Graph, ReadonlyMap<string, number>>()

/** Edges besides containment and history of each file and what is in it, by path; counted once per graph. */
export function degreesOf(graph: Graph): ReadonlyMap<string, number> {
  let degrees = knownDegrees.get(graph)
  if (degrees === undefined) {
    degrees = countDegrees(graph)
    knownDegrees.set(graph, degrees)
  }
  return degrees
}

function countDegrees(graph: Graph): ReadonlyMap<string, number> {
  // by string handle
  const counts = new Uint32Array(graph.strings.count)
  const leftOut = new Uint8Array(graph.strings.count)
  for (const handle of new Set(graph.relations)) {
    const relation = text(graph, handle)
    if (isContainment(relation) || relation === 'sibling') leftOut[handle] = 1
  }
  eachEdge(graph, (u, slot) => {
    const [from, to] = [graph.paths[u], graph.paths[graph.out.targets[slot]]]
    if (from === to || graph.tiers[slot] === OBSERVED || leftOut[graph.relations[slot]] === 1) return
    if (from !== NONE) counts[from]++
    if (to !== NONE) counts[to]++
  })
  const degrees = new Map<string, number>()
  for (let v = 0; v < graph.nNodes; v++)
    if (graph.types[v] === FILE && graph.dead[v] === 0 && graph.paths[v] !== NONE)
      degrees.set(text(graph, graph.paths[v]), counts[graph.paths[v]])
  counts.forEach((count, handle) => {
    if (count > 0) degrees.set(text(graph, handle), count)
  })
  return degrees
}

/** Pairs that either time has seen often enough to speak of, and whose files both times know enough about. */
function couplingChanges(before: Together, since: Together, { earlier, isInScope }: DivergeInput): CouplingChange[] {
  const changes: CouplingChange[] = []
  for (const key of new Set([...before.often(), ...since.often()])) {
    const [a, b] = pairOf(key)
    if (!isInScope(a) && !isInScope(b)) continue
    const [was, now] = [before.coupling(key), since.coupling(key)]
    // a file that has not changed since then is no less coupled for it
    if (now < was && since.busiest(a, b) < FEWEST_COMMITS) continue
    // nor is one more coupled that had hardly changed before, unless it is new
    const isNew = !earlier.files.has(a) || !earlier.files.has(b)
    if (now > was && !isNew && before.busiest(a, b) < FEWEST_COMMITS) continue
    if (was !== now) changes.push({ pair: [a, b], was, now, direction: directionOf(was, now) })
  }
  const size = ({ was, now }: CouplingChange) => Math.abs(now - was)
  return changes.sort((x, y) => size(y) - size(x) || (x.pair.join('\0') < y.pair.join('\0') ? -1 : 1))
}

function directionOf(was: number, now: number): Direction {
  if (was === 0) return 'new_coupling'
  if (now === 0) return 'decoupled'
  return now > was ? 'strengthened' : 'weakened'
}

/** Which files the commits of a time touched together. */
class Together {
  readonly #commits = new Map<string, number>()
  readonly #pairs = new Map<string, number>()

  constructor(groups: readonly (readonly string[])[]) {
    for (const group of groups) {
      const files = [...new Set(group)].sort()
      for (const it of files) this.#commits.set(it, (this.#commits.get(it) ?? 0) + 1)
      if (files.length > WIDEST_COMMIT) continue
      for (let i = 0; i < files.length; i++)
        for (let j = i + 1; j < files.length; j++) {
          const key = `${files[i]}\0${files[j]}`
          this.#pairs.set(key, (this.#pairs.get(key) ?? 0) + 1)
        }
    }
  }

  often(): string[] {
    return [...this.#pairs].filter(([, count]) => count >= FEWEST_COMMITS).map(([key]) => key)
  }

  /** Common commits over those of the busier file, 0..1. */
  coupling(key: string): number {
    const count = this.#pairs.get(key) ?? 0
    return count === 0 ? 0 : count / this.busiest(...pairOf(key))
  }

  busiest(a: string, b: string): number {
    return Math.max(this.#commits.get(a) ?? 0, this.#commits.get(b) ?? 0)
  }
}

function pairOf(key: string): [string, string] {
  const [a = '', b = ''] = key.split('\0')
  return [a, b]
}

interface Findings {
  /** Whether enough commits of the time before touched a file to say what it did not change with. */
  knewBefore: (path: string) => boolean
  now: ReadonlyMap<string, NodeId>
  newFiles: readonly NodeId[]
  modified: readonly Modified[]
  couplings: readonly CouplingChange[]
  earlier: Earlier
}

/** By severity, then as found: tests, growth, coupling, isolation. */
function anomaliesOf(graph: Graph, found: Findings): Anomaly[] {
  const { now, newFiles, modified, couplings, earlier, knewBefore } = found
  const tests = testsOf(graph)
  const anomalies: Anomaly[] = []
  const add = (type: Anomaly['type'], file: string, detail: string, severity: Severity) =>
    anomalies.push({ type, file, detail, severity })
  const lacksTest = (v: NodeId | undefined): v is NodeId => v !== undefined && tests.isCode(v) && !tests.isTested(v)

  for (const v of newFiles) {
    const path = text(graph, graph.paths[v])
    if (tests.isTest(v)) {
      if (tests.of(v).length === 0 && tests.hasSource(path) === false && !leadsToCode(graph, tests, v))
        add('orphan_test', path, 'new test, and no source of the name it expects', 'info')
    } else if (graph.lineEnd[v] > 0 && lacksTest(v))
      add('test_deficit', path, `new file of ${graph.lineEnd[v]} lines without a test`, 'warning')
  }
  for (const { path, added, deleted, growth } of modified) {
    const v = now.get(path)
    if (added >= MANY_ADDED && lacksTest(v))
      add('test_deficit', path, `+${added}/-${deleted} lines without a test`, 'warning')
    if (added >= SPIKE.lines && growth >= SPIKE.info && v !== undefined) {
      const severity = growth >= SPIKE.critical ? 'critical' : growth >= SPIKE.warning ? 'warning' : 'info'
      add('velocity_spike', path, `+${added}/-${deleted} lines, ${growth.toFixed(2)} times its size`, severity)
    }
  }
  for (const { pair, was, now: is } of couplings) {
    if (was >= INDEPENDENT || is < COUPLED.info || !pair.every((it) => earlier.files.has(it) && knewBefore(it)))
      continue
    const [a, b] = pair.map((it) => now.get(it))
    // a test goes with its source, and settings with everything
    if (a === undefined || b === undefined || !tests.isCode(a) || !tests.isCode(b)) continue
    const severity = is >= COUPLED.warning ? 'warning' : 'info'
    add(
      'new_coupling',
      pair[0],
      `changes with ${pair[1]} in ${Math.round(100 * is)} % of commits, formerly ${Math.round(100 * was)} %`,
      severity,
    )
  }
  if (earlier.degrees !== null) {
    const degrees = degreesOf(graph)
    for (const path of now.keys()) {
      const before = earlier.degrees.get(path) ?? 0
      if (before > 0 && degrees.get(path) === 0)
        add('isolation', path, `had ${before} ${before === 1 ? 'edge' : 'edges'} and has none`, 'warning')
    }
  }
  return anomalies.sort((a, b) => RANK[a.severity] - RANK[b.severity])
}

/** Whether a test uses any code besides other tests; then its name is no reason for doubt. */
function leadsToCode(graph: Graph, tests: Tests, test: NodeId): boolean {
  const own = graph.paths[test]
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.paths[v] !== own) continue
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const u = graph.out.targets[e]
      if (graph.paths[u] === own || graph.paths[u] === NONE || isContainment(relationOf(graph, e))) continue
      if (graph.tiers[e] !== OBSERVED && graph.types[u] === FILE && tests.isCode(u)) return true
    }
  }
  return false
}

/** Keys of nodes, for answers. */
export function keysOf(graph: Graph, nodes: readonly NodeId[]): string[] {
  return nodes.map((v) => keyOf(graph, v))
}
