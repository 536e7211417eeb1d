import { expect, test } from 'vitest'
import { visible, visibleIn } from '#server/terminal'

test('text of others cannot command the terminal: its control characters are spelled out', () => {
  expect(visible('\u001b[31mred\u0007\r\u009b2J\u202egnp.exe')).toBe(
    '\\u001b[31mred\\u0007\\u000d\\u009b2J\\u202egnp.exe',
  )
  expect(visible('Käse → 漢 😀\nnext')).toBe('Käse → 漢 😀\nnext')
})

test('JSON stays the same value', () => {
  const value = { name: 'a\u001b\u009b\u2028', more: ['\u202e'] }
  const shown = visible(JSON.stringify(value))
  expect(JSON.parse(shown)).toEqual(value)
  expect(shown).not.toMatch(/[\u001b\u009b\u2028\u202e]/)
})

test('inside of values a name takes one line, and what is no text is left alone', () => {
  expect(visibleIn({ rows: [{ file: 'a\nb\u001b.py', line: 3 }], none: null, 'k\u001b': true })).toEqual({
    rows: [{ file: 'a\\nb\\u001b.py', line: 3 }],
    none: null,
    'k\\u001b': true,
  })
})
