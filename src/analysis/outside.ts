/** Who may use a node without an edge that says so: frameworks, code outside of the project, dispatch, run time. */

import {
  CLASS,
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
  type Site,
  tagsOf,
  text,
} from '#graph/graph'
import { childrenOf, nodesByLabel } from '#graph/lookup'
import { EXTERNAL_BASE_TAG, ROOT_TAG } from '#graph/roots'

/** Types above a type that are looked at. */
const ANCESTORS = 50
/** Nodes of one name that are looked at. */
const NAMESAKES = 200
/** Files between a definition and the entry of its package, over re-exports. */
const REEXPORTS = 3

const ROLES: Readonly<Record<string, string>> = {
  entrypoint: 'is an entry point',
  route: 'is reached by a route',
  fixture: 'is reached by a test runner',
  test: 'is reached by a test runner',
}

/** Sentences about what outside of the project's code uses a node, `cart is reached by a framework (http route)`. */
export function outsideUse(graph: Graph, v: NodeId): string[] {
  const name = labelOf(graph, v)
  const tags = tagsOf(graph, v)
  const kinds = tags.filter((it) => it.startsWith(ROOT_TAG)).map((it) => wordsOf(it.slice(ROOT_TAG.length)))
  if (kinds.length > 0) return [`${name} is reached by a framework or the runtime (${kinds.join(', ')})`]
  const role = tags.find(
    (it) => Object.hasOwn(ROLES, it) && (it === 'entrypoint' || it === 'route' || graph.types[v] === FUNCTION),
  )
  if (role !== undefined) return [`${name} ${ROLES[role]}`]
  const entry = packageEntry(graph, v)
  if (entry !== NONE)
    return [`${name} is offered by ${labelOf(graph, entry)}, an entry of its package, to code outside`]
  return dispatch(graph, v)
}

function wordsOf(kind: string): string {
  return kind.replaceAll('_', ' ')
}

/** Sentences about calls that reach a method through a type above its own. */
function dispatch(graph: Graph, v: NodeId): string[] {
  const type = graph.types[v] === FUNCTION ? typeAround(graph, v) : NONE
  if (type === NONE || isPrivate(graph, v)) return []
  const name = labelOf(graph, v)
  const { inherited, outside } = ancestors(graph, type)
  const found: string[] = []
  for (const it of inherited) {
    for (const member of childrenOf(graph, it)) {
      if (graph.labels[member] !== graph.labels[v]) continue
      const calls = callsOf(graph, member)
      const of = `${labelOf(graph, it)}.${name}`
      if (calls > 0) found.push(`${count(calls, 'call')} of ${of} may reach it, as it overrides that`)
    }
  }
  // inherent methods of Rust are not called through traits
  if (outside.length > 0 && (!hasTag(graph, v, 'rust') || hasTag(graph, v, 'impl_method')))
    found.push(`${name} may be called through ${outside[0]}, which stands outside of the project`)
  return found
}

function typeAround(graph: Graph, v: NodeId): NodeId {
  const parent = graph.parents[v]
  return parent !== NONE && graph.types[parent] >= CLASS && graph.types[parent] <= CLASS + 3 ? parent : NONE
}

function isPrivate(graph: Graph, v: NodeId): boolean {
  return /^_(?!_)|^#/.test(labelOf(graph, v)) || hasTag(graph, v, 'private') || hasTag(graph, v, 'static')
}

/** The types that a type derives from, nearest first, and the names of those outside of the project. */
function ancestors(graph: Graph, type: NodeId): { inherited: NodeId[]; outside: string[] } {
  const inherited: NodeId[] = []
  const outside: string[] = []
  const queue = [type]
  for (let i = 0; i < queue.length && i < ANCESTORS; i++) {
    for (const tag of tagsOf(graph, queue[i]))
      if (tag.startsWith(EXTERNAL_BASE_TAG)) outside.push(tag.slice(EXTERNAL_BASE_TAG.length))
    for (let e = graph.out.offsets[queue[i]]; e < graph.out.offsets[queue[i] + 1]; e++) {
      const base = graph.out.targets[e]
      if ((graph.flags[e] & PRIMARY) === 0 || (graph.flags[e] & DEAD_EDGE) !== 0 || graph.tiers[e] === GUESS) continue
      if (relationOf(graph, e) !== 'implements' || queue.includes(base)) continue
      queue.push(base)
      inherited.push(base)
    }
  }
  return { inherited, outside }
}

function callsOf(graph: Graph, v: NodeId): number {
  let calls = 0
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const e = graph.in.slots[i]
    if (graph.tiers[e] !== GUESS && (graph.flags[e] & DEAD_EDGE) === 0 && relationOf(graph, e) === 'calls') calls++
  }
  return calls
}

/** The file through which a package offers a node to its users, NONE when none is known. */
function packageEntry(graph: Graph, v: NodeId): NodeId {
  const seen = new Set([v])
  // a member is offered with its type, a definition with a file that is re-exported whole
  const own = fileOf(graph, v)
  if (own !== NONE && own !== v && graph.parents[v] === own) seen.add(own)
  const queue = [...seen]
  const reexports = graph.strings.find('reexports')
  for (let step = 0; step <= REEXPORTS; step++) {
    const found = queue.find((it) => graph.types[it] === FILE && hasTag(graph, it, `${ROOT_TAG}package_entry`))
    if (found !== undefined) return found
    const next: NodeId[] = []
    for (const it of queue) {
      for (let i = graph.in.offsets[it]; i < graph.in.offsets[it + 1]; i++) {
        const from = graph.in.targets[i]
        if (graph.relations[graph.in.slots[i]] !== reexports || seen.has(from)) continue
        seen.add(from)
        next.push(from)
      }
    }
    queue.splice(0, queue.length, ...next)
  }
  return NONE
}

/** Sites that were guessed to mean another definition of the same name, and those definitions. */
export function ambiguousSites(graph: Graph, v: NodeId): { sites: Site[]; others: NodeId[] } {
  const sites: Site[] = []
  const others: NodeId[] = []
  if (graph.types[v] === FILE) return { sites, others }
  for (const other of nodesByLabel(graph, labelOf(graph, v)).slice(0, NAMESAKES)) {
    if (other === v || (graph.types[other] === FUNCTION) !== (graph.types[v] === FUNCTION)) continue
    const before = sites.length
    for (let i = graph.in.offsets[other]; i < graph.in.offsets[other + 1]; i++) {
      const e = graph.in.slots[i]
      if (graph.tiers[e] !== GUESS || (graph.flags[e] & DEAD_EDGE) !== 0) continue
      const path = text(graph, graph.paths[graph.in.targets[i]])
      if (path === '' || graph.types[graph.in.targets[i]] === FILE) continue
      sites.push({ path, line: graph.lines[e], text: `${labelOf(graph, v)}, guessed to be ${keyOf(graph, other)}` })
    }
    if (sites.length > before) others.push(other)
  }
  return { sites, others }
}

const boundariesByPath = new WeakMap<readonly Site[], Map<string, Site[]>>()

/** Sites in the given files whose target exists only at run time. */
export function boundariesIn(graph: Graph, files: ReadonlySet<string>): Site[] {
  const { boundaries } = graph.meta.coverage
  let byPath = boundariesByPath.get(boundaries)
  if (byPath === undefined) {
    byPath = new Map()
    for (const it of boundaries) {
      const same = byPath.get(it.path)
      if (same === undefined) byPath.set(it.path, [it])
      else same.push(it)
    }
    boundariesByPath.set(boundaries, byPath)
  }
  if (byPath.size === 0) return []
  const found: Site[] = []
  for (const path of [...files].sort()) found.push(...(byPath.get(path) ?? []))
  return found
}

/** Paths of the file of a node and of the files with an edge into it, which can reach it at run time. */
export function reachingFiles(graph: Graph, v: NodeId): Set<string> {
  const paths = new Set<string>()
  const file = fileOf(graph, v)
  const own = text(graph, graph.paths[v])
  if (own !== '') paths.add(own)
  if (file === NONE) return paths
  for (let i = graph.in.offsets[file]; i < graph.in.offsets[file + 1]; i++) {
    const from = graph.in.targets[i]
    const relation = relationOf(graph, graph.in.slots[i])
    if (graph.types[from] === FILE && (relation === 'imports' || relation === 'calls' || relation === 'reexports'))
      paths.add(text(graph, graph.paths[from]))
  }
  return paths
}

export function hasTag(graph: Graph, v: NodeId, tag: string): boolean {
  for (let i = graph.tagOffsets[v]; i < graph.tagOffsets[v + 1]; i++)
    if (graph.strings.get(graph.tags[i]) === tag) return true
  return false
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
