/** All records that a project becomes: those of files one by one, and those of folders and packages behind them. */

import { basename } from 'node:path'
import { NONE } from '#graph/graph'
import { EXTERNAL_BASE_TAG } from '#graph/roots'
import type { EdgeInput, NodeInput } from '#graph/input'
import type { LexicalFile } from '#graph/lexical'
import { coChangeEdges, commitRecords, type CommitRecord } from '#ingest/commits'
import { directories, type Folders, type FolderTree, folderTree } from '#ingest/directories'
import { isAnonymous } from '#ingest/facts'
import type { History } from '#ingest/history'
import { type FoundPackages, packages } from '#ingest/manifests'
import { type FileEntry, NodeMaker, nodesOfDefinitions, type OwnerKinds, ownerKinds } from '#ingest/nodes'
import type { Resolution, ResolvedEdge } from '#ingest/resolve'

export interface ProjectFiles {
  root: string
  entries: readonly FileEntry[]
  resolution: Resolution
  configFiles: ReadonlyMap<string, string>
  history: History
  externalPackages: boolean
}

interface Made {
  nodes: NodeInput[]
  contains: EdgeInput[]
  collisions: number
}

export class Records {
  readonly root: string
  readonly entries: readonly FileEntry[]
  readonly kinds: OwnerKinds
  /** Node of each file. */
  readonly fileNodes: Uint32Array
  /** Nodes of the definitions of those files in which some have no name; in all others each follows the one before. */
  readonly #withoutNames = new Map<number, Uint32Array>()
  /** Nodes of files and definitions; those of folders and packages follow. */
  readonly nCode: number
  readonly nNodes: number
  /** Definitions whose key another one had already, by file. */
  readonly #collisions: Uint32Array
  readonly #resolution: Resolution
  readonly #made: (Made | undefined)[]
  readonly #maker: NodeMaker
  /** Nodes of folders and packages. */
  readonly tail: readonly NodeInput[]
  readonly #folders: Folders
  readonly #packages: FoundPackages
  readonly #tree: FolderTree
  #opposites: boolean | null = null
  /** Of the files of this list of paths, what history says by the position of a file. */
  readonly past: { history: History; commits: CommitRecord[]; coChanges: EdgeInput[] }

  /** `before` are records of the same files, of which those `changed` say something else now; or null. */
  constructor(project: ProjectFiles, before: Records | null, changed: readonly number[]) {
    const { root, entries, resolution, configFiles, history, externalPackages } = project
    this.root = root
    this.entries = entries
    this.#resolution = resolution
    this.kinds = before !== null && isSameOwners(before, entries, changed) ? before.kinds : ownerKinds(entries)
    this.#maker = new NodeMaker(this.kinds)
    this.fileNodes = new Uint32Array(entries.length)
    this.#made = entries.map(() => undefined)
    this.#collisions = before === null ? new Uint32Array(entries.length) : before.#collisions.slice()
    let at = 0
    for (let f = 0; f < entries.length; f++) {
      const { facts } = entries[f]
      this.fileNodes[f] = at
      at += 1 + facts.definitions.length
      if (!facts.definitions.some(isAnonymous)) continue
      this.#withoutNames.set(f, nodesOfDefinitions(facts, this.fileNodes[f]))
      at -= facts.definitions.filter(isAnonymous).length
    }
    this.nCode = at
    const fresh = before === null ? entries.keys() : changed
    for (const f of fresh) this.#collisions[f] = this.#of(f).collisions

    this.past = before !== null && before.past.history === history ? before.past : pastOf(entries, history)
    this.#tree = before === null ? folderTree(entries) : before.#tree
    this.#folders = directories(this.#tree, entries, this.fileNodes, { rootName: basename(root), firstNode: at })
    this.#packages = packages(
      {
        files: entries,
        fileNodes: this.fileNodes,
        configFiles,
        eachUse: (visit) => {
          for (const { externals } of resolution.files)
            for (const { fromFile, from, package: id, relation, line } of externals)
              visit({ node: this.#nodeOf(fromFile, from), package: id, relation, line })
        },
        externalPackages,
      },
      at + this.#folders.nodes.length,
    )
    this.tail = this.#folders.nodes.concat(this.#packages.nodes)
    this.nNodes = at + this.tail.length
  }

  get collisions(): number {
    return this.#collisions.reduce((sum, it) => sum + it, 0)
  }

  nodesOf(file: number): NodeInput[] {
    const { nodes } = this.#of(file)
    nodes[0].parent = this.#folders.parents[file]
    const external = this.#resolution.files[file].externalBases
    if (external.length === 0) return nodes
    const tagged = nodes.slice()
    for (const { from, name } of external) {
      const v = this.#nodeOf(file, from)
      if (v === NONE) continue
      const at = v - this.fileNodes[file]
      tagged[at] = { ...tagged[at], tags: [...(tagged[at].tags ?? []), EXTERNAL_BASE_TAG + name] }
    }
    return tagged
  }

  /** All edges from nodes for which `isAsked`, those of one node in the order in which they count. */
  edgesFrom(isAsked: (node: number) => boolean): EdgeInput[] {
    const { fileNodes } = this
    const edges: EdgeInput[] = []
    const resolved: EdgeInput[] = []
    for (let f = 0; f < fileNodes.length; f++) {
      if (!isAsked(fileNodes[f])) continue
      for (const it of this.#of(f).contains) edges.push(it)
      for (const it of this.#resolution.files[f].edges) resolved.push(this.#edge(it))
    }
    for (const it of resolved) edges.push(it)
    for (const it of this.#folders.edgesFrom(isAsked)) edges.push(it)
    for (const it of this.#packages.edgesFrom(isAsked)) edges.push(it)
    for (const it of this.past.coChanges) {
      const source = fileNodes[it.source]
      if (isAsked(source)) edges.push({ ...it, source, target: fileNodes[it.target] })
    }
    return edges
  }

  all(): { nodes: NodeInput[]; edges: EdgeInput[] } {
    const nodes: NodeInput[] = []
    for (let f = 0; f < this.entries.length; f++) for (const it of this.nodesOf(f)) nodes.push(it)
    for (const it of this.tail) nodes.push(it)
    return { nodes, edges: this.edgesFrom(() => true) }
  }

  /** Search terms of a file, for the lexical index. */
  wordsOf(file: number): LexicalFile {
    const { facts } = this.entries[file]
    const node = this.fileNodes[file]
    return { node, definitionNodes: nodesOfDefinitions(facts, node), words: facts.words }
  }

  /** Whether two types are derived from each other: the two edges are one in the graph. */
  hasOpposites(): boolean {
    this.#opposites ??= this.#findOpposites()
    return this.#opposites
  }

  /** The same, of those that lead from or to these files; what else there is must have none. */
  hasOppositesIn(files: readonly number[]): boolean {
    const { files: resolved } = this.#resolution
    this.#opposites ??= files.some((file) =>
      resolved[file].edges.some(
        (it) =>
          it.relation === 'implements' &&
          resolved[it.toFile].edges.some(
            (back) =>
              back.relation === 'implements' &&
              back.toFile === file &&
              this.#nodeOf(file, back.to) === this.#nodeOf(file, it.from) &&
              this.#nodeOf(it.toFile, back.from) === this.#nodeOf(it.toFile, it.to),
          ),
      ),
    )
    return this.#opposites
  }

  /** Lets go of what can be made again. */
  rest(): void {
    this.#made.fill(undefined)
  }

  #nodeOf(file: number, local: number): number {
    const nodes = local < 0 ? undefined : this.#withoutNames.get(file)
    return nodes === undefined ? this.fileNodes[file] + 1 + local : nodes[local]
  }

  #edge(edge: ResolvedEdge): EdgeInput {
    const { fromFile, from, toFile, to, relation, weight, causal, tier, line, unreachable, lifted } = edge
    return {
      source: this.#nodeOf(fromFile, from),
      target: this.#nodeOf(toFile, to),
      relation,
      weight,
      causal,
      bidirectional: relation === 'implements',
      tier,
      line,
      unreachable,
      lifted,
    }
  }

  #findOpposites(): boolean {
    const pairs = new Set<number>()
    for (const { edges } of this.#resolution.files) {
      for (const { relation, fromFile, from, toFile, to } of edges) {
        if (relation !== 'implements') continue
        const source = this.#nodeOf(fromFile, from)
        const target = this.#nodeOf(toFile, to)
        if (pairs.has(target * this.nNodes + source)) return true
        pairs.add(source * this.nNodes + target)
      }
    }
    return false
  }

  #of(file: number): Made {
    let made = this.#made[file]
    if (made === undefined) {
      made = this.#maker.make(this.entries[file], this.fileNodes[file])
      this.#made[file] = made
    }
    return made
  }
}

/** Whether the files that changed still say the same about types and what belongs to them. */
function isSameOwners(before: Records, entries: readonly FileEntry[], changed: readonly number[]): boolean {
  const ownersOf = ({ facts }: FileEntry) =>
    JSON.stringify([facts.language, facts.definitions.map(({ name, kind, owner }) => [name, kind, owner])])
  return changed.every((f) => ownersOf(before.entries[f]) === ownersOf(entries[f]))
}

function pastOf(entries: readonly FileEntry[], history: History): Records['past'] {
  const commits = commitRecords(history, new Map(entries.map((it, f) => [it.path, f])))
  const groups = commits.filter((it) => it.files.length > 1).map((it) => it.files)
  return { history, commits, coChanges: coChangeEdges(groups) }
}
