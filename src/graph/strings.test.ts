import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NONE } from '#graph/graph'
import { internAll, StringsBuilder, stringsFrom } from '#graph/strings'

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 80 })

describe('StringsBuilder', () => {
  test('gives equal texts one handle, in order of appearance', () => {
    const builder = new StringsBuilder()
    expect(['shelf', 'book', 'shelf', ''].map((it) => builder.intern(it))).toEqual([0, 1, 0, 2])
    const strings = builder.build()
    expect([strings.count, strings.get(1), strings.get(2)]).toEqual([3, 'book', ''])
  })

  test('gives every text back, and finds it, whatever its characters', () => {
    fc.assert(
      fc.property(texts, (list) => {
        const builder = new StringsBuilder()
        const handles = list.map((it) => builder.intern(it))
        const strings = builder.build()
        list.forEach((it, i) => {
          expect(strings.get(handles[i])).toBe(it.toWellFormed())
          expect(strings.find(it)).toBe(handles[i])
        })
      }),
    )
  })
})

describe('internAll', () => {
  test('agrees with interning one by one', () => {
    fc.assert(
      fc.property(texts, (list) => {
        const builder = new StringsBuilder()
        const expected = list.map((it) => builder.intern(it))
        const { strings, handles } = internAll(list)
        expect(Array.from(handles)).toEqual(expected)
        expect(strings.bytes).toEqual(builder.build().bytes)
      }),
    )
  })

  test('keeps texts apart over several rounds of encoding', () => {
    const list = Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? `größe ${i % 900}` : `shelf ${i % 1300}`))
    const { strings, handles } = internAll(list)
    expect(strings.count).toBe(new Set(list).size)
    list.forEach((it, i) => {
      expect(strings.get(handles[i])).toBe(it)
    })
  })

  test('gives the same arrays for the distinct texts as for the texts with repetitions', () => {
    const list = Array.from({ length: 4000 }, (_, i) => `loan ${i % 1000}`)
    const repeated = internAll(list).strings
    const distinct = internAll([...new Set(list)]).strings
    expect(repeated.table).toEqual(distinct.table)
    expect(repeated.offsets).toEqual(distinct.offsets)
  })

  test('makes one text of two that only differ in halves of characters', () => {
    expect(Array.from(internAll(['a\ud800', 'b', 'a\udc00']).handles)).toEqual([0, 1, 0])
  })

  test('does not join halves of characters of neighbouring texts', () => {
    const { strings } = internAll(['\ud83d', '\ude00'])
    expect([strings.count, strings.get(0)]).toEqual([1, '\ufffd'])
  })
})

describe('Strings', () => {
  test('knows nothing of a text that is not there', () => {
    const { strings } = internAll(['shelf'])
    expect(strings.find('shel')).toBe(NONE)
    expect(internAll([]).strings.find('')).toBe(NONE)
  })

  test('refuses a handle that was never given out', () => {
    expect(() => internAll(['shelf']).strings.get(1)).toThrow('string 1 is not one of 1')
    expect(() => internAll(['shelf']).strings.get(NONE)).toThrow('not one of 1')
  })

  test('is made of its arrays alone', () => {
    const { strings } = internAll(['\ufeffmark', 'x'.repeat(1000), 'ö'])
    const copy = stringsFrom(strings.bytes, strings.offsets, strings.table)
    expect([0, 1, 2].map((it) => copy.get(it))).toEqual(['\ufeffmark', 'x'.repeat(1000), 'ö'])
    expect(copy.find('ö')).toBe(2)
  })
})
