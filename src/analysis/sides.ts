/** Which nodes a side of a claim means: by its name, else by what is named like it. */

import { FILE, type Graph, labelOf, type NodeId, REFERENCE, text } from '#graph/graph'
import { resolveNode } from '#graph/lookup'
import { findSeeds, type SeedIndex } from '#query/seeds'

/** Nodes that one side may mean. */
const MOST = 3
/** Nodes with a like name among which the closest are chosen. */
const LOOKED_AT = 4 * MOST
/** Names less like the words than this are something else; a like spelling reaches at most 0.7. */
const LEAST_LIKE = 0.7
/** Of the best one; what is less like is not looked at. */
const NEARLY = 0.95
const KIND_WORDS =
  'file|files|module|modules|package|class|function|method|component|service|layer|struct|trait|interface|type|folder|directory|code|library|script'
const BEFORE = new RegExp(`^(?:${KIND_WORDS}) (?=\\S)`, 'i')
const AFTER = new RegExp(`(?<=\\S) (?:${KIND_WORDS})$`, 'i')

/** With one of these words, or written with dots, a name is a file before it is a definition. */
const FILE_WORD = /^(?:file|module|script) | (?:file|module|script)$/i

export interface Side {
  /** As written. */
  text: string
  /** At most three, the likeliest first; none when nothing is named like it. */
  nodes: NodeId[]
  /** How many nodes fit equally well. */
  matches: number
  /** 1 for a name, below for something named like it. */
  likeness: number
}

/** What is found by words in its path instead of by its name says a little less. */
const BY_PATH = 0.9

/**
 * Tries the text as a reference, then without words like `module`, then as words of a path, then as words that names
 * may contain. A bare or dotted word also means files of that name without their ending.
 */
export function resolveSide(graph: Graph, index: SeedIndex, written: string): Side {
  const bare = written.replace(BEFORE, '').replace(AFTER, '')
  for (const reference of new Set([written, bare])) {
    const found = reference === '' ? null : resolveNode(graph, reference)
    const isWord = found === null || ['label', 'case_insensitive'].includes(found.resolvedFrom)
    const files = isWord ? filesCalled(graph, reference) : []
    const isFile = files.length > 0 && (reference.includes('.') || FILE_WORD.test(written))
    const all = isFile ? files : [...new Set([...(found?.candidates ?? []), ...files])]
    if (all.length === 0) continue
    return sideOf(graph, written, all, 1)
  }
  // a path that leads nowhere is no name for what lies on the way to it
  if (isPath(graph, bare)) return { text: written, nodes: [], matches: 0, likeness: 0 }
  const placed = filesWithWords(graph, written)
  if (placed.length > 0) return sideOf(graph, written, placed, BY_PATH)
  return namedLike(graph, index, written, bare)
}

/** Whether a word can only mean a file or folder: it has a slash, or the ending of some file of the project. */
function isPath(graph: Graph, word: string): boolean {
  if (/\s/.test(word)) return false
  if (/[\\/]/.test(word)) return true
  const ending = /\.[\p{L}\p{N}]+$/u.exec(word)?.[0].toLowerCase()
  return ending !== undefined && filesWhere(graph, (path) => path.endsWith(ending)).length > 0
}

/** What is named like the words: the nodes that say most of one of them, what is not of the project only in default of others. */
function namedLike(graph: Graph, index: SeedIndex, written: string, bare: string): Side {
  const like = bare === '' ? [] : findSeeds(graph, index, bare, LOOKED_AT)
  const near = like
    .filter((it) => it.relevance > LEAST_LIKE && it.relevance >= NEARLY * like[0].relevance)
    .map((it) => ({ ...it, share: shareOf(labelOf(graph, it.node), bare) }))
  const most = Math.max(...near.map((it) => it.share))
  const closest = near.filter((it) => it.share >= NEARLY * most)
  const own = closest.filter((it) => graph.types[it.node] !== REFERENCE)
  const meant = (own.length > 0 ? own : closest).slice(0, MOST)
  return { text: written, nodes: meant.map((it) => it.node), matches: meant.length, likeness: near[0]?.relevance ?? 0 }
}

/** How much a name and the nearest of the words have in common where one holds the other, by letters, 0..1. */
function shareOf(label: string, words: string): number {
  const name = label.toLowerCase().replace(/\.[^.]*$/, '')
  const shares = words
    .toLowerCase()
    .split(/\s+/)
    .map((word) => {
      const holds = word.includes(name) || name.includes(word)
      return holds ? Math.min(word.length, name.length) / Math.max(word.length, name.length) : 0
    })
  return Math.max(0, ...shares)
}

function sideOf({ pagerank }: Graph, written: string, nodes: readonly NodeId[], likeness: number): Side {
  const sorted = nodes.toSorted((a, b) => pagerank[b] - pagerank[a] || a - b)
  return { text: written, nodes: sorted.slice(0, MOST), matches: nodes.length, likeness }
}

/** Files whose path without its ending is, or ends with, what a word says: `sessions`, `flask.sessions`. */
function filesCalled(graph: Graph, word: string): NodeId[] {
  if (!/^[\p{L}\p{N}_$.-]+$/u.test(word)) return []
  const wanted = `/${word.replaceAll('.', '/').toLowerCase()}`
  return filesWhere(graph, (path) => `/${path.replace(/\.[^./]+$/, '')}`.endsWith(wanted))
}

/** Files whose path has all words of several, those with the shortest path. */
function filesWithWords(graph: Graph, written: string): NodeId[] {
  const words = written.toLowerCase().split(/\s+/)
  if (words.length < 2 || words.some((it) => it.length < SHORTEST_WORD)) return []
  const stems = words.map((it) => it.replace(/s$/, ''))
  const found = filesWhere(graph, (path) => stems.every((it) => path.includes(it)))
  const length = (v: NodeId) => pathOf(graph, v).length
  const least = Math.min(...found.map(length))
  return found.filter((v) => length(v) === least)
}

const SHORTEST_WORD = 3

/** Files by their paths in lower case. */
function filesWhere(graph: Graph, fits: (path: string) => boolean): NodeId[] {
  const found: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++)
    if (graph.types[v] === FILE && graph.dead[v] === 0 && fits(pathOf(graph, v).toLowerCase())) found.push(v)
  return found
}

function pathOf(graph: Graph, v: NodeId): string {
  return text(graph, graph.paths[v]) || labelOf(graph, v)
}
