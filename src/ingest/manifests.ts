/** Packages as nodes: what a project's manifests declare, which files belong to them, and what they depend on. */

import { MODULE, REFERENCE } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { causalStrength, ingestWeight } from '#graph/relations'
import { CODE_NAMESPACE, escapeSeparator } from '#ingest/nodes'
import { readToml, tableAt, type TomlTable, textAt, textsAt } from '#ingest/toml'

export type PackageEcosystem = 'cargo' | 'npm' | 'pypi' | 'go' | 'maven'

export interface Manifest {
  /** Path of the manifest relative to the root. */
  path: string
  /** Folder of the package, '' or ending in `/`. */
  folder: string
  ecosystem: PackageEcosystem
  name: string
  description: string
  dependencies: string[]
}

/** A use of a package from outside of the project; `node` is the file or definition that uses it. */
export interface ExternalUse {
  node: number
  /** `npm::react`. */
  package: string
  relation: string
  line: number
}

export interface PackageInput {
  files: readonly { path: string }[]
  fileNodes: Uint32Array
  /** Relative path → text. */
  configFiles: ReadonlyMap<string, string>
  /** Calls `visit` with every use of a package from outside, in order. */
  eachUse(visit: (use: ExternalUse) => void): void
  /** Whether packages from outside become nodes. */
  externalPackages: boolean
}

const INTERNAL = { relation: 'depends_on', weight: 0.75, causal: 0.7 }
const EXTERNAL = { relation: 'depends_on', weight: 0.55, causal: 0.55 }
const MEMBER = { relation: 'contains', weight: 1, causal: 0.85, bidirectional: true }
/** As weak as folders are, and for the same reason: a package must not flood its files. */
const FILE_OF_PACKAGE = { relation: 'contains', weight: 0.3, causal: 0.8, bidirectional: true }

const CONFIG_NAMES =
  /^(?:package\.json|pnpm-workspace\.yaml|lerna\.json|deno\.jsonc?|import_map\.json|angular\.json|(?:tsconfig|jsconfig)[\w.-]*\.json|(?:vite|vitest|webpack|rollup|jest|babel|metro|next|nuxt|svelte|astro)\.config\.[cm]?[jt]s|go\.mod|go\.work|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|Pipfile|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|composer\.json|[\w.-]+\.(?:csproj|gemspec)|Gemfile|pubspec\.yaml|Package\.swift|mix\.exs)$/

/** Files that say how names are looked up or what a package needs. */
export function isConfigFile(path: string): boolean {
  return CONFIG_NAMES.test(path.slice(path.lastIndexOf('/') + 1))
}

export interface FoundPackages {
  nodes: readonly NodeInput[]
  /** Those from nodes for which `isAsked`. */
  edgesFrom(isAsked: (node: number) => boolean): EdgeInput[]
}

/** Packages as nodes from `firstNode` on, and their edges. */
export function packages(input: PackageInput, firstNode: number): FoundPackages {
  const found = new Packages(input, firstNode)
  found.addOwn()
  found.addDependencies()
  found.addUses()
  return found
}

class Packages implements FoundPackages {
  readonly nodes: NodeInput[] = []
  /** To what belongs to a workspace, and to what is depended on. */
  private readonly members: EdgeInput[] = []
  private readonly dependencies: EdgeInput[] = []
  private readonly firstNode: number
  private readonly input: PackageInput
  private readonly manifests: Manifest[]
  private readonly own: number[] = []
  private readonly byName = new Map<string, number>()
  /** Nodes by names as they are written: each is used very often. */
  private readonly written = new Map<string, number>()
  private readonly keys = new Set<string>()
  private readonly goModules: string[]

  constructor(input: PackageInput, firstNode: number) {
    this.firstNode = firstNode
    this.input = input
    this.manifests = readManifests(input.configFiles)
    this.goModules = this.manifests.filter((it) => it.ecosystem === 'go').flatMap((it) => [it.name, ...it.dependencies])
    // the longest module that a package path begins with is its module
    this.goModules.sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  }

  addOwn(): void {
    for (const { path, ecosystem, name, description } of this.manifests) {
      const cargo = ecosystem === 'cargo'
      const key = cargo
        ? `cargo::crate::${escapeSeparator(path)}::${escapeSeparator(name)}`
        : `pkg::${ecosystem}::${escapeSeparator(name)}`
      const node = this.add(key, {
        label: name,
        type: MODULE,
        tags: ['package', ecosystem],
        path,
        excerpt: description,
      })
      this.own.push(node)
      const id = this.idOf(ecosystem, name)
      if (!this.byName.has(id)) this.byName.set(id, node)
    }
    this.addWorkspaces()
  }

  /** Every crate belongs to the nearest workspace manifest at or above its own. */
  private addWorkspaces(): void {
    const workspaces: { folder: string; node: number }[] = []
    for (const [path, text] of sorted(this.input.configFiles)) {
      if (baseName(path) !== 'Cargo.toml' || !('workspace' in readToml(text))) continue
      const folder = folderOf(path)
      const label = folder === '' ? 'workspace' : baseName(folder.slice(0, -1))
      const node = this.add(`cargo::workspace::${escapeSeparator(path)}`, {
        label,
        type: MODULE,
        tags: ['workspace', 'cargo'],
        path,
      })
      workspaces.push({ folder, node })
    }
    for (let i = 0; i < this.manifests.length; i++) {
      if (this.manifests[i].ecosystem !== 'cargo') continue
      const around = workspaces.filter((it) => this.manifests[i].folder.startsWith(it.folder))
      const nearest = around.sort((a, b) => b.folder.length - a.folder.length)[0]
      if (nearest !== undefined)
        this.members.push({ source: nearest.node, target: this.own[i], ...MEMBER, tier: 'given' })
    }
  }

  /** A file belongs to the package of the innermost folder, once per ecosystem. */
  private addFiles(isAsked: (node: number) => boolean, edges: EdgeInput[]): void {
    if (!this.own.some(isAsked)) return
    const byFolder = new Map<string, number[]>()
    for (let i = 0; i < this.manifests.length; i++) {
      const { folder, ecosystem } = this.manifests[i]
      const known = byFolder.get(folder) ?? []
      if (!known.some((it) => this.manifests[it].ecosystem === ecosystem)) known.push(i)
      byFolder.set(folder, known)
    }
    const { files, fileNodes } = this.input
    const around = new Map<string, number[]>()
    for (let f = 0; f < files.length; f++) {
      const folder = folderOf(files[f].path)
      let packages = around.get(folder)
      if (packages === undefined) {
        packages = this.packagesAround(folder, byFolder)
        around.set(folder, packages)
      }
      for (const i of packages)
        if (isAsked(this.own[i]))
          edges.push({ source: this.own[i], target: fileNodes[f], ...FILE_OF_PACKAGE, tier: 'given' })
    }
  }

  /** Of every ecosystem the innermost package around a folder. */
  private packagesAround(folder: string, byFolder: ReadonlyMap<string, number[]>): number[] {
    const found: number[] = []
    for (let at = folder; ; at = folderOf(at.slice(0, -1))) {
      for (const i of byFolder.get(at) ?? []) {
        const { ecosystem } = this.manifests[i]
        if (!found.some((it) => this.manifests[it].ecosystem === ecosystem)) found.push(i)
      }
      if (at === '') return found
    }
  }

  addDependencies(): void {
    const own = new Set(this.own)
    for (let i = 0; i < this.manifests.length; i++) {
      const { ecosystem, dependencies } = this.manifests[i]
      for (const name of [...new Set(dependencies)].sort()) {
        const inside = this.byName.get(this.idOf(ecosystem, name))
        const isOwn = inside !== undefined && own.has(inside)
        if (inside === this.own[i] || (!isOwn && !this.input.externalPackages)) continue
        const target = isOwn ? inside : this.external(ecosystem, name)
        this.dependencies.push({ source: this.own[i], target, ...(isOwn ? INTERNAL : EXTERNAL), tier: 'given' })
      }
    }
  }

  addUses(): void {
    if (this.input.externalPackages) this.input.eachUse((it) => this.used(it.package))
  }

  /** The node of a package that is used; -1 for what is no name of one. */
  private used(id: string): number {
    const known = this.written.get(id)
    if (known !== undefined) return known
    const at = id.indexOf('::')
    const node = at === -1 ? -1 : this.external(id.slice(0, at), id.slice(at + 2))
    this.written.set(id, node)
    return node
  }

  edgesFrom(isAsked: (node: number) => boolean): EdgeInput[] {
    const edges = this.members.filter((it) => isAsked(it.source))
    this.addFiles(isAsked, edges)
    for (const it of this.dependencies) if (isAsked(it.source)) edges.push(it)
    if (!this.input.externalPackages) return edges
    this.input.eachUse(({ node, package: id, relation, line }) => {
      const target = isAsked(node) ? this.used(id) : -1
      if (target < 0) return
      const strength = { weight: ingestWeight(relation), causal: causalStrength(relation) }
      edges.push({ source: node, target, relation, ...strength, tier: 'exact', line })
    })
    return edges
  }

  /** The node of a package, made on first use. */
  private external(ecosystem: string, written: string): number {
    const name = this.canonicalName(ecosystem, written)
    const id = `${ecosystem}::${name}`
    const known = this.byName.get(id)
    if (known !== undefined) return known
    const key =
      ecosystem === 'cargo' ? `cargo::dep::${escapeSeparator(name)}` : `pkg::${ecosystem}::${escapeSeparator(name)}`
    const node = this.add(key, { label: name, type: REFERENCE, tags: ['package', 'external', ecosystem] })
    this.byName.set(id, node)
    return node
  }

  private idOf(ecosystem: string, name: string): string {
    return `${ecosystem}::${this.canonicalName(ecosystem, name)}`
  }

  /** One spelling where an ecosystem allows several, and the module of a Go package. */
  private canonicalName(ecosystem: string, name: string): string {
    if (ecosystem === 'pypi') return name.toLowerCase().replace(/[-_.]+/g, '-')
    if (ecosystem === 'cargo') return name.replaceAll('-', '_')
    if (ecosystem === 'go') return this.goModules.find((it) => name === it || name.startsWith(`${it}/`)) ?? name
    return name
  }

  private add(key: string, node: Omit<NodeInput, 'key'>): number {
    let made = key
    for (let n = 2; this.keys.has(made); n++) made = `${key}#${n}`
    this.keys.add(made)
    this.nodes.push({ ...node, key: made, namespace: CODE_NAMESPACE })
    return this.firstNode + this.nodes.length - 1
  }
}

/** The packages that the manifests among the files declare, in order of path. */
export function readManifests(configFiles: ReadonlyMap<string, string>): Manifest[] {
  const manifests: Manifest[] = []
  for (const [path, text] of sorted(configFiles)) {
    const found = readManifest(path, text)
    if (found !== null) manifests.push({ ...found, path, folder: folderOf(path) })
  }
  const withRequirements = manifests.filter((it) => it.ecosystem === 'pypi')
  for (const [path, text] of sorted(configFiles)) {
    if (!/^requirements[\w.-]*\.txt$/.test(baseName(path))) continue
    const around = withRequirements
      .filter((it) => path.startsWith(it.folder))
      .sort((a, b) => b.folder.length - a.folder.length)[0]
    around?.dependencies.push(
      ...text
        .split('\n')
        .map(requirementName)
        .filter((it) => it !== ''),
    )
  }
  return manifests
}

type Declared = Omit<Manifest, 'path' | 'folder'>

function readManifest(path: string, text: string): Declared | null {
  switch (baseName(path)) {
    case 'package.json':
      return readPackageJson(text)
    case 'Cargo.toml':
      return readCargo(readToml(text))
    case 'pyproject.toml':
      return readPyproject(readToml(text))
    case 'go.mod':
      return readGoMod(text)
    case 'pom.xml':
      return readPom(text)
    default:
      return null
  }
}

function readPackageJson(text: string): Declared | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // a manifest that is no JSON declares nothing; the file itself is reported where it is read
    return null
  }
  if (!isRecord(json) || typeof json.name !== 'string' || json.name === '') return null
  const dependencies: string[] = []
  for (const field of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']) {
    const named = json[field]
    if (isRecord(named)) dependencies.push(...Object.keys(named))
  }
  const description = typeof json.description === 'string' ? json.description : ''
  return { ecosystem: 'npm', name: json.name, description: shortened(description), dependencies }
}

function readCargo(manifest: TomlTable): Declared | null {
  const about = tableAt(manifest, 'package')
  const name = textAt(about, 'name')
  if (name === '') return null
  const targets = tableAt(manifest, 'target')
  const places = [manifest, ...Object.keys(targets).map((it) => tableAt(targets, it))]
  const dependencies: string[] = []
  for (const place of places) {
    for (const kind of ['dependencies', 'dev-dependencies', 'build-dependencies']) {
      const table = tableAt(place, kind)
      // a dependency may be renamed; its own name is what it is known by
      for (const it of Object.keys(table)) dependencies.push(textAt(tableAt(table, it), 'package') || it)
    }
  }
  return { ecosystem: 'cargo', name, description: shortened(textAt(about, 'description')), dependencies }
}

function readPyproject(manifest: TomlTable): Declared | null {
  const project = tableAt(manifest, 'project')
  const poetry = tableAt(tableAt(manifest, 'tool'), 'poetry')
  const name = textAt(project, 'name') || textAt(poetry, 'name')
  if (name === '') return null
  const optional = tableAt(project, 'optional-dependencies')
  const written = [...textsAt(project, 'dependencies'), ...Object.keys(optional).flatMap((it) => textsAt(optional, it))]
  const dependencies = written.map(requirementName).filter((it) => it !== '')
  dependencies.push(...Object.keys(tableAt(poetry, 'dependencies')).filter((it) => it !== 'python'))
  const description = textAt(project, 'description') || textAt(poetry, 'description')
  return { ecosystem: 'pypi', name, description: shortened(description), dependencies }
}

function readGoMod(text: string): Declared | null {
  const name = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text)?.[1]
  if (name === undefined) return null
  const dependencies = [...text.matchAll(/^[ \t]*(?:require[ \t]+)?([\w.~-]+\.[\w.~-]+\/[^\s"]+)[ \t]+v\d/gm)].map(
    (it) => it[1],
  )
  return { ecosystem: 'go', name, description: '', dependencies }
}

function readPom(text: string): Declared | null {
  const plain = without(text, '<!--', '-->')
  const parts = ['dependencies', 'dependencyManagement', 'build', 'profiles', 'parent', 'reporting']
  const own = parts.reduce((xml, it) => without(xml, `<${it}>`, `</${it}>`), plain)
  const name = tag(own, 'artifactId')
  if (name === '') return null
  const group = tag(own, 'groupId') || tag(tag(plain, 'parent'), 'groupId')
  const dependencies: string[] = []
  for (const piece of plain.split('<dependency>').slice(1)) {
    const it = piece.slice(0, Math.max(0, piece.indexOf('</dependency>')))
    const id = `${tag(it, 'groupId')}:${tag(it, 'artifactId')}`.replaceAll('${project.groupId}', group)
    if (id !== ':' && !id.includes('$')) dependencies.push(id)
  }
  return { ecosystem: 'maven', name: `${group}:${name}`, description: shortened(tag(own, 'description')), dependencies }
}

/** The text without what stands between the marks, in linear time. */
function without(text: string, open: string, close: string): string {
  const [first, ...rest] = text.split(open)
  return first + rest.map((it) => (it.includes(close) ? it.slice(it.indexOf(close) + close.length) : '')).join('')
}

function tag(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, start)
  return start === -1 || end === -1 ? '' : xml.slice(start + name.length + 2, end).trim()
}

/** `requests[socks]>=2 ; python_version > "3"` → `requests`. */
function requirementName(line: string): string {
  return /^\s*([A-Za-z0-9][\w.-]*)/.exec(line)?.[1] ?? ''
}

function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}

function sorted(map: ReadonlyMap<string, string>): [string, string][] {
  return [...map].sort((a, b) => (a[0] < b[0] ? -1 : 1))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** '' or ending in `/`. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
