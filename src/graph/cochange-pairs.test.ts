import { expect, test } from 'vitest'
import { coChangePairs } from '#graph/cochange-pairs'

const repeat = (times: number, ...files: number[]) => Array.from({ length: times }, () => files)

test('a pair needs three common commits', () => {
  expect(coChangePairs(repeat(2, 1, 2))).toEqual([])
  expect(coChangePairs(repeat(3, 2, 1))).toEqual([
    { a: 1, b: 2, commits: 3, confidence: 1, strength: expect.closeTo(0.3) },
  ])
})

test('confidence is measured against the file that changes more often', () => {
  const [pair] = coChangePairs([...repeat(3, 1, 2), ...repeat(3, 1, 3), ...repeat(2, 1, 4)])
  expect(pair).toMatchObject({ a: 1, b: 2, confidence: 3 / 8 })
  expect(coChangePairs([...repeat(3, 1, 2), ...repeat(8, 1, 3)]).map((it) => it.b)).toEqual([3])
})

test('large commits say nothing', () => {
  expect(coChangePairs(repeat(5, ...Array.from({ length: 31 }, (_, i) => i)))).toEqual([])
  expect(coChangePairs(repeat(5, ...Array.from({ length: 30 }, (_, i) => i)))).toHaveLength(435)
})

test('strength grows by 0.1 per commit up to 1', () => {
  expect(coChangePairs(repeat(20, 1, 2))[0].strength).toBe(1)
})

test('a file named twice in a commit counts once', () => {
  expect(coChangePairs([...repeat(2, 1, 2), [1, 2, 2]])[0].commits).toBe(3)
})

test('pairs come in order, and limits can be set', () => {
  const groups = [...repeat(2, 9, 4, 6), [4]]
  const pairs = coChangePairs(groups, { minCommits: 2 })
  expect(pairs.map((it) => [it.a, it.b])).toEqual([
    [4, 6],
    [4, 9],
    [6, 9],
  ])
  expect(coChangePairs(groups, { minCommits: 2, minConfidence: 1.1 })).toEqual([])
})
