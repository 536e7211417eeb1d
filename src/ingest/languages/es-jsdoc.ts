/** Types that documentation comments of plain JavaScript declare. */

import { skipBalanced } from '#ingest/expression'
import { syntax } from '#ingest/languages/es-syntax'

export interface Documented {
  /** Of `@type`, '' when there is none. */
  type: string
  /** Types of `@param` by name. */
  parameters: Map<string, string>
  /** Of `@returns`; undefined when there is none. */
  result?: string
}

const TAG = /@(type|param|arg|argument|returns?|extends|augments)\s*(?=\{)/g

/** The types that a comment declares, each read by `typeOf`; undefined when it declares none. */
export function documentedTypes(comment: string, typeOf: (text: string) => string): Documented | undefined {
  if (!comment.includes('{')) return undefined
  let found: Documented | undefined
  for (const tag of comment.matchAll(TAG)) {
    const open = tag.index + tag[0].length
    const end = skipBalanced(comment, open, syntax)
    const type = typeOf(plain(comment.slice(open + 1, end - 1)))
    found ??= { type: '', parameters: new Map() }
    if (tag[1] === 'type') found.type = type
    else if (tag[1].startsWith('return')) found.result = type
    else {
      const name = /^\s*\[?\s*([\w$]+)/.exec(comment.slice(end))?.[1]
      if (name !== undefined && type !== '') found.parameters.set(name, type)
    }
  }
  return found
}

/** A type without the marks of older notations: `?Cart`, `!Cart`, `Cart=`, `Array.<Cart>`, `*`. */
function plain(text: string): string {
  return text
    .replace(/\n\s*\*/g, '\n')
    .replace(/\.</g, '<')
    .replace(/^\s*(?:[?!]|\.\.\.)\s*/, '')
    .replace(/\s*=\s*$/, '')
    .trim()
}

export interface Alias {
  name: string
  module: string
  /** '' for the module itself. */
  member: string
}

/** Names that a comment gives to types of other modules, by `@typedef` of an `import(…)` or by `@import`. */
export function documentedImports(comment: string): Alias[] {
  const aliases: Alias[] = []
  for (const it of comment.matchAll(
    /@typedef\s*\{\s*import\(\s*(["'])([^"'\n]+)\1\s*\)(?:\.([\w$.]+))?(?:<[^}]*>)?\s*\}\s*([\w$]+)/g,
  ))
    aliases.push({ name: it[4], module: it[2], member: it[3] ?? '' })
  for (const it of comment.matchAll(/@import\s*\{([^}]*)\}\s*from\s*(["'])([^"'\n]+)\2/g)) {
    for (const part of it[1].split(',')) {
      const [member, name] = part.trim().split(/\s+as\s+/)
      if (member !== '') aliases.push({ name: name ?? member, module: it[3], member })
    }
  }
  return aliases
}
