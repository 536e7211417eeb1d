import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitAnswer } from '#tools/fit'

const row = fc.record({ key: fc.string({ maxLength: 40 }), score: fc.integer() })
const answer = fc.record({
  query: fc.string(),
  goods: fc.array(row, { maxLength: 400 }),
  more: fc.record({ shelves: fc.array(row, { maxLength: 200 }) }),
})

test('an answer that fits is left alone', () => {
  const small = { goods: [1, 2, 3] }
  expect(fitAnswer(small, 100)).toBe(small)
})

test('every answer fits after the cut, keeps the beginning of each list and says the totals', () => {
  fc.assert(
    fc.property(answer, (whole) => {
      const fitted = fitAnswer(whole, 1000)
      expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(4000)
      const { goods, truncated } = fitted
      expect(whole.goods.slice(0, Array.isArray(goods) ? goods.length : 0)).toEqual(goods)
      if (JSON.stringify(whole).length > 4000) expect(truncated).toHaveProperty('how')
      else expect(truncated).toBeUndefined()
    }),
  )
})

test('counts from what there was before an earlier cut, and names max_tokens only to who can set it', () => {
  const rows = Array(300).fill('y'.repeat(20))
  const whole = { rows, truncated: { shown: 300, total: 1943, how: 'Raise top_k.' } }
  expect(fitAnswer(whole, 1000).truncated).toMatchObject({ total: 1943, how: expect.stringContaining('max_tokens') })
  expect(fitAnswer(whole, 1000, false).truncated).toMatchObject({ how: expect.not.stringContaining('max_tokens') })
})

test('takes rows from the list that takes most room', () => {
  const whole = { few: Array(5).fill('x'.repeat(20)), many: Array(500).fill('y'.repeat(20)) }
  const fitted = fitAnswer(whole, 1000)
  expect(fitted.few).toEqual(whole.few)
  expect(fitted.truncated).toMatchObject({ total: 500 })
})

test('a text that was given back is cut before any row is', () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({ name: `shelf ${i}` }))
  const answer = fitAnswer({ query: 'shelf '.repeat(20_000), rows }, 1000)
  expect(JSON.stringify(answer).length).toBeLessThan(4000)
  expect(answer.rows).toHaveLength(20)
  expect(answer).not.toHaveProperty('truncated')
})
