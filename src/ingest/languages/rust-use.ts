/** `use` declarations of Rust → one import per name. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import type { FactsBuilder } from '#ingest/source'

const syntax: Syntax = { lineComment: '//', generics: '<', transparent: new Set() }

export function readUse(
  statement: string,
  line: number,
  scope: number,
  facts: FactsBuilder,
  condition: { condition?: string },
): void {
  const plain = statement
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/\br#/g, '')
    .trim()
    .replace(/;$/, '')
  const found = /^(pub(?:\s*\([^)]*\))?\s+)?use\s+([\s\S]+)$/.exec(plain)
  if (found === null) return
  const kind = found[1] === undefined ? 'import' : 'reexport'
  const leaf = (prefix: string, tree: string): void => {
    const text = tree.trim()
    const open = text.indexOf('{')
    if (open >= 0) {
      const head = text
        .slice(0, open)
        .replace(/::\s*$/, '')
        .trim()
      const base = joined(prefix, head)
      for (const part of splitTopLevel(text.slice(open + 1, text.lastIndexOf('}')), ',', syntax))
        if (part.trim() !== '') leaf(base, part)
      return
    }
    const [path, written] = text.split(/\s+as\s+/)
    const alias = written?.trim()
    let full = joined(prefix, path.trim().replace(/\s*::\s*/g, '::'))
    if (full.endsWith('::self')) full = full.slice(0, -6)
    const cutAt = full.lastIndexOf('::')
    const module = cutAt < 0 ? full : full.slice(0, cutAt)
    const name = cutAt < 0 ? '' : full.slice(cutAt + 2)
    if (name === '*' || full === '*')
      facts.import({ kind, module: full === '*' ? '' : module, name: '*', alias: '', scope, line, ...condition })
    else if (alias === '_') facts.import({ kind, module, name, alias: '', scope, line, ...condition })
    else
      facts.import({
        kind,
        module,
        name,
        alias: alias ?? (name === '' ? module.replace(/^::/, '') : name),
        scope,
        line,
        ...condition,
      })
  }
  leaf('', found[2])
}

/** A path that begins with `::` keeps it: it names a crate. */
function joined(prefix: string, path: string): string {
  if (prefix === '' || prefix === '::') return path.startsWith('::') || prefix === '' ? path : `::${path}`
  return path === '' ? prefix : `${prefix}::${path}`
}
