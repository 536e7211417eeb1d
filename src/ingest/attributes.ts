/** Tags that a repository gives its files through `.gitattributes`: `generated` and `vendored`. */

import ignore, { type Ignore } from 'ignore'

const TAGS = new Map([
  ['linguist-generated', 'generated'],
  ['linguist-vendored', 'vendored'],
])

/** One matcher per tag for the paths below the folder of the file with this text; null when it says nothing. */
export function readAttributes(text: string): { tag: string; matches: Ignore }[] | null {
  const rules = new Map<string, string[]>()
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [pattern, ...attributes] = line.trim().split(/\s+/)
    if (pattern === '' || pattern.startsWith('#') || pattern.startsWith('[') || pattern.startsWith('!')) continue
    for (const attribute of attributes) {
      const negative = /^[-!]/.test(attribute) || attribute.endsWith('=false')
      const tag = TAGS.get(attribute.replace(/^[-!]/, '').replace(/=.*$/, ''))
      if (tag === undefined) continue
      const lines = rules.get(tag)
      const rule = negative ? `!${pattern}` : pattern
      if (lines) lines.push(rule)
      else rules.set(tag, [rule])
    }
  }
  if (rules.size === 0) return null
  return [...rules].map(([tag, lines]) => ({ tag, matches: ignore({ allowRelativePaths: true }).add(lines) }))
}
