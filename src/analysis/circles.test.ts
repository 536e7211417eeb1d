import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeCircles, type Ties } from '#analysis/circles'
import { finish } from '#std/work'

const untied = (): Ties => []
const SIZES = [1, 2, 3, 8, 20, 90]
const radiiOf = (picks: readonly number[]) => Float64Array.from(picks.map((it) => SIZES[it]).sort((a, b) => b - a))

/** How far the nearest two reach into each other, as a share of the smaller one. */
function deepest(circles: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY
  for (let i = 0; i < circles.length; i += 3) {
    for (let j = 0; j < i; j += 3) {
      const apart = Math.hypot(circles[i] - circles[j], circles[i + 1] - circles[j + 1])
      const smaller = Math.min(circles[i + 2], circles[j + 2])
      most = Math.max(most, (circles[i + 2] + circles[j + 2] - apart) / smaller)
    }
  }
  return most
}

test('no two overlap, whatever their sizes and ties', () => {
  const picks = fc.array(fc.nat(SIZES.length - 1), { maxLength: 60 })
  const pairs = fc.array(fc.tuple(fc.nat(59), fc.nat(59), fc.integer({ min: 1, max: 64 })), { maxLength: 80 })
  fc.assert(
    fc.property(picks, pairs, fc.constantFrom(1, 1.5), (sizes, ties, stretch) => {
      const of = (i: number): Ties => ties.filter(([a, b]) => a === i && b !== i).map(([, b, weight]) => [b, weight])
      const circles = finish(placeCircles(radiiOf(sizes), of, { stretch }))
      expect(circles.every(Number.isFinite)).toBe(true)
      expect(deepest(circles)).toBeLessThan(1e-6)
    }),
  )
})

test('they lie close together', () => {
  const circles = finish(placeCircles(new Float64Array(400).fill(1), untied))
  let farthest = 0
  for (let i = 0; i < circles.length; i += 3)
    farthest = Math.max(farthest, Math.hypot(circles[i], circles[i + 1]) + circles[i + 2])
  // nine tenths is the most that circles of one size can fill
  expect(400 / farthest ** 2).toBeGreaterThan(0.75)
})

test('a circle is placed beside those that it is tied to', () => {
  const ties = (i: number): Ties => (i === 39 ? [[20, 1]] : [])
  const circles = finish(placeCircles(new Float64Array(40).fill(1), ties))
  const apart = (a: number, b: number) =>
    Math.hypot(circles[3 * a] - circles[3 * b], circles[3 * a + 1] - circles[3 * b + 1])
  const untiedOne = finish(placeCircles(new Float64Array(40).fill(1), untied))
  const before = Math.hypot(untiedOne[117] - untiedOne[60], untiedOne[118] - untiedOne[61])
  expect(apart(39, 20)).toBeLessThan(before)
})

test('a smaller newcomer leaves the others where they were', () => {
  const radii = [9, 9, 8, 7, 7, 7, 5, 4, 4, 2]
  const before = finish(placeCircles(Float64Array.from(radii), untied))
  const after = finish(placeCircles(Float64Array.from([...radii, 1]), untied))
  expect([...after.subarray(0, before.length)]).toEqual([...before])
})

test('none, one and two of them', () => {
  expect([...finish(placeCircles(new Float64Array(0), untied))]).toEqual([])
  expect([...finish(placeCircles(Float64Array.from([2]), untied))]).toEqual([0, 0, 2])
  expect([...finish(placeCircles(Float64Array.from([2, 1]), untied))]).toEqual([0, 0, 2, 3, 0, 1])
})
