import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '#engine/journal'
import { type Json, KeptRecords, type Kind } from '#engine/records'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'm1nd-records-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const journalFile = () => join(folder, 'journal')
const savedFile = () => join(folder, 'records.json')
const openFile = (check = () => {}) => openJournal(journalFile(), { writes: true, now: () => 7, check })

function open(): KeptRecords {
  const records = new KeptRecords()
  records.restore(existsSync(savedFile()) ? JSON.parse(readFileSync(savedFile(), 'utf8')) : null, openFile())
  return records
}
const save = (it: KeptRecords) => it.save(async (text) => writeFileSync(savedFile(), text))

const KINDS: readonly Kind[] = ['trail', 'perspective', 'lock']
const all = (it: KeptRecords) => KINDS.map((kind) => it.all(kind))

describe('records', () => {
  test('what was put is there after a process that never saved', () => {
    const before = open()
    before.put('trail', 'b', { label: 'two' })
    before.put('trail', 'a', { label: 'one' })
    before.put('lock', 'a', 1)
    before.remove('trail', 'b')
    expect(open().all('trail')).toEqual([['a', { label: 'one' }]])
    expect(open().get('lock', 'a')).toBe(1)
    expect(open().get('trail', 'b')).toBeUndefined()
  })

  test('any order of changes, saves and restarts gives what a plain map gives', async () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'put', 'remove', 'save', 'restart', 'torn'),
      kind: fc.constantFrom(...KINDS),
      name: fc.constantFrom('a', 'b', 'ä\n', ''),
      value: fc.jsonValue({ maxDepth: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        rmSync(journalFile(), { force: true })
        rmSync(savedFile(), { force: true })
        let records = open()
        const model = new Map<string, [Kind, string, Json]>()
        for (const { what, kind, name, value } of steps) {
          // as it comes back from text: no negative zero
          const json: Json = JSON.parse(JSON.stringify(value))
          if (what === 'put') {
            records.put(kind, name, json)
            model.set(`${kind}/${name}`, [kind, name, json])
          } else if (what === 'remove') {
            expect(records.remove(kind, name)).toBe(model.delete(`${kind}/${name}`))
          } else if (what === 'save') await save(records)
          else {
            if (what === 'torn') appendFileSync(journalFile(), '12ab 9 {"put"')
            records = open()
          }
        }
        records = open()
        const expected = KINDS.map((kind) =>
          [...model.values()]
            .filter((it) => it[0] === kind)
            .map(([, name, value]): [string, Json] => [name, value])
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
        expect(all(records)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  test('a process that ends between the save and the cut loses nothing and repeats nothing', async () => {
    const before = open()
    before.put('trail', 'a', 1)
    const text = readFileSync(journalFile())
    await save(before)
    before.put('trail', 'a', 2)
    before.remove('trail', 'a')
    const rest = readFileSync(journalFile())
    writeFileSync(journalFile(), Buffer.concat([text, rest]))
    expect(open().all('trail')).toEqual([])
  })

  test('damaged lines are told and kept aside, the others count', () => {
    const before = open()
    before.put('trail', 'a', 1)
    before.put('trail', 'b', 2)
    before.put('trail', 'c', 3)
    writeFileSync(journalFile(), readFileSync(journalFile(), 'utf8').replace('"value":2', '"value":9'))
    const journal = openFile()
    expect(journal.warnings).toEqual([
      '1 of 3 lines of journal could not be read; the file is kept as journal.corrupt-7.',
    ])
    expect(readdirSync(folder)).toContain('journal.corrupt-7')
    expect(open().all('trail')).toEqual([
      ['a', 1],
      ['c', 3],
    ])
  })

  test('a process that has lost its state to another changes nothing, not even in memory', () => {
    const records = new KeptRecords()
    const lost = () => {
      throw new Error('taken over')
    }
    records.restore(null, openFile(lost))
    expect(() => records.put('trail', 'a', 1)).toThrow('taken over')
    expect(records.all('trail')).toEqual([])
  })
})
