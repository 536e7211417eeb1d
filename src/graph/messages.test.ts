import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildMessages,
  messageColumns,
  messagesFromColumns,
  type PastCommit,
  scoreMessages,
  subjectAt,
} from '#graph/messages'

const commit = (message: string, files: number[] = [1], width = files.length): PastCommit => ({
  time: 1000,
  message,
  files,
  width,
})
const ask = (commits: PastCommit[], ...terms: string[]) =>
  Array.from(
    scoreMessages(
      buildMessages(commits),
      terms.map((term) => ({ term, weight: 1 })),
    ),
  )

describe('messages of past commits', () => {
  test('score by rare words, and less in a longer message', () => {
    const [short, long, other] = ask(
      [
        commit('round prices'),
        commit('round prices when a customer returns goods that were paid by voucher'),
        commit('print labels'),
      ],
      'round',
    )
    expect(short).toBeGreaterThan(long)
    expect(long).toBeGreaterThan(0)
    expect(other).toBe(0)
  })

  test('follow the formula of BM25', () => {
    // two messages of two words each: idf ln(1 + 1.5 / 1.5), tf 1 of length 2 against average 2
    const [first] = ask([commit('stock count'), commit('print labels')], 'stock')
    expect(first).toBeCloseTo((Math.log(2) * 2.2) / (1 + 1.2), 3)
  })

  test('leave out who signed, numbers of reports, and commits that touch too much or nothing that is left', () => {
    const messages = buildMessages([
      commit('round prices 4711\n\nSigned-off-by: Cashier <till@shop.example>'),
      commit('reformat', [1, 2], 31),
      commit('remove the till', []),
    ])
    expect(messages.times).toHaveLength(1)
    expect(ask([commit('round prices 4711\n\nSigned-off-by: Cashier')], 'cashier', '4711')).toEqual([0])
  })

  test('keep their subjects, whole characters only', () => {
    const messages = buildMessages([commit('Preise für Bücher 😀\n\nmore'), commit(`${'a'.repeat(119)}😀 tail`)])
    expect(subjectAt(messages, 0)).toBe('Preise für Bücher 😀')
    expect(subjectAt(messages, 1)).toMatch(/^a{119}.$/u)
  })

  test('are the same after being saved', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(50), { maxLength: 4 }))),
        (all) => {
          const messages = buildMessages(all.map(([message, files]) => commit(message, files)))
          expect(messagesFromColumns(messageColumns(messages))).toEqual(messages)
        },
      ),
    )
    expect(() => messagesFromColumns({})).toThrow('termBytes')
  })
})
