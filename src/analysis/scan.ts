/** Places at which patterns hold, and what the graph says about each. */

import {
  CLASS,
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
import { childrenOf, filesByPath, nodeAtLine } from '#graph/lookup'
import { type Pattern, PATTERNS, type PatternSite, RULED_LANGUAGES, ruleNamed } from '#graph/patterns'
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
  /** Those in languages whose syntax no rule reads, by language. */
  filesUnread: Map<string, number>
  raw: number
  /** Those that are no false positives. */
  validated: number
  counts: PatternCount[]
}

export function scan(graph: Graph, options: ScanOptions): ScanResult {
  const { patterns, inScope, matching, validate } = options
  const files = filesByPath(graph)
  const scope = new Set<string>()
  for (const path of files.keys()) if (inScope(path)) scope.add(path)
  const judge = new Judge(graph)
  const shown = new First(options.limit, (a: Match, b: Match) => byGravity(graph, a, b))
  const counts: PatternCount[] = []
  let total = 0
  for (const pattern of patterns) {
    const count = { pattern: pattern.id, matches: 0, confirmed: 0, mitigated: 0, false_positive: 0 }
    const found: readonly Found[] =
      options.found ??
      (matching === 'seed' ? namedLike(graph, pattern) : [...sitesOf(graph, pattern), ...derived(graph, pattern)])
    for (const site of found) {
      const file = scope.has(site.path) ? files.get(site.path) : undefined
      if (file === undefined) continue
      const node = site.node ?? nodeAtLine(graph, file, site.line)
      const verdict = validate
        ? matching === 'seed'
          ? judge.byNames(pattern, node, file)
          : judge.bySyntax(pattern, node, file, site)
        : RAW
      count.matches++
      if (verdict.status !== 'raw') count[verdict.status]++
      const severity = pattern.severity * FACTORS[verdict.status]
      if (severity < options.severityMin - EPSILON) continue
      total++
      shown.add({ pattern: pattern.id, site, node, severity, verdict })
    }
    counts.push(count)
  }
  const sum = (of: (it: PatternCount) => number) => counts.reduce((all, it) => all + of(it), 0)
  return {
    findings: shown.items.map((it) => findingOf(it, judge)),
    total,
    filesScanned: scope.size,
    filesUnread: matching === 'syntax' && options.found === undefined ? unreadIn(graph, files, scope) : new Map(),
    raw: sum((it) => it.matches),
    validated: sum((it) => it.matches - it.false_positive),
    counts,
  }
}

/** Text without definitions, as documents and settings, is nothing that a rule could be about. */
function unreadIn(graph: Graph, files: ReadonlyMap<string, NodeId>, scope: ReadonlySet<string>): Map<string, number> {
  const unread = new Map<string, number>()
  for (const path of scope) {
    const file = files.get(path) ?? NONE
    const [language = ''] = tagsOf(graph, file)
    if (RULED_LANGUAGES.has(language) || !Array.from(childrenOf(graph, file)).some((v) => isCode(graph, v))) continue
    unread.set(language, (unread.get(language) ?? 0) + 1)
  }
  return unread
}

function isCode(graph: Graph, v: NodeId): boolean {
  return graph.types[v] === FUNCTION || graph.types[v] === CLASS
}

interface Match {
  pattern: string
  site: Found
  node: NodeId
  severity: number
  verdict: Verdict
}

function byGravity(graph: Graph, a: Match, b: Match): number {
  return (
    b.severity - a.severity ||
    graph.pagerank[b.node] - graph.pagerank[a.node] ||
    a.node - b.node ||
    a.site.line - b.site.line
  )
}

function findingOf({ pattern, site, node, severity, verdict }: Match, judge: Judge): Finding {
  const what = ruleNamed(site.rule)?.message ?? 'Matches the pattern.'
  return {
    pattern,
    rule: site.rule,
    status: verdict.status,
    severity,
    node,
    path: site.path,
    line: site.line,
    text: site.text,
    message: verdict.why === '' ? what : `${what.slice(0, -1)}; ${verdict.why}.`,
    context: verdict.context.length === 0 ? judge.contextOf(node) : verdict.context,
  }
}

interface Found extends PatternSite {
  node?: NodeId
}

const siteIndexes = new WeakMap<readonly PatternSite[], Map<string, PatternSite[]>>()

/** Places that ingest found for a pattern; sorted by pattern once per graph. */
function sitesOf({ meta: { coverage } }: Graph, { id }: Pattern): readonly PatternSite[] {
  let index = siteIndexes.get(coverage.patterns)
  if (index === undefined) {
    index = new Map(PATTERNS.map((it) => [it.id, []]))
    for (const it of coverage.patterns) index.get(ruleNamed(it.rule)?.pattern ?? '')?.push(it)
    siteIndexes.set(coverage.patterns, index)
  }
  return index.get(id) ?? []
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

const untestedNodes = new WeakMap<Graph, Uint32Array>()

/** Functions that no test reaches, in a project that has tests; looked for once per graph. */
function untested(graph: Graph): Found[] {
  let nodes = untestedNodes.get(graph)
  if (nodes === undefined) {
    nodes = Uint32Array.from(findUntested(graph))
    untestedNodes.set(graph, nodes)
  }
  return Array.from(nodes, (node) => foundAt(graph, node, 'untested', graph.lineStart[node]))
}

function foundAt(graph: Graph, node: NodeId, rule: string, line: number): Found {
  return { rule, path: text(graph, graph.paths[node]), line, text: '', remedy: '', node }
}

function findUntested(graph: Graph): NodeId[] {
  const { hops, testFiles } = reachedByTests(graph)
  if (testFiles === 0) return []
  const found: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FUNCTION || hops[v] !== 0 || graph.dead[v] === 1) continue
    if (graph.lineEnd[v] - graph.lineStart[v] + 1 < LEAST_LINES) continue
    const file = fileOf(graph, v)
    if (file === NONE) continue
    if (roleOf(graph, file) === CODE_ROLE) found.push(v)
  }
  return found
}

const testCode = new WeakMap<Graph, Uint8Array>()

/** Whether a node, or what it stands in below its file, is marked as a test. */
function isTestCode(graph: Graph, v: NodeId): boolean {
  let marks = testCode.get(graph)
  if (marks === undefined) {
    marks = markTests(graph)
    testCode.set(graph, marks)
  }
  for (let u = v; u !== NONE && graph.types[u] !== FILE; u = graph.parents[u]) if (marks[u] === 1) return true
  return false
}

function markTests({ nNodes, strings, tags, tagOffsets }: Graph): Uint8Array {
  const marks = new Uint8Array(nNodes)
  const marking = ['test', `${ROOT_TAG}test_runner`].map((it) => strings.find(it)).filter((it) => it !== NONE)
  for (let v = 0; v < nNodes && marking.length > 0; v++)
    for (let i = tagOffsets[v]; i < tagOffsets[v + 1]; i++) if (marking.includes(tags[i])) marks[v] = 1
  return marks
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

const namedNodes = new WeakMap<Graph, Map<string, Uint32Array>>()

/** Nodes whose name, or first sentence, has a word of the pattern and none of its remedies; of our own kept per graph. */
function namedLike(graph: Graph, pattern: Pattern): Found[] {
  let known = namedNodes.get(graph)
  if (known === undefined) {
    known = new Map()
    namedNodes.set(graph, known)
  }
  let nodes = known.get(pattern.id)
  if (nodes === undefined || !PATTERNS.includes(pattern)) {
    nodes = Uint32Array.from(findNamed(graph, pattern))
    if (PATTERNS.includes(pattern)) known.set(pattern.id, nodes)
  }
  return Array.from(nodes, (node) => foundAt(graph, node, 'named', Math.max(1, graph.lineStart[node])))
}

function findNamed(graph: Graph, { keywords, remedies }: Pattern): NodeId[] {
  const found: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1 || graph.types[v] === REFERENCE || graph.types[v] === DIRECTORY) continue
    if (text(graph, graph.paths[v]) === '' || hasWord(graph, graph.labels[v], remedies)) continue
    if (hasWord(graph, graph.labels[v], keywords) || hasWord(graph, graph.excerpts[v], keywords)) found.push(v)
  }
  return found
}

/** Expressions by list of words, which are few, and what must stand in a name for one to fit. */
const wordings = new WeakMap<readonly string[], { expression: RegExp; inner: string[] }>()
/** Answers by string handle. */
const worded = new WeakMap<Graph, WeakMap<readonly string[], Uint8Array>>()
const YES = 1
const NO = 2

/** Whether a word is a part of a text as identifiers have parts, or stands at either end of it; looked at once per text. */
function hasWord(graph: Graph, handle: number, words: readonly string[]): boolean {
  if (words.length === 0 || handle === NONE) return false
  let ofGraph = worded.get(graph)
  if (ofGraph === undefined) {
    ofGraph = new WeakMap()
    worded.set(graph, ofGraph)
  }
  let answers = ofGraph.get(words)
  if (answers === undefined) {
    answers = new Uint8Array(graph.strings.count)
    ofGraph.set(words, answers)
  }
  if (answers[handle] === 0) answers[handle] = fitsWord(text(graph, handle), words) ? YES : NO
  return answers[handle] === YES
}

function fitsWord(name: string, words: readonly string[]): boolean {
  if (name === '') return false
  let wording = wordings.get(words)
  if (wording === undefined) {
    const all = words.map((it) => it.toLowerCase().replace(/[^\p{L}\p{N}_]/gu, ''))
    const inner = all.map((it) => it.replace(/^_+|_+$/g, ''))
    const expression = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${inner.join('|')})(?![\\p{L}\\p{N}])|^(?:${all.join('|')})|(?:${all.join('|')})(?:\\.\\w+)?$`,
      'iu',
    )
    wording = { expression, inner }
    wordings.set(words, wording)
  }
  return (
    fits(name, wording) ||
    (/\p{Ll}\p{Lu}/u.test(name) && fits(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2'), wording))
  )
}

/** Most names hold none of the words, which is quickly seen; other alphabets fold in ways of their own. */
function fits(name: string, { expression, inner }: { expression: RegExp; inner: readonly string[] }): boolean {
  return (!isAscii(name) || holdsAny(name.toLowerCase(), inner)) && expression.test(name)
}

function isAscii(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 0x7f) return false
  return true
}

function holdsAny(name: string, words: readonly string[]): boolean {
  for (const it of words) if (name.includes(it) || !isAscii(it)) return true
  return false
}

// ---- judging

interface Verdict {
  status: Status
  why: string
  context: Finding['context']
}

const RAW: Verdict = { status: 'raw', why: '', context: [] }

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
  readonly #tests = new Map<NodeId, Finding['context']>()
  /** By node, YES or NO once somebody asked whether it is a test. */
  readonly #testing: Uint8Array
  /** By node, the number of the last look at neighbours that met it. */
  readonly #metBy: Uint32Array
  #looks = 0
  /** Handles of relations that say only where things stand, or what changed along. */
  readonly #passive: ReadonlySet<number>

  constructor(graph: Graph) {
    this.#graph = graph
    this.#testing = new Uint8Array(graph.nNodes)
    this.#metBy = new Uint32Array(graph.nNodes)
    this.#passive = new Set(['contains', 'co_changes', 'sibling'].map((it) => graph.strings.find(it)))
  }

  /** Test code is no place for a finding, save one about tests; what stands beside it or around it may answer it. */
  bySyntax(pattern: Pattern, node: NodeId, file: NodeId, { rule, remedy, path }: PatternSite): Verdict {
    const graph = this.#graph
    const role = roleOf(this.#graph, file)
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
        pattern.testsAnswer
          ? relation === 'tests' || this.#isTest(u)
          : hasWord(graph, graph.labels[u], pattern.remedies),
      )
      const [first] = answering
      if (first !== undefined)
        return {
          status: 'mitigated',
          why: pattern.testsAnswer ? 'a test reaches it' : `${labelOf(graph, first.node)} may do so`,
          context: answering,
        }
    }
    return { status: 'confirmed', why: '', context: around }
  }

  /** The plain rule: a neighbour named like the remedy, or a test, mitigates; test code is a false positive. */
  byNames(pattern: Pattern, node: NodeId, file: NodeId): Verdict {
    const around: Finding['context'] = []
    if (pattern.id !== 'test_coverage' && (roleOf(this.#graph, file) === TEST_ROLE || isTestCode(this.#graph, node)))
      return { status: 'false_positive', why: 'it is test code', context: around }
    const answering = this.#neighbours(
      node,
      (u, relation) =>
        relation === 'tests' || this.#isTest(u) || hasWord(this.#graph, this.#graph.labels[u], pattern.remedies),
    )
    return answering.length > 0
      ? {
          status: 'mitigated',
          why: `${labelOf(this.#graph, answering[0].node)} stands beside it`,
          context: answering,
        }
      : { status: 'confirmed', why: '', context: around }
  }

  #isProgram(file: NodeId, path: string): boolean {
    return PROGRAMS.test(path) || tagsOf(this.#graph, file).includes('entrypoint')
  }

  #isTest(v: NodeId): boolean {
    if (this.#testing[v] === 0) {
      const file = fileOf(this.#graph, v)
      const is = (file !== NONE && roleOf(this.#graph, file) === TEST_ROLE) || isTestCode(this.#graph, v)
      this.#testing[v] = is ? YES : NO
    }
    return this.#testing[v] === YES
  }

  #testsOf(file: NodeId): Finding['context'] {
    let tests = this.#tests.get(file)
    if (tests === undefined) {
      tests = this.#neighbours(file, (u) => this.#isTest(u))
      this.#tests.set(file, tests)
    }
    return tests
  }

  /** Who uses the node, then what it uses. */
  contextOf(node: NodeId): Finding['context'] {
    return this.#neighbours(node, () => true)
  }

  /** The first of those that are wanted, among who uses the node, then what it uses. */
  #neighbours(node: NodeId, wanted: (u: NodeId, relation: string) => boolean): Finding['context'] {
    const { in: into, out, weights, tiers, relations } = this.#graph
    const found: Finding['context'] = []
    const look = ++this.#looks
    this.#metBy[node] = look
    const meet = (u: NodeId, slot: number) => {
      if (this.#metBy[u] === look || weights[slot] === 0 || tiers[slot] === GUESS) return
      if (this.#passive.has(relations[slot])) return
      this.#metBy[u] = look
      const relation = relationOf(this.#graph, slot)
      if (wanted(u, relation)) found.push({ node: u, relation })
    }
    for (let i = into.offsets[node]; i < into.offsets[node + 1] && found.length < CONTEXT; i++)
      meet(into.targets[i], into.slots[i])
    for (let e = out.offsets[node]; e < out.offsets[node + 1] && found.length < CONTEXT; e++) meet(out.targets[e], e)
    return found
  }
}

/** The first `limit` of many in the given order, equal ones as they came, without sorting the rest. */
class First<T> {
  readonly items: T[] = []
  readonly #limit: number
  readonly #compare: (a: T, b: T) => number

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit
    this.#compare = compare
  }

  add(item: T): void {
    const { items } = this
    if (items.length === this.#limit && this.#compare(item, items[items.length - 1]) >= 0) return
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(item, items[middle]) < 0) high = middle
      else low = middle + 1
    }
    items.splice(low, 0, item)
    if (items.length > this.#limit) items.pop()
  }
}

/** The built-in pattern that a text means; null when it is one of the caller's own. */
export function builtIn(text: string): Pattern | null {
  const id = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return PATTERNS.find((it) => it.id === id) ?? null
}
