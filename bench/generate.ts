/** Synthetic projects that look like code: folders of files, classes and functions, imports and calls with hubs. */

import { CLASS, DIRECTORY, FILE, FUNCTION } from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { causalStrength, ingestWeight } from '#graph/relations'
import { Random } from '#std/random'

export interface GenerateOptions {
  /** Number of nodes; at least 1. */
  nodes: number
  /** Number of logical edges; containment comes first, so never fewer than `nodes - 1`. */
  edges: number
  seed: number
}

const VERBS = [
  'load',
  'save',
  'find',
  'create',
  'update',
  'remove',
  'parse',
  'render',
  'validate',
  'merge',
  'encode',
  'decode',
  'open',
  'close',
  'start',
  'stop',
  'send',
  'receive',
  'resolve',
  'compute',
  'filter',
  'sort',
  'split',
  'join',
  'lock',
  'release',
]
const NOUNS = [
  'user',
  'order',
  'invoice',
  'session',
  'token',
  'cart',
  'product',
  'price',
  'stock',
  'payment',
  'address',
  'account',
  'message',
  'queue',
  'worker',
  'cache',
  'index',
  'query',
  'result',
  'report',
  'page',
  'template',
  'route',
  'handler',
  'request',
  'response',
  'config',
  'schema',
  'record',
  'field',
  'event',
  'stream',
  'buffer',
  'socket',
  'connection',
  'pool',
  'transaction',
  'shelf',
  'book',
  'loan',
  'member',
  'catalog',
  'author',
  'branch',
  'fine',
  'reservation',
  'label',
  'barcode',
]
const ROLES = ['Service', 'Store', 'Controller', 'Builder', 'Client', 'Registry', 'Policy', 'Adapter', 'View', 'Job']

const FILES_PER_FOLDER = 12
const NODES_PER_FILE = 12
const METHODS_PER_CLASS = 5
const LINES_PER_DEFINITION = 20
const LINES_PER_FILE = NODES_PER_FILE * LINES_PER_DEFINITION

/** A project of the given size; the same options give the same project. */
export function generateInput({ nodes: nNodes, edges: nEdges, seed }: GenerateOptions): GraphInput {
  const random = new Random(seed)
  const nodes: NodeInput[] = [folder('dir::./', './', -1)]
  const edges: EdgeInput[] = []
  const folders = [{ node: 0, path: '' }]
  const files: number[] = []
  const callables: number[] = []
  const classes: number[] = []

  // containment: folders, files, and in every file classes with methods and functions
  const contain = (parent: number, node: NodeInput): number => {
    const child = nodes.push(node) - 1
    const weight = node.type === FILE || node.type === DIRECTORY ? 0.3 : 1
    edges.push(edge(parent, child, 'contains', weight, 0))
    return child
  }
  let inFolder = 0
  while (nodes.length < nNodes) {
    if (inFolder === FILES_PER_FOLDER) {
      // folders are mostly near the top, as in most projects
      const parent = folders[Math.floor(folders.length * random.float() ** 6)]
      const name = `${pick(random, NOUNS)}_${folders.length}/`
      const path = parent.path + name
      folders.push({ node: contain(parent.node, folder(`dir::${path}`, name, parent.node)), path })
      inFolder = 0
      continue
    }
    inFolder++
    const { node: parent, path: base } = folders[folders.length - 1]
    const topic = pick(random, NOUNS)
    const label = `${topic}_${pick(random, NOUNS)}_${files.length}.py`
    const path = base + label
    const lastModified = 1_700_000_000 + random.below(30_000_000)
    const changeFrequency = random.float() ** 3
    const definition = (
      key: string,
      name: string,
      type: number,
      parent: number,
      first: number,
      last: number,
    ): NodeInput => ({
      key,
      label: name,
      type,
      tags: ['python', topic],
      lastModified,
      changeFrequency,
      path,
      lineStart: first,
      lineEnd: Math.min(last, LINES_PER_FILE),
      excerpt: undefined,
      namespace: 'code',
      canonical: false,
      parent,
    })
    const file = contain(parent, definition(`file::${path}`, label, FILE, parent, 1, LINES_PER_FILE))
    files.push(file)

    let owner = file
    let ownerKey = `file::${path}`
    let methods = 0
    for (let i = 1; i < NODES_PER_FILE && nodes.length < nNodes; i++) {
      const line = i * LINES_PER_DEFINITION
      if (methods === 0 && random.below(3) === 0) {
        const name = capital(topic) + capital(pick(random, NOUNS)) + pick(random, ROLES) + i
        ownerKey = `file::${path}::class::${name}`
        const last = line + (METHODS_PER_CLASS + 1) * LINES_PER_DEFINITION - 1
        owner = contain(file, definition(ownerKey, name, CLASS, file, line, last))
        classes.push(owner)
        methods = METHODS_PER_CLASS
        continue
      }
      const name = `${pick(random, VERBS)}_${topic}_${pick(random, NOUNS)}${i}`
      const last = line + LINES_PER_DEFINITION - 2
      callables.push(contain(owner, definition(`${ownerKey}::fn::${name}`, name, FUNCTION, owner, line, last)))
      if (methods > 0 && --methods === 0) {
        owner = file
        ownerKey = `file::${path}`
      }
    }
  }

  // references: half of them stay near, the others go to a few hubs much more often than to the rest
  const connect = (relation: string, source: number, target: number): void => {
    edges.push(edge(source, target, relation, ingestWeight(relation), 1 + random.below(LINES_PER_FILE)))
  }
  const target = (list: number[], near: number): number => {
    if (random.below(2) === 0) return list[Math.min(list.length - 1, Math.max(0, near + random.below(41) - 20))]
    return list[Math.floor(list.length * random.float() ** 4)]
  }
  // sources in order, as files are read one after the other
  const nReferences = callables.length > 1 ? nEdges - edges.length : 0
  for (let i = 0; i < nReferences; i++) {
    const choice = random.below(10)
    const at = Math.floor((i / nReferences) * callables.length)
    const fileAt = Math.floor((i / nReferences) * files.length)
    if (choice < 6) connect('calls', callables[at], target(callables, at))
    else if (choice < 8) connect('imports', files[fileAt], target(files, fileAt))
    else if (classes.length > 0) connect('references', callables[at], target(classes, random.below(classes.length)))
  }
  return { nodes, edges, meta: emptyMeta() }
}

function folder(key: string, label: string, parent: number): NodeInput {
  return {
    key,
    label,
    type: DIRECTORY,
    tags: [],
    lastModified: 0,
    changeFrequency: 0,
    path: undefined,
    lineStart: 0,
    lineEnd: 0,
    excerpt: undefined,
    namespace: 'code',
    canonical: false,
    parent,
  }
}

function edge(source: number, target: number, relation: string, weight: number, line: number): EdgeInput {
  const contains = relation === 'contains'
  const tier = contains ? 'given' : 'exact'
  return { source, target, relation, weight, causal: causalStrength(relation), bidirectional: contains, tier, line }
}

function pick(random: Random, words: readonly string[]): string {
  return words[random.below(words.length)]
}

function capital(word: string): string {
  return word[0].toUpperCase() + word.slice(1)
}
