/** Values of Go as paths, and the types that literals make. */

import { expressionPath, typePath } from '#ingest/expression'
import { syntax } from '#ingest/languages/go-types'

/** What a name at a position of an assignment from one value stands for. */
export function resultPath(text: string, position: number): string {
  const path = valuePath(text)
  // a type assertion, a map or a channel tells in second place whether there was a value
  const isCall = path.endsWith('()') && /\)\s*$/.test(text) && !ASSERTION.test(text) && !/^\s*(?:new|make)\(/.test(text)
  if (isCall) return `${path}.#${position}`
  return position === 0 ? path : ''
}

const ASSERTION = /\.\(\s*[^()]*\)\s*$/

export function valuePath(text: string): string {
  const received = /^\s*<-([\s\S]+)$/.exec(text)
  if (received !== null) {
    const channel = expressionPath(received[1], syntax)
    return channel === '' ? '' : `${channel}[]`
  }
  const assertion = /^([\s\S]+)\.\(\s*([\s\S]+?)\s*\)\s*$/.exec(text)
  if (assertion !== null && !assertion[2].includes('(')) {
    const type = typePath(assertion[2], syntax)
    return type === '' || type.includes('<') ? '' : `${type}()`
  }
  const made = /^\s*(?:new|make)\(\s*([^,()]+)/.exec(text)
  if (made !== null) {
    const type = typePath(made[1], syntax)
    return type === '' || type.includes('<') ? '' : `${type}()`
  }
  if (/^\s*(?:\[|map\[|func\b)/.test(text)) return ''
  return expressionPath(text, syntax)
}

/** Type of a slice, array or map that an expression makes: `[]T{…}`, `make(map[K]V)`. */
export function madeType(text: string): string {
  const made = /^\s*(?:make\(\s*)?((?:\[[^\]]*\]|map\[)[^{(),]*)[{(),]/.exec(text)
  return made === null ? '' : typePath(made[1].trim(), syntax)
}
