/** Grammars and syntax trees: loading, parsing within bounds of depth and time, and running queries. */

import { readFileSync, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMENT, STRING } from '#ingest/facts'
import { Language, Parser, Query, type Tree } from 'web-tree-sitter'

/** Longest time for one file, for parsing and for its query each. */
const PARSE_LIMIT_MS = 5000
/** Brackets open at once beyond which the parser is not asked: its cost grows with the square of the depth. */
const MAX_DEPTH = 2000

export interface Grammar {
  language: Language
  query: Query
}

const grammars = new Map<string, Grammar>()
let parser: Parser | null = null
/** Why the parser cannot be used any more, '' while it can. */
let broken = ''

/** Why no file can be parsed in this thread any more, '' while they can. */
export function parserFailure(): string {
  return broken
}

/** Loads a grammar on first use and compiles its query; throws when the query does not fit the grammar. */
export async function loadGrammar(name: string, queryText: string): Promise<Grammar> {
  const known = grammars.get(name)
  if (known !== undefined) return known
  if (parser === null) {
    await Parser.init({ wasmBinary: readFileSync(wasmPath('web-tree-sitter.wasm')) })
    parser = new Parser()
  }
  const language = await Language.load(readFileSync(wasmPath(`tree-sitter-${name}.wasm`)))
  const grammar = { language, query: new Query(language, queryText) }
  grammars.set(name, grammar)
  return grammar
}

/** Grammar files lie beside the bundle; from source they are found in the packages that ship them. */
function wasmPath(file: string): string {
  const bundled = join(dirname(fileURLToPath(import.meta.url)), 'grammars', file)
  if (existsSync(bundled)) return bundled
  const require = createRequire(import.meta.url)
  if (file === 'web-tree-sitter.wasm') return require.resolve('web-tree-sitter/web-tree-sitter.wasm')
  try {
    return require.resolve(`@repomix/tree-sitter-wasms/out/${file}`)
  } catch {
    // the newer of the two packages does not ship every grammar
    return require.resolve(`@cursorless/tree-sitter-wasms/out/${file}`)
  }
}

export type ParseResult = { tree: Tree } | { problem: string }

/**
 * Parses `text`; a problem instead of a tree when it is nested too deeply or takes too long. `maxAngles` bounds
 * the `<` open at once, for grammars that need memory by the square of them.
 */
export function parse(grammar: Grammar, text: string, maxAngles = Number.POSITIVE_INFINITY): ParseResult {
  if (parser === null) throw new Error('no grammar is loaded')
  const depth = bracketDepth(text)
  if (depth > MAX_DEPTH) return { problem: `brackets are nested ${depth} deep, more than ${MAX_DEPTH}` }
  const angles = maxAngles === Number.POSITIVE_INFINITY ? 0 : angleDepth(text)
  if (angles > maxAngles) return { problem: `${angles} angle brackets are open at once, more than ${maxAngles}` }
  const until = performance.now() + PARSE_LIMIT_MS
  parser.setLanguage(grammar.language)
  try {
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until })
    if (tree !== null) return { tree }
    parser.reset()
    return { problem: `parsing took more than ${PARSE_LIMIT_MS / 1000} s` }
  } catch (error) {
    // what remains of the parser after a fault of its own cannot be trusted
    broken = `the parser broke down: ${error instanceof Error ? error.message.split('.')[0] : String(error)}`
    return { problem: broken }
  }
}

/** One pattern of the query with its nodes; `kind` is the name of its outermost capture. */
export interface Match {
  kind: string
  start: number
  end: number
  /** 1-based. */
  line: number
  parts: Part[]
}

export interface Part {
  name: string
  start: number
  end: number
  line: number
}

export interface Matches {
  /** Outer before inner, in source order. */
  code: Match[]
  /** The same for what patterns look at; their kinds are without the prefix. */
  marks: Match[]
  /** Comments and strings: triples of start, end and kind, in order and without overlap. */
  quiet: number[]
}

/** Before the names of captures that patterns look at. */
export const MARK = 'mark.'

/** All matches of the grammar's query; null when it takes too long. */
export function runQuery(grammar: Grammar, tree: Tree): Matches | null {
  const until = performance.now() + PARSE_LIMIT_MS
  let late = false
  const found = grammar.query.matches(tree.rootNode, {
    progressCallback: () => {
      late = performance.now() > until
      return late
    },
  })
  if (late) return null
  const matches: Match[] = []
  const marks: Match[] = []
  const ranges: number[] = []
  for (const { captures } of found) {
    const first = captures[0]
    if (first === undefined) continue
    const { node } = first
    // a third of all matches, of which nothing else is asked
    if (first.name === 'comment' || first.name === 'string') {
      ranges.push(node.startIndex, node.endIndex, first.name === 'comment' ? COMMENT : STRING)
      continue
    }
    const parts: Part[] = []
    for (let i = 1; i < captures.length; i++) {
      const part = captures[i]
      parts.push({
        name: part.name,
        start: part.node.startIndex,
        end: part.node.endIndex,
        line: part.node.startPosition.row + 1,
      })
    }
    const isMark = first.name.startsWith(MARK)
    const into = isMark ? marks : matches
    into.push({
      kind: isMark ? first.name.slice(MARK.length) : first.name,
      start: node.startIndex,
      end: node.endIndex,
      line: node.startPosition.row + 1,
      parts,
    })
  }
  // stable, so that patterns keep the order of the query where their extents are equal
  const outerFirst = (a: Match, b: Match) => a.start - b.start || b.end - a.end
  return { code: matches.sort(outerFirst), marks: marks.sort(outerFirst), quiet: outermost(ranges) }
}

/** The triples in source order, without those inside of another. */
function outermost(ranges: number[]): number[] {
  const order: number[] = []
  let sorted = true
  for (let i = 0; i < ranges.length; i += 3) {
    order.push(i)
    if (i > 0 && ranges[i] < ranges[i - 3]) sorted = false
  }
  if (!sorted) order.sort((a, b) => ranges[a] - ranges[b] || ranges[b + 1] - ranges[a + 1])
  const outer: number[] = []
  let until = 0
  for (const i of order) {
    if (ranges[i] < until) continue
    outer.push(ranges[i], ranges[i + 1], ranges[i + 2])
    until = ranges[i + 1]
  }
  return outer
}

/** The largest number of brackets open at once, strings and comments counted too: a cheap upper bound. */
function bracketDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 40 || c === 91 || c === 123) {
      depth++
      if (depth > deepest) deepest = depth
    } else if ((c === 41 || c === 93 || c === 125) && depth > 0) depth--
  }
  return deepest
}

/** The largest number of `<` without `>` within one statement. */
function angleDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 60) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (c === 62) {
      if (depth > 0) depth--
    } else if (c === 59 || c === 123 || c === 125) depth = 0
  }
  return deepest
}
