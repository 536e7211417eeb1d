/** How much parts of a project lean on each other, before and now. */

import type { Both } from '#analysis/both'
import { communities, undirected, type Undirected } from '#analysis/communities'
import { FILE, fileOf, type Graph, labelOf, NONE, text } from '#graph/graph'

/** Smaller changes are not told. */
const LEAST_CHANGE = 0.01

export interface CouplingDelta {
  a: string
  b: string
  before: number
  now: number
}

/**
 * Coupling of two communities is the weight between them over the weight of all edges that touch either. Both graphs
 * are cut along the same communities, those of the two laid over each other: found one by one, they differ by far
 * more than the code does (`differential.md`). The largest change first.
 */
export function coupling(before: Graph, now: Graph, both: Both, focus: ReadonlySet<number> | null): CouplingDelta[] {
  const old = renumbered(undirected(before), both.ofBefore, both.count)
  const fresh = renumbered(undirected(now), both.ofNow, both.count)
  // learning changes no coupling, and finding the parts takes most of the time
  if (isSame(old, fresh)) return []
  const { of, count } = communities(joined(old, fresh, wholes(both)))
  const part = wholes(both).map((it) => of[it])
  const then = couplings(old, part, count)
  const after = couplings(fresh, part, count)
  const seen = focus === null ? null : new Set([...focus].map((it) => part[it]))
  const label = labels(both, part, count)
  const deltas: (CouplingDelta & { pair: number })[] = []
  for (const pair of new Set([...then.keys(), ...after.keys()])) {
    const [a, b] = [Math.floor(pair / count), pair % count]
    const row = { pair, a: label[a], b: label[b], before: then.get(pair) ?? 0, now: after.get(pair) ?? 0 }
    if (seen !== null && !seen.has(a) && !seen.has(b)) continue
    if (Math.abs(row.now - row.before) > LEAST_CHANGE) deltas.push(row)
  }
  const size = (it: CouplingDelta) => Math.abs(it.now - it.before)
  deltas.sort((x, y) => size(y) - size(x) || x.pair - y.pair)
  return deltas.map(({ a, b, before, now }) => ({ a, b, before, now }))
}

/** A file and what it contains are one; by common number, the common number of the file. */
function wholes({ before, now, ofBefore, ofNow, count }: Both): Uint32Array {
  const whole = Uint32Array.from({ length: count }, (_, it) => it)
  for (const [graph, numbers] of [
    [before, ofBefore],
    [now, ofNow],
  ] as const) {
    for (let v = 0; v < graph.nNodes; v++) {
      const file = fileOf(graph, v)
      if (file !== NONE) whole[numbers[v]] = numbers[file]
    }
  }
  return whole
}

function isSame(a: Undirected, b: Undirected): boolean {
  const equal = (x: Uint32Array | Float64Array, y: Uint32Array | Float64Array) =>
    x.length === y.length && x.every((it, i) => it === y[i])
  return equal(a.offsets, b.offsets) && equal(a.targets, b.targets) && equal(a.weights, b.weights)
}

function renumbered({ offsets, targets, weights }: Undirected, numbers: Uint32Array, count: number): Undirected {
  const size = new Uint32Array(count + 1)
  for (let v = 0; v + 1 < offsets.length; v++) size[numbers[v] + 1] = offsets[v + 1] - offsets[v]
  for (let v = 0; v < count; v++) size[v + 1] += size[v]
  const result = { offsets: size, targets: new Uint32Array(targets.length), weights: new Float64Array(targets.length) }
  for (let v = 0; v + 1 < offsets.length; v++) {
    const at = size[numbers[v]]
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      result.targets[at + e - offsets[v]] = numbers[targets[e]]
      result.weights[at + e - offsets[v]] = weights[e]
    }
  }
  return result
}

/** Both graphs over each other, every node replaced by its whole. */
function joined(a: Undirected, b: Undirected, whole: Uint32Array): Undirected {
  const count = whole.length
  const offsets = new Uint32Array(count + 1)
  const each = (visit: (u: number, v: number, weight: number) => void) => {
    for (const { offsets, targets, weights } of [a, b]) {
      for (let v = 0; v < count; v++) {
        for (let e = offsets[v]; e < offsets[v + 1]; e++) {
          // inside of a whole an edge is met from either end and becomes a loop, which counts once
          const isHalf = whole[v] === whole[targets[e]] && v !== targets[e]
          visit(whole[v], whole[targets[e]], isHalf ? weights[e] / 2 : weights[e])
        }
      }
    }
  }
  each((u) => offsets[u + 1]++)
  for (let v = 0; v < count; v++) offsets[v + 1] += offsets[v]
  const fill = offsets.slice()
  const targets = new Uint32Array(offsets[count])
  const weights = new Float64Array(offsets[count])
  each((u, v, weight) => {
    targets[fill[u]] = v
    weights[fill[u]++] = weight
  })
  return { offsets, targets, weights }
}

/** By `a · count + b`, a < b. */
function couplings({ offsets, targets, weights }: Undirected, part: Uint32Array, count: number): Map<number, number> {
  const between = new Map<number, number>()
  const touching = new Float64Array(count)
  for (let v = 0; v < part.length; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const [a, b] = [part[v], part[targets[e]]]
      // an edge is met from either end, a self-loop once
      const weight = v === targets[e] ? weights[e] : weights[e] / 2
      touching[a] += weight
      if (a === b) continue
      touching[b] += weight
      const pair = Math.min(a, b) * count + Math.max(a, b)
      between.set(pair, (between.get(pair) ?? 0) + weight)
    }
  }
  for (const [pair, weight] of between) {
    const [a, b] = [Math.floor(pair / count), pair % count]
    between.set(pair, weight / (touching[a] + touching[b] - weight))
  }
  return between
}

/** Most frequent folder of a community's files, with the file of the highest PageRank where that is not its own. */
function labels({ before, now, ofBefore, ofNow }: Both, part: Uint32Array, count: number): string[] {
  const folders = Array.from({ length: count }, () => new Map<string, number>())
  const tops = Array.from({ length: count }, () => ({ label: '', rank: -1 }))
  for (const [graph, numbers] of [
    [now, ofNow],
    [before, ofBefore],
  ] as const) {
    for (let v = 0; v < graph.nNodes; v++) {
      const community = part[numbers[v]]
      const top = tops[community]
      const isFile = graph.types[v] === FILE
      if (graph.dead[v] === 0 && (isFile || top.label === '') && graph.pagerank[v] > top.rank) {
        tops[community] = { label: labelOf(graph, v), rank: isFile ? graph.pagerank[v] : -1 }
      }
      if (!isFile) continue
      const path = text(graph, graph.paths[v])
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '.'
      folders[community].set(folder, (folders[community].get(folder) ?? 0) + 1)
    }
  }
  const names = folders.map((it, i) => {
    const [most] = [...it].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return most === undefined ? tops[i].label : most[0]
  })
  const uses = new Map<string, number>()
  for (const it of names) uses.set(it, (uses.get(it) ?? 0) + 1)
  return names.map((name, i) =>
    (uses.get(name) ?? 0) > 1 && tops[i].label !== '' ? `${name} (${tops[i].label})` : name,
  )
}
