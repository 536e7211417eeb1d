import { expect, test } from 'vitest'
import { shareOf } from './parted-bar.tsx'

test('a share is never nothing or all where it is not', () => {
  expect([shareOf(0, 10), shareOf(1, 3), shareOf(10, 10)]).toEqual(['0 %', '33.3 %', '100 %'])
  expect([shareOf(1, 5000), shareOf(4999, 5000)]).toEqual(['< 0.1 %', '> 99.9 %'])
})
