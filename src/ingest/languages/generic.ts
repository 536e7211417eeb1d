/** Any other text: definitions and imports by the words that introduce them in most languages. */

import type { Match } from '#ingest/parse'
import { COMMENT, cut, type FactsBuilder, type Language, type Source } from '#ingest/source'
import type { DefinitionKind } from '#ingest/facts'

export const generic: Language = {
  name: 'generic',
  extensions: [],
  grammar: '',
  query: '',
  syntax: { lineComment: '//', generics: '<', transparent: new Set() },
  read,
}

const TYPE =
  /(?:^|[\s;{}(])(?:(?:public|private|protected|internal|export|abstract|sealed|final|static|partial|open|data|pub)\s+)*(class|struct|type|record|trait|interface|protocol|module|namespace)\s+([\p{L}_][\p{L}\p{N}_]*)/u
const FUNCTION = /(?:^|[\s;{}(])(def|function|fn|func|sub|proc|procedure|method)\s+([\p{L}_][\p{L}\p{N}_]*)/u
const IMPORT = /^\s*(?:#\s*)?(import|include|require|use|source)\b\s*[("'<]?\s*([\w./:@-]+)/

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
    const type = TYPE.exec(line)
    const found = type ?? FUNCTION.exec(line)
    if (found !== null) {
      const nameStart = start + found.index + found[0].length - found[2].length
      if (isQuiet(facts.quiet, nameStart)) return
      const kind: DefinitionKind =
        type === null
          ? 'fn'
          : found[1] === 'module' || found[1] === 'namespace'
            ? 'mod'
            : found[1] === 'class'
              ? 'class'
              : found[1] === 'struct'
                ? 'struct'
                : 'type'
      facts.define(
        { name: found[2], kind, parent: -1, excerpt: cut(line) },
        { start, end: start + blockEnd(lines, i, source), nameStart, isScope: false },
      )
      return
    }
    const imported = IMPORT.exec(line)
    if (imported !== null && !isQuiet(facts.quiet, start + line.indexOf(imported[1]))) {
      facts.import({ kind: 'include', module: imported[2], name: '', alias: '', scope: -1, line: i + 1 })
    }
  })
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

/** Comments of either family. An apostrophe is no string here: in prose it is one. */
function quietRanges(source: Source, facts: FactsBuilder): void {
  const pattern = /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<=^|\s)(?:\/\/|#(?!include|import|define|\{|!)|--(?=\s))[^\n]*/g
  for (const it of source.text.matchAll(pattern)) facts.quiet.push(it.index, it.index + it[0].length, COMMENT)
}

function isQuiet(quiet: readonly number[], offset: number): boolean {
  for (let i = 0; i < quiet.length; i += 3) if (quiet[i] <= offset && offset < quiet[i + 1]) return true
  return false
}
