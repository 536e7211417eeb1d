/**
 * Reading a question: a few words, an identifier, an issue with title and body, a stack trace, a pasted file.
 * What is written like code, like a path or in the title counts more than prose.
 */

import type { WeightedTerm } from '#graph/lexical'
import { eachWord, joinHyphenated, STOP_WORDS, splitIdentifier, termsOf } from '#graph/terms'
import { frameOn } from '#query/frames'
import { synonymsOf } from '#query/synonyms'

export interface Question {
  /** Terms of all text, heaviest first, each with a word that it comes from. */
  terms: (WeightedTerm & { word: string })[]
  /** Names written like code, heaviest first. */
  identifiers: Identifier[]
  /** Paths, module names and stack frames, as written; `line` is 0 where none is given. */
  places: Place[]
  /** Says nothing but places. */
  isPlaces: boolean
  /** What the title says before its colon (`storage/remote: …`, `fix(sse): …`): terms of the area meant. */
  area: string[]
  /** Asks for tests, documentation with examples, or settings themselves, which otherwise stand back behind code. */
  wants: { tests: boolean; docs: boolean; settings: boolean }
  /** What was left out or could not be read; '' when nothing. */
  note: string
}

export interface Identifier {
  /** As written. */
  name: string
  /** The name before it, in `Owner.name`, `owner::name` or `owner#name`; '' when there is none. */
  owner: string
  weight: number
}

export interface Place {
  path: string
  line: number
  weight: number
}

/** Of a longer text the beginning and the end are read; between them lies what was pasted. */
const HEAD_CHARS = 16_000
const TAIL_CHARS = 4_000
/** Of what lies between, lines that tell a place or an error, so many characters at most. */
const TELLING_CHARS = 6_000
const LONGEST_TELLING = 300
const MOST_SCANNED = 2_000_000
const TELLING =
  /\.[A-Za-z]\w{0,7}(?::|#L|", line |\()\d|\b(?:error|exception|panic|panicked|fatal|failed|failure|traceback)\b|\w(?:Error|Exception)\b/i
const MOST_TERMS = 80
const MOST_IDENTIFIERS = 40
const MOST_PLACES = 40
/** Places that are looked at. */
const PLACES_SEEN = 400

const TITLE_WEIGHT = 2
const CODE_WEIGHT = 1.7
const AREA_WEIGHT = 3
const REQUEST_WEIGHT = 0.5
/** Other words of the same meaning; identifiers have none. */
const SYNONYM_WEIGHT = 0.6
/** Repetition counts less and less: n of a term counts as n · 3 / (n + 2), at most 3. */
const REPETITION = 2

/** Words that say what to do with the code, not what the code is about. */
const REQUEST_WORDS = new Set(
  (
    'add added adds adding allow avoid bug bugs change changed changes chore clean cleanup code correct ensure feat feature file files ' +
    'find fix fixed fixes fixing function handle handling implement implemented implements improve improved improvement instead issue ' +
    'method missing move new problem refactor refactoring remove removed removes rename replace return returns review show support ' +
    'update updated updates work works wrong class'
  ).split(' '),
)
const CHANGE_TYPES = new Set(
  'fix feat feature chore docs doc refactor refact test tests perf ci build style revert bugfix bug'.split(' '),
)
const TRAILER =
  /^\s*(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|cc|change-id|closes|fixes|refs?):\s/i
const AREA =
  /^\s*(?:[*+-]\s+)?(?:\[([^\]\n]{2,40})\]|([\w./@-]+(?:,\s*[\w./@-]+){0,3})(?:\(([^)\n]{1,60})\))?!?:)(?=\s)/

export function readQuestion(query: string): Question {
  const { text, cut } = shorten(query)
  const garbled = shareOfControls(text) > 0.1
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !TRAILER.test(line))

  const tally = new Tally()
  const names = new Map<string, Identifier>()
  const places: Place[] = []
  const area = new Set<string>()
  for (let i = 0; i < lines.length; i++) {
    const isTitle = i === 0
    const weight = isTitle && lines.length > 1 ? TITLE_WEIGHT : 1
    const { words, start } = areaOf(lines[i], isTitle)
    const line = lines[i].slice(start)
    findPlaces(line, i > 0 ? lines[i - 1] : '', weight, places)
    readWords(line, weight, tally, names)
    if (words.includes('-'))
      for (const name of words.split(/[\s,/]+/)) if (name.includes('-')) tally.add(joinHyphenated(name), AREA_WEIGHT)
    eachWord(words, 0, words.length, (from, to) => {
      const word = words.slice(from, to)
      if (isTitle) for (const term of tally.termsOf(word)) area.add(term)
      tally.add(word, isTitle ? AREA_WEIGHT : 1)
    })
    if (isTitle && /[./]/.test(words)) places.push({ path: words, line: 0, weight: 1 })
  }
  const terms = tally.terms()
  return {
    terms: heaviest(terms, (it) => it.term, MOST_TERMS),
    identifiers: heaviest([...names.values()], (it) => it.name, MOST_IDENTIFIERS),
    places: foremost(places),
    isPlaces: lines.every((it) => it.split(/\s+/).every((word) => isPlace(word, places))),
    area: [...area],
    wants: wantsOf(lines[0] ?? ''),
    note: noteOf({ cut, garbled, empty: terms.length === 0, length: query.length }),
  }
}

/** Whether a word is a place without a line, be it quoted or followed by a comma; blanks at the ends are none against it. */
function isPlace(word: string, places: readonly Place[]): boolean {
  const bare = word
    .replaceAll('\\', '/')
    .replace(/^[`'"(<[]+|[`'")>\],;:!?.]+$/g, '')
    .replace(/^(?:\.{0,2}\/)+/, '')
  return bare === '' || places.some((it) => it.path === bare && it.line === 0)
}

function shorten(query: string): { text: string; cut: boolean } {
  if (query.length <= HEAD_CHARS + TAIL_CHARS) return { text: query, cut: false }
  const head = query.slice(0, HEAD_CHARS)
  return { text: [head, ...tellingLines(query), query.slice(-TAIL_CHARS)].join('\n'), cut: true }
}

/** Of many places those with a line, as traces have them. */
function foremost(places: readonly Place[]): Place[] {
  if (places.length <= MOST_PLACES) return [...places]
  return [...places.filter((it) => it.line > 0), ...places.filter((it) => it.line === 0)].slice(0, MOST_PLACES)
}

/** Different lines between head and tail that tell a place or an error, the first ones. */
function tellingLines(query: string): Set<string> {
  const telling = new Set<string>()
  let left = TELLING_CHARS
  const middle = query.slice(HEAD_CHARS, Math.min(query.length - TAIL_CHARS, MOST_SCANNED))
  for (const line of middle.split('\n')) {
    if (line.length > LONGEST_TELLING || telling.has(line) || !TELLING.test(line)) continue
    left -= line.length
    if (left < 0) break
    telling.add(line)
  }
  return telling
}

/**
 * The area that a line names before its colon, without the kind of change; `start` is where the rest begins. Lines
 * below the title may begin with any word and a colon, so there only kinds of change are recognised.
 */
function areaOf(line: string, isTitle: boolean): { words: string; start: number } {
  const match = AREA.exec(line)
  if (match === null) return { words: '', start: 0 }
  const [whole, bracketed, head, scope] = match
  const first = (bracketed ?? head).toLowerCase()
  if (CHANGE_TYPES.has(first)) return { words: scope ?? '', start: whole.length }
  if (!isTitle) return { words: '', start: 0 }
  return { words: [bracketed, head, scope].filter((it) => it !== undefined).join(' '), start: whole.length }
}

const LONGEST_WORD = 200
/** What stands between an owner and its member. */
const MEMBER = /^(?:\(\))?(?:\.|::|#|->|\?\.)$/
const SMALL_NUMBER = /^\d{1,2}$/
const CAPITALISED = /^\p{Lu}/u
const HYPHENATED = /(?<![\p{L}\p{N}_/.-])\p{L}[\p{L}\p{N}]{0,30}(?:-[\p{L}\p{N}]{1,30}){1,5}(?![\p{L}\p{N}_/.-])/gu
const CODE_SPAN = /`([^`\n]{1,200})`/g

function readWords(line: string, base: number, tally: Tally, names: Map<string, Identifier>): void {
  const quoted = codeSpans(line)
  for (const [name] of line.matchAll(HYPHENATED)) {
    tally.add(joinHyphenated(name), base)
    if (!names.has(name)) names.set(name, { name, owner: '', weight: base })
  }
  let last = { word: '', end: -1 }
  eachWord(line, 0, line.length, (from, to) => {
    if (to - from > LONGEST_WORD || isExtension(line, from, to)) return
    const word = line.slice(from, to)
    const owner = last.end > 0 && MEMBER.test(line.slice(last.end, from)) ? last.word : ''
    last = { word, end: to }
    const isCode =
      hasParts(word) ||
      (line[to] === '(' && !STOP_WORDS.has(word.toLowerCase())) ||
      quoted.some((span) => from >= span.start && to <= span.end)
    const weight = isCode ? base * CODE_WEIGHT : REQUEST_WORDS.has(word.toLowerCase()) ? base * REQUEST_WEIGHT : base
    if (word.length > 2 && (isCode || owner !== '' || CAPITALISED.test(word))) {
      const known = names.get(word)
      const counts = isCode || owner !== '' ? base * CODE_WEIGHT : weight / 2
      if (known === undefined) names.set(word, { name: word, owner, weight: counts })
      else names.set(word, { name: word, owner: known.owner || owner, weight: Math.max(known.weight, counts) })
    }
    tally.add(word, weight)
    if (!isCode) for (const synonym of synonymsOf(word.toLowerCase())) tally.add(synonym, weight * SYNONYM_WEIGHT)
  })
}

const EXTENSIONS = new Set(
  (
    'py pyi js jsx ts tsx mjs cjs mts cts vue svelte go rs java kt kts scala swift c h cc cpp cxx hpp hh cs rb php lua sh sql ' +
    'md mdx rst txt json yaml yml toml ini xml html css scss'
  ).split(' '),
)

/** Whether a word ends a file's name, as `py` in `cart.py`; of most files that says nothing. */
function isExtension(line: string, from: number, to: number): boolean {
  if (line[from - 1] !== '.' || !/[\w)\]-]/.test(line[from - 2] ?? '') || /[.(\w]/.test(line[to] ?? '')) return false
  return EXTENSIONS.has(line.slice(from, to).toLowerCase())
}

/** Whether a word is spelled as prose never is, with inner capitals or underscores. */
function hasParts(word: string): boolean {
  return /[_$\p{Lu}]/u.test(word.slice(1)) && splitIdentifier(word).length > 1
}

function codeSpans(line: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  for (const match of line.matchAll(CODE_SPAN)) spans.push({ start: match.index, end: match.index + match[0].length })
  return spans
}

/** Weights of terms: the strongest use counts fully, repetition less and less. */
class Tally {
  readonly #termsOf = new Map<string, string[]>()
  readonly #uses = new Map<string, { sum: number; strongest: number; word: string }>()

  /** Counts the terms of a word. */
  add(word: string, weight: number): void {
    const terms = this.termsOf(word)
    // the first term is the whole word, others are named by themselves
    for (const term of terms) this.#count(term, weight, term === terms[0] ? word : term)
  }

  termsOf(word: string): string[] {
    let terms = this.#termsOf.get(word)
    if (terms === undefined) {
      terms = SMALL_NUMBER.test(word) ? [] : termsOf(word)
      this.#termsOf.set(word, terms)
    }
    return terms
  }

  #count(term: string, weight: number, word: string): void {
    const known = this.#uses.get(term)
    if (known === undefined) this.#uses.set(term, { sum: weight, strongest: weight, word })
    else {
      known.sum += weight
      known.strongest = Math.max(known.strongest, weight)
    }
  }

  terms(): (WeightedTerm & { word: string })[] {
    return Array.from(this.#uses, ([term, { sum, strongest, word }]) => {
      const times = sum / strongest
      return { term, word, weight: (strongest * times * (REPETITION + 1)) / (times + REPETITION) }
    })
  }
}

/** Texts between blanks, quotes and brackets; paths with blanks are not recognised. */
const CHUNK = /[^\s"'`<>()[\]{},;|=*]{3,300}/g
const LINE_NUMBER = /(?::|#L)(\d{1,7})/
const DOTTED_NAME = /^\w+(?:\.\w+)+$/
const FILE_NAME = /[^/.]*\.[A-Za-z]\w{0,7}$/

function findPlaces(line: string, above: string, weight: number, places: Place[]): void {
  const add = (path: string, at: string | number | undefined) => {
    const clean = path
      .replaceAll('\\', '/')
      .replace(/^[^/]*:\/\//, '')
      .replace(/^(?:\.{0,2}\/)+/, '')
      .replace(/[/.:]+$/, '')
    const number = Number(at ?? 0)
    if (clean.length < 3 || !/[/.]/.test(clean)) return
    if (!places.some((it) => it.path === clean && (it.line === number || number === 0)))
      places.push({ path: clean, line: number, weight })
  }
  const frame = frameOn(line, above)
  if (frame !== null && frame.path !== '') {
    const called = frame.function.replace(/\(.*$/, '')
    if (DOTTED_NAME.test(called)) add(called, 0)
    add(frame.path, frame.line)
    return
  }
  for (const [chunk] of line.replace(/:line (?=\d)/g, ':').matchAll(CHUNK)) {
    if (places.length >= PLACES_SEEN) return
    if (!/[./\\]/.test(chunk)) continue
    const number = LINE_NUMBER.exec(chunk)
    const path = number === null ? chunk : chunk.slice(0, number.index)
    if (/[/\\]/.test(path) || FILE_NAME.test(path) || DOTTED_NAME.test(path)) add(path, number?.[1])
  }
}

function wantsOf(title: string): Question['wants'] {
  const lower = title.toLowerCase()
  return {
    tests: /\b(?:tests?|specs?|fixtures?|mocks?|benchmarks?|unittests?)\b/.test(lower) && !/^\W*tests?[(:]/.test(lower),
    docs: /\b(?:readme|changelog|docs?|documentation|guide|tutorial|examples?)\b/.test(lower),
    settings:
      /\b(?:config|configs|configuration|settings?|workflows?|pipelines?|manifests?|schema|dependenc(?:y|ies))\b/.test(
        lower,
      ),
  }
}

function shareOfControls(text: string): number {
  let controls = 0
  const end = Math.min(text.length, 4000)
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i)
    if ((unit < 32 && unit !== 9 && unit !== 10 && unit !== 13) || unit === 0xfffd) controls++
  }
  return end === 0 ? 0 : controls / end
}

function noteOf({
  cut,
  garbled,
  empty,
  length,
}: {
  cut: boolean
  garbled: boolean
  empty: boolean
  length: number
}): string {
  const notes: string[] = []
  if (empty)
    notes.push(
      'The query has no words to search for, only stop words, numbers, signs or what is too long for a word; name a subject, a symbol or a path.',
    )
  if (garbled) notes.push('The query looks like binary data; only its readable words were used.')
  if (cut)
    notes.push(
      `The query has ${length} characters; its first ${HEAD_CHARS}, its last ${TAIL_CHARS} and lines between them that tell a place or an error were read.`,
    )
  return notes.join(' ')
}

function heaviest<T extends { weight: number }>(items: T[], nameOf: (item: T) => string, most: number): T[] {
  const byWeight = (a: T, b: T) => b.weight - a.weight || (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0)
  return items.sort(byWeight).slice(0, most)
}
