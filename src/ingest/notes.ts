/** What a note in Markdown or plain text says: its headings, its items, and the files that these mention. */

import { fnv1a } from '#std/hash'

export interface NoteSection {
  /** 1..6 */
  level: number
  title: string
  line: number
  endLine: number
  /** Position of the section around it, -1 for none. */
  parent: number
}

export interface NoteEntry {
  text: string
  line: number
  endLine: number
  /** Position of its section, -1 for none. */
  section: number
  kind: EntryKind
  /** A checked box. */
  isDone: boolean
  /** Paths of files that it mentions, each once, without line numbers. */
  mentions: string[]
}

export interface Note {
  sections: NoteSection[]
  /** In order of line. */
  entries: NoteEntry[]
}

export type EntryKind = 'task' | 'decision' | 'state' | 'event' | 'note'

const SHORTEST_PARAGRAPH = 8
const LONGEST_PARAGRAPH = 240
/** An item beyond this is a pasted log. */
const LONGEST_ITEM = 4000
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*)$/
const ROW = /^\s*\|(.*)\|\s*$/
const ROW_SEPARATOR = /^[\s|:-]+$/
const KINDS: readonly [EntryKind, RegExp][] = [
  ['task', /\b(?:todo|fixme|pending|implement)\b/i],
  ['decision', /\b(?:decision|decided):|\bchose\b/i],
  ['state', /\b(?:status|state|current):/i],
  ['event', /\b\d{4}-\d{2}-\d{2}\b/],
]
const MENTION =
  /^(?:\.\/)?([\w@.+/-]*[\w@+-]\.(?:rs|py|tsx?|jsx?|json|md|toml|go|java|ya?ml|sql|sh|c|h|cpp))(?::\d+(?:[:-]\d+)?)?$/i

export function readNote(text: string): Note {
  return new Reader(text.split(/\r\n|\n|\r/)).read()
}

class Reader {
  readonly #lines: string[]
  readonly #sections: NoteSection[] = []
  readonly #entries: NoteEntry[] = []
  #section = -1
  /** Lines of the paragraph or item at hand. */
  #open: { lines: string[]; line: number; isItem: boolean; box: string } | null = null

  constructor(lines: string[]) {
    this.#lines = lines
  }

  read(): Note {
    let fence = ''
    for (let i = frontMatter(this.#lines); i < this.#lines.length; i++) {
      const text = this.#lines[i]
      const mark = FENCE.exec(text)?.[1] ?? ''
      if (fence !== '') {
        if (mark.startsWith(fence)) fence = ''
      } else if (mark !== '') {
        this.#close()
        fence = mark
      } else this.#take(text, i + 1)
    }
    this.#close()
    this.#endSections(1, this.#lines.length)
    return { sections: this.#sections, entries: this.#entries }
  }

  #take(text: string, line: number): void {
    const heading = HEADING.exec(text)
    const item = ITEM.exec(text)
    const row = ROW.exec(text)
    if (text.trim() === '' || RULE.test(text)) this.#close()
    else if (heading !== null) {
      this.#close()
      this.#begin(heading[1].length, heading[2] ?? '', line)
    } else if (item !== null) {
      this.#close()
      this.#open = { lines: [item[2]], line, isItem: true, box: item[1] ?? '' }
    } else if (row !== null) {
      this.#close()
      const cells = row[1].split('|').map((it) => it.trim())
      if (!ROW_SEPARATOR.test(text)) this.#add(cells.filter(Boolean).join(' | '), line, line, '')
    } else if (this.#open !== null) this.#open.lines.push(text.trim())
    else this.#open = { lines: [text.trim()], line, isItem: false, box: '' }
  }

  #begin(level: number, title: string, line: number): void {
    this.#endSections(level, line - 1)
    this.#sections.push({ level, title: title.trim(), line, endLine: line, parent: this.#section })
    this.#section = this.#sections.length - 1
  }

  /** Ends the sections that a heading of this level does not stand in. */
  #endSections(level: number, endLine: number): void {
    while (this.#section >= 0 && this.#sections[this.#section].level >= level) {
      this.#sections[this.#section].endLine = endLine
      this.#section = this.#sections[this.#section].parent
    }
  }

  #close(): void {
    const open = this.#open
    this.#open = null
    if (open === null) return
    const text = open.lines.join(' ').trim()
    const endLine = open.line + open.lines.length - 1
    if (open.isItem) this.#add(text.slice(0, LONGEST_ITEM), open.line, endLine, open.box)
    else if (text.length <= LONGEST_PARAGRAPH) {
      if (text.length >= SHORTEST_PARAGRAPH) this.#add(text, open.line, endLine, '')
    } else this.#sentences(open.lines, open.line)
  }

  /** A long paragraph is told sentence by sentence, so that what it mentions is not lost. */
  #sentences(lines: readonly string[], line: number): void {
    let at = 0
    for (const sentence of lines.join('\n').match(/[^]+?(?:[.!?](?=\s)|$)/g) ?? []) {
      const before = sentence.length - sentence.trimStart().length
      const start =
        line +
        lines
          .join('\n')
          .slice(0, at + before)
          .split('\n').length -
        1
      at += sentence.length
      const text = sentence.trim().replaceAll('\n', ' ')
      const end = start + sentence.trim().split('\n').length - 1
      if (text.length >= SHORTEST_PARAGRAPH && text.length <= LONGEST_PARAGRAPH) this.#add(text, start, end, '')
    }
  }

  #add(text: string, line: number, endLine: number, box: string): void {
    if (text === '') return
    const kind = box === '' ? (KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'note') : 'task'
    const isDone = box.toLowerCase() === 'x'
    this.#entries.push({ text, line, endLine, section: this.#section, kind, isDone, mentions: mentionsIn(text) })
  }
}

/** Number of lines of a block of settings at the top, 0 without one. */
function frontMatter(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.findIndex((it, i) => i > 0 && /^(?:---|\.\.\.)\s*$/.test(it))
  return end < 0 ? 0 : end + 1
}

function mentionsIn(text: string): string[] {
  const found = new Set<string>()
  for (const token of text.split(/[\s`"'()[\]{}<>,;|*]+/)) {
    const path = MENTION.exec(token.replace(/[.:!?]+$/, ''))?.[1]
    if (path !== undefined && !path.includes('//')) found.add(path)
  }
  return [...found]
}

const LONGEST_SLUG = 80

/** Lower-case letters and digits of ASCII with `-` between; text in other scripts is told apart by a hash. */
export function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-+$/, '')
  const hash = /[^\p{ASCII}]/u.test(text) ? fnv1a(text).toString(16).padStart(8, '0') : ''
  return [plain, hash].filter((it) => it !== '').join('-') || 'entry'
}
