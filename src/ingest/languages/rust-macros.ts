/**
 * Macros whose argument is plain items: `cfg_net! { pub mod tcp; }`. The grammar sees only tokens there, so the
 * wrapper is blanked out and the items stand as if it were not there.
 */

export interface Wrapper {
  /** Where the name of the macro starts. */
  start: number
  path: string
  open: number
  close: number
}

const INVOCATION = /^[ \t]*((?:\p{L}[\p{L}\p{N}_]*::)*\p{L}[\p{L}\p{N}_]*)!\s*\{/gmu
const ITEM =
  /^(?:#!?\[|(?:pub(?:\s*\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|union|trait|impl|mod|use|type|static|const)\b(?!\s*[(,:=|{])|macro_rules!)/
const NO_ITEMS = new Set(['macro_rules', 'quote', 'quote_spanned', 'parse_quote', 'bitflags'])
const DEFINITION = /\bmacro_rules!\s*[\p{L}_][\p{L}\p{N}_]*\s*\{/gu
const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/** The text that was asked about last, which is asked about twice. */
let last: { text: string; wrappers: Wrapper[] } = { text: '', wrappers: [] }

export function findWrappers(text: string): Wrapper[] {
  if (last.text !== text) last = { text, wrappers: searchWrappers(text) }
  return last.wrappers
}

function searchWrappers(text: string): Wrapper[] {
  if (!text.includes('!')) return []
  const found: Wrapper[] = []
  const definitions = [...text.matchAll(DEFINITION)].map((it) => {
    const open = it.index + it[0].length - 1
    return { open, close: closingBrace(text, open) }
  })
  for (const it of text.matchAll(INVOCATION)) {
    if (definitions.some(({ open, close }) => open < it.index && it.index < close)) continue
    const path = it[1]
    const name = path.slice(path.lastIndexOf(':') + 1)
    if (NO_ITEMS.has(name)) continue
    const open = it.index + it[0].length - 1
    SPACE_OR_COMMENT.lastIndex = open + 1
    SPACE_OR_COMMENT.exec(text)
    if (!ITEM.test(text.slice(SPACE_OR_COMMENT.lastIndex, SPACE_OR_COMMENT.lastIndex + 200))) continue
    const close = closingBrace(text, open)
    if (close < 0 || !endsWithItem(text, close)) continue
    found.push({ start: it.index + it[0].indexOf(path), path: path.replaceAll('::', '.'), open, close })
  }
  return found
}

/** True when the last thing in front of the brace at `close`, comments aside, ends an item. */
function endsWithItem(text: string, close: number): boolean {
  let end = close
  for (;;) {
    while (end > 0 && /\s/.test(text[end - 1])) end--
    const line = text.lastIndexOf('\n', end - 1) + 1
    if (!/^\s*\/\//.test(text.slice(line, end))) return text[end - 1] === '}' || text[end - 1] === ';'
    end = line
  }
}

export function withoutWrappers(text: string): string {
  const wrappers = findWrappers(text)
  if (wrappers.length === 0) return text
  const blanks: [number, number][] = []
  for (const { start, open, close } of wrappers) blanks.push([start, open + 1], [close, close + 1])
  blanks.sort((a, b) => a[0] - b[0])
  let plain = ''
  let from = 0
  for (const [start, end] of blanks) {
    plain += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    from = end
  }
  plain += text.slice(from)
  // what `lazy_static` and its like write in front of a name
  return plain.replace(/\bstatic ref\b/g, 'static    ')
}

const MARK = /\/\/|\/\*|"|r#*"|'(?:\\.[^']*|[^\\'])'|[{}]/g

/** The brace that closes the one at `open`; -1 when none does. */
function closingBrace(text: string, open: number): number {
  let depth = 0
  MARK.lastIndex = open
  for (let it = MARK.exec(text); it !== null; it = MARK.exec(text)) {
    const mark = it[0]
    if (mark === '{') depth++
    else if (mark === '}') {
      depth--
      if (depth === 0) return it.index
    } else if (mark === '//') MARK.lastIndex = indexAfter(text, '\n', it.index)
    else if (mark === '/*') MARK.lastIndex = indexAfter(text, '*/', it.index)
    else if (mark === '"') MARK.lastIndex = stringEnd(text, it.index)
    else if (mark.startsWith('r')) MARK.lastIndex = indexAfter(text, `"${mark.slice(1, -1)}`, MARK.lastIndex)
  }
  return -1
}

function indexAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return text.length
}
