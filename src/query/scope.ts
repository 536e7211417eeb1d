/** Which files a scope means: a path or its beginning, or globs as ignore files have them. */

import ignore from 'ignore'
import { normalizeScope } from '#query/seek-options'

/** Whether a path lies in the scope: `src/api`, `file::src/api.py`, or globs, `src/**` + `/*.{ts,tsx}, !**` + `/*.test.ts`. */
export function scopeOf(scope: string): (path: string) => boolean {
  const wanted = normalizeScope(scope)
  if (wanted === '') return () => true
  if (!/[*?![\]{}]/.test(wanted)) return (path) => path === wanted || path.startsWith(wanted)
  const globs = expand(wanted)
    .flatMap((it) => it.split(/[,\s]+/))
    .filter((it) => it !== '')
  const given = globs.filter((it) => !it.startsWith('!'))
  const taken = globs.filter((it) => it.startsWith('!')).map((it) => it.slice(1))
  const inside = ignore({ allowRelativePaths: true }).add(given)
  const outside = ignore({ allowRelativePaths: true }).add(taken)
  // what is only taken away is taken away from everything
  return (path) => path !== '' && (given.length === 0 || inside.ignores(path)) && !outside.ignores(path)
}

/** `a{b,c}` → `ab`, `ac`. */
function expand(glob: string): string[] {
  const found = /^(.*?)([^\s,{}]*)\{([^{}]*)\}([^\s,{}]*)(.*)$/s.exec(glob)
  if (found === null) return [glob]
  const [, before, head, choices, tail, after] = found
  const expanded = choices.split(',').map((it) => `${head}${it}${tail}`)
  return expand(`${before}${expanded.join(' ')}${after}`)
}
