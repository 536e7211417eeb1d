/**
 * Texts that may name a thing of the project whole: strings, values of settings, words of commands. Whether they do is for
 * `resolve/named.ts` to say; here only their shape counts, so that prose, formats and patterns never get that far.
 */

import { COMMENT, type Named, STRING } from '#ingest/facts'
import { Places, textIn } from '#ingest/named/places'
import type { FactsBuilder } from '#ingest/source'

/** Further ones of one file are data. */
const MOST = 400
const MOST_WORDS = 60
const LONGEST = 160
/** Settings are smaller than this, dumps and fixtures larger. */
const LARGEST_SETTINGS = 64 * 1024

/** What the full name of a definition has between its parts, by language; settings may be about any. */
const SEPARATORS: Readonly<Record<string, RegExp>> = {
  python: /[.:]/,
  java: /\./,
  kotlin: /\./,
  scala: /\./,
  groovy: /\./,
  csharp: /\./,
  php: /\\/,
  ruby: /::/,
  rust: /::/,
  generic: /[.:\\]/,
  bash: /[.:]/,
}
/** Files without a language of their own that hold settings or commands: no prose, no data. */
const SETTINGS =
  /(?:^|\/)(?:Procfile|(?:Docker|Container|[Mm]ake|GNUmake|[Jj]ust|Jenkins)file(?:[.-][\w.-]+)?|WORKSPACE|BUILD|[\w.-]+\.(?:json|json5|jsonc|ya?ml|toml|ini|cfg|conf|xml|properties|gradle|mk|mak|cmake|bazel|bzl|dockerfile|service|csproj|fsproj|props|targets)|CMakeLists\.txt|meson\.build|META-INF\/(?:services\/[^/]+|spring\.factories|spring\/[^/]+\.imports))$/
const MARKUP = /\.(?:html?|xhtml)$/i

/** A graph that was written into the project names everything and uses nothing. */
const SNAPSHOT = /^\{"version":\d+,"meta":\{"domain":/

/** Endings of source files; what has one and no slash may still be the name of a file. */
const SOURCE =
  /^[\w.@+~-]*\w\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|kts?|scala|groovy|rb|php|cs|cc|cpp|cxx|hh|hpp|swift|lua|sh|bash|zsh|bats|pl|vue|svelte)$/
/** Further endings that names of files have in settings and commands, where they are written without a folder too. */
const DOCUMENT =
  /^[\w.@+~-]*\w\.(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|xml|properties|mk|md|rst|txt|html?|css|scss|less|sql|proto|graphql|tf|c|h|m|mm)$/
const BARE = /^[\w.+~-]*\w\.[A-Za-z]\w{0,9}$/
const PATH = /^(?:\.{1,2}\/)*(?:@?[\w.+~-]+\/)*[\w.+~-]*\w$/
const ENDING = /\.[A-Za-z]\w{0,9}$/
const NAME = /^[A-Za-z_$][\w$]*(?:(?:\.|::|\\{1,2})[A-Za-z_$][\w$]*)*(?::[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?$/
const WORD = /^[A-Za-z_][\w-]{1,60}$/
/** A word of settings or of a command line, and before it a variable or a command that gives a folder. */
const TOKEN =
  /(?<=^|[\s"'`=<>,;()[\]{}|&!:])(\$\{?\w+\}?\/|\$\([^()\n]*\)\/|<rootDir>\/)?([\w@./\\:~+$-]{3,160})(?=$|[\s"'`=<>,;()[\]{}|&])/gm
/** Adds to the facts of a file what it may name. */
export function findNamed(builder: FactsBuilder): void {
  const { facts, source } = builder
  const finder = new Finder(builder)
  if (facts.language === 'generic') {
    if (source.text.length > LARGEST_SETTINGS || SNAPSHOT.test(source.text)) return
    if (SETTINGS.test(source.path)) finder.readTokens()
    else if (MARKUP.test(source.path)) finder.readMarkup()
    return
  }
  if (facts.language === 'bash') finder.readTokens()
  else finder.readStrings()
  if (facts.language === 'go') finder.readEmbedded()
}

class Finder {
  readonly #builder: FactsBuilder
  readonly #text: string
  readonly #quiet: readonly number[]
  readonly #imported: ReadonlySet<string>
  readonly #places: Places
  readonly #seen = new Set<string>()
  /** The definitions around the place at hand. */
  readonly #open: number[] = []
  #next = 0

  constructor(builder: FactsBuilder) {
    this.#builder = builder
    this.#text = builder.source.text
    this.#quiet = builder.quiet
    this.#places = new Places(this.#text, this.#quiet)
    this.#imported = new Set(builder.facts.imports.map((it) => it.module))
  }

  // ---- code

  readStrings(): void {
    const text = this.#text
    const quiet = this.#quiet
    const separator = SEPARATORS[this.#builder.facts.language]
    const words: Named[] = []
    let hasBare = false
    for (let i = 0; i < quiet.length; i += 3) {
      const at = quiet[i]
      const length = quiet[i + 1] - at
      if (quiet[i + 2] !== STRING || length < 4 || length > LONGEST) continue
      const value = textIn(text.slice(at, quiet[i + 1])).replace(/^<rootDir>\//, '')
      if (value === '') continue
      if (isFileName(value) || (value.includes('/') && isPath(value.replace(/^\//, '')))) {
        if (value.startsWith('.') && this.#isKey(at, quiet[i + 1])) continue
        const placed = this.#places.place(i, value)
        if (placed === null) continue
        this.#add(placed.form, placed.path, at)
        hasBare ||= placed.form === 'path' && isFileName(placed.path)
      } else if (BARE.test(value) && /[/,+]\s*$/.test(text.slice(Math.max(0, at - 20), at)) && this.#isPlaced(i, value))
        continue
      else if (separator?.test(value) === true && NAME.test(value)) this.#add('name', plainName(value), at)
      else if (words.length < MOST_WORDS && WORD.test(value))
        words.push({ from: this.#scopeAt(at), line: this.#builder.source.lineAt(at), form: 'word', text: value })
    }
    // a folder in which bare names of files may lie
    if (hasBare) this.#builder.facts.named.push(...words)
  }

  /** `//go:embed templates/page.html schema.sql` */
  readEmbedded(): void {
    for (const it of this.#text.matchAll(/^\/\/go:embed[ \t]+(.+)$/gm))
      for (const path of it[1].split(/\s+/)) if (PATH.test(path)) this.#addFrom(-1, 'beside', path, it.index)
  }

  /** Adds a bare name where it is put together with a folder; whether it was. */
  #isPlaced(i: number, value: string): boolean {
    const placed = this.#places.place(i, value)
    const isWhole = placed !== null && (placed.form === 'beside' || placed.path.includes('/'))
    if (isWhole) this.#add(placed.form, placed.path, this.#quiet[i])
    return isWhole
  }

  // ---- settings and scripts

  readTokens(): void {
    const separator = SEPARATORS[this.#builder.facts.language]
    const isComment = commentsOf(this.#quiet)
    for (const it of this.#text.matchAll(TOKEN)) {
      const at = it.index
      const value = it[2].replace(/[.:]+$/, '')
      if (isComment(at)) continue
      if (value.startsWith('.') && this.#isKey(at - 1, at + it[0].length + 1)) continue
      if (isFileName(value) || DOCUMENT.test(value) || (value.includes('/') && isPath(value)))
        this.#add('path', value, at)
      else if (separator.test(value) && NAME.test(value)) this.#add('name', plainName(value), at)
    }
  }

  /** Whether a key of an object stands there: what it counts from is up to who reads the object. */
  #isKey(start: number, end: number): boolean {
    return (
      /^\s*:/.test(this.#text.slice(end, end + 8)) && /[{,]\s*$/.test(this.#text.slice(Math.max(0, start - 40), start))
    )
  }

  /** Attributes of elements, where a path from the root begins with a slash. */
  readMarkup(): void {
    for (const it of this.#text.matchAll(/\b(?:src|href|data-main)\s*=\s*(["'])([^"'\s?#]+)(?:[?#][^"'\s]*)?\1/g)) {
      const value = it[2].replace(/^\//, '')
      if (isPath(value)) this.#add('path', value, it.index)
    }
  }

  // ---- facts

  /** Offsets must not decrease from call to call. */
  #add(form: Named['form'], text: string, at: number): void {
    if (!this.#imported.has(text)) this.#addFrom(this.#scopeAt(at), form, text, at)
  }

  #addFrom(from: number, form: Named['form'], text: string, at: number): void {
    const { facts, source } = this.#builder
    if (facts.named.length === MOST) return
    const key = `${from} ${form} ${text}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    facts.named.push({ from, line: source.lineAt(at), text, form })
  }

  /** The innermost definition around an offset. */
  #scopeAt(at: number): number {
    const { starts, ends } = this.#builder
    const open = this.#open
    while (this.#next < starts.length && starts[this.#next] <= at) {
      while (open.length > 0 && ends[open[open.length - 1]] <= starts[this.#next]) open.pop()
      open.push(this.#next++)
    }
    while (open.length > 0 && ends[open[open.length - 1]] <= at) open.pop()
    return open.length === 0 ? -1 : open[open.length - 1]
  }
}

function isFileName(value: string): boolean {
  return SOURCE.test(value)
}

function isPath(value: string): boolean {
  return (ENDING.test(value) || value.startsWith('.')) && PATH.test(value)
}

/** `a.b:c`, `A::B` and `A\\B` with dots. */
function plainName(value: string): string {
  return value.replace(/::|\\{1,2}|:/g, '.')
}

/** Tells offsets, which must not decrease from call to call, by whether a comment is there. */
function commentsOf(quiet: readonly number[]): (offset: number) => boolean {
  let i = 0
  return (offset) => {
    while (i < quiet.length && quiet[i + 1] <= offset) i += 3
    return i < quiet.length && quiet[i] <= offset && quiet[i + 2] === COMMENT
  }
}
