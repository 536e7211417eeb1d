import { expect, test } from 'vitest'
import { type Held, MapSlot, Memo } from '#ingest/resolve/memo'

/** Shelves that say which shelf stands next; the way around is worked out by name. */
function walker(next: Record<string, string>) {
  const memo = new Memo()
  const known = new Map<string, string | Held<string>>()
  let worked = 0
  const way = (name: string): string => {
    const before = known.get(name)
    if (before !== undefined) return memo.read(before)
    return memo.work(new MapSlot(known, name), { value: '…' }, () => {
      worked++
      return name + (next[name] === undefined ? '' : way(next[name]))
    })
  }
  return { way, settle: () => memo.settle(), worked: () => worked }
}

test('a result without a circle is worked out once', () => {
  const { way, settle, worked } = walker({ a: 'b', b: 'c' })
  expect(way('a')).toBe('abc')
  settle()
  expect(way('b')).toBe('bc')
  expect(worked()).toBe(3)
})

test('what stands on a circle is answered alike whatever was asked before', () => {
  const next = { door: 'a', a: 'b', b: 'c', c: 'a' }
  const alone = Object.keys(next).map((name) => walker(next).way(name))
  expect(alone).toEqual(['doorabc…', 'abc…', 'bca…', 'cab…'])
  for (const first of Object.keys(next)) {
    const { way, settle } = walker(next)
    way(first)
    const all = Object.keys(next).map((name) => {
      settle()
      return way(name)
    })
    expect(all).toEqual(alone)
  }
})

test('what leans on an open question is not kept beyond it', () => {
  const { way } = walker({ a: 'b', b: 'a' })
  expect(way('a')).toBe('ab…')
  expect(way('b')).toBe('bab…')
})
