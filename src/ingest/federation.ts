/** What ties repositories together: edges between them from manifests, imports, routes, settings, types, deployment and tools. */

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { CLASS, ENUM, FILE, MODULE, STRUCT, TYPE } from '#graph/graph'
import type { EdgeInput, GraphInput } from '#graph/input'
import { type Contract, type ContractKind, contractsIn } from '#ingest/contracts'
import { readSource, TEXT_LIMITS } from '#ingest/text'

export const CROSS_TYPES = {
  shared_config: { relation: 'shares_config', weight: 0.7, causal: 0.8 },
  api_contract: { relation: 'calls_api', weight: 0.8, causal: 0.9 },
  package_dep: { relation: 'depends_on', weight: 0.6, causal: 0.7 },
  shared_type: { relation: 'shares_type', weight: 0.5, causal: 0.6 },
  deployment_dep: { relation: 'deploys', weight: 0.4, causal: 0.5 },
  mcp_contract: { relation: 'uses_mcp_tool', weight: 0.7, causal: 0.8 },
}
export type CrossType = keyof typeof CROSS_TYPES

export interface CrossEdge {
  type: CrossType
  sourceRepo: string
  targetRepo: string
  /** Keys of the nodes. */
  source: string
  target: string
  /** The key, route, package or type that both have. */
  detail: string
  /** In the file of the source. */
  line: number
}

export interface Federated {
  name: string
  /** Its nodes have the keys of the whole. */
  input: GraphInput
}

const MOST_PAIRS = 500
const MOST_EDGES = 20_000
/** A key in a larger part of the files of both says nothing. */
const COMMON_SHARE = 0.2
/** Below it a share says nothing. */
const FEW_FILES = 10
const SHORTEST_TYPE = 4
const COMMON_MEMBERS = 2
const GENERIC_TYPES = new Set(
  'Config Error Result Status State Context Request Response Handler Manager Service Client Server Base Default Node Edge Options Props User'.split(
    ' ',
  ),
)
/** Names of repositories that are also words of every deployment. */
const GENERIC_NAMES = new Set(
  'app api web server client backend frontend service worker db database common core lib shared main'.split(' '),
)
const TEST =
  /(?:^|\/)(?:tests?|__tests__|testdata|specs?|fixtures?|e2e|mocks?|examples?|docs?|bench(?:marks?|es)?)\/|(?:^|\/)(?:test_[^/]*|conftest)\.py$|_(?:test|spec)\.\w+$|\.(?:test|spec|bench)\.\w+$/

/** All edges between different repositories, each with what both ends say; cut at 20,000. */
export function crossEdges(repositories: readonly Federated[]): { edges: CrossEdge[]; isCut: boolean } {
  const sides = repositories.map((it) => new Side(it))
  const edges = new Edges()
  for (const a of sides) {
    for (const b of sides) {
      if (a === b) continue
      packages(a, b, edges)
      routes(a, b, edges)
      matching(a, b, 'uses', 'provides', (it, name) =>
        edges.add('mcp_contract', a, b, { from: it, to: name, detail: it.name }),
      )
      deployment(a, b, edges)
    }
  }
  for (let i = 0; i < sides.length; i++) {
    for (const b of sides.slice(i + 1)) {
      const a = sides[i]
      matching(a, b, 'config', 'config', (it, other) =>
        edges.add('shared_config', a, b, { from: it, to: other, detail: it.name }),
      )
      types(a, b, edges)
    }
  }
  return { edges: edges.all.slice(0, MOST_EDGES), isCut: edges.all.length > MOST_EDGES }
}

/** For the builder; the positions are those in `nodes`. */
export function crossInputs({ nodes }: GraphInput, edges: readonly CrossEdge[]): EdgeInput[] {
  const positions = new Map(nodes.map((it, i) => [it.key, i]))
  return edges.flatMap(({ type, source, target, line }): EdgeInput[] => {
    const [from, to] = [positions.get(source), positions.get(target)]
    if (from === undefined || to === undefined) return []
    const isMutual = type === 'shared_config' || type === 'shared_type'
    return [{ ...CROSS_TYPES[type], source: from, target: to, line, bidirectional: isMutual, tier: 'unique' }]
  })
}

interface Place {
  /** Position of the file in the nodes of its repository. */
  file: number
  line: number
}

interface Said extends Contract, Place {}

/** What one repository says. */
class Side {
  readonly name: string
  readonly input: GraphInput
  readonly said: Said[] = []
  readonly byName = new Map<ContractKind, Map<string, Said[]>>()
  readonly types = new Map<string, (Place & { key: string; members: Set<string> })[]>()
  /** Own packages. */
  readonly own: { ecosystem: string; name: string; key: string; folder: string }[] = []
  readonly #definitions = new Map<string, number[]>()
  readonly files = new Map<string, number>()
  readonly #base: string

  constructor({ name, input }: Federated) {
    this.name = name
    this.input = input
    this.#base = input.meta.roots[0]?.base ?? ''
    input.nodes.forEach(({ type, path, key, tags = [], label }, i) => {
      if (type === MODULE && tags[0] === 'package') {
        const folder = (path ?? '').slice(0, (path ?? '').lastIndexOf('/') + 1)
        this.own.push({ ecosystem: tags[1], name: label, key, folder })
      }
      if (path === undefined) return
      if (type === FILE) this.files.set(path, i)
      else this.#definitions.set(path, [...(this.#definitions.get(path) ?? []), i])
    })
    for (const [path, file] of this.files) this.#read(path, file)
  }

  /** Key of the innermost definition at a place, else of its file. */
  at({ file, line }: Place): string {
    const { nodes } = this.input
    let best = file
    let size = Number.POSITIVE_INFINITY
    for (const i of this.#definitions.get(nodes[file].path ?? '') ?? []) {
      const { lineStart = 0, lineEnd = 0 } = nodes[i]
      if (lineStart === 0 || line < lineStart || line > lineEnd || lineEnd - lineStart >= size) continue
      best = i
      size = lineEnd - lineStart
    }
    return nodes[best].key
  }

  fileKey({ file }: Place): string {
    return this.input.nodes[file].key
  }

  /** Definitions directly in files below a folder, of this name. */
  topLevel(label: string, isWanted: (path: string) => boolean): string[] {
    const { nodes } = this.input
    const found: string[] = []
    for (const [path, list] of this.#definitions) {
      if (TEST.test(path) || !isWanted(path)) continue
      for (const i of list) {
        const { parent = -1 } = nodes[i]
        if (nodes[i].label === label && parent >= 0 && nodes[parent].type === FILE) found.push(nodes[i].key)
      }
    }
    return found
  }

  /** The first line of a file with this name in it, from 1; 0 when there is none. */
  lineNaming(path: string, name: string): number {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const named = new RegExp(`(?<![\\w./@-])${escaped}(?![\\w./-])`, 'i')
    const lines = this.#text(path)?.split('\n') ?? []
    return lines.findIndex((it) => named.test(it)) + 1
  }

  /** null for what is gone since the walk, is no text, or was generated. */
  #text(path: string): string | null {
    const full = join(this.#base, path)
    if (lstatSync(full, { throwIfNoEntry: false })?.isFile() !== true) return null
    const source = readSource(full, path, TEXT_LIMITS)
    return source.kind !== 'text' || source.tags.includes('generated') ? null : source.text
  }

  #read(path: string, file: number): void {
    if (TEST.test(path)) return
    const text = this.#text(path)
    if (text === null) return
    for (const it of contractsIn(path, text)) {
      const said = { ...it, file }
      this.said.push(said)
      const names = this.byName.get(it.kind) ?? new Map<string, Said[]>()
      this.byName.set(it.kind, names.set(it.name, [...(names.get(it.name) ?? []), said]))
    }
    this.#readTypes(path, file, text.split('\n'))
  }

  #readTypes(path: string, file: number, lines: readonly string[]): void {
    const { nodes } = this.input
    for (const i of this.#definitions.get(path) ?? []) {
      const { type, label, key, lineStart = 0, lineEnd = 0 } = nodes[i]
      // a value that has members is no type
      if (![CLASS, STRUCT, ENUM, TYPE].includes(type) || key.endsWith(`::const::${label}`)) continue
      if (label.length < SHORTEST_TYPE || GENERIC_TYPES.has(label)) continue
      const members = membersIn(lines.slice(lineStart - 1, lineEnd))
      this.types.set(label, [...(this.types.get(label) ?? []), { key, file, line: lineStart, members }])
    }
  }
}

const MEMBER =
  /^\s+(?:(?:pub(?:\([\w\s]+\))?|public|private|protected|readonly|static|final|export|async|abstract|override|val|var|let|def|func|fn|fun)\s+)*(?:[A-Z][\w<>[\],.?]*\s+)?([a-zA-Z_]\w*)\s*(?:[?!]?\s*[:=(]|\s+[\w*[\].]+\s*(?:`|$|;|,))/
const NO_MEMBER = new Set(
  'if for while return switch match else elif try catch except with raise throw yield await print case self this'.split(
    ' ',
  ),
)

/** Names of fields and methods as written one level below the head, `fooBar` and `foo_bar` alike. */
function membersIn(lines: readonly string[]): Set<string> {
  const [, ...body] = lines
  const indents = body.filter((it) => it.trim() !== '').map((it) => it.length - it.trimStart().length)
  const first = Math.min(...indents.filter((it) => it > 0))
  const members = new Set<string>()
  for (const line of body) {
    if (line.length - line.trimStart().length !== first) continue
    const name = MEMBER.exec(line)?.[1]
    if (name !== undefined && !NO_MEMBER.has(name)) members.add(name.replaceAll('_', '').toLowerCase())
  }
  return members
}

class Edges {
  readonly all: CrossEdge[] = []
  readonly #seen = new Set<string>()

  add(type: CrossType, a: Side, b: Side, { from, to, detail }: { from: Place; to: Place; detail: string }): void {
    const isWhole = type === 'package_dep' || type === 'shared_config'
    this.put(type, a, b, {
      source: isWhole ? a.fileKey(from) : a.at(from),
      target: isWhole ? b.fileKey(to) : b.at(to),
      detail,
      line: from.line,
    })
  }

  put(
    type: CrossType,
    a: Side,
    b: Side,
    { source, target, detail, line }: { source: string; target: string; detail: string; line: number },
  ): void {
    const key = `${type}\n${source}\n${target}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.all.push({ type, sourceRepo: a.name, targetRepo: b.name, source, target, detail, line })
  }
}

/** Calls `visit` for pairs of the same name, at most 500 of each; a name that both have everywhere is left out. */
function matching(
  a: Side,
  b: Side,
  kindA: ContractKind,
  kindB: ContractKind,
  visit: (from: Said, to: Said) => void,
): void {
  for (const [name, froms] of a.byName.get(kindA) ?? []) {
    const tos = b.byName.get(kindB)?.get(name) ?? []
    if (tos.length === 0 || (isCommon(a, froms) && isCommon(b, tos))) continue
    froms
      .flatMap((from) => tos.map((to): [Said, Said] => [from, to]))
      .slice(0, MOST_PAIRS)
      .forEach(([from, to]) => visit(from, to))
  }
}

function isCommon({ files }: Side, said: readonly Said[]): boolean {
  const used = new Set(said.map((it) => it.file)).size
  return files.size >= FEW_FILES && used > COMMON_SHARE * files.size
}

/** The client's route against the server's, as it stands or below one of the server's mounts. */
function routes(a: Side, b: Side, edges: Edges): void {
  const serves = b.byName.get('serves') ?? new Map<string, Said[]>()
  const own = a.byName.get('serves') ?? new Map<string, Said[]>()
  const mounts = [...(b.byName.get('mounts')?.keys() ?? [])]
  const ownMounts = [...(a.byName.get('mounts')?.keys() ?? [])]
  for (const [route, asked] of a.byName.get('requests') ?? []) {
    // a path without a name could be anybody's, and who serves it alone means itself
    if (!/[a-z]/.test(route) || served(route, own, ownMounts).length > 0) continue
    let pairs = 0
    for (const from of asked) {
      for (const to of served(route, serves, mounts)) {
        if (from.method !== '' && to.method !== '' && from.method !== to.method) continue
        if (pairs++ >= MOST_PAIRS) break
        edges.add('api_contract', a, b, { from, to, detail: route })
      }
    }
  }
}

function served(route: string, serves: ReadonlyMap<string, Said[]>, mounts: readonly string[]): Said[] {
  const whole = serves.get(route)
  if (whole !== undefined) return whole
  for (const mount of mounts) {
    if (mount === '/' || !(route === mount || route.startsWith(`${mount}/`))) continue
    const rest = serves.get(route.slice(mount.length) || '/')
    // a mount and nothing more is where a router begins, not what it serves
    if (rest !== undefined) return rest
  }
  return []
}

/** From the manifest that names a package to the one that declares it, and from imports to what they name. */
function packages(a: Side, b: Side, edges: Edges): void {
  const { nodes, edges: own } = a.input
  const declared = new Map(b.own.map((it) => [`${it.ecosystem} ${it.name.toLowerCase()}`, it]))
  const needed = new Set<(typeof b.own)[number]>()
  for (const { source, target, relation } of own) {
    const { key, path = '', tags = [] } = nodes[source]
    if (relation !== 'depends_on' || !tags.includes('package')) continue
    const [, ecosystem = '', name = ''] = /^pkg::([^:]+)::(.+)$/.exec(nodes[target].key) ?? []
    const found = declared.get(`${ecosystem} ${name.toLowerCase()}`)
    if (found === undefined || a.own.some((it) => it.ecosystem === ecosystem && it.name === found.name)) continue
    needed.add(found)
    edges.put('package_dep', a, b, {
      source: key,
      target: found.key,
      detail: found.name,
      line: a.lineNaming(path, found.name),
    })
  }
  for (const { ecosystem, name, folder } of needed) {
    for (const [module, said] of a.byName.get('imports') ?? []) {
      const wanted = moduleIn(ecosystem, name, module, b)
      if (wanted === null) continue
      for (const it of said) {
        for (const symbol of it.symbols) {
          const narrow = b.topLevel(symbol, (path) => path.startsWith(folder) && wanted.isInside(path))
          const found =
            narrow.length > 0 ? narrow : b.topLevel(symbol, (path) => path.startsWith(folder) && wanted.isBelow(path))
          if (found.length === 1)
            edges.put('package_dep', a, b, {
              source: a.at(it),
              target: found[0],
              detail: `${name}.${symbol}`,
              line: it.line,
            })
        }
        if (it.symbols.length === 0 && wanted.file !== '') {
          const file = b.files.get(wanted.file)
          if (file !== undefined) edges.add('package_dep', a, b, { from: it, to: { file, line: 0 }, detail: module })
        }
      }
    }
  }
}

interface WantedModule {
  /** Whether a file is the module itself. */
  isInside: (path: string) => boolean
  /** Whether it may be where the module has its names from. */
  isBelow: (path: string) => boolean
  /** Path of the module's file, '' when it is a folder or not known. */
  file: string
}

/** The part of a package that an import means; null when it is another package. */
function moduleIn(ecosystem: string, name: string, module: string, b: Side): WantedModule | null {
  const all = () => true
  if (ecosystem === 'pypi') {
    const [root, ...rest] = module.split('.')
    const init = [...b.files.keys()].find((it) => it.endsWith(`/${root}/__init__.py`) || it === `${root}/__init__.py`)
    if (init === undefined) return null
    const folder = init.slice(0, -'__init__.py'.length)
    const path = folder + rest.join('/')
    const file =
      [`${path}.py`, `${path}/__init__.py`, init].find(
        (it) => b.files.has(it) && (rest.length > 0 ? it !== init : it === init),
      ) ?? ''
    return {
      isInside: (it) => it === file,
      isBelow: (it) => it.startsWith(file.endsWith('__init__.py') ? file.slice(0, -'__init__.py'.length) : folder),
      file,
    }
  }
  if (ecosystem === 'go') {
    if (module !== name && !module.startsWith(`${name}/`)) return null
    const folder = module.slice(name.length + 1)
    const isInside = (it: string) =>
      it.slice(0, Math.max(0, it.lastIndexOf('/'))).endsWith(folder) && (folder !== '' || !it.includes('/'))
    return { isInside, isBelow: isInside, file: '' }
  }
  if (ecosystem === 'cargo')
    return module === name.replaceAll('-', '_') ? { isInside: all, isBelow: all, file: '' } : null
  if (ecosystem !== 'npm' || (module !== name && !module.startsWith(`${name}/`))) return null
  const sub = module.slice(name.length + 1)
  const isInside = (it: string) =>
    sub === '' || it.includes(`/${sub}/`) || it.replace(/\.[cm]?[jt]sx?$/, '').endsWith(`/${sub}`)
  return { isInside, isBelow: sub === '' ? all : isInside, file: '' }
}

function types(a: Side, b: Side, edges: Edges): void {
  for (const [name, ones] of a.types) {
    const others = b.types.get(name) ?? []
    for (const one of ones) {
      for (const other of others) {
        const common = [...one.members].filter((it) => other.members.has(it)).length
        if (common >= COMMON_MEMBERS)
          edges.put('shared_type', a, b, { source: one.key, target: other.key, detail: name, line: one.line })
      }
    }
  }
}

function deployment(a: Side, b: Side, edges: Edges): void {
  const names = new Set([b.name.toLowerCase(), ...b.own.map((it) => it.name.toLowerCase().replace(/^.*\//, ''))])
  const target = [...b.files.entries()].find(([path]) => /(?:^|\/)Dockerfile$/.test(path)) ?? [...b.files.entries()][0]
  if (target === undefined) return
  for (const name of names) {
    if (name.length < 3 || GENERIC_NAMES.has(name)) continue
    for (const from of a.byName.get('deploys')?.get(name) ?? []) {
      // a service of one's own name is one's own
      if (a.name.toLowerCase() !== name)
        edges.add('deployment_dep', a, b, { from, to: { file: target[1], line: 0 }, detail: name })
    }
  }
}
