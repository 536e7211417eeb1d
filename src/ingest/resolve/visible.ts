/**
 * What the other files of a project can see of a file, name by name: definitions, imports, exports, the fields of
 * classes, and what the results of functions are made of. Lines, comments and most of what stands inside of
 * functions are none of it.
 */

import { CHECKED_TAGS, PARTLY_CHECKED } from '#graph/checked'
import { type Binding, type Definition, type Facts, isAnonymous, type Reference } from '#ingest/facts'
import type { Source } from '#ingest/resolve/meanings'
import { boundName, isClass } from '#ingest/resolve/program'

/** One thing that a name stands for. */
export interface Statement {
  name: string
  /** Names that mean something else when this changes. A local of a function is seen by its own file alone. */
  local: boolean
  /** All that matters about it, to be compared. */
  text: string
  /** Texts whose names decide what it stands for. */
  means: string[]
  /** The definition that binds it, '' for the file. */
  place: string
  /** The definitions in which those texts are read, with all around them. */
  around: readonly string[]
  source: Source
}

/** Names that the rules of languages look up without a text that mentions them. Their class is what is mentioned. */
const UNWRITTEN =
  /^(?:__\w+__|invoke|new|call|apply|init|constructor|default|return|next|iter|into_iter|deref|index|Item|Target|Output)$/

/** Names under which a function binds what it gives, and a class its metaclass. */
const RESULT = /^(?:return|yield)(?:@\d+)?$|^metaclass@$/

const WORD = /[\p{L}\p{N}_$]+/gu
/** Several definitions of one class add up in them. */
const PARTIAL_CLASSES = new Set(['csharp', 'ruby'])

/** How a file differs from what it was. */
export interface FileChange {
  /** Names that may mean something else to others. */
  names: Set<string>
  /** The same of what is bound inside of functions. */
  locals: Set<string>
  statements: readonly Statement[]
  /** What is written as before, by `keyOf`: where it was. */
  partners: ReadonlyMap<string, Source>
}

/** What is written otherwise after a change of a file; null when the change reaches further than names can tell. */
export function changedNames(before: Facts, after: Facts): FileChange | null {
  if (isMoved(before, after)) return null
  const old = statementsOf(before)
  const now = statementsOf(after)
  const names = new Set<string>()
  const locals = new Set<string>()
  const was = byName(old)
  const is = byName(now)
  const keys = [...was.keys()].filter((it) => is.get(it) !== was.get(it))
  for (const it of is.keys()) if (!was.has(it)) keys.push(it)
  for (const it of keys) {
    const { place, name } = partsOf(it)
    // an operator is used without being mentioned
    if (wordsOf(name).length === 0) return null
    for (const word of wordsOf(name)) {
      if (place === undefined) names.add(word)
      else locals.add(localKey(place, word))
    }
  }
  return { names, locals, statements: now, partners: partnersOf(old, now) }
}

/**
 * Adds what means something else because of what changed in the same file; `differs` tells it of what is written as
 * before. False as null in `changedNames`.
 */
export function spreadChange(
  { names, locals, statements, partners }: FileChange,
  { before, after }: { before: Facts; after: Facts },
  differs: (old: Source, now: Source) => boolean,
): boolean {
  spread(statements, { mentioned: names, names, locals }, ({ source }) => {
    const partner = partners.get(keyOf(source))
    return partner === undefined || differs(partner, source)
  })
  // a class that stands below others in another way changes what those have below them
  return ![before, after].some((it) => changesHeritage(it, names, before, after))
}

/** Whether a class may be one of several that add up. */
function isPart(language: string, { tags }: Definition): boolean {
  return PARTIAL_CLASSES.has(language) || tags.includes('expect') || tags.includes('actual')
}

/** A name as texts are searched for it: `empty?` is `empty`. */
function wordsOf(name: string): string[] {
  return name.match(WORD) ?? []
}

/**
 * Adds to `names` those of a file that may mean something else because the `mentioned` ones do elsewhere. False as null
 * in `changedNames`.
 */
export function reachNames(
  facts: Facts,
  mentioned: ReadonlySet<string>,
  names: Set<string>,
  differs: (source: Source) => boolean,
): boolean {
  if (facts.definitions.some((it) => it.owner !== undefined && mentions(it.owner, mentioned))) return false
  const isOtherBase = (it: Reference, at: number) =>
    it.relation === 'implements' && isBaseAmong(it, mentioned) && differs({ kind: 'reference', at })
  if (facts.references.some(isOtherBase)) return false
  const sets = { mentioned: new Set(mentioned), names, locals: new Set<string>() }
  spread(statementsOf(facts), sets, ({ source }) => differs(source))
  return true
}

/** For each statement the one of before that is written alike, of several alike the one in the same order. */
function partnersOf(old: readonly Statement[], now: readonly Statement[]): Map<string, Source> {
  const waiting = new Map<string, Source[]>()
  const textOf = ({ name, place, text }: Statement) => [name, place, text].join('\0')
  for (const it of old) {
    const list = waiting.get(textOf(it))
    if (list) list.push(it.source)
    else waiting.set(textOf(it), [it.source])
  }
  const partners = new Map<string, Source>()
  for (const it of now) {
    const partner = waiting.get(textOf(it))?.shift()
    if (partner !== undefined) partners.set(keyOf(it.source), partner)
  }
  return partners
}

export function keyOf({ kind, at }: Source): string {
  return `${kind} ${at}`
}

/** Whether the text of a file has one of the names anywhere. `isNamed` tells it of a text. */
export function isMentioned(facts: Facts, isNamed: (text: string) => boolean): boolean {
  const { definitions, imports, exports, bindings, references, named } = facts
  return (
    references.some((it) => isNamed(it.path) || (it.argTypes?.some(isNamed) ?? false)) ||
    bindings.some((it) => isNamed(it.name) || isNamed(it.type) || isNamed(it.value)) ||
    imports.some((it) => isNamed(it.name) || isNamed(it.alias) || isNamed(it.module)) ||
    definitions.some(
      (it) =>
        isNamed(it.name) ||
        isNamed(it.type ?? '') ||
        isNamed(it.owner ?? '') ||
        (it.parameters?.some(isNamed) ?? false),
    ) ||
    exports.some((it) => isNamed(it.name) || isNamed(it.local)) ||
    named.some((it) => it.form === 'name' && isNamed(it.text))
  )
}

/** A test for texts that have one of the names as a whole word. */
export function namedIn(names: ReadonlySet<string>): (text: string) => boolean {
  const escaped = [...names].map((it) => it.replaceAll('$', '\\$'))
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_$])(?:${escaped.join('|')})(?![\\p{L}\\p{N}_$])`, 'u')
  return (text) => text !== '' && pattern.test(text)
}

const OF_COMPILERS: ReadonlySet<string> = new Set([...Object.values(CHECKED_TAGS), PARTLY_CHECKED])

/** Changes that no name tells: of the role of the file, of what it brings in whole, of whether it exports at all. */
function isMoved(before: Facts, after: Facts): boolean {
  const frame = ({ language, package: own, tags, imports, exports, definitions, references }: Facts) =>
    JSON.stringify([
      language,
      own,
      tags.filter((it) => !OF_COMPILERS.has(it)),
      imports
        .filter((it) => it.name === '*' || it.kind === 'include' || it.kind === 'module' || it.kind === 'reexport')
        .map((it) => ({ ...it, line: 0 })),
      references
        .filter((it) => it.relation === 'implements' && it.owner !== undefined)
        .map((it) => ({ ...it, line: 0 })),
      imports.length === 0,
      exports.length === 0,
      exports.filter((it) => it.name === 'default').map((it) => it.local),
      definitions.some((it) => it.exported === true),
      definitions.filter((it) => it.kind === 'mod').map((it) => [it.name, it.parent]),
      definitions.flatMap((it, d) =>
        isAnonymous(it) && isClass(it) ? [heritageOf({ definitions, references }, d)] : [],
      ),
      definitions.filter((it) => isClass(it) && isPart(language, it)).map((it) => [it.name, it.kind]),
    ])
  return frame(before) !== frame(after)
}

/** Name → everything that it stands for, in order; locals with the place that binds them. */
function byName(statements: readonly Statement[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { name, local, text, place } of statements) {
    const key = local ? localKey(place, name) : name
    texts.set(key, `${texts.get(key) ?? ''}\n${text}`)
  }
  return texts
}

function localKey(place: string, name: string): string {
  return `${place}\0${name}`
}

/** Of a key of `byName`; a place only for what is local. */
function partsOf(key: string): { place: string | undefined; name: string } {
  const at = key.lastIndexOf('\0')
  return at < 0 ? { place: undefined, name: key } : { place: key.slice(0, at), name: key.slice(at + 1) }
}

interface Reached {
  /** Names that mean something else, here or elsewhere. */
  mentioned: Set<string>
  /** Those that do in this file. */
  names: Set<string>
  locals: Set<string>
}

/** Adds the names of statements that depend upon names in the sets and differ, until there are no more. */
function spread(
  statements: readonly Statement[],
  { mentioned, names, locals }: Reached,
  differs: (statement: Statement) => boolean,
): void {
  for (let size = -1; size !== names.size + locals.size; ) {
    size = names.size + locals.size
    for (const it of statements) {
      const words = wordsOf(it.name)
      if (words.every((word) => (it.local ? locals.has(localKey(it.place, word)) : names.has(word)))) continue
      if (!it.means.some((text) => mentions(text, mentioned) || mentionsLocal(text, locals, it.around))) continue
      if (!differs(it)) continue
      for (const word of words) {
        if (it.local) locals.add(localKey(it.place, word))
        else {
          names.add(word)
          mentioned.add(word)
        }
      }
    }
  }
}

/** Whether a text has one of the locals of the definitions around it. */
function mentionsLocal(text: string, locals: ReadonlySet<string>, around: readonly string[]): boolean {
  if (locals.size === 0 || text === '') return false
  for (const [word] of text.matchAll(WORD)) if (around.some((it) => locals.has(localKey(it, word)))) return true
  return false
}

function mentions(text: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0 || text === '') return false
  for (const [word] of text.matchAll(WORD)) if (names.has(word)) return true
  return false
}

function isBaseAmong({ path, argTypes, owner }: Reference, names: ReadonlySet<string>): boolean {
  return mentions(path, names) || mentions(owner ?? '', names) || (argTypes?.some((it) => mentions(it, names)) ?? false)
}

/** Whether a class of both has another place among classes, or one that is new or gone joins several. */
function changesHeritage(facts: Facts, names: ReadonlySet<string>, before: Facts, after: Facts): boolean {
  const bases = new Map<number, number>()
  for (const it of facts.references) {
    if (it.relation !== 'implements') continue
    bases.set(it.from, (bases.get(it.from) ?? 0) + 1)
    if (isBaseAmong(it, names)) return true
  }
  const other = facts === before ? after : before
  const others = new Set(other.definitions.map((it, d) => `${it.name} ${heritageOf(other, d)}`))
  return facts.definitions.some((it, d) => {
    if (!mentions(it.name, names)) return false
    if (bases.get(d) !== undefined && !isClass(it)) return true
    if (others.has(`${it.name} ${heritageOf(facts, d)}`)) return false
    const isInBoth = other.definitions.some((one) => one.name === it.name && isClass(one))
    return isClass(it) && (isInBoth || (bases.get(d) ?? 0) > 1)
  })
}

function heritageOf({ references }: Pick<Facts, 'definitions' | 'references'>, d: number): string {
  return references
    .filter((it) => it.relation === 'implements' && it.from === d)
    .map((it) => `${it.path} ${it.argTypes?.join() ?? ''}`)
    .join()
}

function statementsOf(facts: Facts): Statement[] {
  const { definitions, imports, exports, bindings, references } = facts
  const statements: Statement[] = []
  const places: string[] = []
  const arounds: (readonly string[])[] = []
  const placeOf = (scope: number) => (scope < 0 ? '' : places[scope])
  const aroundOf = (scope: number) => (scope < 0 ? NOWHERE : arounds[scope])
  const isInFunction = (scope: number) => scope >= 0 && definitions[scope].kind === 'fn'
  const visible = (name: string, scope: number, source: Source, text: string, means: string[]): Statement => {
    return { name, local: false, text, means, place: placeOf(scope), around: aroundOf(scope), source }
  }

  definitions.forEach((it, d) => {
    const { name, kind, parent, owner = '', type = '', parameters = [] } = it
    places.push(`${placeOf(parent)}/${kind} ${owner} ${name}`)
    arounds.push([places[d], ...aroundOf(parent)])
    // a lambda is part of the function around it
    if (isAnonymous(it) && kind === 'fn') return
    const text = JSON.stringify([places[d], { ...it, parent: 0, line: 0, endLine: 0, nameLine: 0, excerpt: '' }])
    const means = [type, owner, ...parameters]
    const source: Source = { kind: 'definition', at: d }
    statements.push(visible(name, d, source, text, means))
    if (!UNWRITTEN.test(name)) return
    for (let p = parent; p >= 0; p = definitions[p].parent)
      statements.push(visible(definitions[p].name, d, source, text, means))
    for (const [word] of owner.matchAll(WORD)) statements.push(visible(word, d, source, text, means))
  })
  references.forEach(({ from, path, argTypes, relation }, at) => {
    if (relation !== 'implements' || from < 0) return
    const means = [path, ...(argTypes ?? [])]
    statements.push(visible(definitions[from].name, from, { kind: 'reference', at }, `is ${means.join()}`, means))
  })
  exports.forEach(({ name, local }, at) => {
    statements.push(visible(name, -1, { kind: 'export', at }, `out ${local}`, [local]))
  })

  const hidden: Statement[] = []
  imports.forEach((item, at) => {
    const { module, name, alias, scope } = item
    const text = JSON.stringify([placeOf(scope), { ...item, scope: 0, line: 0 }])
    const isOffered = scope >= 0 && definitions[scope].name === '__getattr__'
    const local = isInFunction(scope) && !isOffered
    for (const it of new Set([boundName(item), alias])) {
      if (it === '') continue
      const statement = visible(it, scope, { kind: 'import', at }, text, name === '' ? [module] : [name])
      if (local) hidden.push({ ...statement, local })
      else statements.push(statement)
    }
  })
  bindings.forEach((it, at) => {
    const { scope, name, type, value, valueScope } = it
    const where = valueScope === undefined ? '' : placeOf(valueScope)
    const text = JSON.stringify([placeOf(scope), where, { ...it, scope: 0, valueScope: 0, line: 0 }])
    const dot = name.lastIndexOf('.')
    const statement = visible(name, scope, { kind: 'binding', at }, text, [type, value])
    if (valueScope !== undefined) statement.around = [...statement.around, ...aroundOf(valueScope)]
    if (scope >= 0 && (RESULT.test(name) || isParameterOfClass(it, facts)))
      statements.push({ ...statement, name: definitions[scope].name })
    // what is put on something else is seen there
    else if (dot >= 0)
      statements.push({ ...statement, name: name.slice(dot + 1), means: [type, value, name.slice(0, dot)] })
    else if (!isInFunction(scope)) statements.push(statement)
    else hidden.push({ ...statement, local: true })
  })
  for (const it of shownOf(hidden, statements)) statements.push(it)
  return statements
}

const NOWHERE: readonly string[] = []

function isParameterOfClass({ kind, scope }: Binding, { definitions }: Facts): boolean {
  return kind === 'parameter' && scope >= 0 && isClass(definitions[scope])
}

/** Of what is bound inside of functions that which others can come to see, since something visible is made of it. */
function shownOf(hidden: readonly Statement[], visible: readonly Statement[]): Statement[] {
  const named = new Map<string, Statement[]>()
  for (const it of hidden) {
    const key = localKey(it.place, it.name)
    const list = named.get(key)
    if (list) list.push(it)
    else named.set(key, [it])
  }
  const shown: Statement[] = []
  const queue = [...visible]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (at.around.length === 0) continue
    for (const text of at.means) {
      for (const [word] of text.matchAll(WORD)) {
        for (const place of at.around) {
          const key = localKey(place, word)
          const found = named.get(key)
          if (found === undefined) continue
          named.delete(key)
          shown.push(...found)
          queue.push(...found)
        }
      }
    }
  }
  // in the order of the text, as the first of several counts
  const isShown = new Set(shown)
  return hidden.filter((it) => isShown.has(it))
}
