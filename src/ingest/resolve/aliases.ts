/** Names for folders that bundlers and test runners are told of: `alias` of Vite and webpack, `moduleNameMapper` of Jest. */

import { skipBalanced, splitTopLevel, type Syntax } from '#ingest/expression'
import { directoryOf, joinPath } from '#ingest/resolve/host'
import { isRecord, parseObject } from '#ingest/resolve/workspace'

export interface Alias {
  /** The text that a specifier begins with. */
  prefix: string
  /** True when the prefix may end within a segment of the specifier. */
  open: boolean
  /** Folder or file from the root that stands for the prefix. */
  target: string
  /** Folder that the alias holds in. */
  folder: string
}

const CONFIG = /(?:^|\/)(?:vite|vitest|webpack|rollup|jest|babel|metro|next|nuxt|svelte|astro)\.config\.[cm]?[jt]s$/
const SYNTAX: Syntax = { lineComment: '//', generics: '[', transparent: new Set() }
/** A pattern that is nothing but a prefix: `^@/(.*)$`. */
const PREFIX_PATTERN = /^\^?((?:[@~#$\w/-]|\\[/.$-]|\.)*?)(\(\.[*+]\)|\.[*+])?\$?$/

/** The aliases of all configuration files, those of deeper folders and longer prefixes first. */
export function findAliases(configFiles: ReadonlyMap<string, string>): Alias[] {
  const aliases: Alias[] = []
  for (const [path, text] of configFiles) {
    if (CONFIG.test(path)) aliases.push(...readAliases(directoryOf(path), text))
    else if (/(?:^|\/)package\.json$/.test(path) && text.includes('moduleNameMapper')) {
      const jest = parseObject(text)?.jest
      const mapper = isRecord(jest) ? jest.moduleNameMapper : undefined
      if (!isRecord(mapper)) continue
      for (const [key, value] of Object.entries(mapper))
        if (typeof value === 'string') add(aliases, directoryOf(path), key, JSON.stringify(value), true)
    }
  }
  return aliases.sort((a, b) => b.folder.length - a.folder.length || b.prefix.length - a.prefix.length)
}

/** The aliases that the text of one configuration file sets up for its folder. */
export function readAliases(folder: string, text: string): Alias[] {
  const aliases: Alias[] = []
  for (const found of text.matchAll(/(["']?)\b(alias|moduleNameMapper)\1\s*[:=]\s*(?=[{[])/g)) {
    const open = found.index + found[0].length
    const body = text.slice(open + 1, skipBalanced(text, open, SYNTAX) - 1)
    const isPattern = found[2] === 'moduleNameMapper'
    for (const part of splitTopLevel(body, ',', SYNTAX)) {
      const entry = text[open] === '[' ? listed(part) : pair(part)
      if (entry !== null) add(aliases, folder, entry.key, entry.value, isPattern || entry.isPattern)
    }
  }
  return aliases
}

interface Entry {
  key: string
  /** As written, an expression. */
  value: string
  isPattern: boolean
}

function pair(text: string): Entry | null {
  const found = /^\s*(?:\/\/[^\n]*\n\s*)*(?:(["'`])([^"'`]+)\1|([\w$]+))\s*:\s*([\s\S]+)$/.exec(text)
  return found === null ? null : { key: found[2] ?? found[3], value: found[4], isPattern: false }
}

/** `{ find: '@', replacement: … }` */
function listed(text: string): Entry | null {
  const find = /\bfind\s*:\s*(?:(["'`])([^"'`]+)\1|\/((?:[^/\\\n]|\\.)+)\/)/.exec(text)
  const replacement = /\breplacement\s*:\s*([\s\S]+?)\s*,?\s*\}\s*$/.exec(text)
  if (find === null || replacement === null) return null
  return { key: find[2] ?? find[3], value: replacement[1], isPattern: find[2] === undefined }
}

function add(aliases: Alias[], folder: string, key: string, value: string, isPattern: boolean): void {
  let prefix = key
  let open = key.endsWith('/')
  if (isPattern) {
    const found = PREFIX_PATTERN.exec(key)
    if (found === null) return
    prefix = found[1].replace(/\\(.)/g, '$1')
    open = found[2] !== undefined || prefix.endsWith('/')
  }
  const path = folderOf(value)
  if (prefix === '' || prefix === '.' || prefix === './' || path === null) return
  const target = joinPath(folder, path)
  if (target !== null) aliases.push({ prefix, open, target, folder })
}

/** The path that an expression such as `path.resolve(__dirname, './src')` spells; null when it spells none. */
function folderOf(expression: string): string | null {
  const parts = [...expression.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1/g)]
    .map((it) => it[2].replace(/\$\{[^}]*\}|<rootDir>/g, '').replace(/\/?\$1$/, ''))
    .filter((it) => !/^(?:import\.meta\.url|file:|utf-?8)$/.test(it))
  if (parts.length > 0) return parts.map((it) => it.replace(/^\/+/, '')).join('/')
  return /\b(?:__dirname|process\.cwd\(\))/.test(expression) ? '' : null
}

/** The path from the root that a specifier in a file of `folder` means; null when no alias fits. */
export function aliasedPath(aliases: readonly Alias[], folder: string, specifier: string): string | null {
  for (const alias of aliases) {
    if (alias.folder !== '' && folder !== alias.folder && !folder.startsWith(`${alias.folder}/`)) continue
    if (!specifier.startsWith(alias.prefix)) continue
    const rest = specifier.slice(alias.prefix.length)
    if (rest !== '' && !alias.open && !rest.startsWith('/')) continue
    return joinPath(alias.target, rest.replace(/^\/+/, ''))
  }
  return null
}
