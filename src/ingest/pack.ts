/**
 * Facts of many files as one text and one array of integers. Records by the hundred thousand cost far more to
 * hand from a worker to another thread, and to keep between two ingests, than two buffers do.
 *
 * Layout of `ints`: number of strings, length of each (UTF-16 units, one after the other in `strings`), number
 * of files, position of each file, then the files. A list is written as its length and its items, a string as
 * its number, an absent optional field by a clear bit in the flags of its record.
 */

import type { Binding, Definition, DefinitionKind, Export, Facts, Import, Named, Reference, Words } from '#ingest/facts'

export interface Packed {
  strings: string
  ints: Int32Array<ArrayBuffer>
}

const KINDS: readonly DefinitionKind[] = [
  'class',
  'struct',
  'enum',
  'interface',
  'trait',
  'type',
  'fn',
  'mod',
  'variant',
  'const',
  'route',
  'table',
  'section',
]
const IMPORT_KINDS: readonly Import['kind'][] = [
  'import',
  'type',
  'reexport',
  'require',
  'dynamic',
  'include',
  'module',
  'comment',
]
const FORMS: readonly Named['form'][] = ['name', 'path', 'beside', 'word']
const BINDING_KINDS: readonly Binding['kind'][] = ['parameter', 'local', 'field']

export function packFacts(files: readonly Facts[]): Packed {
  const writer = new Writer()
  const starts: number[] = []
  for (const facts of files) {
    starts.push(writer.length)
    writeFacts(writer, facts)
  }
  const strings = [...writer.strings.keys()]
  const head = 2 + strings.length + starts.length
  const ints = new Int32Array(head + writer.length)
  let at = 0
  ints[at++] = strings.length
  for (const it of strings) ints[at++] = it.length
  ints[at++] = starts.length
  for (const start of starts) ints[at++] = head + start
  ints.set(writer.ints.subarray(0, writer.length), head)
  return { strings: strings.join(''), ints }
}

/** Number of files in a package. */
export function countOf({ ints }: Packed): number {
  return ints[1 + ints[0]]
}

/** Reads packed facts file by file, in any order. Equal strings of one package are one string. */
export class Unpacker {
  private readonly packed: Packed
  private readonly files: number
  private readonly ends: Int32Array
  private readonly known: string[] = []
  private at = 0

  constructor(packed: Packed) {
    this.packed = packed
    const { ints } = packed
    const nStrings = ints[0]
    this.ends = new Int32Array(nStrings)
    let end = 0
    for (let i = 0; i < nStrings; i++) {
      end += ints[1 + i]
      this.ends[i] = end
    }
    this.files = 2 + nStrings
  }

  /** Number of definitions of a file, without reading the rest. */
  definitionCount(file: number): number {
    const { ints } = this.packed
    // language, package, tags, excerpt, lines and whether it is partial come before the definitions
    const tags = this.packed.ints[this.files + file] + 2
    return ints[tags + 1 + ints[tags] + 3]
  }

  facts(file: number): Facts {
    this.at = this.packed.ints[this.files + file]
    return {
      language: this.text(),
      package: this.text(),
      tags: this.texts(),
      excerpt: this.text(),
      lines: this.int(),
      partial: this.int() === 1,
      definitions: this.list(() => this.definition()),
      imports: this.list(() => this.import()),
      exports: this.list((): Export => ({ name: this.text(), local: this.text(), line: this.int() })),
      bindings: this.list(() => this.binding()),
      references: this.list(() => this.reference()),
      named: this.list((): Named => {
        return { from: this.int(), line: this.int(), form: FORMS[this.int()], text: this.text() }
      }),
      dynamic: this.list(() => ({ line: this.int(), text: this.text() })),
      patterns: this.list(() => ({ rule: this.text(), line: this.int(), text: this.text(), remedy: this.text() })),
      problems: this.list(() => ({ line: this.int(), message: this.text() })),
      words: this.words(),
    }
  }

  private int(): number {
    return this.packed.ints[this.at++]
  }

  private text(): string {
    const i = this.packed.ints[this.at++]
    const known = this.known[i]
    if (known !== undefined) return known
    const text = this.packed.strings.slice(i === 0 ? 0 : this.ends[i - 1], this.ends[i])
    this.known[i] = text
    return text
  }

  private texts(): string[] {
    return this.list(() => this.text())
  }

  private list<T>(read: () => T): T[] {
    const length = this.int()
    const items: T[] = []
    for (let i = 0; i < length; i++) items.push(read())
    return items
  }

  private definition(): Definition {
    const it: Definition = {
      name: this.text(),
      kind: KINDS[this.int()],
      parent: this.int(),
      line: this.int(),
      endLine: this.int(),
      nameLine: this.int(),
      tags: this.texts(),
      excerpt: this.text(),
    }
    const flags = this.int()
    if (flags & 1) it.owner = this.text()
    if (flags & 2) it.type = this.text()
    if (flags & 4) it.arity = this.int()
    if (flags & 8) it.parameters = this.texts()
    if (flags & 16) it.exported = (flags & 32) !== 0
    if (flags & 64) it.signature = this.text()
    return it
  }

  private import(): Import {
    const it: Import = {
      kind: IMPORT_KINDS[this.int()],
      module: this.text(),
      name: this.text(),
      alias: this.text(),
      scope: this.int(),
      line: this.int(),
    }
    const flags = this.int()
    if (flags & 1) it.conditional = (flags & 2) !== 0
    if (flags & 4) it.condition = this.text()
    return it
  }

  private binding(): Binding {
    const it: Binding = {
      scope: this.int(),
      name: this.text(),
      kind: BINDING_KINDS[this.int()],
      type: this.text(),
      value: this.text(),
      line: this.int(),
    }
    const flags = this.int()
    if (flags & 1) it.valueScope = this.int()
    return it
  }

  private reference(): Reference {
    const it: Reference = { from: this.int(), relation: this.text(), path: this.text(), line: this.int() }
    const flags = this.int()
    if (flags & 1) it.args = this.int()
    if (flags & 2) it.unreachable = (flags & 4) !== 0
    if (flags & 8) it.argTypes = this.texts()
    if (flags & 16) it.owner = this.text()
    return it
  }

  private words(): Words {
    const terms = this.texts()
    const length = this.int()
    const { ints } = this.packed
    const owner = ints.subarray(this.at, this.at + length)
    const term = new Uint32Array(ints.buffer, ints.byteOffset + 4 * (this.at + length), length)
    const field = new Uint8Array(length)
    const count = new Uint16Array(length)
    for (let i = 0, at = this.at + 2 * length; i < length; i++, at++) {
      field[i] = ints[at] >>> 16
      count[i] = ints[at] & 0xffff
    }
    this.at += 3 * length
    return { terms, owner, term, field, count }
  }
}

class Writer {
  readonly strings = new Map<string, number>()
  ints = new Int32Array(1 << 16)
  length = 0

  int(value: number): void {
    if (this.length === this.ints.length) this.grow(this.length + 1)
    this.ints[this.length++] = value
  }

  text(value: string): void {
    let i = this.strings.get(value)
    if (i === undefined) {
      i = this.strings.size
      this.strings.set(value, i)
    }
    this.int(i)
  }

  texts(values: readonly string[]): void {
    this.int(values.length)
    for (const it of values) this.text(it)
  }

  array(values: Int32Array | Uint32Array): void {
    if (this.length + values.length > this.ints.length) this.grow(this.length + values.length)
    this.ints.set(values, this.length)
    this.length += values.length
  }

  private grow(least: number): void {
    const larger = new Int32Array(Math.max(least, 2 * this.ints.length))
    larger.set(this.ints)
    this.ints = larger
  }
}

function writeFacts(writer: Writer, facts: Facts): void {
  writer.text(facts.language)
  writer.text(facts.package)
  writer.texts(facts.tags)
  writer.text(facts.excerpt)
  writer.int(facts.lines)
  writer.int(facts.partial ? 1 : 0)
  writer.int(facts.definitions.length)
  for (const it of facts.definitions) writeDefinition(writer, it)
  writer.int(facts.imports.length)
  for (const it of facts.imports) writeImport(writer, it)
  writer.int(facts.exports.length)
  for (const it of facts.exports) {
    writer.text(it.name)
    writer.text(it.local)
    writer.int(it.line)
  }
  writer.int(facts.bindings.length)
  for (const it of facts.bindings) writeBinding(writer, it)
  writer.int(facts.references.length)
  for (const it of facts.references) writeReference(writer, it)
  writer.int(facts.named.length)
  for (const it of facts.named) {
    writer.int(it.from)
    writer.int(it.line)
    writer.int(FORMS.indexOf(it.form))
    writer.text(it.text)
  }
  writer.int(facts.dynamic.length)
  for (const it of facts.dynamic) {
    writer.int(it.line)
    writer.text(it.text)
  }
  writer.int(facts.patterns.length)
  for (const it of facts.patterns) {
    writer.text(it.rule)
    writer.int(it.line)
    writer.text(it.text)
    writer.text(it.remedy)
  }
  writer.int(facts.problems.length)
  for (const it of facts.problems) {
    writer.int(it.line)
    writer.text(it.message)
  }
  writeWords(writer, facts.words)
}

function writeDefinition(writer: Writer, it: Definition): void {
  writer.text(it.name)
  writer.int(KINDS.indexOf(it.kind))
  writer.int(it.parent)
  writer.int(it.line)
  writer.int(it.endLine)
  writer.int(it.nameLine)
  writer.texts(it.tags)
  writer.text(it.excerpt)
  const { owner, type, arity, parameters, exported, signature } = it
  writer.int(
    (owner === undefined ? 0 : 1) |
      (type === undefined ? 0 : 2) |
      (arity === undefined ? 0 : 4) |
      (parameters === undefined ? 0 : 8) |
      (exported === undefined ? 0 : 16) |
      (exported ? 32 : 0) |
      (signature === undefined ? 0 : 64),
  )
  if (owner !== undefined) writer.text(owner)
  if (type !== undefined) writer.text(type)
  if (arity !== undefined) writer.int(arity)
  if (parameters !== undefined) writer.texts(parameters)
  if (signature !== undefined) writer.text(signature)
}

function writeImport(writer: Writer, it: Import): void {
  writer.int(IMPORT_KINDS.indexOf(it.kind))
  writer.text(it.module)
  writer.text(it.name)
  writer.text(it.alias)
  writer.int(it.scope)
  writer.int(it.line)
  writer.int((it.conditional === undefined ? 0 : 1) | (it.conditional ? 2 : 0) | (it.condition === undefined ? 0 : 4))
  if (it.condition !== undefined) writer.text(it.condition)
}

function writeBinding(writer: Writer, it: Binding): void {
  writer.int(it.scope)
  writer.text(it.name)
  writer.int(BINDING_KINDS.indexOf(it.kind))
  writer.text(it.type)
  writer.text(it.value)
  writer.int(it.line)
  writer.int(it.valueScope === undefined ? 0 : 1)
  if (it.valueScope !== undefined) writer.int(it.valueScope)
}

function writeReference(writer: Writer, it: Reference): void {
  writer.int(it.from)
  writer.text(it.relation)
  writer.text(it.path)
  writer.int(it.line)
  const { args, argTypes, owner, unreachable } = it
  writer.int(
    (args === undefined ? 0 : 1) |
      (unreachable === undefined ? 0 : 2) |
      (unreachable ? 4 : 0) |
      (argTypes === undefined ? 0 : 8) |
      (owner === undefined ? 0 : 16),
  )
  if (args !== undefined) writer.int(args)
  if (argTypes !== undefined) writer.texts(argTypes)
  if (owner !== undefined) writer.text(owner)
}

function writeWords(writer: Writer, { terms, owner, term, field, count }: Words): void {
  writer.texts(terms)
  writer.int(owner.length)
  writer.array(owner)
  writer.array(term)
  for (let i = 0; i < owner.length; i++) writer.int((field[i] << 16) | count[i])
}
