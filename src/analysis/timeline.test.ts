import { describe, expect, test } from 'vitest'
import { type PastChange, timeline } from '#analysis/timeline'

const DAY = 86_400
const window = { from: 0, to: 30 * DAY, commitsOf: () => 0 }

function changes(days: readonly number[], lines: [number, number] = [1, 1], others: string[] = []): PastChange[] {
  return days.map((day) => ({ time: day * DAY, added: lines[0], deleted: lines[1], others, isAutomatic: false }))
}

describe('timeline', () => {
  test('twelve commits, nine of them in the later half, that mostly add: it accelerates and churns', () => {
    const all = changes([1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24])
    all[0].added = 569
    all[0].deleted = 109
    const found = timeline(all, window)
    expect(found).toMatchObject({ velocity: 'accelerating', pattern: 'churning', added: 580, deleted: 120 })
    expect(found.stability).toBeCloseTo(0.454545, 6)
  })

  test('coupling is measured against the busier of two files', () => {
    const all = [...changes([1, 2, 3, 4, 5, 6, 7, 8], [1, 1], ['bank.py']), ...changes([9, 10, 11])]
    const [partner] = timeline(all, { ...window, commitsOf: () => 9 }).partners
    expect(partner).toEqual({ path: 'bank.py', times: 8, degree: expect.closeTo(0.727273, 6) })
  })

  test('halves are halves of time, not of the list', () => {
    expect(timeline(changes([1, 2, 3, 29]), window).velocity).toBe('decelerating')
    expect(timeline(changes([20, 21, 22, 23]), window).velocity).toBe('accelerating')
    expect(timeline(changes([10, 11, 20, 21]), window).velocity).toBe('stable')
    expect(timeline(changes([20, 21, 22]), window).velocity).toBe('stable')
  })

  test.each([
    [[], [0, 0], 'dormant'],
    [[3, 4], [3, 2], 'stable'],
    [[3, 4], [30, 2], 'expanding'],
    [[3, 4], [2, 30], 'shrinking'],
    [[1, 2, 3, 16, 17, 18], [10, 10], 'stable'],
    [[1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 20, 21], [10, 10], 'churning'],
    [[1, 2, 3], [0, 0], 'stable'],
  ] as const)('changes on days %j of %j lines: %s', (days, lines, pattern) => {
    expect(timeline(changes(days, [...lines]), window).pattern).toBe(pattern)
  })

  test('commits of programs and very wide ones say nothing about what belongs together, and still count', () => {
    const wide = Array.from({ length: 40 }, (_, i) => `file${i}.py`)
    const automatic = changes([4], [1, 1], ['notes.md']).map((it) => ({ ...it, isAutomatic: true }))
    const found = timeline([...changes([3], [1, 1], wide), ...automatic], window)
    expect(found.partners).toEqual([])
    expect(found.stability).toBeCloseTo(1 / 1.2, 6)
  })
})
