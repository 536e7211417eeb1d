import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { progressReport } from '#server/mcp'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a long call is never silent for ten seconds, says no more than five things a second, and always rises', () => {
  const sent: { at: number; progress: number }[] = []
  const report = progressReport(async ({ progress }) => void sent.push({ at: performance.now(), progress }))
  for (let i = 0; i < 1000; i++) {
    report.take({ phase: 'extract', done: i, total: 1000, file: 'cart.ts', etaMs: -1 })
    vi.advanceTimersByTime(2)
  }
  // one phase that tells nothing for a minute
  vi.advanceTimersByTime(60_000)
  // and one that seems to go back, or whose clock did
  vi.setSystemTime(0)
  report.take({ phase: 'walk', done: 0, total: 0, file: '', etaMs: -1 })
  vi.advanceTimersByTime(20_000)
  report.stop()
  const count = sent.length
  vi.advanceTimersByTime(60_000)
  expect(sent).toHaveLength(count)
  sent.forEach(({ at, progress }, i) => {
    if (i === 0) return
    expect(at - sent[i - 1].at).toBeLessThan(10_000)
    expect(progress).toBeGreaterThan(sent[i - 1].progress)
    expect(progress).toBeLessThanOrEqual(100)
  })
  expect(sent.filter(({ at }) => at - sent[0].at < 1000).length).toBeLessThanOrEqual(6)
})
