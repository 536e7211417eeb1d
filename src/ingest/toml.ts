/**
 * Reads the part of TOML that manifests use: tables, lists of tables, dotted keys, texts, lists, inline tables.
 * Other values are kept as they are written. What cannot be understood is left out, never an error.
 */

export type TomlValue = string | boolean | TomlValue[] | TomlTable
export interface TomlTable {
  [key: string]: TomlValue
}

export function readToml(text: string): TomlTable {
  return new Reader(text).document()
}

/** The table of this name; an empty one when there is none. */
export function tableAt(table: TomlTable, name: string): TomlTable {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return typeof value === 'object' && !Array.isArray(value) ? value : {}
}

export function textAt(table: TomlTable, name: string): string {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return typeof value === 'string' ? value : ''
}

export function textsAt(table: TomlTable, name: string): string[] {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : []
}

/** Tables inside of tables beyond this are no manifest. */
const MAX_DEPTH = 40

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  document(): TomlTable {
    const root = emptyTable()
    let table = root
    for (;;) {
      this.skip(/[\s]*(?:#[^\n]*)?/y, true)
      if (this.at >= this.text.length) return root
      if (this.text.startsWith('[', this.at)) {
        const list = this.text.startsWith('[[', this.at)
        this.at += list ? 2 : 1
        table = open(root, this.path(), list)
      } else {
        const path = this.path()
        this.blanks()
        if (path.length > 0 && this.text[this.at] === '=') {
          this.at++
          this.blanks()
          const value = this.value()
          if (value !== undefined) put(table, path, value)
        }
      }
      this.skip(/[^\n]*/y, false)
    }
  }

  /** A key: bare or quoted parts with dots between them. */
  private path(): string[] {
    const parts: string[] = []
    for (;;) {
      this.blanks()
      const c = this.text[this.at]
      const part = c === '"' || c === "'" ? this.quoted() : this.match(/[\w-]+/y)
      if (part === undefined || part === '') return parts
      parts.push(part)
      this.blanks()
      if (this.text[this.at] !== '.') return parts
      this.at++
    }
  }

  private value(): TomlValue | undefined {
    const c = this.text[this.at]
    if (c === '"' || c === "'") return this.quoted()
    if (c !== '[' && c !== '{') {
      const word = this.match(/[^\s,\]}#]+/y)
      return word === 'true' ? true : word === 'false' ? false : word === '' ? undefined : word
    }
    if (this.depth >= MAX_DEPTH) {
      this.at = this.text.length
      return undefined
    }
    this.depth++
    const value = c === '[' ? this.list() : this.inlineTable()
    this.depth--
    return value
  }

  private list(): TomlValue[] {
    const items: TomlValue[] = []
    this.at++
    for (;;) {
      this.skip(/[\s,]*(?:#[^\n]*)?/y, true)
      if (this.at >= this.text.length) return items
      if (this.text[this.at] === ']') {
        this.at++
        return items
      }
      const before = this.at
      const value = this.value()
      if (value !== undefined) items.push(value)
      if (this.at === before) this.at++
    }
  }

  private inlineTable(): TomlTable {
    const table = emptyTable()
    this.at++
    for (;;) {
      this.skip(/[\s,]*(?:#[^\n]*)?/y, true)
      if (this.at >= this.text.length) return table
      if (this.text[this.at] === '}') {
        this.at++
        return table
      }
      const before = this.at
      const path = this.path()
      this.blanks()
      if (path.length > 0 && this.text[this.at] === '=') {
        this.at++
        this.blanks()
        const value = this.value()
        if (value !== undefined) put(table, path, value)
      }
      if (this.at === before) this.at++
    }
  }

  private quoted(): string {
    const quote = this.text[this.at]
    const long = this.text.startsWith(quote.repeat(3), this.at)
    const mark = long ? quote.repeat(3) : quote
    let end = this.at + mark.length
    while (end < this.text.length && !this.text.startsWith(mark, end) && (long || this.text[end] !== '\n')) {
      end += quote === '"' && this.text[end] === '\\' ? 2 : 1
    }
    // a line feed right after the mark is not part of the text
    const inside = this.text.slice(this.at + mark.length, end).replace(long ? /^\r?\n/ : '', '')
    this.at = Math.min(this.text.length, end + mark.length)
    return quote === '"' ? unescape(inside) : inside
  }

  private blanks(): void {
    this.match(/[ \t]*/y)
  }

  /** Skips what matches, as often as it does when `repeat`. */
  private skip(pattern: RegExp, repeat: boolean): void {
    while (this.match(pattern) !== '' && repeat);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }
}

/** Without a prototype, so that no key of a manifest can reach it. */
function emptyTable(): TomlTable {
  return Object.create(null)
}

function open(root: TomlTable, path: readonly string[], list: boolean): TomlTable {
  let table = root
  for (let i = 0; i < path.length; i++) {
    const inside = table[path[i]]
    const isLast = i === path.length - 1
    if (Array.isArray(inside)) {
      const last = inside[inside.length - 1]
      if (isLast && list) {
        table = emptyTable()
        inside.push(table)
      } else if (typeof last === 'object' && !Array.isArray(last)) table = last
      else return emptyTable()
    } else if (typeof inside === 'object') table = inside
    else {
      const made = emptyTable()
      table[path[i]] = isLast && list ? [made] : made
      table = made
    }
  }
  return table
}

function put(table: TomlTable, path: readonly string[], value: TomlValue): void {
  const last = path[path.length - 1]
  open(table, path.slice(0, -1), false)[last] = value
}

function unescape(text: string): string {
  const known: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '"': '"', '\\': '\\' }
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return known[code] ?? whole
  })
}
