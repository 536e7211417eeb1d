/**
 * What a search without any graph finds, so that figures have something to stand beside. On purpose none of the
 * program's own parts is used: words are cut and counted here by a dozen lines, as a plain BM25 would.
 */

export interface SourceFile {
  path: string
  text: string
}

/** Saturation, weight of length, saturation of repeated words of the question. */
const K1 = 1.2
const B = 0.75
const REPEATED = 2
/** What words of the path count beside those of the text. */
const PATH_SHARE = 0.5

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its just me my no not ' +
    'of on or our out so some such than that the their them then there these they this those to too up us was we were what when ' +
    'where which while who why will with would you your should only also any all more most other via'
  ).split(' '),
)

/** Whole identifiers in lower case, and their parts. */
function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(/[A-Za-z_][A-Za-z0-9_]*|[0-9]{2,}/g)) {
    if (word.length > 60) continue
    const parts = word
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
      .toLowerCase()
      .split(/_+/)
      .filter((it) => it.length > 1 && !STOP_WORDS.has(it))
    const whole = word.toLowerCase().replace(/^_+|_+$/g, '')
    if (parts.length > 1 && whole.length > 1) yield whole
    yield* parts
  }
}

function count(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** BM25 over documents of one kind. */
class Bm25 {
  readonly #postings = new Map<string, { doc: number; count: number }[]>()
  readonly #lengths: number[] = []
  readonly #average: number

  constructor(texts: readonly string[]) {
    texts.forEach((text, doc) => {
      let length = 0
      for (const [word, times] of count(text)) {
        const list = this.#postings.get(word)
        if (list === undefined) this.#postings.set(word, [{ doc, count: times }])
        else list.push({ doc, count: times })
        length += times
      }
      this.#lengths.push(length)
    })
    this.#average = Math.max(1, this.#lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, texts.length))
  }

  /** By document. */
  score(query: string): Float64Array {
    const n = this.#lengths.length
    const scores = new Float64Array(n)
    for (const [word, times] of count(query)) {
      const found = this.#postings.get(word)
      if (found === undefined) continue
      const rarity = Math.log(1 + (n - found.length + 0.5) / (found.length + 0.5))
      const weight = (rarity * times * (REPEATED + 1)) / (times + REPEATED)
      for (const { doc, count } of found) {
        const norm = K1 * (1 - B + (B * this.#lengths[doc]) / this.#average)
        scores[doc] += (weight * count * (K1 + 1)) / (count + norm)
      }
    }
    return scores
  }
}

export const SEARCHES = ['bm25', 'bm25 + path', 'path', 'most changed'] as const
export type Search = (typeof SEARCHES)[number]

/** Searches without a graph over the code files of one state. */
export class Baselines {
  readonly #paths: string[]
  readonly #texts: Bm25
  readonly #names: Bm25
  readonly #popular: string[]
  readonly #history: readonly (readonly string[])[]
  readonly #counts = new Map<string, number>()

  /** `history` has the files of each past commit. */
  constructor(files: readonly SourceFile[], history: readonly (readonly string[])[]) {
    const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
    this.#paths = sorted.map((it) => it.path)
    this.#texts = new Bm25(sorted.map((it) => it.text))
    this.#names = new Bm25(this.#paths.map((it) => it.replace(/\.[^./]+$/, '').replace(/[/.-]/g, ' ')))
    this.#history = history
    for (const commit of history) for (const it of commit) this.#counts.set(it, (this.#counts.get(it) ?? 0) + 1)
    this.#popular = this.#order(this.#paths.map((it) => this.#counts.get(it) ?? 0))
  }

  search(kind: Search, query: string): string[] {
    if (kind === 'most changed') return this.#popular
    const texts = kind === 'path' ? null : this.#texts.score(query)
    const names = kind === 'bm25' ? null : this.#names.score(query)
    const share = kind === 'path' ? 1 : PATH_SHARE
    return this.#order(this.#paths.map((_, i) => (texts?.[i] ?? 0) + share * (names?.[i] ?? 0)))
  }

  /** Files by the part of a file's commits that changed them too. */
  changedWith(path: string): string[] {
    const together = new Map<string, { commits: number; support: number }>()
    for (const commit of this.#history) {
      if (!commit.includes(path)) continue
      for (const other of commit) {
        if (other === path) continue
        const sum = together.get(other) ?? { commits: 0, support: 0 }
        sum.commits++
        sum.support += 1 / (commit.length - 1)
        together.set(other, sum)
      }
    }
    return [...together]
      .sort(([a, x], [b, y]) => y.commits - x.commits || y.support - x.support || (a < b ? -1 : 1))
      .map(([it]) => it)
  }

  #order(scores: ArrayLike<number>): string[] {
    return this.#paths
      .map((_, i) => i)
      .filter((i) => scores[i] > 0)
      .sort((a, b) => scores[b] - scores[a] || a - b)
      .map((i) => this.#paths[i])
  }
}
