/** Short forms of the long runs: `npm run test:fuzz`, `npm run test:crash`, `npm run test:soak`. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { crash } from './endurance/crash.ts'
import { fuzz } from './endurance/fuzz.ts'
import { soak } from './endurance/soak.ts'
import { buildProgram, cleanUp } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

test('every well-formed request among damaged ones is answered once, in its own framing', async () => {
  const { requests, answered, damaged, faults } = await fuzz({ messages: 1200, seed: 7 })
  expect(faults).toEqual([])
  expect(answered).toBe(requests)
  expect(damaged).toBeGreaterThan(100)
}, 120_000)

test('what was acknowledged outlives a process that is killed at any moment', async () => {
  const { lost, kills } = await crash({ kills: 4, seed: 7 })
  expect(lost).toEqual([])
  expect(kills).toBe(4)
}, 180_000)

test('many calls leave no open file and no handle, and no call fails by a fault of ours', async () => {
  const { samples, outcomes } = await soak({ calls: 400, seed: 7 })
  const [first] = samples
  const last = samples[samples.length - 1]
  expect(last.files).toBeLessThanOrEqual(first.files)
  expect(last.handles).toBeLessThanOrEqual(first.handles + 1)
  expect(outcomes.internal).toBeUndefined()
  expect(outcomes.ok).toBeGreaterThan(200)
}, 120_000)
