/** `GET /api/tree`: folders, files and what is defined in them, level by level. */

import { type TreeHeat, treeHeatWork } from '#analysis/tree-heat'
import type { Engine } from '#engine/brain'
import { DIRECTORY, FILE, type Graph, keyOf, labelOf, NONE, type NodeId, text, typeName } from '#graph/graph'
import { childrenOf, nodeByKey } from '#graph/lookup'
import { nodeOf } from '#tools/resolve-node'
import { round, truncated } from '#tools/shapes'
import { inSlices } from '#views/slices'
import type { TreeAnswer, TreeEntry } from '#views/shapes'

export interface TreeQuery {
  /** Path or id; '' is the top. */
  path: string
  /** Part of the name of files and folders at any depth below; '' gives one level. */
  name: string
  limit: number
  signal: AbortSignal
}

const heats = new WeakMap<Graph, { taught: number; heat: Promise<TreeHeat> }>()

/** Worked out once for each graph and each lesson. */
function heatIn(graph: Graph): Promise<TreeHeat> {
  const known = heats.get(graph)
  if (known?.taught === graph.meta.plasticityGeneration) return known.heat
  const heat = inSlices(treeHeatWork(graph))
  heats.set(graph, { taught: graph.meta.plasticityGeneration, heat })
  return heat
}

/** Throws a `ToolError` when there is no such place. */
export async function readTree(
  engine: Engine,
  { path, name, limit, signal }: TreeQuery,
): Promise<Omit<TreeAnswer, 'served_brain'>> {
  await engine.settled
  const { graph } = engine.brain
  const at = placeAt(graph, path)
  const heat = await heatIn(graph)
  signal.throwIfAborted()
  const level = levelBelow(graph, at)
  const found = name === '' ? inOrder(graph, level) : named(graph, level, name.toLowerCase())
  const shown = found.slice(0, limit)
  const above = at === NONE ? [] : wholesOf(graph, at).filter((it) => !isTop(graph, it))
  return {
    path: at === NONE ? '' : pathOf(graph, at),
    node_type: at === NONE ? 'directory' : typeName(graph.types[at]),
    breadcrumbs: above.map((it) => ({ name: nameOf(graph, it), path: pathOf(graph, it) })),
    entries: shown.map((it) => ({
      ...entryOf(graph, heat, it),
      ...(name !== '' && { name: below(pathOf(graph, it), at === NONE ? '' : pathOf(graph, at)) }),
    })),
    total: found.length,
    truncated: truncated(
      shown.length,
      found.length,
      name === '' ? 'Look for a part of the name.' : 'Give more of the name.',
    ),
  }
}

/** The folder, file or definition; NONE for the top. */
function placeAt(graph: Graph, path: string): NodeId {
  const plain = path.replace(/\/+$/, '')
  if (plain === '' || plain === '.') return NONE
  for (const key of [`dir::${plain}/`, `file::${plain}`]) {
    const v = nodeByKey(graph, key)
    if (v !== NONE) return v
  }
  const v = nodeOf(graph, path).node
  return isTop(graph, v) ? NONE : v
}

/** The folder of the only root, which is the top itself. */
function isTop(graph: Graph, v: NodeId): boolean {
  return keyOf(graph, v) === 'dir::./'
}

function levelBelow(graph: Graph, at: NodeId): NodeId[] {
  if (at !== NONE) return [...childrenOf(graph, at)]
  const { nNodes, parents, dead, types } = graph
  const top: NodeId[] = []
  for (let v = 0; v < nNodes; v++) {
    if (parents[v] !== NONE || dead[v] === 1 || (types[v] !== DIRECTORY && types[v] !== FILE)) continue
    if (isTop(graph, v)) top.push(...childrenOf(graph, v))
    else top.push(v)
  }
  return top
}

function isPlace({ types }: Graph, v: NodeId): boolean {
  return types[v] === DIRECTORY || types[v] === FILE
}

/** Folders, then files, by name; then definitions by line. */
function inOrder(graph: Graph, level: readonly NodeId[]): NodeId[] {
  const { types, lineStart } = graph
  const rank = (v: NodeId) => (types[v] === DIRECTORY ? 0 : types[v] === FILE ? 1 : 2)
  return level.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      (isPlace(graph, a) ? compareText(nameOf(graph, a), nameOf(graph, b)) : lineStart[a] - lineStart[b]) ||
      a - b,
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Files and folders at any depth whose name has a part: the whole name first, then its beginning, then by path. */
function named(graph: Graph, level: readonly NodeId[], part: string): NodeId[] {
  const found: NodeId[] = []
  const waiting = level.filter((v) => isPlace(graph, v))
  for (let v = waiting.pop(); v !== undefined; v = waiting.pop()) {
    if (nameOf(graph, v).toLowerCase().includes(part)) found.push(v)
    if (graph.types[v] === DIRECTORY) waiting.push(...[...childrenOf(graph, v)].filter((it) => isPlace(graph, it)))
  }
  const rank = (v: NodeId) => {
    const name = nameOf(graph, v).toLowerCase()
    return name === part ? 0 : name.startsWith(part) ? 1 : 2
  }
  return found.sort((a, b) => rank(a) - rank(b) || compareText(pathOf(graph, a), pathOf(graph, b)) || a - b)
}

/** What a node lies in, from outside to inside, and itself. */
function wholesOf({ parents }: Graph, v: NodeId): NodeId[] {
  const nodes: NodeId[] = []
  for (let u = v; u !== NONE && !nodes.includes(u); u = parents[u]) nodes.unshift(u)
  return nodes
}

/** By which a place is asked for: the path where it is plain, else the id. */
function pathOf(graph: Graph, v: NodeId): string {
  const key = keyOf(graph, v)
  const plain = /^(?:dir|file)::(.*?)\/?$/.exec(key)?.[1]
  return plain !== undefined && isPlace(graph, v) ? plain : key
}

function nameOf(graph: Graph, v: NodeId): string {
  return labelOf(graph, v).replace(/\/$/, '')
}

function below(path: string, folder: string): string {
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function entryOf(graph: Graph, heat: TreeHeat, v: NodeId): TreeEntry {
  return {
    id: keyOf(graph, v),
    name: nameOf(graph, v),
    path: isPlace(graph, v) ? pathOf(graph, v) : text(graph, graph.paths[v]),
    line: isPlace(graph, v) ? 0 : graph.lineStart[v],
    node_type: typeName(graph.types[v]),
    files: heat.files[v],
    nodes: heat.nodes[v],
    children: childrenOf(graph, v).length,
    heat: { change: round(heat.change[v]), learning: round(heat.learning[v]) },
    last_changed_ms: heat.changed[v] > 0 ? heat.changed[v] * 1000 : null,
  }
}
