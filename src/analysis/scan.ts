/** Places at which patterns hold, and what the graph says about each. */

import {
  DIRECTORY,
  FILE,
  fileOf,
  FUNCTION,
  type Graph,
  GUESS,
  labelOf,
  type NodeId,
  NONE,
  REFERENCE,
  relationOf,
  tagsOf,
  text,
} from '#graph/graph'
import { nodeAtLine } from '#graph/lookup'
import { type Pattern, PATTERNS, type PatternSite, ruleNamed } from '#graph/patterns'
import { ROOT_TAG } from '#graph/roots'
import { CODE_ROLE, DOC_ROLE, EXAMPLE_ROLE, GENERATED_ROLE, roleOf, TEST_ROLE } from '#query/corpus'

/** `raw`: not looked at in the graph. */
export type Status = 'confirmed' | 'mitigated' | 'false_positive' | 'raw'

const FACTORS: Record<Status, number> = { confirmed: 1, raw: 1, mitigated: 0.4, false_positive: 0.1 }
const CONTEXT = 3
/** 0.3 times 1 is 0.3. */
const EPSILON = 1e-9

export interface Finding {
  pattern: string
  rule: string
  status: Status
  /** 0..1 */
  severity: number
  node: NodeId
  path: string
  line: number
  /** The line of code, '' where only the file has it. */
  text: string
  message: string
  /** What answers the finding, else who uses the node and what it uses; only of the findings that are shown. */
  context: { node: NodeId; relation: string }[]
}

export interface ScanOptions {
  /** Less grave findings are dropped. */
  severityMin: number
  limit: number
  patterns: readonly Pattern[]
  inScope: (path: string) => boolean
  /** `syntax`: what ingest found in the code. `seed`: words in names and first sentences. */
  matching: 'syntax' | 'seed'
  validate: boolean
  /** Matches of a pattern of the caller's own, found in the code. */
  found?: readonly PatternSite[]
}

export interface PatternCount {
  pattern: string
  matches: number
  confirmed: number
  mitigated: number
  false_positive: number
}

export interface ScanResult {
  /** By severity, then PageRank, then node and line; at most `limit`. */
  findings: Finding[]
  /** How many are grave enough. */
  total: number
  filesScanned: number
  raw: number
  /** Those that are no false positives. */
  validated: number
  counts: PatternCount[]
}

export function scan(graph: Graph, options: ScanOptions): ScanResult {
  const { patterns, inScope, matching, validate } = options
  const files = filesByPath(graph)
  let filesScanned = 0
  for (const path of files.keys()) if (inScope(path)) filesScanned++
  const judge = new Judge(graph)
  const findings: Finding[] = []
  for (const pattern of patterns) {
    const found: readonly Found[] =
      options.found ??
      (matching === 'seed' ? namedLike(graph, pattern) : [...sitesOf(graph, pattern), ...derived(graph, pattern)])
    for (const site of found) {
      if (!inScope(site.path)) continue
      const file = files.get(site.path)
      if (file === undefined) continue
      const node = site.node ?? nodeAtLine(graph, file, site.line)
      const verdict = validate
        ? matching === 'seed'
          ? judge.byNames(pattern, node, file)
          : judge.bySyntax(pattern, node, file, site)
        : { status: 'raw' as const, why: '', context: [] }
      const what = ruleNamed(site.rule)?.message ?? 'Matches the pattern.'
      findings.push({
        pattern: pattern.id,
        rule: site.rule,
        status: verdict.status,
        severity: pattern.severity * FACTORS[verdict.status],
        node,
        path: site.path,
        line: site.line,
        text: site.text,
        message: verdict.why === '' ? what : `${what.slice(0, -1)}; ${verdict.why}.`,
        context: verdict.context,
      })
    }
  }
  const count = (of: readonly Finding[], status: Status) => of.filter((it) => it.status === status).length
  const grave = findings
    .filter((it) => it.severity >= options.severityMin - EPSILON)
    .sort(
      (a, b) =>
        b.severity - a.severity ||
        graph.pagerank[b.node] - graph.pagerank[a.node] ||
        a.node - b.node ||
        a.line - b.line,
    )
  const shown = grave.slice(0, options.limit)
  for (const it of shown) if (it.context.length === 0) it.context = judge.contextOf(it.node)
  return {
    findings: shown,
    total: grave.length,
    filesScanned,
    raw: findings.length,
    validated: findings.length - count(findings, 'false_positive'),
    counts: patterns.map(({ id }) => {
      const own = findings.filter((it) => it.pattern === id)
      return {
        pattern: id,
        matches: own.length,
        confirmed: count(own, 'confirmed'),
        mitigated: count(own, 'mitigated'),
        false_positive: count(own, 'false_positive'),
      }
    }),
  }
}

interface Found extends PatternSite {
  node?: NodeId
}

const fileIndexes = new WeakMap<Graph, Map<string, NodeId>>()

function filesByPath(graph: Graph): Map<string, NodeId> {
  let index = fileIndexes.get(graph)
  if (index !== undefined) return index
  index = new Map()
  for (let v = 0; v < graph.nNodes; v++) {
    const path = graph.types[v] === FILE && graph.dead[v] === 0 ? text(graph, graph.paths[v]) : ''
    if (path !== '') index.set(path, v)
  }
  fileIndexes.set(graph, index)
  return index
}

function sitesOf(graph: Graph, { id }: Pattern): Found[] {
  return graph.meta.coverage.patterns.filter((it) => ruleNamed(it.rule)?.pattern === id)
}

/** What no file says by itself. */
function derived(graph: Graph, { id }: Pattern): Found[] {
  if (id === 'test_coverage') return untested(graph)
  return id === 'auth_boundary' ? unguarded(graph) : []
}

// ---- tests

/** Calls between a test and what it reaches. */
const TEST_HOPS = 3
/** Shorter functions are seen to work by those that call them. */
const LEAST_LINES = 5
const REACHES = new Set(['calls', 'references', 'tests', 'implements', 'requests'])

const testedNodes = new WeakMap<Graph, { hops: Uint8Array; testFiles: number }>()

/** Per node the number of hops from a test, counted from 1; 0 = none reaches it. Guessed edges are no proof. */
function reachedByTests(graph: Graph): { hops: Uint8Array; testFiles: number } {
  const known = testedNodes.get(graph)
  if (known !== undefined) return known
  const hops = new Uint8Array(graph.nNodes)
  let frontier: NodeId[] = []
  let testFiles = 0
  const isTestFile = new Uint8Array(graph.nNodes)
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1 || roleOf(graph, v) !== TEST_ROLE) continue
    isTestFile[v] = 1
    testFiles++
  }
  for (let v = 0; v < graph.nNodes; v++) {
    const file = fileOf(graph, v)
    if ((file !== NONE && isTestFile[file] === 1) || isTestCode(graph, v)) {
      hops[v] = 1
      frontier.push(v)
    }
  }
  const relevant = new Map<number, boolean>()
  for (let hop = 2; hop <= TEST_HOPS + 1; hop++) {
    const next: NodeId[] = []
    for (const v of frontier) {
      for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
        const u = graph.out.targets[e]
        if (hops[u] !== 0 || graph.tiers[e] === GUESS) continue
        let fits = relevant.get(graph.relations[e])
        if (fits === undefined) {
          fits = REACHES.has(relationOf(graph, e))
          relevant.set(graph.relations[e], fits)
        }
        if (!fits) continue
        hops[u] = hop
        next.push(u)
      }
    }
    frontier = next
  }
  const result = { hops, testFiles }
  testedNodes.set(graph, result)
  return result
}

/** Functions that no test reaches, in a project that has tests. */
function untested(graph: Graph): Found[] {
  const { hops, testFiles } = reachedByTests(graph)
  if (testFiles === 0) return []
  const found: Found[] = []
  const roles = new Map<NodeId, number>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FUNCTION || hops[v] !== 0 || graph.dead[v] === 1) continue
    if (graph.lineEnd[v] - graph.lineStart[v] + 1 < LEAST_LINES) continue
    const file = fileOf(graph, v)
    if (file === NONE) continue
    let role = roles.get(file)
    if (role === undefined) {
      role = roleOf(graph, file)
      roles.set(file, role)
    }
    if (role !== CODE_ROLE) continue
    const path = text(graph, graph.paths[v])
    found.push({
      rule: 'untested',
      path,
      line: graph.lineStart[v],
      text: '',
      remedy: '',
      node: v,
    })
  }
  return found
}

function isTestCode(graph: Graph, v: NodeId): boolean {
  for (let u = v; u !== NONE && graph.types[u] !== FILE; u = graph.parents[u])
    if (tagsOf(graph, u).some((it) => it === 'test' || it === `${ROOT_TAG}test_runner`)) return true
  return false
}

// ---- endpoints

/** Share of the endpoints in a folder that stand behind a check, from which on the others are noticed. */
const MOSTLY_GUARDED = 0.5
const LEAST_GUARDED = 2

function unguarded(graph: Graph): Found[] {
  const folders = new Map<string, { open: PatternSite[]; guarded: number }>()
  for (const site of graph.meta.coverage.patterns) {
    if (site.rule !== 'endpoint' && site.rule !== 'guarded_endpoint') continue
    const folder = site.path.slice(0, Math.max(0, site.path.lastIndexOf('/')))
    const known = folders.get(folder) ?? { open: [], guarded: 0 }
    if (site.rule === 'endpoint') known.open.push(site)
    else known.guarded++
    folders.set(folder, known)
  }
  return [...folders.values()]
    .filter(({ open, guarded }) => guarded >= LEAST_GUARDED && guarded >= MOSTLY_GUARDED * (open.length + guarded))
    .flatMap(({ open }) => open.map((it) => ({ ...it, rule: 'unguarded_endpoint' })))
}

// ---- words

/** Nodes whose name, or first sentence, has a word of the pattern and none of its remedies. */
function namedLike(graph: Graph, { keywords, remedies }: Pattern): Found[] {
  const found: Found[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1 || graph.types[v] === REFERENCE || graph.types[v] === DIRECTORY) continue
    const label = labelOf(graph, v)
    const excerpt = text(graph, graph.excerpts[v])
    const path = text(graph, graph.paths[v])
    if (path === '' || hasWord(label, remedies)) continue
    if (!hasWord(label, keywords) && !hasWord(excerpt, keywords)) continue
    found.push({
      rule: 'named',
      path,
      line: Math.max(1, graph.lineStart[v]),
      text: '',
      remedy: '',
      node: v,
    })
  }
  return found
}

/** Expressions by list of words, which are few. */
const wordings = new WeakMap<readonly string[], RegExp>()

/** Whether a word is a part of the text as identifiers have parts, or stands at either end of it. */
function hasWord(name: string, words: readonly string[]): boolean {
  if (words.length === 0 || name === '') return false
  let wording = wordings.get(words)
  if (wording === undefined) {
    const all = words.map((it) => it.toLowerCase().replace(/[^\p{L}\p{N}_]/gu, ''))
    const inner = all.map((it) => it.replace(/^_+|_+$/g, '')).join('|')
    wording = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${inner})(?![\\p{L}\\p{N}])|^(?:${all.join('|')})|(?:${all.join('|')})(?:\\.\\w+)?$`,
      'iu',
    )
    wordings.set(words, wording)
  }
  return (
    wording.test(name) ||
    (/\p{Ll}\p{Lu}/u.test(name) && wording.test(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')))
  )
}

// ---- judging

interface Verdict {
  status: Status
  why: string
  context: Finding['context']
}

const ROLES: Readonly<Record<number, string>> = {
  [TEST_ROLE]: 'it is test code',
  [EXAMPLE_ROLE]: 'it is an example',
  [DOC_ROLE]: 'it is documentation',
  [GENERATED_ROLE]: 'it is generated or belongs to others',
}
const PROGRAMS =
  /(?:^|\/)(?:main|__main__|build|setup|manage|cli|gulpfile|webpack\.config|rollup\.config)\.\w+$|(?:^|\/)(?:scripts?|bin|cmd|tools?|hack|ci|\.github)\//

class Judge {
  readonly #graph: Graph
  readonly #roles = new Map<NodeId, number>()
  readonly #tests = new Map<NodeId, Finding['context']>()

  constructor(graph: Graph) {
    this.#graph = graph
  }

  /** Test code is no place for a finding, save one about tests; what stands beside it or around it may answer it. */
  bySyntax(pattern: Pattern, node: NodeId, file: NodeId, { rule, remedy, path }: PatternSite): Verdict {
    const graph = this.#graph
    const role = this.#roleOf(file)
    const isTest = role === TEST_ROLE || isTestCode(graph, node)
    const around: Finding['context'] = []
    if (pattern.id === 'test_coverage') {
      if (remedy !== '') return { status: 'mitigated', why: remedy, context: around }
      if (rule !== 'untested') return { status: 'confirmed', why: '', context: around }
      const tests = this.#testsOf(file)
      if (tagsOf(graph, node).some((it) => it.startsWith(ROOT_TAG)))
        return { status: 'mitigated', why: 'a framework calls it', context: around }
      return tests.length > 0
        ? { status: 'mitigated', why: 'a test uses its file', context: tests }
        : { status: 'confirmed', why: '', context: around }
    }
    const why = isTest ? ROLES[TEST_ROLE] : ROLES[role]
    if (why !== undefined) return { status: 'false_positive', why, context: around }
    if (remedy !== '') return { status: 'mitigated', why: remedy, context: around }
    if (
      (rule === 'aborts_on_error' || rule === 'environment_read' || rule === 'blocks_event_loop') &&
      this.#isProgram(file, path)
    )
      return { status: 'mitigated', why: 'the file is a program of its own', context: around }
    if (pattern.id === 'resource_cleanup' || pattern.testsAnswer) {
      const answering = this.#neighbours(node, (u, relation) =>
        pattern.testsAnswer ? relation === 'tests' || this.#isTest(u) : hasWord(labelOf(graph, u), pattern.remedies),
      )
      const [first] = answering
      if (first !== undefined)
        return {
          status: 'mitigated',
          why: pattern.testsAnswer ? 'a test reaches it' : `${labelOf(graph, first.node)} may do so`,
          context: answering.slice(0, CONTEXT),
        }
    }
    return { status: 'confirmed', why: '', context: around }
  }

  /** The plain rule: a neighbour named like the remedy, or a test, mitigates; test code is a false positive. */
  byNames(pattern: Pattern, node: NodeId, file: NodeId): Verdict {
    const around: Finding['context'] = []
    if (pattern.id !== 'test_coverage' && (this.#roleOf(file) === TEST_ROLE || isTestCode(this.#graph, node)))
      return { status: 'false_positive', why: 'it is test code', context: around }
    const answering = this.#neighbours(
      node,
      (u, relation) => relation === 'tests' || this.#isTest(u) || hasWord(labelOf(this.#graph, u), pattern.remedies),
    )
    return answering.length > 0
      ? {
          status: 'mitigated',
          why: `${labelOf(this.#graph, answering[0].node)} stands beside it`,
          context: answering.slice(0, CONTEXT),
        }
      : { status: 'confirmed', why: '', context: around }
  }

  #isProgram(file: NodeId, path: string): boolean {
    return PROGRAMS.test(path) || tagsOf(this.#graph, file).includes('entrypoint')
  }

  #roleOf(file: NodeId): number {
    let role = this.#roles.get(file)
    if (role === undefined) {
      role = roleOf(this.#graph, file)
      this.#roles.set(file, role)
    }
    return role
  }

  #isTest(v: NodeId): boolean {
    const file = fileOf(this.#graph, v)
    return (file !== NONE && this.#roleOf(file) === TEST_ROLE) || isTestCode(this.#graph, v)
  }

  #testsOf(file: NodeId): Finding['context'] {
    let tests = this.#tests.get(file)
    if (tests === undefined) {
      tests = this.#neighbours(file, (u) => this.#isTest(u)).slice(0, CONTEXT)
      this.#tests.set(file, tests)
    }
    return tests
  }

  /** Who uses the node, then what it uses. */
  contextOf(node: NodeId): Finding['context'] {
    return this.#neighbours(node, () => true, CONTEXT)
  }

  #neighbours(
    node: NodeId,
    wanted: (u: NodeId, relation: string) => boolean,
    most = MOST_NEIGHBOURS,
  ): Finding['context'] {
    const graph = this.#graph
    const found: Finding['context'] = []
    const seen = new Set<NodeId>([node])
    const look = (u: NodeId, slot: number) => {
      if (seen.has(u) || graph.weights[slot] === 0 || graph.tiers[slot] === GUESS) return
      const relation = relationOf(graph, slot)
      if (relation === 'contains' || relation === 'co_changes' || relation === 'sibling') return
      seen.add(u)
      if (wanted(u, relation)) found.push({ node: u, relation })
    }
    for (let i = graph.in.offsets[node]; i < graph.in.offsets[node + 1] && found.length < most; i++)
      look(graph.in.targets[i], graph.in.slots[i])
    for (let e = graph.out.offsets[node]; e < graph.out.offsets[node + 1] && found.length < most; e++)
      look(graph.out.targets[e], e)
    return found
  }
}

/** Neighbours that are looked at of a hub. */
const MOST_NEIGHBOURS = 20

/** The built-in pattern that a text means; null when it is one of the caller's own. */
export function builtIn(text: string): Pattern | null {
  const id = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return PATTERNS.find((it) => it.id === id) ?? null
}
