/**
 * Text to search terms. The same code reads source files and questions, so that both meet in the same terms:
 * an identifier gives itself (lower-case, without separators) and its parts, a prose word gives its stem.
 */

/** Longest run of letters that is taken for a word; longer ones are hashes and encoded data. */
const LONGEST_WORD = 64

/** Words of prose that say nothing about the subject. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but by can ' +
    'cannot could did do does doing done down during each else even ever every few for from further get gets getting had has ' +
    'have having he her here hers him his how however i if in instead into is it its itself just let like made make makes ' +
    'making many may me might more most much must my need needs no nor not now of off on once only or other our out over own ' +
    'please same see she should since so some still such than that the their them then there these they this those through ' +
    'thus to too under until up upon us use used uses using very via want was way we well were what when where whether which ' +
    'while who whose why will with within without would yet you your ve re ll don doesn didn isn aren wasn won couldn'
  ).split(' '),
)

/**
 * Words that programming languages reserve, and the names of their basic types. In code they carry nothing;
 * in a name, a comment or a question they are words like others.
 */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'abstract and any array as assert async auto await base begin bool boolean break byte case catch char class const ' +
    'constexpr constructor continue crate data declare def default defer del delete do double dyn elif else elsif end ensure ' +
    'enum error except export extends extern false final finally float fn for foreach from func function get global go goto ' +
    'if impl implements import in include inline instanceof int int32 int64 integer interface internal is it lambda let long ' +
    'loop match mod module mut namespace new nil none not null number object of operator or override package pass private ' +
    'protected protocol pub public raise readonly ref register require rescue return self set short signed sizeof static str ' +
    'string struct super switch synchronized template then this throw throws trait true try type typedef typeof undefined ' +
    'union unless unsafe unsigned until use using val value var virtual void volatile when where while with yield'
  ).split(' '),
)

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const JOINER = 4
/** Scripts that are written without spaces. */
const UNSPACED = 5

const LETTER = /[\p{L}\p{M}\p{N}]/u
const UPPERCASE = /\p{Lu}/u
const NUMBER = /\p{N}/u
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

function classify(unit: number): number {
  const char = String.fromCharCode(unit)
  if (char === '_' || char === '$') return JOINER
  if (!LETTER.test(char)) return OTHER
  if (UNSPACED_SCRIPT.test(char)) return UNSPACED
  if (NUMBER.test(char)) return DIGIT
  return UPPERCASE.test(char) ? UPPER : LOWER
}

const UNKNOWN = 255
/** Class of every UTF-16 unit, filled as units are met. Halves of surrogate pairs are no letters. */
const CLASSES = new Uint8Array(0x10000).fill(UNKNOWN)

function classOf(unit: number): number {
  const known = CLASSES[unit]
  if (known !== UNKNOWN) return known
  const found = classify(unit)
  CLASSES[unit] = found
  return found
}

function classAt(text: string, i: number): number {
  return classOf(text.charCodeAt(i))
}

/** Whether a UTF-16 unit can stand in a word: letters, marks and digits of any script, `_` and `$`. */
export function isWordUnit(unit: number): boolean {
  return classOf(unit) !== OTHER
}

/** Calls `visit` with the bounds of each run of letters, digits, `_` and `$` in `text[start, end)`. */
export function eachWord(text: string, start: number, end: number, visit: (from: number, to: number) => void): void {
  let i = start
  while (i < end) {
    while (i < end && classAt(text, i) === OTHER) i++
    const from = i
    while (i < end && classAt(text, i) !== OTHER) i++
    if (i > from) visit(from, i)
  }
}

/**
 * The terms of one word as `eachWord` gives it: the whole first, then its parts, without repetition and
 * without stop words; empty for what is no word (a single character, an encoded blob).
 */
export function termsOf(word: string): string[] {
  const terms: string[] = []
  const add = (term: string) => {
    if (term.length > 1 && !terms.includes(term)) terms.push(term)
  }
  const plain = isAscii(word) ? word : fold(word)
  const runs = scriptRuns(plain)
  if (runs.length === 1 && plain.length > LONGEST_WORD && classAt(plain, 0) !== UNSPACED) return terms
  for (const run of runs) {
    if (classAt(run, 0) === UNSPACED) addPairs(run, terms)
    else if (run.length <= LONGEST_WORD) addIdentifier(run, add)
  }
  return terms
}

/** All terms of a text in order of appearance, repeated as often as they appear. */
export function termsIn(text: string): string[] {
  const terms: string[] = []
  eachWord(text, 0, text.length, (from, to) => {
    for (const term of termsOf(text.slice(from, to))) terms.push(term)
  })
  return terms
}

/** A hyphenated name as one word: `trie-router` → `trierouter`. */
export function joinHyphenated(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** Where the parts of an identifier begin: `parseHTTPHeader2` → `parse`, `HTTP`, `Header2`. Separators are dropped. */
export function splitIdentifier(word: string): string[] {
  const parts: string[] = []
  let from = 0
  const cut = (to: number) => {
    if (to > from) parts.push(word.slice(from, to))
  }
  for (let i = 0; i < word.length; i++) {
    const here = classAt(word, i)
    if (here === JOINER || here === OTHER) {
      cut(i)
      from = i + 1
      continue
    }
    if (i === from || here !== UPPER) continue
    const before = classAt(word, i - 1)
    const after = i + 1 < word.length ? classAt(word, i + 1) : OTHER
    // the last capital of an acronym begins the next word, unless what follows is only its plural
    if (before !== UPPER || (after === LOWER && word.slice(i + 1) !== 's')) {
      cut(i)
      from = i
    }
  }
  cut(word.length)
  return parts
}

/** A lower-case English word without its ending, so that `parses`, `parsed` and `parsing` are one term. */
export function stem(word: string): string {
  if (word.length < 4 || !isLowerAscii(word)) return word
  let base = word
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`
  else if (/(?:ss|sh|ch|x|zz)es$/.test(base)) base = base.slice(0, -2)
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1)

  const longer = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(base)
  if (longer !== null && longer[1].length > 2 && !base.endsWith('eed')) {
    base = longer[1]
    if (/([bdfgmnprt])\1$/.test(base)) base = base.slice(0, -1)
  }
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1)
  return base
}

function addIdentifier(word: string, add: (term: string) => void): void {
  const parts = splitIdentifier(word)
  if (parts.length === 0) return
  const lower = parts.map((it) => it.toLowerCase())
  if (lower.length > 1) add(lower.join(''))
  for (const part of lower) {
    if (STOP_WORDS.has(part)) continue
    add(stem(part))
    const bare = part.replace(/\d+$/, '')
    if (bare.length > 2 && bare !== part) add(stem(bare))
  }
}

/** Neighbouring characters as pairs: the usual way to search scripts without spaces. */
function addPairs(run: string, terms: string[]): void {
  if (run.length === 1) terms.push(run)
  for (let i = 0; i + 1 < run.length; i++) {
    const pair = run.slice(i, i + 2)
    if (!terms.includes(pair)) terms.push(pair)
  }
}

/** Splits where a script with spaces meets one without. */
function scriptRuns(word: string): string[] {
  const runs: string[] = []
  let from = 0
  for (let i = 1; i <= word.length; i++) {
    const border = i === word.length || (classAt(word, i) === UNSPACED) !== (classAt(word, i - 1) === UNSPACED)
    if (!border) continue
    runs.push(word.slice(from, i))
    from = i
  }
  return runs
}

/** One spelling for what reads the same: composed forms, wide letters, accents of Latin letters. */
function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
}

function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false
  return true
}

function isLowerAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    if (unit < 97 || unit > 122) return false
  }
  return true
}
