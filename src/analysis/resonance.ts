/**
 * Standing waves: pulses run from the seeds over the undirected neighbour graph, are turned back at dead ends and in
 * part at hubs, and add up where they meet. Nodes that swing strongly together belong together.
 *
 * A pulse's phase depends on its steps forward alone (each 2π / wavelength, each turn half a circle). So one run that
 * keeps, per node, the signed amplitude by number of steps gives the amplitude at every frequency: |Σ aₖ·e^(ikθ)|.
 */

import { DEAD_EDGE, fileOf, type Graph, INHIBITORY, type NodeId, NONE, REFERENCE } from '#graph/graph'
import type { Seed } from '#query/seeds'

/** Hops per unit of time; the wavelength of a frequency is this over it. */
export const WAVE_SPEED = 12
const MAX_HOPS = 10
const STEPS = MAX_HOPS + 1
const PULSES = 50_000
/** Of the faintest amplitude that counts: what stays below twice of it is quiet. */
const QUIET = 2
/** Degree over the mean degree above which a node is a hub. */
const HUB = 4
const HUB_REFLECTS = 0.3
const HUB_PASSES = 0.7
const END_REFLECTS = 0.9

/** The sweep: from 0.1 in 20 steps. */
const SWEEP_FROM = 0.1
const SWEEP_WIDTH = 9.9
const SWEEP_STEPS = 20

/** Of the faintest amplitude. */
const SYMPATHETIC = 5
/** Antinodes that are paired, the strongest ones: 100 give 4,950 pairs. */
const PAIRED = 100
const PAIRS_SHOWN = 10

export interface Waves {
  /** Nodes that a pulse reached, in order of arrival. */
  nodes: NodeId[]
  /** Per reached node the signed amplitudes by number of steps, `STEPS` each. */
  amplitudes: Float64Array
  pulses: number
  /** The budget ended the run. */
  exhausted: boolean
}

/** Pulses that come to a node from the same neighbour with the same number of steps travel on as one. */
export function propagate(
  graph: Graph,
  seeds: readonly Seed[],
  faintest: number,
  near: Neighbourhoods = new Neighbourhoods(graph),
): Waves {
  const hubFrom = HUB * meanDegree(graph)
  // counted from 1
  const rows = new Uint32Array(graph.nNodes)
  const nodes: NodeId[] = []
  let amplitudes = new Float64Array(64 * STEPS)
  let pulses = 0
  const arrive = (v: NodeId, steps: number, amplitude: number): void => {
    let row = rows[v] - 1
    if (row < 0) {
      row = nodes.push(v) - 1
      rows[v] = row + 1
      if ((row + 1) * STEPS > amplitudes.length) {
        const larger = new Float64Array(amplitudes.length * 2)
        larger.set(amplitudes)
        amplitudes = larger
      }
    }
    amplitudes[row * STEPS + steps] += amplitude
    pulses++
  }

  let layer = new Pulses()
  for (const { node, relevance } of seeds) layer.add(node, node, 0, relevance)
  for (let hop = 0; hop <= MAX_HOPS && layer.count > 0; hop++) {
    const next = new Pulses()
    for (let i = 0; i < layer.count; i++) {
      if (pulses >= PULSES) return { nodes, amplitudes, pulses, exhausted: true }
      const amplitude = layer.amplitudes[i]
      const v = layer.at[i]
      const steps = layer.steps[i]
      // what cancelled itself out, or is too weak, ends here
      if (Math.abs(amplitude) < faintest) continue
      arrive(v, steps, amplitude)
      if (hop === MAX_HOPS) continue
      const from = layer.from[i]
      const { targets, weights } = near.of(v)
      const degree = targets.length
      if (degree === 0) continue
      if (degree === 1 && hop > 0) {
        next.add(v, from, steps, -amplitude * END_REFLECTS)
        continue
      }
      const isHub = degree > hubFrom
      if (isHub && hop > 0) next.add(v, from, steps, -amplitude * HUB_REFLECTS)
      const passed = (amplitude * (isHub ? HUB_PASSES : 1)) / degree
      for (let j = 0; j < degree; j++) {
        if ((targets[j] === from && hop > 0) || Math.abs(passed * weights[j]) < faintest) continue
        next.add(v, targets[j], steps + 1, passed * weights[j])
      }
    }
    layer = next
  }
  return { nodes, amplitudes, pulses, exhausted: false }
}

/** Pulses on their way, by where they come from and go to and how many steps they took. */
class Pulses {
  readonly from: NodeId[] = []
  readonly at: NodeId[] = []
  readonly steps: number[] = []
  readonly amplitudes: number[] = []
  /** Positions counted from 1 by hash, with linear probing, 0 where free; its length is a power of two. */
  private table = new Uint32Array(1024)

  get count(): number {
    return this.at.length
  }

  add(from: NodeId, at: NodeId, steps: number, amplitude: number): void {
    const mask = this.table.length - 1
    let i = hashOf(from, at, steps) & mask
    for (let known = this.table[i]; known !== 0; i = (i + 1) & mask, known = this.table[i]) {
      const k = known - 1
      if (this.at[k] !== at || this.from[k] !== from || this.steps[k] !== steps) continue
      this.amplitudes[k] += amplitude
      return
    }
    this.from.push(from)
    this.at.push(at)
    this.steps.push(steps)
    this.table[i] = this.amplitudes.push(amplitude)
    if (2 * this.count > this.table.length) this.grow()
  }

  private grow(): void {
    this.table = new Uint32Array(4 * this.table.length)
    const mask = this.table.length - 1
    for (let k = 0; k < this.count; k++) {
      let i = hashOf(this.from[k], this.at[k], this.steps[k]) & mask
      while (this.table[i] !== 0) i = (i + 1) & mask
      this.table[i] = k + 1
    }
  }
}

function hashOf(from: NodeId, at: NodeId, steps: number): number {
  const mixed = Math.imul(from, 0x9e3779b1) ^ Math.imul(at, 0x85ebca6b) ^ Math.imul(steps, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Distinct neighbours in either direction with the largest weight to each; looked up once per node. */
class Neighbourhoods {
  private readonly graph: Graph
  private readonly known = new Map<NodeId, { targets: NodeId[]; weights: number[] }>()
  /** Of each node in the list that is being made, counted from 1; else 0. */
  private readonly places: Uint32Array

  constructor(graph: Graph) {
    this.graph = graph
    this.places = new Uint32Array(graph.nNodes)
  }

  of(v: NodeId): { targets: NodeId[]; weights: number[] } {
    const before = this.known.get(v)
    if (before !== undefined) return before
    const { out, in: into, weights } = this.graph
    const found: { targets: NodeId[]; weights: number[] } = { targets: [], weights: [] }
    const offer = (u: NodeId, slot: number) => {
      const weight = weights[slot]
      if (u === v || !isLive(this.graph, u, slot)) return
      const place = this.places[u]
      if (place === 0 && weight > 0) {
        found.weights.push(weight)
        this.places[u] = found.targets.push(u)
      } else if (place > 0 && weight > found.weights[place - 1]) found.weights[place - 1] = weight
    }
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) offer(out.targets[e], e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) offer(into.targets[i], into.slots[i])
    for (const u of found.targets) this.places[u] = 0
    this.known.set(v, found)
    return found
  }
}

function isLive({ dead, flags }: Graph, u: NodeId, slot: number): boolean {
  return dead[u] === 0 && (flags[slot] & (DEAD_EDGE | INHIBITORY)) === 0
}

const meanDegrees = new WeakMap<Graph, number>()

/** Mean number of distinct neighbours; structure never changes. */
function meanDegree(graph: Graph): number {
  const before = meanDegrees.get(graph)
  if (before !== undefined) return before
  const { nNodes, out, in: into } = graph
  const seenBy = new Uint32Array(nNodes)
  let live = 0
  let sum = 0
  for (let v = 0; v < nNodes; v++) {
    if (graph.dead[v] === 1) continue
    live++
    const mark = v + 1
    seenBy[v] = mark
    const see = (u: NodeId, slot: number) => {
      if (seenBy[u] === mark || !isLive(graph, u, slot)) return
      seenBy[u] = mark
      sum++
    }
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) see(out.targets[e], e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) see(into.targets[i], into.slots[i])
  }
  const mean = live === 0 ? 0 : sum / live
  meanDegrees.set(graph, mean)
  return mean
}

/** Amplitude of every reached node at a frequency above 0, in the order of `waves.nodes`. */
export function amplitudesAt({ nodes, amplitudes }: Waves, frequency: number): Float64Array {
  const angle = (2 * Math.PI * frequency) / WAVE_SPEED
  const cos = Float64Array.from({ length: STEPS }, (_, k) => Math.cos(k * angle))
  const sin = Float64Array.from({ length: STEPS }, (_, k) => Math.sin(k * angle))
  const result = new Float64Array(nodes.length)
  for (let row = 0; row < result.length; row++) {
    let re = 0
    let im = 0
    for (let k = 0; k < STEPS; k++) {
      const a = amplitudes[row * STEPS + k]
      re += a * cos[k]
      im += a * sin[k]
    }
    result[row] = Math.hypot(re, im)
  }
  return result
}

/** √Σ amplitude² */
export function energyOf(amplitudes: Float64Array): number {
  return Math.sqrt(amplitudes.reduce((sum, it) => sum + it * it, 0))
}

export interface Harmonic {
  /** 1 is the base frequency of 1. */
  order: number
  energy: number
  /** By row of the waves. */
  amplitudes: Float64Array
}

export interface Resonance {
  waves: Waves
  harmonics: Harmonic[]
  /** Antinodes: nodes above the faintest amplitude at some harmonic, with their largest amplitude and the first order that has it. */
  antinodes: { node: NodeId; row: number; amplitude: number; order: number }[]
  /** Nodes that hardly move at the base frequency. */
  quiet: number
  /** Frequency and energy, strongest first. */
  resonant: { frequency: number; energy: number }[]
  pairs: { a: NodeId; b: NodeId; coupling: number; amplitude: number }[]
  /** Antinodes of at least five times the faintest amplitude more than two hops from every seed. */
  sympathetic: { node: NodeId; amplitude: number }[]
}

export interface ResonanceOptions {
  nHarmonics: number
  /** Frequencies to report the energy of; none: a sweep, of which the peaks are reported. */
  frequencies: readonly number[]
  /** A fainter pulse is not sent, a fainter node is no antinode. */
  minAmplitude: number
}

export function resonance(
  graph: Graph,
  seeds: readonly Seed[],
  { nHarmonics, frequencies, minAmplitude }: ResonanceOptions,
): Resonance {
  const near = new Neighbourhoods(graph)
  const waves = propagate(graph, seeds, minAmplitude, near)
  const harmonics = Array.from({ length: nHarmonics }, (_, i): Harmonic => {
    const amplitudes = amplitudesAt(waves, i + 1)
    return { order: i + 1, energy: energyOf(amplitudes), amplitudes }
  })
  const antinodes = antinodesOf(waves, harmonics, minAmplitude)
  return {
    waves,
    harmonics,
    antinodes,
    quiet: harmonics[0].amplitudes.filter((it) => it > 0 && it < QUIET * minAmplitude).length,
    resonant: frequencies.length > 0 ? energiesAt(waves, frequencies) : peaks(waves),
    pairs: pairsAmong(graph, near, antinodes, harmonics),
    sympathetic: beyond(
      near,
      seeds,
      antinodes.filter((it) => it.amplitude >= SYMPATHETIC * minAmplitude),
    ),
  }
}

function antinodesOf({ nodes }: Waves, harmonics: readonly Harmonic[], faintest: number): Resonance['antinodes'] {
  const found: Resonance['antinodes'] = []
  nodes.forEach((node, row) => {
    const best = harmonics.reduce((a, b) => (b.amplitudes[row] > a.amplitudes[row] ? b : a))
    const amplitude = best.amplitudes[row]
    if (amplitude > faintest) found.push({ node, row, amplitude, order: best.order })
  })
  return found.sort((a, b) => b.amplitude - a.amplitude || a.node - b.node)
}

function energiesAt(waves: Waves, frequencies: readonly number[]): Resonance['resonant'] {
  return frequencies
    .map((frequency) => ({ frequency, energy: energyOf(amplitudesAt(waves, frequency)) }))
    .sort((a, b) => b.energy - a.energy || a.frequency - b.frequency)
}

/** Frequencies of the sweep with more energy than those on either side. */
function peaks(waves: Waves): Resonance['resonant'] {
  const sweep = Array.from({ length: SWEEP_STEPS }, (_, i) => {
    const frequency = SWEEP_FROM + (i * SWEEP_WIDTH) / SWEEP_STEPS
    return { frequency, energy: energyOf(amplitudesAt(waves, frequency)) }
  })
  return sweep
    .filter(({ energy }, i) => energy > (sweep[i - 1]?.energy ?? energy) && energy > (sweep[i + 1]?.energy ?? energy))
    .sort((a, b) => b.energy - a.energy || a.frequency - b.frequency)
}

/**
 * Pairs in different files without an edge: cosine of their amplitudes over the harmonics, times the smaller over the larger amplitude; of
 * equal ones the stronger. External packages swing with everything and are left out.
 */
function pairsAmong(
  graph: Graph,
  near: Neighbourhoods,
  antinodes: Resonance['antinodes'],
  harmonics: readonly Harmonic[],
): Resonance['pairs'] {
  const own = antinodes.filter((it) => graph.types[it.node] !== REFERENCE).slice(0, PAIRED)
  const vectors = own.map(({ row }) => harmonics.map((it) => it.amplitudes[row]))
  const norms = vectors.map((it) => Math.hypot(...it))
  const pairs: Resonance['pairs'] = []
  own.forEach((a, i) => {
    const linked = new Set(near.of(a.node).targets)
    const file = fileOf(graph, a.node)
    for (let j = i + 1; j < own.length; j++) {
      const b = own[j]
      if (linked.has(b.node) || (file !== NONE && fileOf(graph, b.node) === file)) continue
      const dot = vectors[i].reduce((sum, it, h) => sum + it * vectors[j][h], 0)
      const coupling = Math.min(1, dot / (norms[i] * norms[j])) * (b.amplitude / a.amplitude)
      pairs.push({ a: a.node, b: b.node, coupling: Math.round(coupling * 1e9) / 1e9, amplitude: b.amplitude })
    }
  })
  return pairs
    .sort((x, y) => y.coupling - x.coupling || y.amplitude - x.amplitude || x.a - y.a || x.b - y.b)
    .slice(0, PAIRS_SHOWN)
}

function beyond(
  near: Neighbourhoods,
  seeds: readonly Seed[],
  antinodes: Resonance['antinodes'],
): Resonance['sympathetic'] {
  const ball = new Set(seeds.map((it) => it.node))
  let rim = [...ball]
  for (let hop = 0; hop < 2; hop++) {
    rim = rim.flatMap((v) => near.of(v).targets).filter((u) => !ball.has(u))
    for (const u of rim) ball.add(u)
  }
  return antinodes.filter(({ node }) => !ball.has(node)).map(({ node, amplitude }) => ({ node, amplitude }))
}
