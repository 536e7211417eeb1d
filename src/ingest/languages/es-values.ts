/** Values of ECMAScript and TypeScript as expression paths. */

import { expressionPath, skipBalanced, splitTopLevel, withoutLeadingComments } from '#ingest/expression'
import { syntax } from '#ingest/languages/es-syntax'
import { typeOf } from '#ingest/languages/es-types'

/** Longer values are data, or code that names nothing. */
const LONGEST = 2000
const LONGEST_OBJECT = 400
/** Strings, numbers, patterns, lists and functions; a type may follow them, with a bracket at its end. */
const NO_PATH = /^(?:["'`\d/[-]|(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>))/
const CHOICE = /\s(?:\?\?|\?|\|\||&&)\s/
const MOST_MEMBERS = 40
const DEEPEST = 6

/** The path of a value: one path, alternatives `a | b`, an object `{a:b,c:d}`, or a type that the value is of `<Cart>`. */
export function valuePath(text: string): string {
  return within(text.trim(), 0)
}

function within(text: string, depth: number): string {
  // an element, an import that is no path
  if (text === '' || /^(?:<|(?:await\s+)?import\b|require\b)/.test(text)) return ''
  if (text.startsWith('{')) return text.length > LONGEST_OBJECT || depth > DEEPEST ? '' : objectPath(text, depth)
  if (NO_PATH.test(text) && !text.endsWith(']') && !text.endsWith('>')) return ''
  if (text.length <= LONGEST) {
    const kept = HOOK.exec(text)
    if (kept !== null) return hookPath(text, kept, depth)
    const typed = writtenType(text)
    if (typed !== '') return `<${typed}>`
  }
  const path = expressionPath(text, syntax)
  if (path !== '' || text.length > LONGEST || depth > DEEPEST) return path
  return CHOICE.test(text) ? alternatives(text.replace(/\s+/g, ' '), depth + 1) : ''
}

const HOOK = /^(?:React\.)?use(State|Memo|Ref|Callback)\s*(?:<([^()]*)>)?\(/

/** What React keeps for a component: `useState` gives a pair, `useRef` an object, the others what they are handed. */
function hookPath(text: string, [head, hook, type]: RegExpExecArray, depth: number): string {
  if (skipBalanced(text, head.length - 1, syntax) < text.length) return ''
  const [first = ''] = splitTopLevel(text.slice(head.length, -1), ',', syntax)
  const made = first.trim().replace(/^\(\)\s*=>\s*(?!\{)/, '')
  const written = type === undefined ? '' : typeOf(type)
  const path = written !== '' ? `<${written}>` : depth > DEEPEST ? '' : within(made, depth + 1)
  if (path === '') return ''
  return hook === 'State' ? `{0:${path}}` : hook === 'Ref' ? `{current:${path}}` : path
}

/** The type that is written with a value: `new Map<string, Cart>()`, `load() as Cart[]`. */
function writtenType(text: string): string {
  const isMade = text.startsWith('new')
  if (!isMade && !text.includes(' as ') && !text.includes(' satisfies ')) return ''
  const made = !isMade ? null : /^new\s+([\w$.]+)\s*</.exec(text)
  if (made !== null) {
    const open = text.indexOf('(')
    if (
      open < 0 ||
      skipBalanced(text, open, syntax) < text.length ||
      text[text.slice(0, open).trimEnd().length - 1] !== '>'
    )
      return ''
    return typeOf(text.slice(text.indexOf(made[1]), open))
  }
  const cast = /\s(?:as|satisfies)\s+(?!(?:const|any|unknown|never)\b)/.exec(text)
  if (cast === null) return ''
  const parts = splitTopLevel(text, cast[0], syntax)
  // a cast within brackets is one of a part
  return parts.length === 2 && !/[?:]/.test(parts[1].replace(/[<{([][\s\S]*/, '')) ? typeOf(parts[1]) : ''
}

/** Both sides of `a ?? b`, `a || b` and `c ? a : b`, the last of `a && b`. */
function alternatives(text: string, depth: number): string {
  const choice = splitTopLevel(text, ' ? ', syntax)
  if (choice.length > 1) {
    const [first, ...others] = splitTopLevel(choice.slice(1).join(' ? '), ' : ', syntax)
    return joined([first, others.join(' : ')], depth)
  }
  for (const sign of [' ?? ', ' || ']) {
    const parts = splitTopLevel(text, sign, syntax)
    if (parts.length > 1) return joined(parts, depth)
  }
  const conditions = splitTopLevel(text, ' && ', syntax)
  return conditions.length > 1 ? within(conditions[conditions.length - 1].trim(), depth) : ''
}

function joined(parts: readonly string[], depth: number): string {
  const paths = parts
    .map((it) => within(it.trim(), depth))
    .filter((it) => it !== '' && it !== 'null' && it !== 'undefined')
  return [...new Set(paths)].join(' | ')
}

const ENTRY = /^(?:async\s+)?(?:[gs]et\s+(?=[\p{L}_$]))?\*?\s*(["']?)([\p{L}_$][\p{L}\p{N}_$]*)\1\s*(:|\(|$)/u

/** `{ add, run: start(), stop() {} }` → `{add:add,run:start(),stop:stop}`. */
function objectPath(text: string, depth: number): string {
  // what may follow is a cast
  const close = text.lastIndexOf('}')
  const members: string[] = []
  for (const part of splitTopLevel(text.slice(1, close), ',', syntax)) {
    const entry = withoutLeadingComments(part, syntax).trim()
    if (entry.startsWith('...')) {
      const spread = within(entry.slice(3).trim(), depth + 1)
      if (spread !== '') members.push(`...:${spread}`)
      continue
    }
    const found = ENTRY.exec(entry)
    if (found === null || members.length >= MOST_MEMBERS) continue
    const [head, , name, mark] = found
    const value = mark === ':' ? within(entry.slice(head.length).trim(), depth + 1) : name
    members.push(`${name}:${value}`)
  }
  return members.length === 0 ? '' : `{${members.join(',')}}`
}
