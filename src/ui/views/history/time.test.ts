import { expect, test } from 'vitest'
import { dateOf, heightOf, scaleOf, ticksBetween } from './time.ts'

const at = (text: string) => Date.parse(text)
const names = (from: string, to: string, most = 8) => ticksBetween(at(from), at(to), most).map((it) => it.name)

test('years, months and days are named, as far as there is room', () => {
  expect(names('2010-04-06', '2021-05-01')).toEqual(['2012', '2014', '2016', '2018', '2020'])
  expect(names('2020-01-01', '2021-01-01')).toEqual([
    'Jan 2020',
    'Mar 2020',
    'May 2020',
    'Jul 2020',
    'Sep 2020',
    'Nov 2020',
    'Jan 2021',
  ])
  expect(names('2020-02-27T12:00Z', '2020-03-02')).toEqual(['28 Feb', '29 Feb', '1 Mar', '2 Mar'])
  expect(names('2020-01-02', '2020-01-02')).toEqual(['2 Jan'])
})

test('there are never more than asked for, all within', () => {
  for (const years of [0.01, 0.1, 0.5, 1, 3, 17, 60])
    for (const most of [3, 8]) {
      const [from, to] = [at('2001-03-15'), at('2001-03-15') + years * 365 * 86_400_000]
      const ticks = ticksBetween(from, to, most)
      expect(ticks.length).toBeLessThanOrEqual(most + 1)
      for (const { ms } of ticks) expect([ms >= from, ms <= to]).toEqual([true, true])
    }
})

test('a time lies between two others; alone it stands in the middle', () => {
  expect([10, 15, 20].map(scaleOf(10, 20))).toEqual([0, 0.5, 1])
  expect(scaleOf(7, 7)(7)).toBe(0.5)
  expect(dateOf(at('2021-03-04T23:00Z'))).toBe('2021-03-04')
})

test('more lines stand higher, never beyond the top', () => {
  const heights = [0, 1, 10, 1000, 1e9].map(heightOf)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  expect([heights[0], heights.at(-1)]).toEqual([0.2, 1])
})
