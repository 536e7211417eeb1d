import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Binding,
  type Definition,
  emptyFacts,
  type Export,
  type Facts,
  type Import,
  type Named,
  type Reference,
  type Words,
} from '#ingest/facts'
import { countOf, packFacts, Unpacker } from '#ingest/pack'

const text = fc.oneof(fc.constantFrom('', 'total', 'Cart', 'péage', '漢字', '😀'), fc.string({ unit: 'binary' }))
const int = fc.integer({ min: -1, max: 0x7fffffff })
const texts = fc.array(text, { maxLength: 3 })

// typed in full, so that a field added to the facts and forgotten here does not compile
const definition: fc.Arbitrary<Definition> = fc
  .record<Required<Definition>, 'name'>(
    {
      name: text,
      kind: fc.constantFrom('class', 'fn', 'section', 'route', 'variant'),
      parent: int,
      line: int,
      endLine: int,
      nameLine: int,
      tags: texts,
      excerpt: text,
      owner: text,
      type: text,
      arity: int,
      parameters: texts,
      exported: fc.boolean(),
      signature: text,
    },
    { requiredKeys: ['name'] },
  )
  .map((it) => ({ kind: 'fn', parent: -1, line: 1, endLine: 2, nameLine: 1, tags: [], excerpt: '', ...it }))
const item: fc.Arbitrary<Import> = fc
  .record<Required<Import>, 'module'>(
    {
      kind: fc.constantFrom('import', 'type', 'reexport', 'require', 'dynamic', 'include', 'module'),
      module: text,
      name: text,
      alias: text,
      scope: int,
      line: int,
      conditional: fc.boolean(),
      condition: text,
    },
    { requiredKeys: ['module'] },
  )
  .map((it) => ({ kind: 'import', name: '', alias: '', scope: -1, line: 1, ...it }))
const binding: fc.Arbitrary<Binding> = fc
  .record<Required<Binding>, 'name'>(
    {
      scope: int,
      name: text,
      kind: fc.constantFrom('parameter', 'local', 'field'),
      type: text,
      value: text,
      valueScope: int,
      line: int,
    },
    { requiredKeys: ['name'] },
  )
  .map((it) => ({ scope: -1, kind: 'local', type: '', value: '', line: 1, ...it }))
const reference: fc.Arbitrary<Reference> = fc
  .record<Required<Reference>, 'path'>(
    {
      from: int,
      relation: text,
      path: text,
      line: int,
      args: int,
      argTypes: texts,
      owner: text,
      unreachable: fc.boolean(),
    },
    { requiredKeys: ['path'] },
  )
  .map((it) => ({ from: -1, relation: 'calls', line: 1, ...it }))
const exported: fc.Arbitrary<Export> = fc.record<Required<Export>>(
  { name: text, local: text, line: int },
  { noNullPrototype: true },
)
const named: fc.Arbitrary<Named> = fc.record<Required<Named>>(
  { from: int, line: int, form: fc.constantFrom('name', 'path', 'beside', 'word'), text },
  { noNullPrototype: true },
)
const words: fc.Arbitrary<Words> = fc
  .array(fc.tuple(int, fc.nat(), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 0xffff })), {
    maxLength: 20,
  })
  .chain((rows) =>
    fc.record({
      terms: texts,
      owner: fc.constant(Int32Array.from(rows, (it) => it[0])),
      term: fc.constant(Uint32Array.from(rows, (it) => it[1])),
      field: fc.constant(Uint8Array.from(rows, (it) => it[2])),
      count: fc.constant(Uint16Array.from(rows, (it) => it[3])),
    }),
  )
  .map((it) => ({ ...it }))
const facts: fc.Arbitrary<Facts> = fc
  .record<Required<Facts>>({
    language: text,
    definitions: fc.array(definition, { maxLength: 4 }),
    imports: fc.array(item, { maxLength: 4 }),
    exports: fc.array(exported, { maxLength: 3 }),
    bindings: fc.array(binding, { maxLength: 3 }),
    references: fc.array(reference, { maxLength: 5 }),
    named: fc.array(named, { maxLength: 3 }),
    package: text,
    tags: texts,
    excerpt: text,
    lines: int,
    words,
    dynamic: fc.array(fc.record({ line: int, text }, { noNullPrototype: true }), { maxLength: 2 }),
    patterns: fc.array(fc.record({ rule: text, line: int, text, remedy: text }, { noNullPrototype: true }), {
      maxLength: 2,
    }),
    problems: fc.array(fc.record({ line: int, message: text }, { noNullPrototype: true }), { maxLength: 2 }),
    partial: fc.boolean(),
  })
  .map((it) => ({ ...it }))

describe('packed facts', () => {
  test('come back as they were, file by file', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 4 }), (files) => {
        const packed = packFacts(files)
        const reader = new Unpacker(packed)

        expect(countOf(packed)).toBe(files.length)
        // read backwards, as files may be read in any order
        for (let i = files.length - 1; i >= 0; i--) {
          expect(reader.facts(i)).toStrictEqual(files[i])
          expect(reader.definitionCount(i)).toBe(files[i].definitions.length)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('keep absent optional fields absent', () => {
    const cart = emptyFacts('python')
    cart.references.push({ from: -1, relation: 'calls', path: 'total', line: 3 })

    expect(Object.keys(new Unpacker(packFacts([cart])).facts(0).references[0])).toEqual([
      'from',
      'relation',
      'path',
      'line',
    ])
  })

  test('hold a text that many files share once', () => {
    const files = Array.from({ length: 50 }, () => ({ ...emptyFacts('python'), excerpt: 'All about carts.' }))

    expect(packFacts(files).strings).toBe('pythonAll about carts.')
  })
})
