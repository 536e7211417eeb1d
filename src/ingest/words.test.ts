import { describe, expect, test } from 'vitest'
import { type Definition, FIELDS, type Words } from '#ingest/facts'
import { COMMENT, STRING } from '#ingest/facts'
import { collectWords } from '#ingest/words'

type Place = Pick<Definition, 'name' | 'line' | 'endLine' | 'nameLine'>

const at = (name: string, line: number, endLine: number, nameLine = line): Place => ({ name, line, endLine, nameLine })

/** `owner field term` → count, owners by name. */
function listed(words: Words, definitions: readonly Place[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (let i = 0; i < words.owner.length; i++) {
    const owner = words.owner[i] < 0 ? 'file' : definitions[words.owner[i]].name
    counts[`${owner} ${FIELDS[words.field[i]]} ${words.terms[words.term[i]]}`] = words.count[i]
  }
  return counts
}

/** Ranges of the given texts, in order. */
function rangesOf(text: string, found: readonly [string, number][]): Int32Array {
  const ranges: number[] = []
  let from = 0
  for (const [part, kind] of found) {
    const start = text.indexOf(part, from)
    from = start + part.length
    ranges.push(start, from, kind)
  }
  return Int32Array.from(ranges)
}

describe('collectWords', () => {
  test('counts the file name twice and folders once, without the extension', () => {
    const words = listed(collectWords('shop/cart_total.test.ts', '', []), [])
    expect(words).toEqual({
      'file path shop': 1,
      'file path carttotal': 2,
      'file path cart': 2,
      'file path total': 2,
    })
  })

  test('reads a hyphenated name of the path as one word too', () => {
    const words = listed(collectWords('gift-card/index.ts', '', []), [])
    expect(words['file path giftcard']).toBe(1)
    expect(words['file path gift']).toBe(1)
  })

  test('gives words to the innermost definition, signatures apart from bodies', () => {
    const text = 'amount\nclass Cart:\n  def total(prices):\n    discount\n  limit\nlast'
    const definitions = [at('Cart', 2, 5), at('total', 3, 4)]
    const words = listed(collectWords('a', text, definitions), definitions)
    expect(words['file body amount']).toBe(1)
    expect(words['Cart name cart']).toBe(1)
    expect(words['total name total']).toBe(1)
    expect(words['total signature pric']).toBe(1)
    expect(words['total body discount']).toBe(1)
    expect(words['Cart body limit']).toBe(1)
    expect(words['file body last']).toBe(1)
  })

  test('gives a comment right above a definition to it, also over several lines', () => {
    const text = '// far away\n\n// adds taxes\n// and shipping\nfunction total() {\n  // rounding\n}\n'
    const definitions = [at('total', 5, 7)]
    const ranges = rangesOf(text, [
      ['// far away', COMMENT],
      ['// adds taxes', COMMENT],
      ['// and shipping', COMMENT],
      ['// rounding', COMMENT],
    ])
    const words = listed(collectWords('a', text, definitions, ranges), definitions)
    expect(words['file doc far']).toBe(1)
    expect(words['total doc tax']).toBe(1)
    expect(words['total doc shipp']).toBeUndefined()
    expect(words['total doc ship']).toBe(1)
    expect(words['total doc round']).toBe(1)
  })

  test('keeps reserved words of comments and literals, and drops them in code', () => {
    const text = 'import stock # import rules\nx = "import"'
    const ranges = rangesOf(text, [
      ['# import rules', COMMENT],
      ['"import"', STRING],
    ])
    const words = listed(collectWords('a', text, [], ranges), [])
    expect(words['file doc import']).toBe(1)
    expect(words['file literal import']).toBe(1)
    expect(words['file body import']).toBeUndefined()
    expect(words['file body stock']).toBe(1)
  })

  test('counts every occurrence, whatever the line ends and scripts', () => {
    const text = 'stock → stock\r\nstock 😀 stock\r\n在庫'
    const words = listed(collectWords('a', text, []), [])
    expect(words['file body stock']).toBe(4)
    expect(words['file body 在庫']).toBe(1)
  })

  test('stays small on data and ends on definitions that reach past the text', () => {
    const data = Array.from({ length: 50_000 }, (_, i) => `k${i.toString(36)}q`).join(' ')
    expect(collectWords('a', data, []).terms.length).toBe(20_000)
    const definitions = [at('total', 1, 99), at('gone', 40, 50)]
    expect(listed(collectWords('a', 'price', definitions), definitions)['total signature pric']).toBe(1)
  })
})
