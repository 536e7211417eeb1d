/** What a call hands over: per argument the type of a literal, else the path of the expression. */

import { expressionPath, skipBalanced, splitTopLevel, type Syntax, typePath } from '#ingest/expression'

/** An argument that is no value, and one that is a function. */
export const NULL_ARGUMENT = 'null'
export const FUNCTION_ARGUMENT = '=>'

const PRIMITIVE = /^(?:int|long|short|byte|char|float|double|boolean)$/
const NOTHING = /^(?:null|nil|None|undefined|nullptr|NULL)$/
const IGNORED = /^_\b/
const LAMBDA = /^(?:async\s+)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\p{L}_$][\p{L}\p{N}_$]*)\s*(?:->|=>)/u
const METHOD_REFERENCE = /^[\p{L}_$][^()"'?:]*(?:\([^()]*\)[^()"'?:]*)*::\s*(?:new|[\p{Ll}_][\p{L}\p{N}_$]*)$/u
const ARRAY = /^new\s+([\p{L}_$][\p{L}\p{N}_$.]*(?:<[^()]*>)?)\s*((?:\[[^\]]*\]\s*)+)/u
const CAST = /^\(\s*([\p{L}_$][\p{L}\p{N}_$.]*(?:<[^()]*>)?(?:\s*\[\s*\])*)\s*\)\s*(?=[\p{L}_$"'(\d!~@-])/u
/** Operators that give a truth value; generics have no white space around their brackets. */
const LOGICAL = /&&|\|\||[=!<>]=|\s[<>]\s|\binstanceof\b/

/** Types of literals are `String`, `int` and the like; '' where nothing is known. */
export function argumentTypes(list: readonly string[], syntax: Syntax): string[] {
  return list.map((it) => argumentType(it.trim(), syntax))
}

function argumentType(text: string, syntax: Syntax, depth = 0): string {
  if (text === '' || IGNORED.test(text) || depth > 8) return ''
  if (NOTHING.test(text)) return NULL_ARGUMENT
  const literal = literalType(text)
  if (literal !== '') return literal
  if (syntax.methodReferences === true && METHOD_REFERENCE.test(text)) return FUNCTION_ARGUMENT
  const array = ARRAY.exec(text)
  if (array !== null && /^\s*(?:\{[\s\S]*\})?$/.test(text.slice(array[0].length))) {
    const element = typePath(array[1], syntax)
    const dimensions = array[2].split('[').length - 1
    return element === '' ? '' : `${'Array<'.repeat(dimensions)}${element}${'>'.repeat(dimensions)}`
  }
  const path = expressionPath(text, syntax)
  const cast = CAST.exec(text)
  if (cast !== null && isCast(cast[1], text, cast[0].length)) {
    const type = typePath(cast[1], syntax)
    if (PRIMITIVE.test(type) || type.startsWith('Array<')) return type
  }
  if (path !== '') return path
  if (text.length > 2000) return ''
  if (LAMBDA.test(text)) return FUNCTION_ARGUMENT
  if (text.startsWith('(') && skipBalanced(text, 0, syntax) === text.length)
    return argumentType(text.slice(1, -1).trim(), syntax, depth + 1)
  const choice = splitTopLevel(text, ' ? ', syntax)
  if (choice.length === 2) {
    const [yes, no] = splitTopLevel(choice[1], ' : ', syntax).map((it) => argumentType(it.trim(), syntax, depth + 1))
    return yes === NULL_ARGUMENT || yes === '' ? (no ?? '') : yes
  }
  if (choice.length > 2) return ''
  const plain = withoutBrackets(text, syntax)
  if (text.startsWith('!') || LOGICAL.test(plain)) return 'boolean'
  const summands = splitTopLevel(text, '+', syntax)
  if (summands.length > 1 && summands.some((it) => literalType(it.trim()) === 'String')) return 'String'
  const signed =
    /^(?:[-~]|\+\+|--)\s*([\p{L}_$][\s\S]*)$/u.exec(text)?.[1] ?? /^([\p{L}_$][\s\S]*?)(?:\+\+|--)$/u.exec(text)?.[1]
  return signed === undefined ? '' : expressionPath(signed, syntax)
}

/** A name in parentheses is a type when a value follows it; `(a) - b` is a difference. */
function isCast(name: string, text: string, end: number): boolean {
  return text[end] !== '-' || PRIMITIVE.test(name)
}

/** An expression without what stands in its brackets and strings. */
function withoutBrackets(text: string, syntax: Syntax): string {
  let plain = ''
  for (let i = 0; i < text.length; ) {
    const c = text[i]
    const isOpen = c === '(' || c === '[' || c === '{'
    if (!isOpen && c !== '"' && c !== "'") {
      plain += c
      i++
      continue
    }
    if (isOpen) i = skipBalanced(text, i, syntax)
    else {
      const end = text.indexOf(c, i + 1)
      i = end < 0 ? text.length : end + 1
    }
  }
  return plain
}

/** The type of a literal as Java spells it, '' for anything else. */
export function literalType(text: string): string {
  if (text.startsWith('"')) return /^"(?:[^"\\]|\\.)*"$/.test(text) || text.startsWith('"""') ? 'String' : ''
  if (text.startsWith("'"))
    return /^'(?:[^'\\]|\\[^']+|\\')'$/.test(text) ? 'char' : /^'[^']*'$/.test(text) ? 'String' : ''
  if (/^-?(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[bB][01_]+)$/.test(text)) return 'int'
  if (/^-?(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[bB][01_]+)[lL]$/.test(text)) return 'long'
  if (/^-?[\d_.]+(?:[eE][-+]?\d+)?[fF]$/.test(text)) return 'float'
  if (/^-?(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][-+]?\d+)?[dD]?$/.test(text)) return 'double'
  if (text === 'true' || text === 'false') return 'boolean'
  return text.endsWith('.class') ? 'Class' : ''
}
