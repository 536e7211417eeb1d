/** Any other text: definitions and imports by the words that introduce them in most languages. */

import type { Match } from '#ingest/parse'
import { COMMENT, type DefinitionKind, STRING } from '#ingest/facts'
import { cut, type FactsBuilder, type Language, type Source } from '#ingest/source'

export const generic: Language = {
  name: 'generic',
  extensions: [],
  grammar: '',
  query: '',
  syntax: { lineComment: '//', generics: '<', transparent: new Set() },
  read,
}

const TYPE =
  /(?:^|[\s;{}(])(?:(?:public|private|protected|internal|export|abstract|sealed|final|static|partial|open|data|pub)\s+)*(class|struct|type|record|trait|interface|protocol|module|namespace|defmodule|defprotocol)\s+([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*)/u
const FUNCTION =
  /(?:^|[\s;{}(])(def|defp|defmacro|function|fn|func|sub|proc|procedure|method)\s+([\p{L}_][\p{L}\p{N}_]*)/u
/** `const Shelf = struct`, `price <- function` */
const NAMED =
  /^\s*(?:pub\s+)?(?:(?:const|var)\s+([\p{L}_][\p{L}\p{N}_]*)\s*=\s*(?:packed\s+|extern\s+)?(struct|enum|union|opaque)\b|([\p{L}_.][\p{L}\p{N}_.]*)\s*(?:<-|=)\s*(function)\s*\()/u
const TABLE =
  /^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|materialized\s+|unique\s+)*(table|view|index|schema)\s+(?:if\s+not\s+exists\s+)?["`[]?(?:\w+["`\]]?\.["`[]?)?(\w+)/i
const IMPORT = /^\s*(?:#\s*)?(import|include|require|use|source|library|alias|open)\b\s*[("'<]?\s*([\w./:@-]+)/

/** Documents, data and markup hold prose in which these words introduce nothing. */
const PROSE =
  /\.(?:md|markdown|mdx|txt|rst|adoc|html?|xml|svg|json5?|jsonc|ya?ml|toml|ini|cfg|conf|csv|tsv|lock|po|pot|css|scss|less|sass|tex|log|diff|patch|snap|properties|env|http|ipynb)$/i
const PLAIN_NAMES =
  /(?:^|\/)(?:README|LICENSE|LICENCE|COPYING|NOTICE|CHANGELOG|CHANGES|AUTHORS|CONTRIBUTORS|CONTRIBUTING|INSTALL|TODO|CODEOWNERS|VERSION|HISTORY|NEWS|THANKS|\.[\w.-]+)$/i

function read(source: Source, _matches: readonly Match[], facts: FactsBuilder): void {
  facts.facts.tags.push('text')
  quietRanges(source, facts)
  if (PROSE.test(source.path) || PLAIN_NAMES.test(source.path)) return
  const lines = source.text.split(/\r\n|\n|\r/)
  lines.forEach((line, i) => {
    if (line.length > 1000) return
    const start = source.lineStarts[i]
    const found = definitionIn(line)
    if (found !== null) {
      const nameStart = start + found.at
      if (isQuiet(facts.quiet, nameStart)) return
      const end = start + blockEnd(lines, i, source)
      facts.define(
        { name: found.name, kind: found.kind, excerpt: cut(line) },
        { start, end, nameStart, isScope: found.kind !== 'fn' && end > start + line.length },
      )
      return
    }
    const imported = IMPORT.exec(line)
    if (imported !== null && !isQuiet(facts.quiet, start + line.indexOf(imported[1]))) {
      facts.import({ kind: 'include', module: imported[2], name: '', alias: '', scope: -1, line: i + 1 })
    }
  })
}

const KINDS: Record<string, DefinitionKind> = {
  class: 'class',
  struct: 'struct',
  enum: 'enum',
  module: 'mod',
  namespace: 'mod',
  defmodule: 'mod',
  schema: 'mod',
  function: 'fn',
}

function definitionIn(line: string): { name: string; kind: DefinitionKind; at: number } | null {
  const table = TABLE.exec(line)
  if (table !== null)
    return { name: table[2], kind: KINDS[table[1].toLowerCase()] ?? 'table', at: table[0].length - table[2].length }
  const named = NAMED.exec(line)
  if (named !== null) {
    const name = named[1] ?? named[3]
    return { name, kind: KINDS[named[2] ?? named[4]] ?? 'type', at: line.indexOf(name) }
  }
  const type = TYPE.exec(line)
  if (type !== null)
    return { name: type[2], kind: KINDS[type[1]] ?? 'type', at: type.index + type[0].length - type[2].length }
  const fn = FUNCTION.exec(line)
  return fn === null ? null : { name: fn[2], kind: 'fn', at: fn.index + fn[0].length - fn[2].length }
}

/** Length of the block that a definition on line `i` opens: to its closing brace, `end`, or by indentation. */
function blockEnd(lines: readonly string[], i: number, source: Source): number {
  const first = source.lineStarts[i]
  const indent = /^\s*/.exec(lines[i])?.[0].length ?? 0
  let depth = 0
  let opened = false
  for (let j = i; j < lines.length && j < i + 5000; j++) {
    for (const c of lines[j]) {
      if (c === '{') {
        depth++
        opened = true
      } else if (c === '}') depth--
    }
    const end = source.lineStarts[j] + lines[j].length - first
    if (opened && depth <= 0) return end
    if (!opened && j > i) {
      const text = lines[j]
      if (text.trim() === '') continue
      const depthHere = /^\s*/.exec(text)?.[0].length ?? 0
      if (depthHere <= indent)
        return /^\s*(?:end|done|fi|esac)\b/.test(text) ? end : source.lineStarts[j - 1] + lines[j - 1].length - first
    }
  }
  return lines[i].length
}

/** Comments of either family and strings of one line. An apostrophe is no string here: in prose it is one. */
function quietRanges(source: Source, facts: FactsBuilder): void {
  const pattern =
    /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<=^|\s)(?:\/\/|#(?!include|import|define|\{|!)|--(?=\s))[^\n]*|"(?:[^"\\\n]|\\.)*"/g
  for (const it of source.text.matchAll(pattern))
    facts.quiet.push(it.index, it.index + it[0].length, it[0].startsWith('"') ? STRING : COMMENT)
}

function isQuiet(quiet: readonly number[], offset: number): boolean {
  let low = 0
  let high = quiet.length / 3 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (quiet[middle * 3 + 1] <= offset) low = middle + 1
    else if (quiet[middle * 3] > offset) high = middle - 1
    else return true
  }
  return false
}
