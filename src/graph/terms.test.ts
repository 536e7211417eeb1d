import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitIdentifier, stem, termsIn, termsOf } from '#graph/terms'

describe('splitIdentifier', () => {
  test.each([
    ['parseHTTPHeader2', ['parse', 'HTTP', 'Header2']],
    ['cart_total', ['cart', 'total']],
    ['__init__', ['init']],
    ['$price', ['price']],
    ['XMLReader', ['XML', 'Reader']],
    ['URLs', ['URLs']],
    ['ÉtatCivil', ['État', 'Civil']],
    ['___', []],
  ])('finds the parts of %s', (word, parts) => {
    expect(splitIdentifier(word)).toEqual(parts)
  })

  test('loses no character but separators', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_$]{0,30}$/), (word) => {
        expect(splitIdentifier(word).join('')).toBe(word.replace(/[_$]/g, ''))
      }),
    )
  })
})

describe('stem', () => {
  test('makes one term of the forms of a word', () => {
    for (const forms of [
      ['parse', 'parses', 'parsed', 'parsing'],
      ['query', 'queries'],
      ['cache', 'caches', 'cached', 'caching'],
      ['match', 'matches', 'matching'],
      ['split', 'splits', 'splitting'],
    ]) {
      expect(new Set(forms.map(stem)).size, forms.join()).toBe(1)
    }
  })

  test('leaves short words, names with other signs and words that only look inflected', () => {
    for (const word of ['bus', 'is', 'string', 'feed', 'class', 'utf8', 'straße']) expect(stem(word)).toBe(word)
  })
})

describe('termsOf', () => {
  test('gives an identifier as a whole and in parts', () => {
    expect(termsOf('cartTotal')).toEqual(['carttotal', 'cart', 'total'])
    expect(termsOf('cart_total')).toEqual(termsOf('cartTotal'))
  })

  test('gives a part with a number without it too', () => {
    expect(termsOf('http2')).toEqual(['http2', 'http'])
  })

  test('gives nothing for stop words, single letters and encoded data', () => {
    for (const word of ['the', 'x', '_', 'A'.repeat(65), '0af3'.repeat(30)]) expect(termsOf(word)).toEqual([])
  })

  test('reads accented, wide and composed spellings as one', () => {
    expect(termsOf('Café')).toEqual(termsOf('cafe\u0301'))
    expect(termsOf('ｔｏｔａｌ')).toEqual(['total'])
  })

  test('pairs the characters of scripts without spaces and keeps other scripts whole', () => {
    expect(termsOf('支払い')).toEqual(['支払', '払い'])
    expect(termsOf('корзина')).toEqual(['корзина'])
    expect(termsOf('支払cart')).toEqual(['支払', 'cart'])
  })

  test('gives terms without repetition, each longer than nothing, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        for (const word of text.split(/\s+/)) {
          const terms = termsOf(word)
          expect(new Set(terms).size).toBe(terms.length)
          for (const term of terms) expect(term.length).toBeGreaterThan(0)
        }
        expect(() => termsIn(text)).not.toThrow()
      }),
    )
  })
})
