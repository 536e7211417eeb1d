import { expect, test } from 'vitest'
import { graphOf } from '#plasticity/graph-for-tests'
import { emptyLearned, note, remember } from '#plasticity/learned'

test('a question of any length takes bounded room in what is remembered and saved', () => {
  const learned = emptyLearned()
  const text = 'where is the till? '.repeat(10_000)
  remember(graphOf([['a', 'imports', 'b', 0.5]]), learned, { text, agent: 'ann', time: 1 }, [], [])
  note(learned, { kind: 'correct', agent: 'ann', time: 1, query: 1, text, keys: [], about: 0, edges: [] })
  for (const it of [...learned.memory, ...learned.journal]) {
    expect(it.text.length).toBe(1000)
    expect(text.startsWith(it.text)).toBe(true)
  }
})
