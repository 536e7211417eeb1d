/** Manifests in TOML, read for what they say even when they are not valid to the end. */

import { parse, TomlError, type TomlTable } from 'smol-toml'

export type { TomlTable }

/** The tables of a manifest; of one with a fault, what stands on the lines in front of it. */
export function readToml(text: string): TomlTable {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    return readLines(text.split('\n').slice(0, error.line - 1))
  }
}

/** What keeps a text from being TOML; undefined when nothing does. */
export function tomlFault(text: string): { line: number; message: string } | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    return { line: error.line, message: error.message.split('\n')[0].replace(/^Invalid TOML document:\s*/, '') }
  }
}

/** Lines that a value takes at most; each is tried as its beginning. */
const LONGEST_VALUE = 60

/** Without the lines of a value that the fault is in: it began on one of them, and is not whole. */
function readLines(lines: readonly string[]): TomlTable {
  for (let end = lines.length; end > Math.max(0, lines.length - LONGEST_VALUE); end--) {
    try {
      return parse(lines.slice(0, end).join('\n'))
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
    }
  }
  return {}
}

/** The table of this name; an empty one when there is none. */
export function tableAt(table: TomlTable, name: string): TomlTable {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date) ? value : {}
}

export function textAt(table: TomlTable, name: string): string {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** The texts of a list; none when it is something else. */
export function textsAt(table: TomlTable, name: string): string[] {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : []
}
