/** Values of C and C++ as paths: casts, makers of smart pointers. */

import { expressionPath, headOf, skipBalanced, typePath } from '#ingest/expression'
import { syntax } from '#ingest/languages/c-declarators'

export function valuePath(text: string, pathOf: (expression: string) => string): string {
  const made = /^\s*(?:std::)?make_(?:unique|shared)\s*<([\s\S]+?)>\s*\(/.exec(text)
  if (made === null) return pathOf(text)
  const path = headOf(typePath(made[1], syntax))
  return path === '' ? '' : `${path}()`
}

const CAST =
  /^\s*(?:(?:static|dynamic|reinterpret|const)_cast|(?:std::)?(?:static|dynamic)_pointer_cast)\s*<([^()]+?)>\s*\(/

/** The path of an expression; a cast in front is the type that it casts to. */
export function castPath(text: string): string {
  const cast = CAST.exec(text)
  if (cast === null) return expressionPath(text, syntax)
  const type = headOf(typePath(cast[1], syntax))
  const rest = text.slice(skipBalanced(text, cast[0].length - 1, syntax))
  if (rest.trim() === '') return type === '' ? '' : `${type}()`
  const path = expressionPath(`x${rest}`, syntax)
  return type === '' || path === '' ? '' : `${type}()${path.slice(1)}`
}
