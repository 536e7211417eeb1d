import { expect, test } from 'vitest'
import { argumentTypes } from '#ingest/arguments'
import type { Syntax } from '#ingest/expression'

const java: Syntax = { lineComment: '//', generics: '<', transparent: new Set(), methodReferences: true }

test.each([
  ['"a, b"', 'String'],
  ["'c'", 'char'],
  ['3', 'int'],
  ['0x1F', 'int'],
  ['3L', 'long'],
  ['1.5f', 'float'],
  ['2.5', 'double'],
  ['true', 'boolean'],
  ['null', 'null'],
  ['User.class', 'Class'],
  ['cart.total()', 'cart.total()'],
  ['new Cart(1)', 'Cart()'],
  ['(char) code', 'char'],
  ['(long[]) rows', 'Array<long>'],
  ['(Cart) any', 'Cart()'],
  ['new int[] { 1, 2 }', 'Array<int>'],
  ['new String[2][]', 'Array<Array<String>>'],
  ['it -> it.total()', '=>'],
  ['(a, b) -> a', '=>'],
  ['Cart::new', '=>'],
  ['this::total', '=>'],
  ['a == b', 'boolean'],
  ['!done', 'boolean'],
  ['"sum " + total', 'String'],
  ['(a - b)', ''],
  ['open ? cart : null', 'cart'],
  ['open ? null : cart', 'cart'],
  ['-count', 'count'],
  ['count++', 'count'],
  ['a + b', ''],
])('the argument %s is of the type or has the path %s', (text, type) => {
  expect(argumentTypes([text], java)).toEqual([type])
})
