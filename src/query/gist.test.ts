import { expect, test } from 'vitest'
import { emptyLexical } from '#graph/lexical'
import { gistOf } from '#query/gist'

test('a gist has length 1 and at most 24 terms, whatever is pasted', () => {
  const length = (query: string) =>
    Math.sqrt(gistOf(emptyLexical(), query).reduce((sum, it) => sum + it.weight ** 2, 0))
  expect(length('give money back to the customer')).toBeCloseTo(1)
  const long = Array.from({ length: 500 }, (_, i) => `word${i}name`).join(' ')
  expect(length(long)).toBeCloseTo(1)
  expect(gistOf(emptyLexical(), long)).toHaveLength(24)
  expect(gistOf(emptyLexical(), 'the of ?')).toEqual([])
})
