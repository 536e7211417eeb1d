/** Folders as nodes: what they contain, and which of their files belong together. */

import { DIRECTORY } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { splitIdentifier } from '#graph/terms'
import { UNKNOWN_FREQUENCY } from '#ingest/history'
import { CODE_NAMESPACE, escapeSeparator, type FileEntry } from '#ingest/nodes'

/** Weak, so that a folder cannot flood its files: two hops give less than the threshold of activation. */
const CONTAINS_WEIGHT = 0.3
const CONTAINS_CAUSAL = 0.8
const SIBLING_WEIGHT = 0.1
/** Up to this many files of a folder are all siblings of each other. */
const FEW_FILES = 8
/** Siblings of each file in a larger folder. */
const MOST_SIBLINGS = 4
/** A part of a name that so many files of a folder share tells none of them apart. */
const COMMON_PART = 200

/** Key of a folder from its path relative to the root, without `/` at the end; '' is the root. */
export function directoryKey(folder: string): string {
  return `dir::${folder === '' ? '.' : escapeSeparator(folder)}/`
}

export interface Folders {
  nodes: NodeInput[]
  /** Node of the folder that each file lies in. */
  parents: Uint32Array
  /** Those from nodes for which `isAsked`. */
  edgesFrom(isAsked: (node: number) => boolean): EdgeInput[]
}

/** What the paths of files say about folders. */
export interface FolderTree {
  /** Ascending; '' is the root. */
  folders: string[]
  /** Files directly in each folder. */
  members: ReadonlyMap<string, readonly number[]>
  /** Per folder: pairs of files that belong together. */
  siblings: ReadonlyMap<string, readonly [number, number][]>
}

export function folderTree(files: readonly { path: string }[]): FolderTree {
  const all = new Set([''])
  const members = new Map<string, number[]>()
  for (let f = 0; f < files.length; f++) {
    const folder = folderOf(files[f].path)
    const known = members.get(folder)
    if (known) known.push(f)
    else members.set(folder, [f])
    for (let at = folder; !all.has(at); at = folderOf(at)) all.add(at)
  }
  const pairs = new Map<string, [number, number][]>()
  for (const [folder, inside] of members) {
    const found = siblings(inside.map((f) => stemOf(files[f].path)))
    pairs.set(
      folder,
      found.map(([a, b]) => [inside[a], inside[b]]),
    )
  }
  return { folders: [...all].sort(), members, siblings: pairs }
}

/** The folders of the files as nodes from `firstNode` on; `rootName` is the name of the root folder. */
export function directories(
  { folders, members, siblings }: FolderTree,
  files: readonly Pick<FileEntry, 'path' | 'lastModified'>[],
  fileNodes: Uint32Array,
  { rootName, firstNode }: { rootName: string; firstNode: number },
): Folders {
  const newest = new Map<string, number>()
  // inner folders come after those around them
  for (const folder of folders.toReversed()) {
    let time = newest.get(folder) ?? 0
    for (const f of members.get(folder) ?? []) time = Math.max(time, files[f].lastModified)
    newest.set(folder, time)
    const above = folderOf(folder)
    newest.set(above, Math.max(newest.get(above) ?? 0, time))
  }

  const folderNodes = new Map<string, number>()
  const nodes: NodeInput[] = []
  const parents = new Uint32Array(files.length)
  for (const folder of folders) {
    const label = `${folder === '' ? rootName : folder.slice(folder.lastIndexOf('/') + 1)}/`
    const node: NodeInput = {
      key: directoryKey(folder),
      label,
      type: DIRECTORY,
      tags: ['directory'],
      lastModified: newest.get(folder) ?? 0,
      changeFrequency: UNKNOWN_FREQUENCY,
      namespace: CODE_NAMESPACE,
    }
    const number = firstNode + nodes.length
    const above = folder === '' ? undefined : folderNodes.get(folderOf(folder))
    if (above !== undefined) node.parent = above
    folderNodes.set(folder, number)
    for (const f of members.get(folder) ?? []) parents[f] = number
    nodes.push(node)
  }

  const edgesFrom = (isAsked: (node: number) => boolean): EdgeInput[] => {
    const edges: EdgeInput[] = []
    nodes.forEach(({ parent }, i) => {
      if (parent !== undefined && isAsked(parent)) edges.push(containment(parent, firstNode + i))
    })
    folders.forEach((folder, i) => {
      const directory = firstNode + i
      if (isAsked(directory))
        for (const f of members.get(folder) ?? []) edges.push(containment(directory, fileNodes[f]))
      for (const [a, b] of siblings.get(folder) ?? [])
        if (isAsked(fileNodes[a])) edges.push(likeness(fileNodes[a], fileNodes[b]))
    })
    return edges
  }
  return { nodes, parents, edgesFrom }
}

function likeness(source: number, target: number): EdgeInput {
  const strength = { weight: SIBLING_WEIGHT, causal: 0 }
  return { source, target, relation: 'sibling', ...strength, bidirectional: true, tier: 'given' }
}

function containment(source: number, target: number): EdgeInput {
  const strength = { weight: CONTAINS_WEIGHT, causal: CONTAINS_CAUSAL }
  return { source, target, relation: 'contains', ...strength, bidirectional: true, tier: 'given' }
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

/** The name of a file up to its first dot. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.indexOf('.', 1)
  return dot === -1 ? name : name.slice(0, dot)
}

/**
 * Pairs `[a, b]` with `a < b` of positions in `stems`, each once: all pairs of a few; else each with the most
 * similar ones by number of shared name parts, near ones in the list before far ones, then the earlier one.
 */
export function siblings(stems: readonly string[]): [number, number][] {
  const n = stems.length
  const pairs: [number, number][] = []
  if (n <= FEW_FILES) {
    for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) pairs.push([a, b])
    return pairs
  }
  const parts = stems.map((it) => new Set(splitIdentifier(it.replaceAll('-', '_')).map((part) => part.toLowerCase())))
  const holders = new Map<string, number[]>()
  for (let i = 0; i < n; i++) {
    for (const part of parts[i]) {
      const known = holders.get(part)
      if (known) known.push(i)
      else holders.set(part, [i])
    }
  }
  const chosen = new Set<number>()
  for (let i = 0; i < n; i++) {
    const shared = new Map<number, number>()
    for (const part of parts[i]) {
      const others = holders.get(part) ?? []
      if (others.length > COMMON_PART) continue
      for (const j of others) if (j !== i) shared.set(j, (shared.get(j) ?? 0) + 1)
    }
    // neighbours in the list fill up where names share too little
    for (let j = Math.max(0, i - MOST_SIBLINGS); j <= Math.min(n - 1, i + MOST_SIBLINGS); j++) {
      if (j !== i && !shared.has(j)) shared.set(j, 0)
    }
    const best = [...shared].sort((x, y) => y[1] - x[1] || Math.abs(x[0] - i) - Math.abs(y[0] - i) || x[0] - y[0])
    for (const [j] of best.slice(0, MOST_SIBLINGS)) chosen.add(Math.min(i, j) * n + Math.max(i, j))
  }
  for (const it of [...chosen].sort((x, y) => x - y)) pairs.push([Math.floor(it / n), it % n])
  return pairs
}
