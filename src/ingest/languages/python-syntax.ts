/**
 * How Python text is read as expression paths. Besides names, `()` and `[]`, its paths have steps of their own,
 * which `resolve/python-steps` follows: `x.@enter` what `with x` hands out, `x.@each` what a loop over `x` gives,
 * `x.@0` the first of several values, `x.@=name` what `x["name"]` gives, `x.@list` and `x.@dict` a list or dictionary of `x`, `x.@elements` a list of
 * what a loop over `x` gives, `x.@class` its class, `x.@ref` a function
 * that gives it. `name#2` is what `name` stands for in a part of its scope, see `python-flow`.
 */

import { expressionPath, skipBalanced, splitTopLevel, type Syntax, typePath } from '#ingest/expression'

export const syntax: Syntax = {
  lineComment: '#',
  generics: '[',
  unions: true,
  transparent: new Set([
    'Optional',
    'Awaitable',
    'Coroutine',
    'ClassVar',
    'Final',
    'Annotated',
    'Required',
    'NotRequired',
    'ReadOnly',
    'Future',
    'Task',
    'TypeGuard',
  ]),
}

const TYPING = `None True False Any Optional List Dict Tuple Set Union Type Callable ClassVar Final Literal Annotated`
/** Names in types that stand for no definition. */
export const TYPES_WITHOUT_NODE = new Set([
  ...TYPING.split(' '),
  ...TYPING.split(' ').map((it) => `t.${it}`),
  ...'int str float bool bytes list dict tuple set frozenset object type complex bytearray self cls Self typing'.split(
    ' ',
  ),
])

/** The name under which a class keeps its metaclass. */
export const METACLASS = 'metaclass@'

export const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u
/** A name, or an attribute of the own instance or class. */
export const TARGET = /^(?:(?:self|cls)\.)?[\p{L}_][\p{L}\p{N}_]*$/u
const SIMPLE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/
const CALL = /^(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)\s*\(/
const KEY = /\[\s*(?:["']([A-Za-z_]\w*)["']|(\d))\s*\]/g
const SLICE = /\[[^[\](){}"']*:[^[\](){}"']*\]/g

/** Functions that give their first argument, a list of its elements, or one element. */
const PASSING = new Map<string, string>([
  ['partial', ''],
  ['copy', ''],
  ['deepcopy', ''],
  ['contextmanager', ''],
  ['shield', ''],
  ['wait_for', ''],
  ['create_task', ''],
  ['ensure_future', ''],
  ['iter', '.@elements'],
  ['aiter', '.@elements'],
  ['list', '.@elements'],
  ['tuple', '.@elements'],
  ['set', '.@elements'],
  ['frozenset', '.@elements'],
  ['sorted', '.@elements'],
  ['reversed', '.@elements'],
  ['deque', '.@elements'],
  ['next', '.@each'],
  ['anext', '.@each'],
  ['type', '.@class'],
  ['ref', '.@ref'],
  ['proxy', ''],
])

/** The path of an expression, '' when it has none. */
export function pathOf(text: string): string {
  const plain = text.trim()
  if (plain.length > 20_000) return ''
  const call = CALL.exec(plain)
  const open = call === null ? 0 : call[0].length - 1
  const special = call === null ? '' : calledPath(plain, call[1], open)
  if (special !== '') return joined(special, plain.slice(skipBalanced(plain, open, syntax)))
  return writtenPath(plain)
}

function writtenPath(text: string): string {
  if (SIMPLE.test(text)) return text.includes('__class__') ? text.replaceAll('.__class__', '.@class') : text
  const keyed = text.includes('[') ? text.replace(SLICE, '').replace(KEY, keyStep) : text
  const path = expressionPath(keyed, syntax)
  return path
    .replace(/^super\(\)/, 'super')
    .replaceAll('.__class__', '.@class')
    .replace(/\.__at_(\d)(?=$|\W)/g, '.@$1')
    .replaceAll('.__at_', '.@=')
}

function keyStep(_: string, name: string | undefined, index: string | undefined): string {
  return `.__at_${name ?? index ?? ''}`
}

/** What a call of a well-known function stands for; '' when it is no such call. */
function calledPath(text: string, name: string, open: number): string {
  const [first, second] = argumentsAt(text, open)
  if (first === undefined) return ''
  if (name === 'cast' && second !== undefined) {
    const type = typePath(first, syntax)
    return /^[\w.]+$/.test(type) ? `${type}()` : ''
  }
  if (name === 'getattr') {
    const attribute = /^\s*["']([A-Za-z_]\w*)["']\s*$/.exec(second ?? '')?.[1]
    const owner = attribute === undefined ? '' : pathOf(first)
    return owner === '' ? '' : `${owner}.${attribute}`
  }
  if (name === 'super' && second !== undefined) return 'super'
  const step = PASSING.get(name)
  if (step === undefined || (name === 'type' && second !== undefined)) return ''
  const path = pathOf(first)
  return path === '' ? '' : `${path}${step}`
}

/** A path and the steps that follow in the text. */
function joined(path: string, rest: string): string {
  if (rest.trim() === '') return path
  const steps = writtenPath(`x${rest}`)
  return steps === '' ? '' : path + steps.slice(1)
}

/** The texts of the arguments in the brackets that open at `open`. */
export function argumentsAt(text: string, open: number): string[] {
  const end = skipBalanced(text, open, syntax)
  const inside = text.slice(open + 1, end - 1)
  return inside.trim() === '' ? [] : splitTopLevel(inside, ',', syntax)
}

/** A class by its name, made. */
const MADE = /(?:^|\.)_*[A-Z]\w*\(\)$/

export function isMade(path: string): boolean {
  return MADE.test(path)
}

/** The path of a value; of `a or b` and `a if c else b` the part that can be named. */
export function valuePath(text: string): string {
  const plain = text.trim()
  if (plain === 'None' || plain === '') return ''
  const literal = literalPath(plain)
  if (literal !== undefined) return literal
  const path = pathOf(plain)
  if (path === 'None') return ''
  if (path !== '' || plain.length > 2000) return path
  const choice = /^([\s\S]+?)\s+(?:or|if\s[\s\S]+?\selse)\s+([\s\S]+)$/.exec(plain)
  if (choice === null) return ''
  const first = pathOf(choice[1])
  const second = pathOf(choice[2])
  // of two values the constructed one tells the type
  if (isMade(second)) return second
  if (isMade(first)) return first
  return second === 'None' ? first : ''
}

/** The path of a list, dictionary or comprehension by what it holds; undefined when the text is none. */
function literalPath(text: string): string | undefined {
  if (text[0] !== '[' && text[0] !== '{') return undefined
  if (skipBalanced(text, 0, syntax) !== text.length) return undefined
  const inside = withoutComments(text.slice(1, -1)).trim()
  if (inside === '' || inside.length > 2000) return ''
  const [first] = splitTopLevel(inside, ',', syntax)
  const element = first.split(/\s(?:async\s+)?for\s/)[0]
  if (text[0] === '[') {
    const path = pathOf(element)
    return path === '' ? '' : `${path}.@list`
  }
  const [key, value] = splitTopLevel(element, ':', syntax)
  const path = pathOf(value ?? key)
  return path === '' ? '' : `${path}${value === undefined ? '.@list' : '.@dict'}`
}

function withoutComments(text: string): string {
  return text.includes('#') ? text.replace(/^[ \t]*#[^\n]*/gm, '') : text
}

/** The types of the second argument of `isinstance`, as one type text; '' when they cannot be named. */
export function testedType(text: string): string {
  const plain = text.trim()
  const inner = /^\(([\s\S]*)\)$/.exec(plain)?.[1]
  const types = inner === undefined ? plain.split(/\s*\|\s*/) : splitTopLevel(inner, ',', syntax)
  const paths = types.map((it) => it.trim()).filter((it) => it !== '')
  return paths.every((it) => /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(it)) ? paths.join(' | ') : ''
}
