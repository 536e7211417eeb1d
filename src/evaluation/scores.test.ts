import { expect, test } from 'vitest'
import { figuresOf, percentile, scoreOf } from '#evaluation/scores'

test('all of it within k counts, the first right one gives the reciprocal rank', () => {
  expect(scoreOf(['a', 'b', 'c', 'd'], ['b', 'd'])).toEqual({
    acc1: 0,
    acc3: 0,
    acc5: 1,
    acc10: 1,
    recall10: 1,
    rr: 0.5,
  })
  expect(scoreOf(['a'], ['b'])).toEqual({ acc1: 0, acc3: 0, acc5: 0, acc10: 0, recall10: 0, rr: 0 })
})

test('figures are means', () => {
  const { n, acc1, mrr } = figuresOf([scoreOf(['a', 'b'], ['a']), scoreOf(['a', 'b'], ['b'])])
  expect({ n, acc1, mrr }).toEqual({ n: 2, acc1: 0.5, mrr: 0.75 })
})

test('a percentile is the value that so many do not exceed', () => {
  expect(percentile([3, 1, 2, 4], 50)).toBe(2)
  expect(percentile([3, 1, 2, 4], 95)).toBe(4)
  expect(percentile([], 50)).toBe(0)
})
