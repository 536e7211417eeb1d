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
  named?: boolean
}

/** Nodes with more edges than this find them by hash instead of one after the other. */
const MANY = 24

/** A node is the number of a definition, or `nDefs + file`. */
export class EdgeSet {
  readonly #program: Program
  readonly #files: (FileEdges | undefined)[]
  /** What stands for a definition without a name: what is around it. */
  readonly #around: ReadonlyMap<number, number>

  constructor(program: Program) {
    this.#program = program
    this.#files = empty(program.nFiles)
    this.#around = withoutNames(program)
  }

  add(source: number, target: number, relation: string, details: EdgeDetails): void {
    const from = this.#around.get(source) ?? source
    const to = this.#around.get(target) ?? target
    if (from === to || (from !== source && relation === 'implements')) return
    const { nDefs, fileOf, base } = this.#program
    const toFile = to < nDefs ? fileOf[to] : to - nDefs
    const file = from < nDefs ? fileOf[from] : from - nDefs
    this.#of(file).add(
      { from: from < nDefs ? from - base[file] : -1, toFile, to: to < nDefs ? to - base[toFile] : -1, relation },
      details,
    )
  }

  /** Edges from the nodes of a file, in the order in which they were found. What is added later replaces records. */
  of(file: number): readonly ResolvedEdge[] {
    return this.#files[file]?.edges ?? []
  }

  /** The edges of a file as they are now; they stay like that whatever is added. */
  keep(file: number): readonly ResolvedEdge[] {
    return this.#files[file]?.keep() ?? []
  }

  /** Goes on from edges that were kept. */
  resume(file: number, kept: readonly ResolvedEdge[]): void {
    this.#files[file] = new FileEdges(this.#program, file, kept)
  }

  #of(file: number): FileEdges {
    let edges = this.#files[file]
    if (edges === undefined) {
      edges = new FileEdges(this.#program, file, [])
      this.#files[file] = edges
    }
    return edges
  }
}

type Ends = Pick<ResolvedEdge, 'from' | 'toFile' | 'to' | 'relation'>

class FileEdges {
  readonly edges: ResolvedEdge[] = []
  readonly #file: number
  /** Per source: positions of its edges, as long as they are few. The file itself comes first. */
  readonly #few: (number[] | undefined)[]
  readonly #many = new Map<number, Map<string, number>>()
  /** So many records belong to someone else as well. */
  #kept = 0

  constructor({ base }: Program, file: number, kept: readonly ResolvedEdge[]) {
    this.#file = file
    this.#few = empty(base[file + 1] - base[file] + 1)
    for (const it of kept) this.#push(it)
    this.#kept = kept.length
  }

  keep(): readonly ResolvedEdge[] {
    this.#kept = this.edges.length
    return this.edges.slice()
  }

  add(ends: Ends, details: EdgeDetails): void {
    const position = this.#find(ends)
    const full = details.weight ?? ingestWeight(ends.relation)
    const weight = details.tier === 'guess' ? full / 2 : full
    if (position >= 0) {
      this.#improve(position, weight, details)
      return
    }
    const edge: ResolvedEdge = {
      fromFile: this.#file,
      from: ends.from,
      toFile: ends.toFile,
      to: ends.to,
      relation: ends.relation,
      weight,
      causal: details.causal ?? causalStrength(ends.relation),
      tier: details.tier,
      line: details.line,
    }
    if (details.unreachable) edge.unreachable = true
    if (details.lifted) edge.lifted = true
    this.#push(edge)
  }

  #improve(position: number, weight: number, { tier, unreachable, lifted }: EdgeDetails): void {
    let edge = this.edges[position]
    if (position < this.#kept) {
      edge = { ...edge }
      this.edges[position] = edge
    }
    if (RANK[tier] < RANK[edge.tier]) edge.tier = tier
    if (weight > edge.weight) edge.weight = weight
    if (edge.unreachable && !unreachable) delete edge.unreachable
    if (edge.lifted && !lifted) delete edge.lifted
  }

  #find({ from, toFile, to, relation }: Ends): number {
    const few = this.#few[from + 1]
    if (few !== undefined) {
      for (const i of few) {
        const it = this.edges[i]
        if (it.to === to && it.toFile === toFile && it.relation === relation) return i
      }
      return -1
    }
    return this.#many.get(from)?.get(`${toFile} ${to} ${relation}`) ?? -1
  }

  #push(edge: ResolvedEdge): void {
    const { from, toFile, to, relation } = edge
    const position = this.edges.push(edge) - 1
    const many = this.#many.get(from)
    if (many !== undefined) {
      many.set(`${toFile} ${to} ${relation}`, position)
      return
    }
    const few = this.#few[from + 1]
    if (few === undefined) {
      this.#few[from + 1] = [position]
      return
    }
    few.push(position)
    if (few.length <= MANY) return
    this.#few[from + 1] = undefined
    this.#many.set(
      from,
      new Map(
        few.map((i) => {
          const it = this.edges[i]
          return [`${it.toFile} ${it.to} ${it.relation}`, i]
        }),
      ),
    )
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
