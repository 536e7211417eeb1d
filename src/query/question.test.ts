import { describe, expect, test } from 'vitest'
import { stem } from '#graph/terms'
import { readQuestion } from '#query/question'

const weightOf = (query: string, word: string) =>
  readQuestion(query).terms.find((it) => it.term === stem(word))?.weight ?? 0
const namesIn = (query: string) =>
  readQuestion(query).identifiers.map((it) => (it.owner === '' ? it.name : `${it.owner}.${it.name}`))
const placesIn = (query: string) =>
  readQuestion(query).places.map((it) => (it.line === 0 ? it.path : `${it.path}:${it.line}`))

describe('terms', () => {
  test('of the title weigh more than those below', () => {
    const issue = 'Prices are rounded wrongly\nHappens with coupons.'
    expect(weightOf(issue, 'rounded')).toBeGreaterThan(weightOf(issue, 'coupons'))
  })

  test('written like code weigh more than prose, and requests less', () => {
    const query = 'fix rounding of `subtotal` in cartTotal'
    expect(weightOf(query, 'subtotal')).toBeGreaterThan(weightOf(query, 'rounding'))
    expect(weightOf(query, 'carttotal')).toBeGreaterThan(weightOf(query, 'rounding'))
    expect(weightOf(query, 'fix')).toBeLessThan(weightOf(query, 'rounding'))
  })

  test('weigh more when repeated, but never more than three times as much', () => {
    const often = `coupon ${'stock '.repeat(500)}`
    expect(weightOf(often, 'stock')).toBeGreaterThan(2 * weightOf(often, 'coupon'))
    expect(weightOf(often, 'stock')).toBeLessThan(3 * weightOf(often, 'coupon'))
  })

  test('bring their synonyms at less weight', () => {
    expect(weightOf('delete the account', 'remove')).toBeCloseTo(0.6 * weightOf('shop account', 'account'))
  })

  test('leave out who signed a change', () => {
    expect(weightOf('Round prices\n\nSigned-off-by: Olga Example <olga@example.org>', 'olga')).toBe(0)
  })
})

describe('the area before the colon of a title', () => {
  test.each([
    ['fix(cart): round prices', ['cart']],
    ['shop/cart: round prices', ['shop', 'cart']],
    ['[Checkout] round prices', ['checkout']],
    ['feat!: round prices', []],
    ['round prices', []],
  ])('of %s', (title, area) => {
    expect(readQuestion(title).area).toEqual(area.map(stem))
  })

  test('is taken without the kind of change, in the lines below too', () => {
    expect(weightOf('Round prices\n* refactor(cart): use cents', 'refactor')).toBe(0)
    expect(weightOf('Round prices\n* refactor(cart): use cents', 'cart')).toBeGreaterThan(0)
  })
})

describe('names', () => {
  test('are found by their spelling, in code spans, before brackets and behind an owner', () => {
    expect(namesIn('why does cartTotal differ')).toEqual(['cartTotal'])
    expect(namesIn('why does `total` differ')).toEqual(['total'])
    expect(namesIn('why does total() differ')).toEqual(['total'])
    expect(namesIn('Cart.total and Cart#clear and shop::Cart').sort()).toEqual([
      'Cart.clear',
      'Cart.total',
      'shop.Cart',
    ])
    expect(namesIn('the prefer-cash rule')).toEqual(['prefer-cash'])
  })
})

describe('places', () => {
  test.each([
    ['see shop/cart.py:12', ['shop/cart.py:12']],
    ['  File "/srv/shop/cart.py", line 12, in total', ['srv/shop/cart.py:12']],
    ['at total (/srv/shop/cart.js:12:5)', ['srv/shop/cart.js:12']],
    ['at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 12', ['Shop.Cart.Total', 'C:/shop/Cart.cs:12']],
    ['\tat org.shop.Cart.total(Cart.java:12)', ['org.shop.Cart.total', 'org/shop/Cart.java:12']],
    ['goroutine 1: /srv/shop/cart.go:12 +0x1d', ['srv/shop/cart.go:12']],
    ['https://example.org/shop/blob/main/cart.py#L12', ['example.org/shop/blob/main/cart.py:12']],
    ['the folder shop/checkout is slow', ['shop/checkout']],
    ['import shop.cart.total', ['shop.cart.total']],
    ['a sentence. Another one, and/or none', ['and/or']],
  ])('in %s', (line, places) => {
    expect(placesIn(line)).toEqual(places)
  })
})

describe('what is asked for', () => {
  test('is told by the title alone', () => {
    expect(readQuestion('tests for the cart').wants.tests).toBe(true)
    expect(readQuestion('cart is slow\nadded a test').wants.tests).toBe(false)
    expect(readQuestion('update the user guide').wants.docs).toBe(true)
  })
})

describe('unusual queries', () => {
  test('say why nothing can be searched for', () => {
    for (const query of ['the of and', '?!', '(((', '\n\n', '   ']) {
      const question = readQuestion(query)
      expect(question.terms, query).toEqual([])
      expect(question.note).toContain('no words')
    }
  })

  test('say that binary data was read as far as possible', () => {
    const question = readQuestion('\u0000\u0001\u0002voucher\u0003\u0004')
    expect(question.terms.map((it) => it.term)).toEqual(['voucher'])
    expect(question.note).toContain('binary')
  })

  test('are read at both ends when very long, and stay small', () => {
    const question = readQuestion(`coupon ${'filler words here '.repeat(10_000)} refund`)
    expect(question.terms.map((it) => it.term)).toEqual(expect.arrayContaining(['coupon', 'refund']))
    expect(question.note).toContain('characters')
    const many = readQuestion(
      Array.from({ length: 9000 }, (_, i) => `shelf${i.toString(36)} a/b${i}.py Name${i}`).join(' '),
    )
    expect(many.terms.length).toBeLessThanOrEqual(80)
    expect(many.identifiers.length).toBeLessThanOrEqual(40)
    expect(many.places.length).toBeLessThanOrEqual(40)
  })

  test('take signs of search patterns as signs', () => {
    expect(
      readQuestion('.*(?:cart|basket)$')
        .terms.map((it) => it.term)
        .sort(),
    ).toEqual(['basket', 'cart'])
  })

  test('work in any script', () => {
    expect(readQuestion('где считается цена').terms.map((it) => it.term)).toContain('цена')
    expect(readQuestion('価格の計算').terms.map((it) => it.term)).toContain('価格')
  })
})
