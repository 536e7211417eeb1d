/** The edges found so far: one per source, target and relation, with the best tier and the first line. */

import type { Tier } from '#graph/graph'
import { causalStrength, ingestWeight } from '#graph/relations'
import { isAnonymous } from '#ingest/facts'
import { empty, type Program } from '#ingest/resolve/program'
import type { ResolvedEdge } from '#ingest/resolve/project'

/** Better tiers first. */
export const RANK: Record<Tier, number> = { given: 0, exact: 1, typed: 2, unique: 3, observed: 4, guess: 5 }

export interface EdgeDetails {
  tier: Tier
  line: number
  weight?: number
  causal?: number
  unreachable?: boolean
  lifted?: boolean
}

/** Nodes with more edges than this find them by hash instead of one after the other. */
const MANY = 24

/** A node is the number of a definition, or `nDefs + file`. */
export class EdgeSet {
  readonly #program: Program
  /** Per source: its edges, as long as they are few. */
  readonly #few: (ResolvedEdge[] | undefined)[]
  readonly #many = new Map<number, Map<string, ResolvedEdge>>()
  readonly edges: ResolvedEdge[] = []
  /** What stands for a definition without a name: what is around it. */
  readonly #around: ReadonlyMap<number, number>

  constructor(program: Program) {
    this.#program = program
    this.#few = empty(program.nDefs + program.nFiles)
    this.#around = withoutNames(program)
  }

  add(source: number, target: number, relation: string, details: EdgeDetails): void {
    const from = this.#around.get(source) ?? source
    const to = this.#around.get(target) ?? target
    if (from === to || (from !== source && relation === 'implements')) return
    const { nDefs, fileOf, base } = this.#program
    const toFile = to < nDefs ? fileOf[to] : to - nDefs
    const toLocal = to < nDefs ? to - base[toFile] : -1
    const before = this.#find(from, toFile, toLocal, relation)
    const full = details.weight ?? ingestWeight(relation)
    const weight = details.tier === 'guess' ? full / 2 : full
    if (before !== undefined) {
      if (RANK[details.tier] < RANK[before.tier]) before.tier = details.tier
      if (weight > before.weight) before.weight = weight
      if (before.unreachable && !details.unreachable) delete before.unreachable
      if (before.lifted && !details.lifted) delete before.lifted
      return
    }
    const fromFile = from < nDefs ? fileOf[from] : from - nDefs
    const edge: ResolvedEdge = {
      fromFile,
      from: from < nDefs ? from - base[fromFile] : -1,
      toFile,
      to: toLocal,
      relation,
      weight,
      causal: details.causal ?? causalStrength(relation),
      tier: details.tier,
      line: details.line,
    }
    if (details.unreachable) edge.unreachable = true
    if (details.lifted) edge.lifted = true
    this.edges.push(edge)
    this.#remember(from, edge)
  }

  #find(from: number, toFile: number, to: number, relation: string): ResolvedEdge | undefined {
    const few = this.#few[from]
    if (few !== undefined) {
      for (const it of few) if (it.to === to && it.toFile === toFile && it.relation === relation) return it
      return undefined
    }
    return this.#many.get(from)?.get(`${toFile} ${to} ${relation}`)
  }

  #remember(from: number, edge: ResolvedEdge): void {
    const many = this.#many.get(from)
    if (many !== undefined) {
      many.set(`${edge.toFile} ${edge.to} ${edge.relation}`, edge)
      return
    }
    const few = this.#few[from]
    if (few === undefined) {
      this.#few[from] = [edge]
      return
    }
    few.push(edge)
    if (few.length <= MANY) return
    this.#few[from] = undefined
    this.#many.set(from, new Map(few.map((it) => [`${it.toFile} ${it.to} ${it.relation}`, it])))
  }
}

/** The classes without a name and the nodes that stand for them. */
function withoutNames({ defs, parent, fileOf, nDefs }: Program): Map<number, number> {
  const around = new Map<number, number>()
  for (let id = 0; id < nDefs; id++) {
    if (!isAnonymous(defs[id])) continue
    const outer = parent[id] < 0 ? nDefs + fileOf[id] : parent[id]
    around.set(id, around.get(outer) ?? outer)
  }
  return around
}
