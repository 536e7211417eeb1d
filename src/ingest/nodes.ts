/** From the facts of files to nodes: their keys, labels, types, tags and who contains whom. */

import { CLASS, ENUM, FILE, FUNCTION, MODULE, NONE, STRUCT, TYPE } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { causalStrength, ingestWeight } from '#graph/relations'
import { type Definition, type DefinitionKind, type Facts, isAnonymous } from '#ingest/facts'
import { Topics } from '#ingest/topics'
import type { Upgrade } from '#ingest/upgrade'

export interface FileEntry {
  /** Relative to the root. */
  path: string
  facts: Facts
  /** Of the content, as git names it. */
  hash?: string
  /** What a compiler said about this content. */
  upgrade?: Upgrade
  /** Relative to the top level of the repository. */
  sourcePath: string
  /** Epoch seconds. */
  lastModified: number
  changeFrequency: number
}

export interface CodeNodes {
  /** Per file: its node, then one per definition that has a name, in the order of the facts. */
  nodes: NodeInput[]
  /** Node of each file. */
  fileNodes: Uint32Array
  /** Per file: node of each of its definitions; of one without a name that of the definition around it, else `NONE`. */
  definitionNodes: Uint32Array[]
  /** Files to definitions, definitions to inner ones. */
  contains: EdgeInput[]
  /** Definitions whose key another one had already. */
  collisions: number
}

const TYPES: Record<DefinitionKind, number> = {
  class: CLASS,
  struct: STRUCT,
  enum: ENUM,
  interface: TYPE,
  trait: TYPE,
  type: TYPE,
  fn: FUNCTION,
  mod: MODULE,
  variant: TYPE,
  const: TYPE,
  route: FUNCTION,
  table: STRUCT,
  section: MODULE,
}
/** Kinds that methods written elsewhere can belong to. */
const OWNER_KINDS: ReadonlySet<DefinitionKind> = new Set([
  'class',
  'struct',
  'enum',
  'interface',
  'trait',
  'type',
  'mod',
])

export const CODE_NAMESPACE = 'code'
const NO_PARENT = -1

/** Key of a file from its path relative to the root. */
export function fileKey(path: string): string {
  return `file::${escapeSeparator(path)}`
}

/** Makes `::` inside a name or path distinct from the one between the parts of a key. */
export function escapeSeparator(text: string): string {
  // what looks escaped already is escaped once more, so that no two names become one
  const clear = text.includes('%3A%3A') ? text.replaceAll('%3A%3A', '%253A%253A') : text
  return clear.includes('::') ? clear.replaceAll('::', '%3A%3A') : clear
}

export function codeNodes(files: readonly FileEntry[]): CodeNodes {
  const nodes: NodeInput[] = []
  const contains: EdgeInput[] = []
  const fileNodes = new Uint32Array(files.length)
  const definitionNodes: Uint32Array[] = []
  const maker = new NodeMaker(ownerKinds(files))
  let collisions = 0
  for (let f = 0; f < files.length; f++) {
    fileNodes[f] = nodes.length
    definitionNodes.push(nodesOfDefinitions(files[f].facts, nodes.length))
    const made = maker.make(files[f], nodes.length)
    for (const it of made.nodes) nodes.push(it)
    for (const it of made.contains) contains.push(it)
    collisions += made.collisions
  }
  return { nodes, fileNodes, definitionNodes, contains, collisions }
}

/** Node of each definition of a file whose own node is given; of one without a name that of what is around it. */
export function nodesOfDefinitions({ definitions }: Facts, fileNode: number): Uint32Array {
  const nodes = new Uint32Array(definitions.length).fill(NONE)
  let next = fileNode + 1
  for (let d = 0; d < definitions.length; d++) {
    const { parent } = definitions[d]
    if (!isAnonymous(definitions[d])) nodes[d] = next++
    else if (parent >= 0) nodes[d] = nodes[parent]
  }
  return nodes
}

/** Makes the nodes of files, one file at a time. */
export class NodeMaker {
  private readonly kinds: OwnerKinds
  private readonly topics = new Topics()

  constructor(kinds: OwnerKinds) {
    this.kinds = kinds
  }

  /** The node of a file, whose number is given, and those of its definitions, which follow it. */
  make(file: FileEntry, fileNode: number): { nodes: NodeInput[]; contains: EdgeInput[]; collisions: number } {
    const { path, facts, sourcePath, lastModified, changeFrequency } = file
    const { definitions } = facts
    const nodes: NodeInput[] = []
    const contains: EdgeInput[] = []
    const fileTopics = this.topics.topicsOf(facts)
    // every node has the same fields in the same order, as records of one shape are made several times faster
    nodes.push({
      key: fileKey(path),
      label: path.slice(path.lastIndexOf('/') + 1),
      type: FILE,
      tags: distinct([facts.language], facts.tags, fileTopics),
      lastModified,
      changeFrequency,
      path: sourcePath,
      lineStart: facts.lines > 0 ? 1 : 0,
      lineEnd: facts.lines,
      excerpt: facts.excerpt,
      namespace: CODE_NAMESPACE,
      parent: NO_PARENT,
    })
    const names = new KeyMaker(fileKey(path), definitions, this.kinds, facts.language)
    const language = [facts.language]
    const best = fileTopics.slice(0, 2)
    const own = nodesOfDefinitions(facts, fileNode)
    for (let d = 0; d < definitions.length; d++) {
      const it = definitions[d]
      if (isAnonymous(it)) continue
      const { key, container } = names.of(d)
      const parent = container < 0 ? fileNode : own[container]
      nodes.push({
        key,
        label: it.name,
        type: TYPES[it.kind],
        tags: distinct(language, it.tags, this.topics.wordsOf(it.name), best),
        lastModified,
        changeFrequency,
        path: sourcePath,
        lineStart: it.line,
        lineEnd: it.endLine,
        excerpt: it.excerpt,
        namespace: CODE_NAMESPACE,
        parent,
      })
      contains.push({
        source: parent,
        target: own[d],
        relation: 'contains',
        weight: ingestWeight('contains'),
        causal: causalStrength('contains'),
        bidirectional: true,
        tier: 'given',
        line: it.line,
      })
    }
    return { nodes, contains, collisions: names.collisions }
  }
}

function distinct(...lists: readonly string[][]): string[] {
  const all: string[] = []
  // a handful of short lists, for every definition: a set would cost more than looking
  for (const list of lists) for (const it of list) if (!all.includes(it)) all.push(it)
  return all
}

/** The name of a type as written: without its arguments and without what qualifies it. */
function bareName(type: string): string {
  const plain = type.replace(/[<[(].*$/s, '')
  return plain.slice(plain.lastIndexOf('.') + 1)
}

/** For types that methods in other files name as their owner: `language name` → kind, where it is the same everywhere. */
export type OwnerKinds = ReadonlyMap<string, DefinitionKind>

export function ownerKinds(files: readonly FileEntry[]): OwnerKinds {
  const wanted = new Set<string>()
  for (const { facts } of files) {
    for (const it of facts.definitions)
      if (it.owner !== undefined) wanted.add(`${facts.language} ${bareName(it.owner)}`)
  }
  const kinds = new Map<string, DefinitionKind>()
  if (wanted.size === 0) return kinds
  const several = new Set<string>()
  for (const { facts } of files) {
    for (const { name, kind } of facts.definitions) {
      if (!OWNER_KINDS.has(kind)) continue
      const id = `${facts.language} ${name}`
      if (!wanted.has(id)) continue
      const known = kinds.get(id)
      if (known !== undefined && known !== kind) several.add(id)
      kinds.set(id, kind)
    }
  }
  for (const it of several) kinds.delete(it)
  for (const it of wanted) if (!kinds.has(it)) kinds.set(it, 'struct')
  return kinds
}

/** Keys of the definitions of one file. */
class KeyMaker {
  collisions = 0
  private readonly fileKey: string
  private readonly definitions: readonly Definition[]
  private readonly language: string
  private readonly kinds: ReadonlyMap<string, DefinitionKind>
  private readonly made: ({ key: string; container: number } | undefined)[]
  private readonly pending = new Set<number>()
  private readonly used = new Set<string>()
  private readonly repeats = new Map<string, number>()
  private owners: Map<string, number[]> | null = null

  constructor(
    fileKey: string,
    definitions: readonly Definition[],
    kinds: ReadonlyMap<string, DefinitionKind>,
    language: string,
  ) {
    this.fileKey = fileKey
    this.definitions = definitions
    this.kinds = kinds
    this.language = language
    this.made = definitions.map(() => undefined)
  }

  /** Key of a definition, and the definition that contains it (-1 = the file). */
  of(d: number): { key: string; container: number } {
    const known = this.made[d]
    if (known !== undefined) return known
    const { kind, name, parent, owner } = this.definitions[d]
    let container = parent
    // what a class without a name holds belongs to what is around it
    while (container >= 0 && isAnonymous(this.definitions[container])) container = this.definitions[container].parent
    let above = ''
    this.pending.add(d)
    if (owner !== undefined && owner !== '') {
      const found = this.findOwner(d, bareName(owner))
      if (found !== -1) container = found
      else {
        const ownerName = bareName(owner)
        above = `::${this.kinds.get(`${this.language} ${ownerName}`) ?? 'struct'}::${escapeSeparator(ownerName)}`
      }
    }
    const base = container === -1 ? this.fileKey : this.of(container).key
    this.pending.delete(d)
    const made = { key: this.unique(`${base}${above}::${kind}::${escapeSeparator(name)}`), container }
    this.made[d] = made
    return made
  }

  /** The type of this name in the file, one in the same scope before others; -1 when there is none. */
  private findOwner(d: number, name: string): number {
    const { parent } = this.definitions[d]
    const candidates = (this.owners ??= this.indexOwners()).get(name) ?? []
    const possible = candidates.filter((it) => !this.isPending(it))
    return possible.find((it) => this.definitions[it].parent === parent) ?? possible[0] ?? -1
  }

  private indexOwners(): Map<string, number[]> {
    const owners = new Map<string, number[]>()
    for (let i = 0; i < this.definitions.length; i++) {
      const { name, kind } = this.definitions[i]
      if (!OWNER_KINDS.has(kind)) continue
      const known = owners.get(name)
      if (known) known.push(i)
      else owners.set(name, [i])
    }
    return owners
  }

  /** Whether the key of a definition is being made, or that of one around it: nothing can be inside itself. */
  private isPending(d: number): boolean {
    for (let i = d; i >= 0; i = this.definitions[i].parent) if (this.pending.has(i)) return true
    return false
  }

  private unique(key: string): string {
    let made = key
    while (this.used.has(made)) {
      const count = (this.repeats.get(key) ?? 1) + 1
      this.repeats.set(key, count)
      made = `${key}#${count}`
    }
    this.used.add(made)
    if (made !== key) this.collisions++
    return made
  }
}
