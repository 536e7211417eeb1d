import { describe, expect, test } from 'vitest'
import { Baselines } from '#evaluation/baselines'

const files = [
  { path: 'src/cart.ts', text: 'export function cartTotal(cart) { return sum(cart.prices) }' },
  { path: 'src/stock.ts', text: 'export function reserve(item) { return item }' },
  { path: 'src/total_price.ts', text: 'export const currency = 1' },
]
const history = [
  ['src/cart.ts', 'src/stock.ts'],
  ['src/cart.ts', 'src/total_price.ts', 'src/stock.ts'],
  ['src/stock.ts'],
]
const baselines = new Baselines(files, history)

describe('searches', () => {
  test.each([
    ['bm25', ['src/cart.ts']],
    ['path', ['src/total_price.ts']],
    ['bm25 + path', ['src/cart.ts', 'src/total_price.ts']],
    ['most changed', ['src/stock.ts', 'src/cart.ts', 'src/total_price.ts']],
  ] as const)('by %s', (kind, expected) => {
    expect(baselines.search(kind, 'Round the total')).toEqual(expected)
  })

  test('a name is found by its parts and as a whole', () => {
    expect(baselines.search('bm25', 'where is cartTotal')).toEqual(['src/cart.ts'])
  })
})

test('what changes together comes by the number of common commits, then by how few files they had', () => {
  expect(baselines.changedWith('src/cart.ts')).toEqual(['src/stock.ts', 'src/total_price.ts'])
  expect(baselines.changedWith('src/none.ts')).toEqual([])
})
