import { describe, expect, test } from 'vitest'
import { readNote, slug } from '#ingest/notes'

describe('readNote', () => {
  test('headings, items and what these are', () => {
    const note = readNote(
      '# Plasticity\n- Decided: cap weights at 3.0 in src/plasticity.ts\n- TODO: add tests\n- 2026-03-12 shipped\n',
    )
    expect(note.sections).toMatchObject([{ level: 1, title: 'Plasticity', line: 1, parent: -1 }])
    expect(note.entries.map(({ kind, line, section }) => [kind, line, section])).toEqual([
      ['decision', 2, 0],
      ['task', 3, 0],
      ['event', 4, 0],
    ])
    expect(note.entries[0].mentions).toEqual(['src/plasticity.ts'])
  })

  test('headings nest by level, and end where the next one of theirs begins', () => {
    const { sections } = readNote('# A\n## B ##\ntext of some length\n### C\n## D\n# E\n#hashtag\n')
    expect(sections.map(({ title, parent, endLine }) => [title, parent, endLine])).toEqual([
      ['A', -1, 5],
      ['B', 0, 4],
      ['C', 1, 4],
      ['D', 0, 5],
      ['E', -1, 8],
    ])
  })

  test.each([
    ['- [ ] call the bank', 'task', false],
    ['- [x] call the bank', 'task', true],
    ['1. we chose the small one', 'decision', false],
    ['* Status: waiting', 'state', false],
    ['+ the statusquo: stays', 'note', false],
    ['- pendingness is no word', 'note', false],
    ['- Implement it by 2026-01-02', 'task', false],
    ['| 2026-01-02 | met the bank |', 'event', false],
    ['A paragraph of its own.', 'note', false],
  ])('%s is a %s', (text, kind, isDone) => {
    expect(readNote(text).entries).toMatchObject([{ kind, isDone }])
  })

  test('code, rules, settings at the top, separators of tables and very short text are no entries', () => {
    const text = '---\ntitle: x\n---\n\n```ts\n- no item\n```\n***\n| a | b |\n|---|---|\nshort\n~~~\n# no heading\n'
    expect(readNote(text)).toMatchObject({ sections: [], entries: [{ text: 'a | b' }] })
  })

  test('an item goes on in the lines below it; a long paragraph is read by sentence, each at its line', () => {
    const long = `${'The cellar holds wine. '.repeat(10)}\nIt is locked, see src/cellar.ts:12. Ask the clerk`
    const { entries } = readNote(`- first\n  and more\n\n${long}\n`)
    expect(entries[0]).toMatchObject({ text: 'first and more', line: 1, endLine: 2 })
    expect(entries[1]).toMatchObject({ line: 4 })
    expect(entries.find((it) => it.mentions.length > 0)).toMatchObject({ line: 5, mentions: ['src/cellar.ts'] })
  })

  test('mentions are paths of files, in quotes and brackets too, and neither links nor versions', () => {
    const [entry] = readNote(
      '- see `src/a.ts`, (lib/b.py:3-9), "./c.go", d.h. not https://x.example/e.ts or v1.2 or f.exe',
    ).entries
    expect(entry.mentions).toEqual(['src/a.ts', 'lib/b.py', 'c.go', 'd.h'])
  })

  test('a line of a hundred thousand characters takes no time', () => {
    const began = performance.now()
    readNote(
      `- ${'a/'.repeat(50_000)}\n${'x.y'.repeat(30_000)}\n${'#'.repeat(50_000)}\n${'- '.repeat(50_000)}x\n|${'|'.repeat(50_000)}x`,
    )
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

test.each([
  ['Pool & Session', 'pool-session'],
  ['--x--', 'x'],
  ['!!!', 'entry'],
  ['größe', expect.stringMatching(/^gr-e-[0-9a-f]{8}$/)],
  ['漢字', expect.stringMatching(/^[0-9a-f]{8}$/)],
])('the slug of %s', (text, wanted) => {
  expect(slug(text)).toEqual(wanted)
})
