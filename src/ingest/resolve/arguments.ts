/** What a call is given, read only when somebody asks. */

import { unknown, type Value } from '#ingest/resolve/value'

export interface Arguments {
  /** Where types that are written in the call are read. */
  readonly scope: number
  readonly count: number
  /** The value of an argument; unknown when there is none. */
  value(i: number): Value
  /** The type arguments as written, '' when there are none. */
  types(): string
  /** Those behind the first `n`. */
  from(n: number): Arguments
}

export const NO_ARGUMENTS: Arguments = {
  scope: 0,
  count: 0,
  value: () => unknown,
  types: () => '',
  from: () => NO_ARGUMENTS,
}

export function givenArguments(values: readonly Value[]): Arguments {
  return {
    scope: 0,
    count: values.length,
    value: (i) => values[i] ?? unknown,
    types: () => '',
    from: (n) => givenArguments(values.slice(n)),
  }
}

export function writtenArguments(
  scope: number,
  parts: readonly string[],
  evaluate: (scope: number, path: string) => Value | undefined,
): Arguments {
  const last = parts.at(-1) ?? ''
  const types = last.startsWith(':<') ? last.slice(2, -1) : ''
  const values = types === '' ? parts : parts.slice(0, -1)
  return {
    scope,
    count: values.length,
    value: (i) => (i < values.length ? (evaluate(scope, values[i]) ?? unknown) : unknown),
    types: () => types,
    from: (n) => writtenArguments(scope, parts.slice(n), evaluate),
  }
}

/** The position of the bracket that the last character of a path closes; -1 when none does. */
export function openingOf(path: string): number {
  let depth = 0
  for (let i = path.length - 1; i >= 0; i--) {
    const c = path.charCodeAt(i)
    if (c === 41) depth++
    else if (c === 40) {
      depth--
      if (depth === 0) return i
    }
  }
  return -1
}
