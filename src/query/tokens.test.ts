import { describe, expect, test } from 'vitest'
import { SYNONYM_GROUPS, synonymsOf } from '#query/synonyms'
import { MAX_WORDS, normalizeName, parseQuery, partsOf } from '#query/tokens'

const wordsOf = (query: string) => parseQuery(query).words.map((it) => it.text)

describe('parseQuery', () => {
  test('drops stop words, short words and punctuation', () => {
    expect(wordsOf('Where does the cart (total) get computed, and by `whom`?')).toEqual([
      'cart',
      'total',
      'get',
      'computed',
      'whom',
    ])
  })

  test('keeps the longest token when nothing else is left', () => {
    expect(wordsOf('is it db?')).toEqual(['is'])
    expect(wordsOf('the and for')).toEqual(['the'])
    expect(wordsOf('  ?! ')).toEqual([])
  })

  test('adds the parts of an identifier with a lower weight', () => {
    const [word] = parseQuery('CartTotal').words
    expect(word.terms).toContainEqual({ text: 'carttotal', weight: 1, whole: false })
    expect(word.terms).toContainEqual({ text: 'cart', weight: 0.9, whole: false })
    expect(word.terms).toContainEqual({ text: 'total', weight: 0.9, whole: false })
  })

  test('adds synonyms that only match whole', () => {
    const [word] = parseQuery('login').words
    expect(word.terms).toContainEqual({ text: 'auth', weight: 0.6, whole: true })
    const [compound] = parseQuery('deleteOrder').words
    expect(compound.terms.find((it) => it.text === 'remove')?.weight).toBeCloseTo(0.54)
  })

  test('counts a word once, whatever its case', () => {
    expect(wordsOf('cart Cart CART')).toEqual(['cart'])
  })

  test('keeps only so many words of a long text, names first, and says how many it left out', () => {
    const text = Array.from({ length: 300 }, (_, i) => `word${i}`).join(' ')
    const { words, omitted } = parseQuery(text, (word) => word === 'word299')
    expect(words).toHaveLength(MAX_WORDS)
    expect(words[0].text).toBe('word299')
    expect(words[1].text).toBe('word0')
    expect(omitted).toBe(300 - MAX_WORDS)
  })

  test('treats composed and decomposed letters alike', () => {
    expect(wordsOf('cafe\u0301')).toEqual(wordsOf('caf\u00e9'))
  })
})

test('a name is compared in lower case and cut after 200 characters, not in the middle of one', () => {
  expect(normalizeName('CartTotal')).toBe('carttotal')
  expect(Array.from(normalizeName('😀'.repeat(300)))).toHaveLength(200)
})

test('partsOf gives each part once', () => {
  expect(partsOf('parseHTTPHeader_parse')).toEqual(['parse', 'http', 'header'])
})

describe('synonyms', () => {
  test('a word belongs to one group only', () => {
    const all = SYNONYM_GROUPS.flat()
    expect(all.filter((word, i) => all.indexOf(word) !== i)).toEqual([])
  })

  test('every group has two words or more, in lower case', () => {
    for (const group of SYNONYM_GROUPS) {
      expect(group.length).toBeGreaterThan(1)
      for (const word of group) expect(word).toBe(normalizeName(word))
    }
  })

  test('gives the other words of the group', () => {
    expect(synonymsOf('fn')).toEqual(['function', 'method', 'func'])
    expect(synonymsOf('bookshelf')).toEqual([])
  })
})
