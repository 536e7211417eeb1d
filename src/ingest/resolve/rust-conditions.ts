/**
 * Conditions of `#[cfg(…)]`, where one name is defined once per system: what is built for Linux on a common
 * machine, with the features that are on by default, is meant.
 */

const TRUE = new Set([
  'unix',
  'debug_assertions',
  'panic=unwind',
  'target_os=linux',
  'target_family=unix',
  'target_arch=x86_64',
  'target_pointer_width=64',
  'target_env=gnu',
  'target_endian=little',
  'target_vendor=unknown',
  'test',
])

/** True, unless the condition does not hold. The text is without quotes and white space. */
export function readCondition(text: string, features: ReadonlySet<string> | undefined): boolean {
  const open = text.indexOf('(')
  if (open < 0) {
    if (text.startsWith('feature=')) return features?.has(text.slice(8)) ?? true
    if (text.startsWith('target_has_atomic') || text.startsWith('target_feature=sse2')) return true
    return TRUE.has(text)
  }
  const parts = splitParts(text.slice(open + 1, text.endsWith(')') ? -1 : undefined))
  const results = parts.map((it) => readCondition(it, features))
  switch (text.slice(0, open)) {
    case 'not':
      return results[0] !== true
    case 'any':
      return results.includes(true)
    case 'all':
      return !results.includes(false)
  }
  return true
}

function splitParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const c = text[i]
    if (c === '(') depth++
    else if (c === ')') depth--
    else if (i === text.length || (c === ',' && depth === 0)) {
      if (i > from) parts.push(text.slice(from, i))
      from = i + 1
    }
  }
  return parts
}
