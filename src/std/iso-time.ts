/** Points in time as ISO 8601 writes them. */

const FORM = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/

/**
 * Epoch ms of a year, month, day, or time of a day (`2026-03-01T08:00:00Z`, a space for the `T`; without a zone a time
 * is that of this machine); null for all else, days that no month has among it. `Date.parse` by itself takes nearly
 * everything that has a number in it.
 */
export function parseIsoTime(text: string): number | null {
  const [whole, year, month = '01', day = '01'] = FORM.exec(text) ?? []
  if (whole === undefined) return null
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null
  const time = Date.parse(whole.replace(' ', 'T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  return Number.isNaN(time) ? null : time
}
