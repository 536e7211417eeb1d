import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextLock, nextPerspective, nextTrail, ownersOf } from '#engine/handles'
import { KeptRecords } from '#engine/records'

describe('handles', () => {
  test('carry letters and digits of the agent, and a number of three digits at least', () => {
    const owners = ownersOf(new KeptRecords())
    expect(nextPerspective(owners, 'agent-1')).toBe('persp_agent1_001')
    expect(nextPerspective(owners, 'agent-1')).toBe('persp_agent1_002')
    expect(nextLock(owners, 'agent-1')).toBe('lock_agent1_001')
    expect(nextTrail(owners, 'agent-1', 'x')).toMatch(/^trail_agent1_001_[0-9a-f]{6}$/)
    expect(nextPerspective(owners, '../..')).toBe('persp_agent_001')
    for (let i = 0; i < 997; i++) nextLock(owners, 'agent-1')
    expect([nextLock(owners, 'agent-1'), nextLock(owners, 'agent-1')]).toEqual(['lock_agent1_999', 'lock_agent1_1000'])
  })

  test('are unique whatever agents are called', () => {
    const name = fc.oneof(
      fc.constantFrom('reviewer-1', 'reviewer-2', 'reviewer', 'Reviewer', 'agent', '💡', '🔥', 'ægir', 'x'.repeat(256)),
      fc.string({ minLength: 1 }),
    )
    fc.assert(
      fc.property(fc.array(name, { maxLength: 40 }), (agents) => {
        const owners = ownersOf(new KeptRecords())
        const handles = agents.flatMap((it) => [
          nextPerspective(owners, it),
          nextLock(owners, it),
          nextTrail(owners, it, ''),
        ])
        expect(new Set(handles).size).toBe(handles.length)
        for (const it of handles) expect(it).toMatch(/^(?:persp|lock|trail)_[\p{L}\p{N}]+(?:~[0-9a-f]{4})?_\d{3,}/u)
      }),
    )
  })
})
