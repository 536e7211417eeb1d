import { expect, test } from 'vitest'
import { NONE } from '#graph/graph'
import { buildMessages } from '#graph/messages'
import { quoteSubject, scorePast } from '#query/past'

const DAY = 86_400
const terms = [{ term: 'refund', weight: 1 }]
const where = { fileDocOf: Uint32Array.of(0, 1, NONE, 2), nFiles: 3, nowSeconds: 3 * 365.25 * DAY }

test('a change gives its files the more, the liker, the younger and the smaller it is', () => {
  const messages = buildMessages([
    { time: 0, message: 'refund', files: [0], width: 1 },
    { time: where.nowSeconds, message: 'refund', files: [1, 2, 3], width: 3 },
  ])
  const past = scorePast(messages, terms, where)
  expect(past.scores[0]).toBeCloseTo(0.5, 6)
  expect(past.scores[1]).toBeCloseTo(1 / Math.sqrt(3), 6)
  expect(past.scores[2]).toBeCloseTo(1 / Math.sqrt(3), 6)
  expect(Array.from(past.via)).toEqual([0, 1, 1])
})

test('several changes of one file add up, and the one that gave most is named', () => {
  const messages = buildMessages([
    { time: 0, message: 'refund of vouchers', files: [0], width: 1 },
    { time: where.nowSeconds, message: 'refund', files: [0], width: 1 },
    { time: 0, message: 'labels', files: [1], width: 1 },
  ])
  const past = scorePast(messages, terms, where)
  expect(past.scores[0]).toBeGreaterThan(1)
  expect(past.scores[1]).toBe(0)
  expect(Array.from(past.via)).toEqual([1, NONE, NONE])
})

test('a question without a word of the messages finds nothing', () => {
  const past = scorePast(buildMessages([]), terms, where)
  expect(Array.from(past.scores)).toEqual([0, 0, 0])
})

test('a quoted subject has no quotes, no control characters and an end', () => {
  const messages = buildMessages([
    { time: 0, message: `say "\u001b[31mhi" ${'very '.repeat(20)}`, files: [0], width: 1 },
  ])
  expect(quoteSubject(messages, 0)).toMatch(/^say \[31mhi very .*…$/)
  expect(quoteSubject(messages, 0)).toHaveLength(60)
})
