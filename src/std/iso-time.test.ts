import { describe, expect, test } from 'vitest'
import { parseIsoTime } from '#std/iso-time'

describe('a time', () => {
  test.each([
    ['2026', Date.UTC(2026, 0, 1)],
    ['2026-03', Date.UTC(2026, 2, 1)],
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['1900-01-01', Date.UTC(1900, 0, 1)],
    ['2026-01-31T08:00:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31T08:00:00.250Z', Date.UTC(2026, 0, 31, 8, 0, 0, 250)],
    ['2026-01-31 08:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31T08:00+01:00', Date.UTC(2026, 0, 31, 7)],
    ['2026-01-31T08:00-0130', Date.UTC(2026, 0, 31, 9, 30)],
    ['2026-01-31T08:00', new Date(2026, 0, 31, 8).getTime()],
  ])('%s is understood', (text, expected) => expect(parseIsoTime(text)).toBe(expected))

  test.each([
    '',
    'yesterday',
    'abc 1',
    '1 2 3',
    '01/02/2026',
    'March 1, 2026',
    '-5',
    '20260301',
    '2026-13-01',
    '2026-00-10',
    '2026-02-30',
    '2026-02-29',
    '2026-04-31',
    '2026-01-31T25:00:00Z',
    '2026-01-31T08:00:00Z ',
    '2026-01-31T08',
    '2026-01-31T08:00+99:00',
  ])('"%s" is none', (text) => expect(parseIsoTime(text)).toBeNull())
})
