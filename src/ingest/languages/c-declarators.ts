/** Declarators and parameter lists of C and C++. */

import { headOf, type Syntax, splitTopLevel, typePath, withoutLeadingComments } from '#ingest/expression'

export interface Declarator {
  /** Dotted path of what is declared, `Cart.total`. */
  name: string
  nameStart: number
  /** Parameter list with parentheses, '' when no function. */
  params: string
  isPointerToFunction: boolean
}

export const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set([
    'unique_ptr',
    'shared_ptr',
    'weak_ptr',
    'optional',
    'atomic',
    'reference_wrapper',
    'future',
    'scoped_refptr',
    'RefPtr',
    'intrusive_ptr',
    'not_null',
  ]),
}

/** The declared name and its parameters; null when there is none. */
export function readDeclarator(text: string, start: number): Declarator | null {
  const pointer =
    /^[\s*&]*\(\s*(?:(?:\w+\s+)?[*^&]+|\w*ENTRYP\s)\s*(?:const\s+)?([A-Za-z_]\w*)[^)]*\)\s*(\([\s\S]*)$/.exec(text)
  if (pointer !== null)
    return {
      name: pointer[1],
      nameStart: start + text.indexOf(pointer[1]),
      params: pointer[2],
      isPointerToFunction: true,
    }
  const found =
    /^((?:[\s*&]|\b(?:const|volatile|restrict|__restrict|noexcept|CALLBACK|WINAPI)\b)*)((?:(?:[A-Za-z_]\w*)(?:<[^()]*>)?\s*::\s*)*)(operator\s*(?:\(\s*\)|\[\s*\]|[^\s(]+|\s+[\w:<>*& ]+)|~?\s*[A-Za-z_]\w*)\s*/.exec(
      text,
    )
  if (found === null) return null
  const scope = found[2]
    .replace(/<[^()]*>/g, '')
    .replace(/\s/g, '')
    .replace(/::/g, '.')
  const label = found[3].replace(/\s+/g, found[3].startsWith('operator') ? ' ' : '').trim()
  const rest = text.slice(found[0].length)
  return {
    name: scope + label,
    nameStart: start + found[1].length + found[2].length,
    params: rest.startsWith('(') ? rest : '',
    isPointerToFunction: false,
  }
}

export function readParameters(list: string): { name: string; type: string; variadic: boolean }[] {
  const end = closing(list)
  const parameters: { name: string; type: string; variadic: boolean }[] = []
  for (const part of splitTopLevel(list.slice(1, end), ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax)
      .split(/=(?!=)/)[0]
      .trim()
    if (plain === '' || plain === 'void') continue
    if (plain === '...') {
      parameters.push({ name: '', type: '', variadic: true })
      continue
    }
    const callback = /\(\s*[*^&]\s*(?:const\s+)?([A-Za-z_]\w*)\s*\)\s*\(/.exec(plain)
    if (callback !== null) {
      parameters.push({ name: callback[1], type: '', variadic: false })
      continue
    }
    const found = /^([\s\S]*[\s*&>])([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$/.exec(plain)
    const named =
      found !== null &&
      found[1].trim() !== '' &&
      !/^(?:const|unsigned|signed|struct|enum|union|long|short)$/.test(found[1].trim())
        ? found
        : null
    const type = typePath(
      (named === null ? plain : named[1]).replace(/\b(?:struct|enum|union|class|register)\s+/g, ''),
      syntax,
    )
    parameters.push({ name: named?.[2] ?? '', type, variadic: plain.includes('...') })
  }
  return parameters
}

/** Position of the bracket that closes the one at the start. */
function closing(list: string): number {
  let depth = 0
  for (let i = 0; i < list.length; i++) {
    if (list[i] === '(') depth++
    else if (list[i] === ')' && --depth === 0) return i
  }
  return list.length
}

const TEST_MACRO =
  /^(?:BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|(?:TYPED_)?TEST(?:_[FPG])?|(?:CATCH_)?TEST_CASE(?:_METHOD|_FIXTURE)?|SCENARIO|FUZZ_TEST|START_TEST|Test)$/
/** Macros whose first argument is the class that the test is a method of. */
const FIXTURE_MACRO = /_[FP]$|_METHOD$|_FIXTURE$|^TYPED_/

/** True for a macro that defines a test. */
export function isTest(macro: string): boolean {
  return TEST_MACRO.test(macro)
}

/** The name of a test that a macro defines, from its arguments, and its fixture, '' when it has none. */
export function testOf(macro: string, params: string): { name: string; fixture: string } | null {
  if (!TEST_MACRO.test(macro)) return null
  const args = splitTopLevel(params.slice(1, closing(params)), ',', syntax).map((it) => it.trim())
  const words = args
    .slice(0, 2)
    .filter((it) => !it.startsWith('"['))
    .map((it) => it.replace(/^"|"$/g, '').replace(/\W+/g, '_'))
  if (words.length === 0 || words[0] === '') return null
  return { name: words.join('_'), fixture: FIXTURE_MACRO.test(macro) ? headOf(typePath(args[0], syntax)) : '' }
}
