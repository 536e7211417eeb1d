import { expect, test } from 'vitest'
import { fitsPath } from '#std/glob'

test.each([
  ['server/pool.py', 'server', true],
  ['server/pool.py', 'server/po', true],
  ['server/pool.py', './server/', true],
  ['server/pool.py', 'pool', false],
  ['server/pool.py', 'server/*.py', true],
  ['server/deep/pool.py', 'server/*.py', false],
  ['server/deep/pool.py', 'server/**/*.py', true],
  ['server/pool.py', 'server/**/*.py', true],
  ['server/pool.py', '**/pool.py', true],
  ['pool.py', '**/pool.py', true],
  ['server/runtime_a/x.py', 'server/runtime*', true],
  ['server/runtime.py', 'server/runtime*', true],
  ['server/other.py', 'server/runtime*', false],
  ['a.py', '?.py', true],
  ['/', '?', false],
  ['lib/a+b.ts', 'lib/a+b.*', true],
])('%s fits %s: %s', (path, pattern, fits) => {
  expect(fitsPath(path, pattern)).toBe(fits)
})

test('a pattern of many stars takes no longer than any other', () => {
  expect(fitsPath(`${'a'.repeat(2000)}b`, `${'*a'.repeat(60)}c`)).toBe(false)
})
