/** Patterns of paths. */

/**
 * Whether a path, or a folder above it, fits a pattern: `*` and `?` stay within one part of a path, `**` goes over
 * parts; without any of these the pattern is a prefix. Takes at most length of path · length of pattern steps.
 */
export function fitsPath(path: string, pattern: string): boolean {
  const wanted = pattern.replace(/^\.\//, '')
  if (!/[*?]/.test(wanted)) return path.startsWith(wanted)
  const tokens = wanted.replace(/\/$/, '').match(/\*\*\/?|[^]/g) ?? []
  // positions in the pattern that may come next
  let states = closed(new Set([0]), tokens)
  for (const it of path) {
    if (it === '/' && states.has(tokens.length)) return true
    const next = new Set<number>()
    for (const at of states) {
      const token = tokens[at]
      if (token === undefined) continue
      if (token.startsWith('**')) next.add(at)
      else if (token === '*') {
        if (it !== '/') next.add(at)
      } else if (token === it || (token === '?' && it !== '/')) next.add(at + 1)
    }
    states = closed(next, tokens)
  }
  return states.has(tokens.length)
}

/** With what follows a star, which may also stand for nothing. */
function closed(states: Set<number>, tokens: readonly string[]): Set<number> {
  for (const at of states) if (tokens[at]?.startsWith('*')) states.add(at + 1)
  return states
}
