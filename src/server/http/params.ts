/** Words after the question mark. */

import { HttpFailure } from '#server/http/failure'

/** A number that is out of range is moved into it; what is no number is refused. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  { byDefault, min, max }: { byDefault: number; min: number; max: number },
): number {
  const given = query.get(name)
  if (given === null || given === '') return byDefault
  if (!/^[+-]?\d{1,15}$/.test(given))
    throw new HttpFailure(
      400,
      'invalid_params',
      `${name} is ${JSON.stringify(given.slice(0, 100))}, no whole number.`,
      {
        hint: `Give a whole number from ${min} to ${max}.`,
      },
    )
  return Math.min(max, Math.max(min, Number(given)))
}

/** One of some words. */
export function oneOf<T extends string>(query: URLSearchParams, name: string, words: readonly T[], byDefault: T): T {
  const given = query.get(name) ?? ''
  if (given === '') return byDefault
  const found = words.find((it) => it === given)
  if (found !== undefined) return found
  throw new HttpFailure(400, 'invalid_params', `${name} is ${JSON.stringify(given.slice(0, 100))}.`, {
    hint: `Give one of ${words.join(', ')}.`,
  })
}

/** Some of a few words, separated by commas; all of them when there is none. */
export function listOf<T extends string>(query: URLSearchParams, name: string, words: readonly T[]): readonly T[] {
  const given = (query.get(name) ?? '').split(',').filter((it) => it !== '')
  for (const it of given) {
    if (words.some((word) => word === it)) continue
    throw new HttpFailure(400, 'invalid_params', `${name} holds ${JSON.stringify(it.slice(0, 100))}.`, {
      hint: `Give some of ${words.join(', ')}, separated by commas.`,
    })
  }
  return given.length === 0 ? words : words.filter((it) => given.some((word) => word === it))
}

/** A text that must be there. */
export function required(query: URLSearchParams, name: string): string {
  const given = query.get(name) ?? ''
  if (given !== '') return given
  throw new HttpFailure(400, 'invalid_params', `${name} is missing.`, { hint: `Ask with ?${name}=….` })
}
