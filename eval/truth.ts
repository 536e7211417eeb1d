/**
 * What a compiler says about a project: its definitions and which of them refer to which. Programs under
 * `eval/truth` and indexers say it in pieces (`Said`); `truthFrom` joins overloads, counts and orders.
 */

export interface Truth {
  /** With `/`, relative to the root of the project. */
  files: string[]
  definitions: TruthDefinition[]
  references: { from: number; file: string; to: number; kinds: ReadonlySet<string>; line: number }[]
  /** Pairs of files; `required` ones are those that a reader of the source sees. */
  dependencies: { from: string; to: string; required: boolean }[]
  inherits: { from: number; to: number }[]
  /** Method of a base, and the method that overrides or implements it. */
  dispatch: { declared: number; implementing: number }[]
  /** Names that the compiler itself could not resolve: `scope|name`, a scope being a definition or `f:path`. */
  unknown: ReadonlySet<string>
  /** Names that code calls without writing them, so that an index of names has no reference to them. */
  unwritten: RegExp | null
}

export interface TruthDefinition {
  file: string
  kind: string
  name: string
  /** Line of the name, and all extents: overloads and merged declarations are one definition. */
  line: number
  ranges: { start: number; end: number }[]
  /** A graph is expected to have it: types, functions and methods, not fields or variables. */
  required: boolean
  /** Enclosing definition, NONE at the top. */
  parent: number
}

export const NONE = -1

/** Kinds of references that may be drawn as calls; a decorator and a literal of a type need not be. */
export const CALLS: ReadonlySet<string> = new Set(['call', 'new', 'jsx', 'decorator', 'construct'])

/** Pieces as the programs print them; ids are their own. */
export interface Said {
  files: string[]
  definitions: {
    id: string
    file: string
    kind: string
    name: string
    /** Names from the outermost definition inwards. */
    qualified: string
    start: number
    end: number
    line: number
    required: boolean
    /** Stands in a function. */
    nested?: boolean
    parent?: string
  }[]
  /** `member`: reached through a value, so that its file is not named. */
  references: { from?: string; file: string; to: string; kind: string; line: number; member?: boolean }[]
  /** `optional`: named on the way to something else. */
  dependencies: { from: string; to: string; optional?: boolean }[]
  inherits: { from: string; to: string }[]
  dispatch: { declared: string; implementing: string }[]
  unknown: { from?: string; file: string; name: string }[]
  unwritten?: string
}

const TYPE_KINDS: ReadonlySet<string> = new Set(['type', 'interface', 'class', 'enum', 'struct', 'trait'])
const VALUE_KINDS: ReadonlySet<string> = new Set(['property', 'variable', 'field', 'const'])

export function isValue(kind: string): boolean {
  return VALUE_KINDS.has(kind)
}

export function isType(kind: string): boolean {
  return TYPE_KINDS.has(kind)
}

export function truthFrom(said: Said): Truth {
  const known = new Set(said.files)
  const index = new Map<string, number>()
  const byName = new Map<string, number>()
  const definitions: TruthDefinition[] = []
  const parents: string[] = []
  for (const it of said.definitions) {
    if (!known.has(it.file)) continue
    const group = isValue(it.kind) ? 'value' : isType(it.kind) ? 'type' : 'function'
    const key = `${it.file}|${it.qualified}|${group}${it.nested === true ? `|${it.start}` : ''}`
    const same = byName.get(key)
    if (same !== undefined) {
      const joined = definitions[same]
      joined.ranges.push({ start: it.start, end: it.end })
      if (it.required && !joined.required) Object.assign(joined, { kind: it.kind, line: it.line, required: true })
      index.set(it.id, same)
      continue
    }
    byName.set(key, definitions.length)
    index.set(it.id, definitions.length)
    parents.push(it.parent ?? '')
    const { file, kind, name, line, start, end, required } = it
    definitions.push({ file, kind, name, line, ranges: [{ start, end }], required, parent: NONE })
  }
  definitions.forEach((it, d) => (it.parent = index.get(parents[d]) ?? NONE))

  const references = new Map<string, Truth['references'][number] & { kinds: Set<string> }>()
  const dependencies = new Map<string, { from: string; to: string; required: boolean }>()
  const depend = (from: string, to: string, required: boolean) => {
    if (from === to || !known.has(from) || !known.has(to)) return
    const key = `${from}\n${to}`
    const before = dependencies.get(key)
    dependencies.set(key, { from, to, required: required || before?.required === true })
  }
  for (const { from, file, to, kind, line, member } of said.references) {
    const target = index.get(to)
    const source = from === undefined ? NONE : (index.get(from) ?? NONE)
    if (target === undefined || source === target || !known.has(file)) continue
    const key = `${source}|${source === NONE ? file : ''}|${target}`
    const one = references.get(key)
    if (one === undefined) references.set(key, { from: source, file, to: target, kinds: new Set([kind]), line })
    else one.kinds.add(kind)
    depend(file, definitions[target].file, member !== true)
  }
  for (const { from, to, optional } of said.dependencies) depend(from, to, optional !== true)
  const pairs = new Map<string, { from: number; to: number }>()
  for (const it of said.inherits) {
    const from = index.get(it.from)
    const to = index.get(it.to)
    if (from !== undefined && to !== undefined && from !== to) pairs.set(`${from}|${to}`, { from, to })
  }
  const dispatch = said.dispatch.flatMap((it) => {
    const declared = index.get(it.declared)
    const implementing = index.get(it.implementing)
    return declared === undefined || implementing === undefined || declared === implementing
      ? []
      : [{ declared, implementing }]
  })
  const unknown = new Set(
    said.unknown.map(({ from, file, name }) => `${from === undefined ? `f:${file}` : index.get(from)}|${name}`),
  )
  return {
    files: said.files,
    definitions,
    references: [...references.values()],
    dependencies: [...dependencies.values()],
    inherits: [...pairs.values()],
    dispatch,
    unknown,
    unwritten: said.unwritten === undefined ? null : new RegExp(said.unwritten),
  }
}
