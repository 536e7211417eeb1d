/** What ranking needs to know about every file, worked out once per graph. */

import { FILE, type Graph, NONE, type NodeId, REFERENCE, tagsOf, text } from '#graph/graph'
import type { Lexical } from '#graph/lexical'

export interface Corpus {
  /** Document of the file that holds each node, NONE for nodes without one; indexed by node. */
  fileDocOf: Uint32Array
  /** Definition document of each node, NONE for nodes that are none. */
  definitionDocOf: Uint32Array
  /** First definition document of each file; length files + 1. */
  firstDefinition: Uint32Array
  /** 0 = ordinary code, else one of the roles below; indexed by file document. */
  roles: Uint8Array
  /** `source_path` of each file document, and the same in lower case after a `/`. */
  paths: string[]
  lowerPaths: string[]
}

export const CODE_ROLE = 0
export const TEST_ROLE = 1
export const DOC_ROLE = 2
export const EXAMPLE_ROLE = 3
export const GENERATED_ROLE = 4
export const EXTERNAL_ROLE = 5
export const DECLARATION_ROLE = 6
export const CONFIG_ROLE = 7
export const ROLE_NAMES = [
  'code',
  'test',
  'documentation',
  'example',
  'generated',
  'external',
  'declarations',
  'settings',
] as const

const TEST_PATH =
  /(?:^|\/)(?:tests?|__tests__|testdata|testing|specs?|fixtures?|__fixtures__|e2e|mocks?|__mocks__|testutils?|test_data|snapshots?|__snapshots__|testFixtures)\/|(?:^|\/)(?:test_[^/]*|conftest|tests?)\.py$|_(?:test|spec)\.\w+$|\.(?:test|spec|test-d)\.\w+$|(?:^|\/)tests?\.rs$|(?:Tests?|IT)\.(?:java|kt|cs|scala)$/
const DOC_PATH =
  /(?:^|\/)(?:docs?|documentation|changelogs?)\/|\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:readme|changelog|license|contributing)[^/]*$/i
const EXAMPLE_PATH = /(?:^|\/)(?:examples?|samples?|demos?|tutorials?|bench|benches|benchmarks?|playground)\//i
const GENERATED_PATH =
  /(?:^|\/)(?:vendor|third_party|node_modules|generated|dist)\/|\.(?:min|gen|generated)\.\w+$|(?:_pb2|\.pb|_generated|\.g)\.\w+$/i

const CONFIG_PATH = /\.(?:json[c5]?|ya?ml|toml|ini|cfg|conf|xml|properties|lock|env|editorconfig)$|(?:^|\/)\.[^/]+$/i
const DECLARATION_PATH = /\.d\.[cm]?ts$|\.pyi$/

const known = new WeakMap<Lexical, { graph: Graph; corpus: Corpus }>()

export function corpusOf(graph: Graph, lexical: Lexical): Corpus {
  const before = known.get(lexical)
  if (before !== undefined && before.graph === graph) return before.corpus
  const corpus = buildCorpus(graph, lexical)
  known.set(lexical, { graph, corpus })
  return corpus
}

function buildCorpus(graph: Graph, { files, definitions, fileOfDefinition }: Lexical): Corpus {
  const firstDefinition = new Uint32Array(files.length + 1)
  for (const f of fileOfDefinition) firstDefinition[f + 1]++
  for (let f = 0; f < files.length; f++) firstDefinition[f + 1] += firstDefinition[f]

  const fileDocOf = new Uint32Array(graph.nNodes).fill(NONE)
  for (let f = 0; f < files.length; f++) fileDocOf[files[f]] = f
  const definitionDocOf = new Uint32Array(graph.nNodes).fill(NONE)
  for (let d = 0; d < definitions.length; d++) {
    fileDocOf[definitions[d]] = fileOfDefinition[d]
    definitionDocOf[definitions[d]] = d
  }

  const paths = Array.from(files, (v) => text(graph, graph.paths[v]))
  const lowerPaths = paths.map((it) => `/${it.toLowerCase()}`)
  const roles = Uint8Array.from(files, (v) => roleOf(graph, v))
  return { fileDocOf, definitionDocOf, firstDefinition, roles, paths, lowerPaths }
}

/** Whether a file is a test or belongs to tests, by its path. */
export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path)
}

const knownRoles = new WeakMap<Graph, Uint8Array>()
const NOT_YET = 0xff

/** Whether a file is ordinary code, or which other role it has; looked at once per node of a graph. */
export function roleOf(graph: Graph, v: NodeId): number {
  let roles = knownRoles.get(graph)
  if (roles === undefined) {
    roles = new Uint8Array(graph.nNodes).fill(NOT_YET)
    knownRoles.set(graph, roles)
  }
  if (roles[v] === NOT_YET) roles[v] = findRole(graph, v)
  return roles[v]
}

function findRole(graph: Graph, v: NodeId): number {
  const path = text(graph, graph.paths[v])
  if (graph.types[v] !== FILE) return graph.types[v] === REFERENCE ? EXTERNAL_ROLE : CODE_ROLE
  const tags = tagsOf(graph, v)
  // the tag `test` is also borne by code that only brings its own tests along
  if (isTestPath(path)) return TEST_ROLE
  if (tags.includes('generated') || tags.includes('minified') || tags.includes('vendored') || GENERATED_PATH.test(path))
    return GENERATED_ROLE
  if (EXAMPLE_PATH.test(path)) return EXAMPLE_ROLE
  if (DECLARATION_PATH.test(path)) return DECLARATION_ROLE
  if (CONFIG_PATH.test(path)) return CONFIG_ROLE
  return DOC_PATH.test(path) ? DOC_ROLE : CODE_ROLE
}
