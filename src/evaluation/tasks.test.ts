import { describe, expect, test } from 'vitest'
import { isSource, questionOf, taskOf } from '#evaluation/tasks'

const change = { hash: '0123456789abcdef', parent: 'feed', message: '', modified: ['src/cart.ts'] }
const exists = () => true

describe('the question of a message', () => {
  test.each([
    ['Round the total of a cart (#12)', 'Round the total of a cart'],
    ['Round totals in src/cart/total.ts and stock.py', 'Round totals in  and'],
    ['Round totals\n\nFixes #12\nSigned-off-by: Ann <ann@shop.org>', 'Round totals'],
    ['Round totals\n\nSee https://shop.org/12 for why', 'Round totals\nSee  for why'],
    ['Round totals\r\n\r\n* WIP\r\n---------\r\nCo-authored-by: Bob <bob@shop.org>\r\n', 'Round totals\n* WIP'],
    ['Use `cart/total` and cart.total() as names', 'Use `cart/total` and cart.total() as names'],
  ])('%j', (message, question) => {
    expect(questionOf(message)).toBe(question)
  })
})

describe('the task of a commit', () => {
  test('asks for the sources that it changed, without tests and documents', () => {
    const modified = ['src/cart.ts', 'test/cart.test.ts', 'README.md', 'src/new.ts']
    expect(taskOf({ ...change, message: 'Round the total', modified }, (it) => it !== 'src/new.ts')).toEqual({
      id: '0123456789ab',
      parent: 'feed',
      query: 'Round the total',
      gold: ['src/cart.ts'],
    })
  })

  test.each([
    ['a merge', { message: 'Merge branch main into cart totals' }],
    ['a revert', { message: 'Revert "Round the total of a cart"' }],
    ['two words', { message: 'Round totals' }],
    ['no source', { message: 'Tell how totals are rounded', modified: ['README.md'] }],
    ['too many files', { message: 'Round all the totals', modified: Array.from({ length: 9 }, (_, i) => `${i}.ts`) }],
  ])('is none for %s', (_, part) => {
    expect(taskOf({ ...change, ...part }, exists)).toBeNull()
  })
})

test.each([
  ['src/cart.ts', true],
  ['pkg/cart_test.go', false],
  ['README.md', false],
  ['Makefile', false],
])('%s holds code that is no test: %s', (path, is) => {
  expect(isSource(path)).toBe(is)
})
