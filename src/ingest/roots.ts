/**
 * Roots: definitions that something outside of the project's own code calls: a framework, a test runner, the
 * runtime, the language. They get tags, so that having no caller in the project is no sign of being dead.
 */

import { ROOT_TAG } from '#graph/roots'
import type { Definition } from '#ingest/facts'
import { C, GO, LUA, RUST, SWIFT } from '#ingest/roots/systems'
import { CSHARP, PHP, RUBY } from '#ingest/roots/web'
import { ES, PLAIN_ES } from '#ingest/roots/es'
import { JVM } from '#ingest/roots/jvm'
import { PLAIN_PYTHON, PYTHON } from '#ingest/roots/python'
import { REGISTRATIONS } from '#ingest/roots/registrations'
import type { RootRule } from '#ingest/roots/rule'
import type { FactsBuilder } from '#ingest/source'

const RULES: Readonly<Record<string, readonly RootRule[]>> = {
  python: PYTHON,
  typescript: ES,
  tsx: ES,
  javascript: ES,
  go: GO,
  rust: RUST,
  java: JVM,
  kotlin: JVM,
  scala: JVM,
  c: C,
  cpp: C,
  csharp: CSHARP,
  swift: SWIFT,
  php: PHP,
  ruby: RUBY,
  lua: LUA,
}
/** Languages whose decorators are handed what they stand on, and those of them that do not call it. */
const PLAIN_DECORATORS: Readonly<Record<string, RegExp>> = {
  python: PLAIN_PYTHON,
  typescript: PLAIN_ES,
  tsx: PLAIN_ES,
  javascript: PLAIN_ES,
}
const TYPES: ReadonlySet<string> = new Set(['class', 'struct', 'enum', 'interface', 'trait', 'type', 'mod'])

/** Adds the tags of the rules that hold. Pure in the file's text and facts. */
export function tagRoots(builder: FactsBuilder): void {
  const { facts, source } = builder
  const all = RULES[facts.language]
  if (all === undefined || facts.definitions.length === 0) return
  const rules = all.filter(
    ({ path, imports }) =>
      (path === undefined || path.test(source.path)) &&
      (imports === undefined || facts.imports.some((it) => imports.test(it.module))),
  )
  const plain = PLAIN_DECORATORS[facts.language]
  const bases = new Bases(builder)
  const exported = new Set(facts.exports.flatMap((it) => [it.name, it.local]))
  for (let d = 0; d < facts.definitions.length; d++) {
    const it = facts.definitions[d]
    const head = headOf(builder, d)
    const markers = /[@[]/.test(head) ? markersIn(head) : []
    const parent = it.parent < 0 ? undefined : facts.definitions[it.parent]
    const isType = TYPES.has(it.kind)
    const within =
      parent !== undefined && (TYPES.has(parent.kind) || parent.kind === 'const') ? parent.name : (it.owner ?? '')
    const kinds: string[] = []
    for (const rule of rules) {
      if (rule.of === 'function' ? it.kind !== 'fn' : rule.of === 'type' && !isType) continue
      if (rule.marker !== undefined && markers.length === 0) continue
      if (rule.name !== undefined && !rule.name.test(it.name)) continue
      if (rule.arity !== undefined && rule.arity !== it.arity) continue
      if (rule.member !== undefined && rule.member !== (within !== '')) continue
      if (rule.within !== undefined && (within === '' || !rule.within.test(within))) continue
      if (rule.exported === true && it.exported !== true && !exported.has(it.name)) continue
      if (rule.head !== undefined && !rule.head.test(head)) continue
      const { marker, base } = rule
      if (marker !== undefined && !markers.some((one) => marker.test(one))) continue
      if (base !== undefined && !bases.of(isType ? d : it.parent, it.owner).some((one) => base.test(one))) continue
      for (const tag of rule.tags ?? []) add(it, tag)
      kinds.push(rule.kind)
    }
    if (kinds.length === 0 && plain !== undefined && markers.some((one) => !plain.test(one))) kinds.push('decorator')
    for (const kind of kinds) add(it, ROOT_TAG + kind)
  }
  tagRegistered(builder)
}

function add({ tags }: Definition, tag: string): void {
  if (!tags.includes(tag)) tags.push(tag)
}

/** What is written before the name of a definition, with a directive comment on the line above it. */
function headOf({ facts, source, starts }: FactsBuilder, d: number): string {
  const { text, lineStarts } = source
  const { name, line, nameLine } = facts.definitions[d]
  const start = starts[d]
  const at = text.indexOf(name, Math.max(start, lineStarts[nameLine - 1]))
  const above = line > 1 ? text.slice(lineStarts[line - 2], lineStarts[line - 1]) : ''
  return (above.startsWith('//') ? above : '') + text.slice(start, at < 0 ? start : at)
}

/** Tags functions of the file that a line hands to a framework, as in `router.get('/', index)`. */
function tagRegistered({ facts }: FactsBuilder): void {
  const rules = (REGISTRATIONS[facts.language] ?? []).filter(({ imports }) =>
    facts.imports.some((it) => imports.test(it.module)),
  )
  if (rules.length === 0) return
  const lines = new Map<number, string>()
  for (const { relation, path, line, unreachable } of facts.references) {
    if (relation !== 'calls' || unreachable === true) continue
    const rule = rules.find((it) => it.call.test(path))
    if (rule !== undefined) lines.set(line, rule.kind)
  }
  if (lines.size === 0) return
  const functions = new Map(facts.definitions.filter((it) => it.kind === 'fn').map((it) => [it.name, it]))
  for (const { relation, path, line } of facts.references) {
    const kind = lines.get(line)
    if (kind === undefined || (relation !== 'references' && relation !== 'registers')) continue
    const handed = functions.get(path.slice(path.lastIndexOf('.') + 1))
    if (handed === undefined) continue
    add(handed, 'route')
    add(handed, ROOT_TAG + kind)
  }
}

/**
 * Names of annotations, decorators and attributes in a head: `@app.route("/")` → `app.route`,
 * `#[tokio::main]` → `tokio.main`, `[Theory, InlineData(1)]` → `Theory`, `InlineData`.
 */
export function markersIn(head: string): string[] {
  const markers: string[] = []
  // per open bracket whether names in it are attributes
  const open: boolean[] = []
  for (let i = 0; i < head.length; i++) {
    const c = head[i]
    if (c === '"' || c === "'" || c === '`') i = endOfString(head, i)
    else if (head.startsWith('//', i)) i = endOfLine(head, i)
    else if (c === '#' && head[i + 1] !== '[' && head[i + 1] !== '!') i = endOfLine(head, i)
    else if (head.startsWith('/*', i)) i = Math.max(i, head.indexOf('*/', i))
    else if (c === ')' || c === ']' || c === '}') open.pop()
    else if (c === '(' || c === '{') open.push(false)
    else if (c === '@' && open.length === 0) i = read(i + 1)
    else if (c === '[') {
      open.push(open.length === 0)
      if (open.length === 1) i = read(i + 1)
    } else if (c === ',' && open.length === 1 && open[0]) i = read(i + 1)
  }
  return markers

  /** Reads a name at `at` and returns where it ends, before the next character to look at. */
  function read(at: number): number {
    const found =
      /^\s*(?:unsafe\s*\(\s*|(?:assembly|return|method|file|get|set|field|param|property)\s*:\s*)?([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}_$][\p{L}\p{N}_$]*)*)/u.exec(
        head.slice(at, at + 200),
      )
    if (found === null) return at - 1
    markers.push(found[1].replace(/::|\\/g, '.'))
    return at + found[0].length - 1
  }
}

function endOfString(text: string, start: number): number {
  const quote = text[start]
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === quote) return i
    else if (text[i] === '\n' && quote !== '`') return start
  }
  return start
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

/** Names of the bases of types, through other types of the same file. */
class Bases {
  readonly #builder: FactsBuilder
  #written: Map<number, string[]> | null = null
  readonly #known = new Map<number, string[]>()

  constructor(builder: FactsBuilder) {
    this.#builder = builder
  }

  /** Last names and paths of the bases of definition `d`, or of the type named `owner`. */
  of(d: number, owner = ''): readonly string[] {
    const type = owner === '' ? d : this.#builder.typeNamed(owner.replace(/<.*$/s, ''))
    return type < 0 ? [] : this.#reach(type, 0)
  }

  #reach(type: number, depth: number): readonly string[] {
    const known = this.#known.get(type)
    if (known !== undefined) return known
    this.#written ??= this.#read()
    this.#known.set(type, [])
    // there may be many ways to one base
    const names = new Set<string>()
    for (const path of this.#written.get(type) ?? []) {
      names.add(path.slice(path.lastIndexOf('.') + 1)).add(path)
      const next = path.includes('.') ? -1 : this.#builder.typeNamed(path)
      if (next >= 0 && next !== type && depth < MAX_DEPTH) for (const it of this.#reach(next, depth + 1)) names.add(it)
    }
    const all = [...names]
    this.#known.set(type, all)
    return all
  }

  #read(): Map<number, string[]> {
    const written = new Map<number, string[]>()
    for (const { from, relation, path } of this.#builder.facts.references) {
      if (relation !== 'implements') continue
      const paths = written.get(from)
      if (paths === undefined) written.set(from, [path])
      else paths.push(path)
    }
    return written
  }
}

/** Bases of bases that are followed. */
const MAX_DEPTH = 8
