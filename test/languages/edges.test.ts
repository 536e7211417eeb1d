/** Edges that must be there and edges that must not, language by language. */

import { describe, expect, test } from 'vitest'
import { failuresOf, writtenCases } from '../written.ts'

const cases = writtenCases()
const topics = new Map(cases.map((it) => [`${it.language} ${it.topic}`, it]))

describe.each([...topics.keys()])('%s', (topic) => {
  test.each(cases.filter((it) => `${it.language} ${it.topic}` === topic))('$title', async (one) => {
    expect(one.expected.length).toBeGreaterThan(0)
    expect(await failuresOf(one)).toEqual({ failed: [], edges: [] })
  })
})
