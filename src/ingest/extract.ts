/** One file's text → its facts. Pure; the only state is the set of loaded grammars. */

import { findDynamicCalls } from '#ingest/dynamic'
import { emptyFacts, type Facts } from '#ingest/facts'
import { LANGUAGES } from '#ingest/languages'
import { loadGrammar, type Match, type Matches, parse, parserFailure, runQuery } from '#ingest/parse'
import { findNamed } from '#ingest/named'
import { findPatterns, patternQuery } from '#ingest/patterns'
import { tagRoots } from '#ingest/roots'
import { FactsBuilder, firstSentence, type Language, Source } from '#ingest/source'
import { markUnreachable } from '#ingest/unreachable'
import { collectWords } from '#ingest/words'

/** A fresh one each time, since the scanner fills in what is quiet. */
function noMatches(): Matches {
  return { code: [], marks: [], quiet: [] }
}

/** A file whose unreadable part is larger than this is read by the generic scanner instead. */
const MAX_ERROR_SHARE = 0.3

const byExtension = new Map<string, Language>()
const byFileName = new Map<string, Language>()
const byInterpreter = new Map<string, Language>()
const byName = new Map<string, Language>()
for (const language of LANGUAGES) {
  byName.set(language.name, language)
  for (const extension of language.extensions) byExtension.set(extension, language)
  for (const name of language.fileNames ?? []) byFileName.set(name, language)
  for (const name of language.interpreters ?? []) byInterpreter.set(name, language)
}

/** Name of the language of a file: by name, extension or `#!` line; `generic` for any other text. */
export function languageOf(path: string, firstLine = ''): string {
  const base = path.slice(path.lastIndexOf('/') + 1)
  const named = byFileName.get(base)
  if (named !== undefined) return named.name
  const dot = base.lastIndexOf('.')
  if (dot > 0)
    return (
      byExtension.get(base.slice(dot + 1))?.name ??
      byExtension.get(base.slice(dot + 1).toLowerCase())?.name ??
      'generic'
    )
  const interpreter = /^#!\s*\S*?(?:env\s+(?:-S\s+)?)?([\w.+-]+)(?:\s|$)/.exec(firstLine)?.[1]?.replace(/[\d.]+$/, '')
  return (interpreter === undefined ? undefined : byInterpreter.get(interpreter)?.name) ?? 'generic'
}

/** Facts of one file. Broken source gives fewer facts and a problem, never an exception. */
export async function extract(path: string, text: string): Promise<Facts> {
  const newline = text.indexOf('\n')
  const firstLine = newline < 0 ? text.slice(0, 200) : text.slice(0, Math.min(newline, 200))
  const named = byName.get(languageOf(path, firstLine))
  const language = named?.refine === undefined ? named : byName.get(named.refine(path, text))
  if (language === undefined) return emptyFacts('generic')
  const source = new Source(path, text)
  if (language.grammar === '') return finish(source, readWith(language, source, noMatches()), [])

  if (parserFailure() !== '') return scanned(source, language, 1, parserFailure())
  const grammar = await loadGrammar(language.grammar, language.query + patternQuery(language.name))
  const parsed = parse(grammar, language.prepare?.(text) ?? text, language.maxAngles)
  if ('problem' in parsed) return scanned(source, language, 1, parsed.problem)
  const { tree } = parsed
  try {
    const matches = runQuery(grammar, tree)
    if (matches === null) return scanned(source, language, 1, 'reading the syntax tree took too long')
    let broken = 0
    let firstError = 0
    if (tree.rootNode.hasError) {
      let until = 0
      for (const it of matches.code) {
        if (it.kind !== 'error') continue
        if (firstError === 0) firstError = it.line
        broken += Math.max(0, it.end - Math.max(it.start, until))
        until = Math.max(until, it.end)
      }
    }
    if (text.length > 0 && broken / text.length > MAX_ERROR_SHARE)
      return scanned(source, language, firstError, 'most of the file is no valid syntax')
    const facts = readWith(language, source, matches)
    if (firstError > 0) {
      facts.facts.partial = true
      facts.problem(firstError, 'part of the file is no valid syntax')
    }
    return finish(source, facts, matches.marks)
  } finally {
    tree.delete()
  }
}

function readWith(language: Language, source: Source, { code, quiet }: Matches): FactsBuilder {
  const facts = new FactsBuilder(language.name, source, quiet)
  language.read(source, code, facts)
  return facts
}

/** Reads a file that its grammar cannot read line by line. */
function scanned(source: Source, language: Language, line: number, message: string): Facts {
  const generic = byName.get('generic')
  if (generic === undefined) throw new Error('the generic scanner is missing')
  const facts = readWith(generic, source, noMatches())
  facts.facts.language = language.name
  facts.facts.partial = true
  facts.problem(line, message)
  return finish(source, facts, [])
}

function finish(source: Source, builder: FactsBuilder, marks: readonly Match[]): Facts {
  const { facts } = builder
  markUnreachable(builder)
  findDynamicCalls(builder)
  findNamed(builder)
  tagRoots(builder)
  findPatterns(builder, marks)
  if (facts.excerpt === '') facts.excerpt = firstSentence(builder.headComment())
  facts.words = collectWords(source.path, source.text, facts.definitions, Int32Array.from(builder.quiet))
  return facts
}
