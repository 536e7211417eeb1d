/** From the places that stack frames name to files and definitions of the project. */

import { FILE, type Graph, labelOf, MODULE, type NodeId, NONE, text } from '#graph/graph'
import { nodeAtLine } from '#graph/lookup'
import type { Frame } from '#query/frames'

export interface Place {
  /** The innermost definition, or the file when none holds the line; NONE when the frame is of no indexed file. */
  node: NodeId
  file: NodeId
  /** Why there is none: of another package, of no indexed file, or of several that look alike. */
  reason: string
  /** Whether the frame says by itself that it is of another package or of the language. */
  isForeign: boolean
}

export const STANDARD = 'standard library or another package'
export const NOT_INDEXED = 'file not in graph'
export const OUTSIDE_LINES = 'line outside any node range'

interface FileIndex {
  /** Files by base name in lower case, and by base name without extensions. */
  byName: Map<string, NodeId[]>
  byStem: Map<string, NodeId[]>
  segments: Map<NodeId, string[]>
  /** Names of the project and its packages, in lower case. */
  names: Set<string>
  /** Folders of packages by their names, in lower case. */
  homes: Map<string, string[]>
}

const indexes = new WeakMap<Graph, FileIndex>()

function indexOf(graph: Graph): FileIndex {
  const known = indexes.get(graph)
  if (known !== undefined) return known
  const index: FileIndex = {
    byName: new Map(),
    byStem: new Map(),
    segments: new Map(),
    names: new Set(),
    homes: new Map(),
  }
  const add = <T>(map: Map<string, T[]>, name: string, it: T) => {
    const list = map.get(name)
    if (list === undefined) map.set(name, [it])
    else list.push(it)
  }
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1) continue
    if (graph.types[v] !== FILE) {
      if (graph.types[v] !== MODULE) continue
      const manifest = text(graph, graph.paths[v]).toLowerCase()
      for (const name of packageNames(labelOf(graph, v))) {
        index.names.add(name)
        add(index.homes, name, manifest.slice(0, manifest.lastIndexOf('/') + 1))
      }
      continue
    }
    const path = text(graph, graph.paths[v]).toLowerCase()
    if (path === '') continue
    const segments = path.split('/')
    index.segments.set(v, segments)
    const name = segments[segments.length - 1]
    add(index.byName, name, v)
    add(index.byStem, stemOf(name), v)
  }
  for (const { path } of graph.meta.roots) index.names.add(path.slice(path.lastIndexOf('/') + 1).toLowerCase())
  indexes.set(graph, index)
  return index
}

/** `@shop/cart` and `cart`, `example.org/shop/cart/v2` and `cart`. */
function packageNames(label: string): Set<string> {
  const name = label.toLowerCase().replace(/\/v\d+$/, '')
  return new Set([name, name.slice(name.lastIndexOf('/') + 1)])
}

function stemOf(name: string): string {
  const dot = name.indexOf('.', 1)
  return dot < 0 ? name : name.slice(0, dot)
}

/** Parts of paths that say that a file belongs to a package: which one (group 1, may be empty) and where in it. */
const PACKAGES: readonly RegExp[] = [
  /^()(?:.*\/)?(?:site|dist)-packages\/(?:[^/]+\.egg\/)?(.+)$/,
  /^(?:.*\/)?node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\/(.+)$/,
  /^(?:.*\/)?registry\/src\/[^/]+\/([\w-]+?)-\d[^/]*\/(.+)$/,
  /^(?:.*\/)?pkg\/mod\/(?:.*?\/)?([^/@]+)(?:\/v\d+)?@v[^/]+\/(.+)$/,
  /^(?:[\w-]+\.)+\w+\/(?:.*?\/)?([^/@]+)(?:\/v\d+)?@v[^/]+\/(.+)$/,
  /^(?:.*\/)?gems\/(?:ruby-[^/]+\/)?([\w-]+?)-\d[^/]*\/(.+)$/,
  /^(?:.*\/)?npm\/registry\.npmjs\.org\/((?:@[^/]+\/)?[^/]+)\/[^/]+\/(.+)$/,
  /^(?:.*\/)?vendor\/(?:[\w-]+\.)+\w+\/[^/]+\/([^/]+)\/(.+)$/,
  /^(?:.*\/)?vendor\/(?:bundle\/)?()(.+)$/,
]
/** Files of languages themselves. */
const LANGUAGES: readonly RegExp[] = [
  /^(?:.*\/)?(?:lib\d*\/python\d[\d.]*|python\d+\/lib)\/(.+)$/i,
  /^(?:.*\/)?(?:rustc\/[0-9a-f]{6,}|lib\/rustlib|rust\/library)\/(.+)$/,
  /^(?:.*\/)?(?:go|go\d[\d.]*|golang|google-golang|goroot|libexec|go-\d[^/]*|\d+\.\d+(?:\.\d+)?)\/src\/(?:pkg\/)?((?!(?:[\w-]+\.)+\w+\/)(?:runtime|net|os|io|sync|syscall|testing|reflect|crypto|internal|encoding|bufio|bytes|context|database|fmt|log|math|path|sort|strings|strconv|text|time|html|http|archive|compress|regexp|errors|hash|image|go|cmd|debug|embed|expvar|flag|mime|unicode|slices|maps)\/.+)$/i,
  /^(?:.*\/)?lib\/(?:ruby|jruby)\/(?!gems)(.+)$/,
  /^(?:usr\/include|.*sysdeps|.*\/csu|.*\/glibc)\/(.+)$/,
]
const NO_FILE = /^(?:node:|internal\/|<|\[|native$|evalmachine)/
const OF_LANGUAGE =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.junit|org\.gradle|org\.apache\.maven|jakarta|System|Microsoft)\./

/** Words in paths that stand for where compiled and written files lie. */
const LAYOUT = new Set(
  'dist lib build out esm cjs es src output target classes static js _next server chunks'.split(' '),
)
const SCRIPTS = /\.(?:[cm]?[jt]sx?|vue|svelte)$/
/** Names that many packages have. */
const COMMON =
  /^(?:index|__init__|main|mod|lib|utils?|helpers?|types|models?|views|base|core|common|config|app|server|client|errors?|exceptions|test|tests|api|cli|run|setup|conftest|__main__)\./

/** The place that a frame names. */
export function placeOf(graph: Graph, frame: Frame): Place {
  const none = { node: NONE, file: NONE }
  if (frame.path === '' || NO_FILE.test(frame.path)) {
    const byName = frame.path === '' && !OF_LANGUAGE.test(frame.function)
    return { ...none, reason: byName ? NOT_INDEXED : STANDARD, isForeign: !byName }
  }
  const { files, isForeign } = filesOf(graph, frame)
  if (files.length === 0) return { ...none, reason: isForeign ? STANDARD : NOT_INDEXED, isForeign }
  const called = lastName(frame.function)
  const chosen = files.length === 1 ? files : files.filter((f) => definitionAt(graph, f, frame.line, called).isNamed)
  if (chosen.length !== 1) return { ...none, reason: `${files.length} files have that name`, isForeign }
  const [file] = chosen
  const { node } = definitionAt(graph, file, frame.line, called)
  return { node, file, reason: node === file && frame.line > 0 ? OUTSIDE_LINES : '', isForeign }
}

/** Files that a frame may mean: those that share most of the end of its path. */
function filesOf(graph: Graph, frame: Frame): { files: NodeId[]; isForeign: boolean } {
  const index = indexOf(graph)
  const path = frame.path
  for (const pattern of PACKAGES) {
    const found = pattern.exec(path)
    if (found === null) continue
    const name = (found[1] ?? '').toLowerCase()
    // in the project itself, or in its own tree of other people's code
    const whole = longest(index, `${name === '' ? '' : `${name}/`}${found[2]}`, 'whole')
    if (whole.length > 0) return { files: whole, isForeign: false }
    const homes = [...new Set(index.homes.get(name))]
    const ofPackage = homes.flatMap((home) => longest(index, `${home}${found[2]}`, 'whole'))
    if (ofPackage.length > 0) return { files: ofPackage, isForeign: false }
    const inside = name === '' ? [] : longest(index, found[2], 'whole')
    const own = inside.filter(
      (v) =>
        index.names.has(name) ||
        index.names.has(name.slice(name.indexOf('/') + 1)) ||
        index.segments.get(v)?.includes(name.slice(name.indexOf('/') + 1)) === true,
    )
    return { files: own, isForeign: own.length === 0 }
  }
  for (const pattern of LANGUAGES) {
    const found = pattern.exec(path)
    if (found === null) continue
    const own = found[1].includes('/') ? longest(index, found[1], 'whole') : []
    return { files: own, isForeign: own.length === 0 }
  }
  const isForeign = OF_LANGUAGE.test(frame.function) && /^(?:java|csharp)$/.test(frame.language)
  const least = frame.language === 'java' && path.includes('/') ? 'package' : 'end'
  return { files: isForeign ? [] : longest(index, path, least), isForeign }
}

/**
 * Files whose path agrees longest with the end of `path`. `whole`: with all of it. `package`: with at least one
 * folder of it. `end`: with a folder, or the name alone where that is clear.
 */
function longest(index: FileIndex, path: string, least: 'whole' | 'package' | 'end'): NodeId[] {
  const wanted = path.toLowerCase().split('/')
  const name = wanted[wanted.length - 1]
  const direct = best(index, index.byName.get(name) ?? [], wanted, wanted.length, least)
  // a copy that is run under the name of its module
  if (direct.length === 0 && !name.includes('.') && least === 'end') {
    const modules = index.byStem.get(name) ?? []
    return modules.length === 1 && name.length > 3 ? modules : []
  }
  if (direct.length > 0 || !SCRIPTS.test(name)) return direct
  // what was compiled lies elsewhere and ends otherwise
  const plain = wanted.filter((it) => !LAYOUT.has(it))
  plain[plain.length - 1] = stemOf(name)
  const alike = (index.byStem.get(stemOf(name)) ?? []).filter((v) => SCRIPTS.test(index.segments.get(v)?.at(-1) ?? ''))
  // `cart.js` comes of `cart.ts`, not of `cart.test.ts` or `cart.d.ts`
  const same = alike.filter((v) => index.segments.get(v)?.at(-1)?.replace(SCRIPTS, '') === name.replace(SCRIPTS, ''))
  const scripts = same.length > 0 ? same : alike
  return best(index, scripts, plain, plain.length, least, (segments) => {
    const own = segments.filter((it) => !LAYOUT.has(it))
    return [...own.slice(0, -1), stemOf(segments[segments.length - 1])]
  })
}

function best(
  index: FileIndex,
  candidates: readonly NodeId[],
  wanted: readonly string[],
  all: number,
  least: 'whole' | 'package' | 'end',
  as: (segments: string[]) => string[] = (it) => it,
): NodeId[] {
  let most = 0
  let found: NodeId[] = []
  for (const v of candidates) {
    const segments = as(index.segments.get(v) ?? [])
    let shared = 0
    while (
      shared < segments.length &&
      shared < wanted.length &&
      segments[segments.length - 1 - shared] === wanted[wanted.length - 1 - shared]
    )
      shared++
    // a file at the top is known by its name alone
    const isWhole = shared === segments.length
    if (shared === 0 || shared < most) continue
    if (shared > most) found = []
    most = shared
    found.push(v)
    if (isWhole && shared === all) return [v]
  }
  if (least === 'whole') {
    const isShort = all === 1 && found.some((v) => (index.segments.get(v)?.length ?? 0) > 2)
    return most >= all && !isShort ? found : []
  }
  if (most >= 2 || all === 1) return found
  if (least === 'package') return candidates.length === 1 && !COMMON.test(wanted[wanted.length - 1]) ? found : []
  const top = found.filter((v) => index.segments.get(v)?.length === 1)
  if (top.length === 1) return top
  // of several the name of the function decides
  return COMMON.test(`${wanted[wanted.length - 1]}.`) ? [] : found
}

/** The innermost definition at a line; where code moved since, the one of that name in the file. */
function definitionAt(graph: Graph, file: NodeId, line: number, called: string): { node: NodeId; isNamed: boolean } {
  const at = line > 0 ? nodeAtLine(graph, file, line) : file
  for (let v = at; v !== NONE && v !== file; v = graph.parents[v])
    if (called !== '' && labelOf(graph, v) === called) return { node: v, isNamed: true }
  if (called === '') return { node: at, isNamed: false }
  let nearest = NONE
  let distance = Number.POSITIVE_INFINITY
  for (let v = file + 1; v < graph.nNodes && graph.paths[v] === graph.paths[file]; v++) {
    if (labelOf(graph, v) !== called || graph.dead[v] === 1) continue
    const apart = Math.abs(graph.lineStart[v] - line)
    if (apart >= distance) continue
    distance = apart
    nearest = v
  }
  return nearest === NONE ? { node: at, isNamed: false } : { node: nearest, isNamed: true }
}

/** The plain name at the end of what a frame calls its function: `Cart.total`, `shop.(*Cart).Total.func1`, `block in total`. */
export function lastName(called: string): string {
  const plain = called
    .replace(/lambda\$(\w+)\$\d+$/, '$1')
    .replace(/\(.*$/, (rest) => (/^\(\*?[\w.]+\)/.test(rest) ? rest : ''))
    .replace(/(?:\.func\d+|\.\d+|\.gowrap\d+|\{\{closure\}\}|::|\$\d+|<locals>|\.<lambda>|-fm|\[\.\.\.\])+$/g, '')
    .replace(/^(?:block (?:\(\d+ levels\) )?in|rescue in|ensure in|new|async) /, '')
    .replace(/<[^<>]*>|\[.*?\]/g, '')
  return /([\p{L}_$][\p{L}\p{N}_$]*[!?]?)\W*$/u.exec(plain)?.[1] ?? ''
}
