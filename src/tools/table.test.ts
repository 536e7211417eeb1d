import { describe, expect, test } from 'vitest'
import { pathIn, shorten, table } from '#tools/table'

describe('table', () => {
  test('lines up columns, words to the left and numbers to the right', () => {
    expect(
      table(
        [
          ['cart', 7, 'a'],
          ['till', 12, 'bc'],
        ],
        { width: 80 },
      ),
    ).toBe('cart   7  a\ntill  12  bc')
  })

  test('fits the width by cutting the start of the last cell', () => {
    const [line] = table([['0.5', 'shop/basket/price/list.ts']], { width: 20 }).split('\n')
    expect(line).toBe('0.5  …/price/list.ts')
    expect(line.length).toBeLessThanOrEqual(20)
  })

  test('no rows are no text', () => {
    expect(table([], { width: 80 })).toBe('')
  })

  test('leaves short texts alone', () => {
    expect(shorten('price.ts', 8)).toBe('price.ts')
  })
})

test('a long remark in the middle gives way to the place at the end', () => {
  const rows = [['0.9', 'class', 'the words of the question are in its name and in its text', 'shop/basket.ts:12']]
  expect(table(rows, { width: 60 })).toBe('0.9  class  the words of the question ar…  shop/basket.ts:12')
  expect(table(rows, { width: 400 })).toContain('in its text  shop/basket.ts:12')
  expect(table([['0.9', 3, 'shop']], { width: 5 })).toBe('0.9  3  shop')
})

test('among several repositories a path says which one it is in', () => {
  expect(pathIn('shop::file::src/a.ts::fn::run', 'src/a.ts')).toBe('shop/src/a.ts')
  expect(pathIn('file::src/a.ts::fn::run', 'src/a.ts')).toBe('src/a.ts')
})
