/** Strings that are put together to paths: what they make, and from which folder it counts. */

import { STRING } from '#ingest/facts'

/** How much of the text before a string is looked at for what the string is a part of. */
const WINDOW = 160
/** Longest gap between two parts of a path. */
const GAP = 40
const MOST_PARTS = 6
/** Each variable that may hold a folder is looked for in the whole text. */
const MOST_FOLDERS = 50

/** A whole string with its quotes and what may stand before and after them. */
const QUOTED = /^[\w@$]{0,3}#{0,3}("""|'''|["'`])([^\s"'`]+)\1#{0,3}$/
/** Calls that put a path together. */
const HAS_JOIN = /[jJ]oin|resolve|Combine|Path|URL/
const JOINS = /([\w.$)\]]*?)\.?\b(?:join|joinpath|resolve|Join|Combine|Path|PurePath|URL)\(\s*([^"'`;{}=]*,)?\s*$/
/** What they are called on, when that is no folder itself. */
const PATH_MODULE =
  /^(?:new|)$|(?:^|\.)(?:path|posix|win32|posixpath|ntpath|upath|nodePath|filepath|Path|Paths|pathlib|File)$/
/** Expressions of the file itself, and of its folder. */
const OWN_FILE = /__file__|__filename|import\.meta\.(?:url|filename)/
const OWN_FOLDER = /__dirname|__DIR__|import\.meta\.dirname/

/** The text of a whole string, '' for one that holds white space or quotes. */
export function textIn(string: string): string {
  return QUOTED.exec(string)?.[2] ?? ''
}

/** A part of a path, and from where the path counts. */
export interface Placed {
  path: string
  form: 'path' | 'beside'
}

export class Places {
  readonly #text: string
  readonly #quiet: readonly number[]
  /** What variables are set to, by name. */
  readonly #folders = new Map<string, string | null>()

  constructor(text: string, quiet: readonly number[]) {
    this.#text = text
    this.#quiet = quiet
  }

  /** The path that a string is the last part of; null when it counts from a folder that is not known. */
  place(i: number, value: string): Placed | null {
    const { parts, start, sign } = this.#partsBefore(i)
    const before = this.#text.slice(Math.max(0, start - WINDOW), start)
    const call = HAS_JOIN.test(before) ? JOINS.exec(before) : null
    if (call !== null) {
      const [, callee, given] = call
      if (given === undefined && !PATH_MODULE.test(callee)) return fromFolder(this.#folderOf(callee), parts, value)
      if (given === undefined) return sign === '/' ? null : plain([...parts, value])
      return fromFolder(this.#folderOf(given.slice(0, -1)), parts, value)
    }
    if (sign === '/' || /[\w)\]]\s*\/\s*$/.test(before)) {
      const expression = /([^=;,{}\n]*)\/\s*$/.exec(before)?.[1] ?? ''
      return fromFolder(this.#folderOf(expression), parts, value)
    }
    const added = /([\w$.()[\]]+)\s*[+.]\s*$/.exec(before)?.[1]
    return added === undefined ? plain([value]) : fromFolder(this.#folderOf(added), [], value)
  }

  /** Strings that stand before one with `,` or `/` between them, and where the first of them begins. */
  #partsBefore(i: number): { parts: string[]; start: number; sign: string } {
    const text = this.#text
    const quiet = this.#quiet
    const parts: string[] = []
    let start = quiet[i]
    let sign = ''
    for (let k = i - 3; k >= 0 && quiet[k + 2] === STRING && parts.length < MOST_PARTS; k -= 3) {
      if (start - quiet[k + 1] > GAP) break
      const between = text.slice(quiet[k + 1], start).trim()
      const part = textIn(text.slice(quiet[k], quiet[k + 1]))
      if ((between !== ',' && between !== '/') || (sign !== '' && between !== sign)) break
      if (!/^[\w./-]+$/.test(part)) break
      sign = between
      parts.unshift(part)
      start = quiet[k]
    }
    return { parts, start, sign }
  }

  /** The folder that an expression means, seen from that of the file, '' or ending in `/`; null when it is not known. */
  #folderOf(expression: string): string | null {
    if (OWN_FOLDER.test(expression) || OWN_FILE.test(expression)) return stepsUp(expression)
    const name = /([A-Za-z_]\w*)\s*$/.exec(expression)?.[1]
    if (name === undefined) return null
    let folder = this.#folders.get(name)
    if (folder === undefined) {
      folder = this.#folders.size < MOST_FOLDERS ? this.#folderSet(name) : null
      this.#folders.set(name, folder)
    }
    return folder
  }

  /** The folder that a variable is set to, where an expression of the file itself stands behind it. */
  #folderSet(name: string): string | null {
    const value = new RegExp(
      `(?<![\\w$])${name}(?:\\s*:[^=\\n]*)?\\s*=\\s*([^\\n;]*(?:__file__|__dirname|import\\.meta)[^\\n;]*)`,
    )
    const set = value.exec(this.#text)?.[1]
    if (set === undefined) return null
    const inner = [...set.matchAll(/(["'])([\w./-]+)\1/g)].map((it) => it[2])
    return stepsUp(set.replace(/(["'])[\w./-]+\1/g, '')) + inner.map((it) => `${it}/`).join('')
  }
}

function plain(parts: readonly string[]): Placed {
  return { path: parts.join('/').replace(/^\//, ''), form: 'path' }
}

/** From a folder that is not known a path of several parts still names one thing at most, a bare name does not. */
function fromFolder(folder: string | null, parts: readonly string[], value: string): Placed | null {
  const path = [...parts, value].join('/').replace(/^\//, '')
  if (folder !== null) return { path: folder + path, form: 'beside' }
  return path.includes('/') ? { path, form: 'path' } : null
}

/** `Path(__file__).parent.parent` → `../`. */
function stepsUp(expression: string): string {
  const named = expression.match(/\.parent\b|\bdirname\(/g)?.length ?? 0
  const counted = /\.parents\[(\d)\]/.exec(expression)?.[1]
  const steps = named + (counted === undefined ? 0 : Number(counted) + 1)
  return '../'.repeat(Math.max(0, OWN_FOLDER.test(expression) ? steps : steps - 1))
}
