/** The graph as a session left it, for `drift` and `diverge`. */

import { degreesOf } from '#analysis/diverge'
import type { Baseline } from '#engine/brain'
import { DEAD_EDGE, FILE, type Graph, keyOf, NONE, relationOf, text } from '#graph/graph'

/**
 * `weights` are those of the graph's edges at that time; the state names an edge `source -> target|relation` by the
 * keys of its ends.
 */
export function baselineOf(graph: Graph, weights: Float32Array, savedAt: number): Baseline {
  const keys: string[] = []
  const learned = new Map<string, number>()
  const files: Baseline['files'] = new Map()
  const degrees = degreesOf(graph)
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    keys.push(keyOf(graph, v))
    if (graph.types[v] === FILE && graph.paths[v] !== NONE) {
      const path = text(graph, graph.paths[v])
      files.set(path, { degree: degrees.get(path) ?? 0, lines: graph.lineEnd[v] })
    }
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if (weights[e] === graph.ingestWeights[e] || graph.flags[e] & DEAD_EDGE) continue
      learned.set(`${keyOf(graph, v)} -> ${keyOf(graph, graph.out.targets[e])}|${relationOf(graph, e)}`, weights[e])
    }
  }
  const { commit } = graph.meta
  return { savedAt, commit, nodeCount: keys.length, edgeCount: graph.nLogical, keys, weights: learned, files }
}

function baselineToJson({ weights, files, ...rest }: Baseline): object {
  return { ...rest, weights: [...weights], files: Array.from(files, ([path, it]) => [path, it.degree, it.lines]) }
}

/** Inverse of `baselineToJson`; throws on anything else. */
export function baselineFromJson(value: unknown): Baseline {
  const from = typeof value === 'object' && value !== null ? { ...value } : {}
  if (!('savedAt' in from && 'keys' in from && 'weights' in from && 'files' in from))
    throw new Error('it is no state of a session')
  const list = (it: unknown): unknown[] => (Array.isArray(it) ? it : [])
  const counts = 'nodeCount' in from && 'edgeCount' in from ? from : { nodeCount: 0, edgeCount: 0 }
  return {
    savedAt: Number(from.savedAt),
    commit: 'commit' in from ? String(from.commit) : '',
    nodeCount: Number(counts.nodeCount),
    edgeCount: Number(counts.edgeCount),
    keys: list(from.keys).map(String),
    weights: new Map(list(from.weights).map((it): [string, number] => [String(list(it)[0]), Number(list(it)[1])])),
    files: new Map(
      list(from.files).map((it): [string, { degree: number; lines: number }] => {
        const [path, degree, lines] = list(it)
        return [String(path), { degree: Number(degree), lines: Number(lines) }]
      }),
    ),
  }
}

/** What this process compares with, of one project. */
export class LastSession {
  readonly #readEarlier: () => Baseline | null
  /** State before the session that came before this process; undefined until it is asked for. */
  #earlier: Baseline | null | undefined
  /** The graph as it was loaded, until the state made of it is wanted. */
  #loaded: { graph: Graph; weights: Float32Array; savedAt: number } | null = null
  #baseline: Baseline | null = null
  #hasChanged = false
  #isKept = false

  /** `readEarlier` gives what `keep` saved in an earlier process; it is called at most once. */
  constructor(readEarlier: () => Baseline | null) {
    this.#readEarlier = readEarlier
  }

  /** Takes the weights of a graph that was just loaded, before anything is learned on it. */
  load(graph: Graph, savedAt: number): void {
    this.#loaded = { graph, weights: graph.weights.slice(), savedAt }
  }

  /** Says that this process has learned something or read files, which makes it a session of its own. */
  change(): void {
    this.#hasChanged = true
  }

  /** Lets go of the graph that was loaded. */
  settle(): void {
    if (this.#loaded === null) return
    const { graph, weights, savedAt } = this.#loaded
    this.#baseline = baselineOf(graph, weights, savedAt)
    this.#loaded = null
  }

  /** State before the last session that changed something: this one, if it has. */
  get baseline(): Baseline | null {
    return this.#hasChanged ? this.#atStart() : (this.#before() ?? this.#atStart())
  }

  /** The newest saved state that is not younger than a time (epoch ms). */
  at(time: number): Baseline | null {
    return [this.#atStart(), this.#before()].find((it) => it !== null && it.savedAt <= time) ?? null
  }

  /** Saves the state at the start, once, when this process has changed it. */
  async keep(write: (text: string) => Promise<void>): Promise<void> {
    const baseline = this.#hasChanged && !this.#isKept ? this.#atStart() : null
    if (baseline === null) return
    // what is replaced may still be asked for
    this.#before()
    await write(JSON.stringify(baselineToJson(baseline)))
    this.#isKept = true
  }

  #atStart(): Baseline | null {
    this.settle()
    return this.#baseline
  }

  #before(): Baseline | null {
    if (this.#earlier === undefined) this.#earlier = this.#readEarlier()
    return this.#earlier
  }
}
