/** Which files test which, by edges and by the names that test runners expect. */

import { partsOf } from '#analysis/impact'
import { FILE, fileOf, type Graph, GUESS, NONE, type NodeId, OBSERVED, relationOf, tagsOf, text } from '#graph/graph'
import { influence } from '#graph/relations'
import { CODE_ROLE, roleOf, TEST_ROLE } from '#query/corpus'
import { placeOfTest } from '#std/test-places'

/** Names of tests for a stem, by ending; the first is the usual one. */
const NAMES: readonly [RegExp, readonly string[]][] = [
  [/^pyi?$/, ['test_*.py', '*_test.py', 'test*.py', '*_tests.py']],
  [/^[cm]?[jt]sx?$|^vue$|^svelte$/, ['*.test.@', '*.spec.@', '*.test-d.@', '*_test.@']],
  [/^go$/, ['*_test.go']],
  [/^rs$/, ['*.rs', 'test_*.rs', '*_test.rs', '*_tests.rs']],
  [/^(?:java|kt|kts|scala|groovy)$/, ['*Test.@', '*Tests.@', 'Test*.@', '*IT.@', '*Spec.@', '*Suite.@']],
  [/^(?:cs|swift|php)$/, ['*Test.@', '*Tests.@']],
  [/^rb$/, ['*_spec.rb', '*_test.rb', 'test_*.rb']],
  [/^(?:lua|dart|ex|exs|erl)$/, ['*_test.@', '*_spec.@', '*_test.exs']],
  [/^(?:c|cc|cpp|cxx|h|hpp|hh)$/, ['test_*.@', '*_test.@', '*_tests.@', 'test-*.@', '*Test.@']],
  [/^(?:sh|bash)$/, ['test_*.@', '*_test.@', '*.bats']],
]
/** A name in one of these folders is that of a test without more. */
const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?)\//
const NOT_SOURCES = /(?:^|\/)(?:__init__\.py|mod\.rs|index\.[cm]?[jt]sx?|conftest\.py)$/

const known = new WeakMap<Graph, Tests>()

/** Made once per graph. */
export function testsOf(graph: Graph): Tests {
  let tests = known.get(graph)
  if (tests === undefined) {
    tests = new Tests(graph)
    known.set(graph, tests)
  }
  return tests
}

/** Tests and what they test, over the files of one graph. */
export class Tests {
  readonly #graph: Graph
  /** Files by lower-case base name. */
  readonly #named = new Map<string, NodeId[]>()
  /** Sources by their ending. */
  readonly #sources = new Map<string, NodeId[]>()

  constructor(graph: Graph) {
    this.#graph = graph
    for (let v = 0; v < graph.nNodes; v++) {
      if (graph.types[v] !== FILE || graph.dead[v] === 1 || graph.paths[v] === NONE) continue
      const name = baseOf(text(graph, graph.paths[v])).toLowerCase()
      const namesakes = this.#named.get(name)
      if (namesakes === undefined) this.#named.set(name, [v])
      else namesakes.push(v)
    }
  }

  /** Files that test a file, by node: those with an edge that says so, and those of a fitting name. */
  of(file: NodeId): NodeId[] {
    const graph = this.#graph
    const found = new Set<NodeId>()
    for (const v of [file, ...partsOf(graph, file)]) {
      for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
        const e = graph.in.slots[i]
        if (relationOf(graph, e) !== 'tests' || graph.tiers[e] === GUESS) continue
        const test = fileOf(graph, graph.in.targets[i])
        if (test !== NONE && test !== file) found.add(test)
      }
    }
    const path = text(graph, graph.paths[file])
    for (const name of testNames(path))
      for (const test of this.#named.get(name.toLowerCase()) ?? [])
        if (test !== file && this.isTest(test) && this.#isNearest(file, test)) found.add(test)
    return [...found].sort((a, b) => a - b)
  }

  /** Whether a file is tested: by what stands in it, by a test of its own, or by any test that uses it directly. */
  isTested(file: NodeId): boolean {
    return tagsOf(this.#graph, file).includes('test') || this.of(file).length > 0 || this.#isUsedByTest(file)
  }

  #isUsedByTest(file: NodeId): boolean {
    const graph = this.#graph
    return [file, ...partsOf(graph, file)].some((v) => {
      for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
        const tier = graph.tiers[graph.in.slots[i]]
        if (tier === GUESS || tier === OBSERVED || influence(relationOf(graph, graph.in.slots[i])) !== 'reverse')
          continue
        const user = fileOf(graph, graph.in.targets[i])
        if (user !== NONE && user !== file && this.isTest(user)) return true
      }
      return false
    })
  }

  isTest(file: NodeId): boolean {
    return roleOf(this.#graph, file) === TEST_ROLE
  }

  isCode(file: NodeId): boolean {
    return roleOf(this.#graph, file) === CODE_ROLE && tagsOf(this.#graph, file).some((it) => LANGUAGE_TAGS.has(it))
  }

  /** Whether there is a source that a test of this path can be meant for; null when its name says nothing. */
  hasSource(test: string): boolean | null {
    const stems = sourceStems(test)
    if (stems.length === 0) return null
    const ending = endingOf(test)
    const family = NAMES.find(([pattern]) => pattern.test(ending))?.[0]
    const files = [...this.#named].filter(([, files]) => files.some((v) => !this.isTest(v)))
    return stems.some(
      (stem) =>
        files.some(([name]) => stemOf(name) === stem.toLowerCase() && family?.test(endingOf(name)) === true) ||
        // a test may also be named after a folder
        this.#hasFolder(stem),
    )
  }

  /** Path at which a test of a source would be looked for: as its neighbours have theirs, else as is usual. */
  expectedPath(path: string): string {
    const folder = folderOf(path)
    const stem = stemOf(baseOf(path))
    const [usual] = testNames(path)
    const tested = this.#testedNeighbour(path)
    if (tested !== null) return join(tested.folder, tested.pattern.replace('*', stem))
    if (usual === undefined) return join(folder, `${stem}.test`)
    const ending = endingOf(path)
    // every crate has tests of its own
    if (ending === 'rs') return join(/^(.*?)(?:^|\/)src\//.exec(path)?.[1] ?? '', join('tests', `${stem}.rs`))
    if (ending === 'py' || ending === 'rb') return join('tests', usual)
    if (/^(?:java|kt|scala)$/.test(ending)) return join(folder.replace(/(^|\/)main(\/|$)/, '$1test$2'), usual)
    return join(folder, usual)
  }

  /** How the test of a file in the same folder, else anywhere, with the same ending is named and where it stands. */
  #testedNeighbour(path: string): { folder: string; pattern: string } | null {
    const graph = this.#graph
    const ending = endingOf(path)
    for (const v of nearest(this.#sourcesWith(ending), path, graph).slice(0, NEIGHBOURS)) {
      const source = text(graph, graph.paths[v])
      if (source === path) continue
      for (const test of this.of(v)) {
        const at = text(graph, graph.paths[test])
        const [base, stem] = [baseOf(at), stemOf(baseOf(source))]
        if (!testNames(source).some((it) => it.toLowerCase() === base.toLowerCase())) continue
        const begin = base.toLowerCase().indexOf(stem.toLowerCase())
        const pattern = `${base.slice(0, begin)}*${base.slice(begin + stem.length)}`
        return { folder: moved(folderOf(source), folderOf(at), folderOf(path)), pattern }
      }
    }
    return null
  }

  /** Files that are no tests, by id. */
  #sourcesWith(ending: string): readonly NodeId[] {
    const graph = this.#graph
    const known = this.#sources.get(ending)
    if (known !== undefined) return known
    const found = [...this.#named.values()]
      .flat()
      .filter((v) => !this.isTest(v) && endingOf(text(graph, graph.paths[v])) === ending)
      .sort((a, b) => a - b)
    this.#sources.set(ending, found)
    return found
  }

  #hasFolder(stem: string): boolean {
    const graph = this.#graph
    const part = `/${stem}/`
    return [...this.#named.values()].flat().some((v) => `/${text(graph, graph.paths[v])}`.includes(part))
  }

  /** Several sources may have one name: a test belongs to those where it stands, and that it shares most folders with. */
  #isNearest(file: NodeId, test: NodeId): boolean {
    const graph = this.#graph
    const path = text(graph, graph.paths[file])
    const at = text(graph, graph.paths[test])
    if (placeOfTest(at, path) === null) return false
    const twins = (this.#named.get(baseOf(path).toLowerCase()) ?? []).filter((v) => !this.isTest(v))
    const own = sharedFolders(path, at)
    return twins.every((v) => sharedFolders(text(graph, graph.paths[v]), at) <= own)
  }
}

/** Neighbours whose tests are looked for. */
const NEIGHBOURS = 50

/** The nearest sources first: those that share most folders with a path, equal ones by id. */
function nearest(sources: readonly NodeId[], path: string, graph: Graph): NodeId[] {
  const shared = new Map<string, number>()
  const byShared: NodeId[][] = []
  for (const v of sources) {
    const at = text(graph, graph.paths[v])
    const folder = folderOf(at)
    let count = shared.get(folder)
    if (count === undefined) {
      count = sharedFolders(at, path)
      shared.set(folder, count)
    }
    byShared[count] ??= []
    byShared[count].push(v)
  }
  return byShared.toReversed().flatMap((it) => it ?? [])
}

const LANGUAGE_TAGS = new Set(
  'python typescript javascript go rust java kotlin scala csharp cpp c ruby php swift lua dart bash'.split(' '),
)

/** Base names under which the tests of a source are looked for. */
export function testNames(path: string): string[] {
  if (NOT_SOURCES.test(path)) return []
  const ending = endingOf(path)
  const stem = stemOf(baseOf(path))
  const names = NAMES.find(([pattern]) => pattern.test(ending))?.[1] ?? []
  const fitted = names.map((it) => it.replace('*', stem).replace('@', ending))
  // scripts in __tests__ have the name of their source
  return /^[cm]?[jt]sx?$/.test(ending) ? [...fitted, `${stem}.${ending}`, ...others(stem, ending)] : fitted
}

/** A test of a component may have another ending than its source. */
function others(stem: string, ending: string): string[] {
  return ['ts', 'tsx', 'js', 'jsx', 'mts', 'mjs']
    .filter((it) => it !== ending)
    .flatMap((it) => [`${stem}.test.${it}`, `${stem}.spec.${it}`])
}

/** Stems of the sources that a test is named after. */
function sourceStems(test: string): string[] {
  const base = baseOf(test)
  const ending = endingOf(base)
  const names = NAMES.find(([pattern]) => pattern.test(ending))?.[1] ?? []
  const stems = names.flatMap((name) => {
    const [before, after] = name.replace('@', ending).split('*')
    const fits = base.startsWith(before) && base.endsWith(after) && base.length > before.length + after.length
    // a bare name is that of a test only where tests stand
    if (!fits || (before === '' && after === `.${ending}` && !TEST_FOLDER.test(test))) return []
    return [base.slice(before.length, base.length - after.length)]
  })
  return stems
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

function stemOf(base: string): string {
  const at = base.lastIndexOf('.')
  return at <= 0 ? base : base.slice(0, at)
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Folders that two paths have in common, from their end as well as from their start. */
function sharedFolders(a: string, b: string): number {
  const [x, y] = [folderOf(a).split('/'), folderOf(b).split('/')]
  let start = 0
  while (start < Math.min(x.length, y.length) && x[start] === y[start]) start++
  let end = 0
  while (end < Math.min(x.length, y.length) - start && x[x.length - 1 - end] === y[y.length - 1 - end]) end++
  return start + end
}

/** `folder` moved as `from` was moved to `to`: with the same replacement where they begin alike, else `to` itself. */
function moved(from: string, to: string, folder: string): string {
  if (from === to) return folder
  if (to.startsWith(`${from}/`)) return join(folder, to.slice(from.length + 1))
  const [x, y] = [from.split('/'), to.split('/')]
  let end = 0
  while (end < Math.min(x.length, y.length) && x[x.length - 1 - end] === y[y.length - 1 - end]) end++
  const [a, b] = [x.slice(0, x.length - end).join('/'), y.slice(0, y.length - end).join('/')]
  return end > 0 && a !== '' && (folder === a || folder.startsWith(`${a}/`))
    ? `${b}${folder.slice(a.length)}`.replace(/^\//, '')
    : to
}
