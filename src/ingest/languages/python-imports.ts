/** Imports of Python, and the names that a module offers: `__all__`, names that it loads when asked. */

import type { FactsBuilder } from '#ingest/source'
import type { PythonReader } from '#ingest/languages/python-reader'

export interface ImportPlace {
  scope: number
  line: number
  typeOnly: boolean
  isConditional: boolean
}

export function readImport(statement: string, place: ImportPlace, facts: FactsBuilder): void {
  const { scope, line, typeOnly, isConditional } = place
  const plain = statement.replace(/#[^\n]*/g, '').replace(/\\\r?\n/g, ' ')
  const kind = typeOnly ? 'type' : 'import'
  const conditional = isConditional ? { conditional: true } : {}
  const from = /^from\s+(\.*\s*[\p{L}\p{N}_.]*)\s*import\s*([\s\S]*)$/u.exec(plain)
  if (from !== null) {
    const module = from[1].replace(/\s/g, '')
    for (const part of from[2].replace(/[()]/g, '').split(',')) {
      const [name, , alias] = part.trim().split(/\s+/)
      if (name === undefined || name === '') continue
      facts.import({ kind, module, name, alias: name === '*' ? '' : (alias ?? name), scope, line, ...conditional })
    }
    return
  }
  for (const part of plain.replace(/^import\s+/, '').split(',')) {
    const [module, , alias] = part.trim().split(/\s+/)
    if (module === undefined || module === '') continue
    facts.import({ kind, module, name: '', alias: alias ?? module, scope, line, ...conditional })
  }
}

/** Exports the names of an `__all__`, or of what is added to it. A whole list of another module is `*` of it. */
export function readPublicNames(text: string, line: number, facts: FactsBuilder): void {
  for (const [, name, module] of text.matchAll(/["']([^"'\n]+)["']|([\p{L}_][\p{L}\p{N}_.]*)\.__all__/gu)) {
    if (name !== undefined) facts.export({ name, local: name, line })
    else facts.export({ name: '*', local: module, line })
  }
}

const DOTTED_MODULE = /^\.*[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u

/** Remembers a table of names and modules, in case that the module has a `__getattr__` which uses it. */
export function readLazyNames(reader: PythonReader, table: string, text: string, line: number): void {
  const names: { name: string; module: string; original: string }[] = []
  for (const [, key, one, list] of text.matchAll(
    /["']([\w.]+)["']\s*:\s*(?:["']([\w.]+)["']|[([{]([^()[\]{}]*)[)\]}])/g,
  )) {
    const parts = [...(list ?? '').matchAll(/["']([\w.]+)["']/g)].map((it) => it[1])
    if (one !== undefined && !key.includes('.')) names.push({ name: key, module: one, original: key })
    else if (key.includes('.')) for (const name of parts) names.push({ name, module: key, original: name })
    else if (parts.length > 0) names.push({ name: key, module: parts[0], original: parts[1] ?? key })
  }
  if (names.length > 0)
    reader.lazy.set(
      table,
      names.map((it) => ({ ...it, line })),
    )
}

/** Imports the names that a module's `__getattr__` finds in its tables. */
export function importLazyNames({ facts, lazy, source }: PythonReader): void {
  if (lazy.size === 0) return
  const { definitions } = facts.facts
  const getter = definitions.findIndex((it) => it.parent < 0 && it.name === '__getattr__')
  if (getter < 0) return
  const body = source.text.slice(facts.starts[getter], facts.ends[getter])
  for (const [table, names] of lazy) {
    if (!new RegExp(`\\b${table}\\b`).test(body)) continue
    for (const { name, module, original, line } of names) {
      if (!DOTTED_MODULE.test(module)) continue
      facts.import({ kind: 'dynamic', module, name: original, alias: name, scope: -1, line })
    }
  }
}
