/**
 * Past changes as questions: the message of a commit asks, and the source files that it changed are the answer. What
 * would give the answer away (paths, file names, numbers of reports, links) is taken out of the question.
 */

import { isTestPath } from '#query/corpus'
import { LANGUAGES } from '#ingest/languages'

/** A commit as far as tasks need it. */
export interface PastChange {
  hash: string
  /** First parent. */
  parent: string
  /** Subject and body. */
  message: string
  /** Files that the parent has too. */
  modified: string[]
}

export interface Task {
  id: string
  /** Commit before the change; '' when it is not known. */
  parent: string
  query: string
  /** Source files to find, 1 to 8. */
  gold: string[]
}

/** A commit that changes more files is not about any of them. */
const MOST_GOLD = 8
const FEWEST_WORDS = 3

const EXTENSIONS: ReadonlySet<string> = new Set(LANGUAGES.flatMap((it) => it.extensions))

/** Whether a file holds code in a language that is read as such. */
export function isCode(path: string): boolean {
  return EXTENSIONS.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

export function isSource(path: string): boolean {
  return isCode(path) && !isTestPath(path)
}

/** The task of a commit, or null when it makes none. `exists` says whether the state that is asked has a file. */
export function taskOf(
  { hash, parent, message, modified }: PastChange,
  exists: (path: string) => boolean,
): Task | null {
  if (/^(?:merge|revert)\b/i.test(message)) return null
  const gold = modified.filter((it) => isSource(it) && exists(it))
  if (gold.length === 0 || gold.length > MOST_GOLD) return null
  const query = questionOf(message)
  return words(query) < FEWEST_WORDS ? null : { id: hash.slice(0, 12), parent, query, gold }
}

const SIGNATURE = /^\s*(?:[a-z]+-(?:[a-z]+-)?by|cc|change-id|git-svn-id)\s*:/i
const CLOSING = /^\s*(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+(?:[\w./-]*#\d+|https?:\S+)[\s.,]*$/i
const LINK = /\bhttps?:\/\/\S+/g
const REPORT = /\s*\(?(?:[\w.-]+\/[\w.-]+)?(?:#|\bGH-)\d+\)?/g
const PATH = /(?<![\w`])(?:[\w@.~-]*\/)+[\w@.-]*\.\w{1,8}\b|(?<![\w)\]>`"'])\/(?:[\w@.-]+\/?)+/g
const FILE_NAME = new RegExp(
  `(?<![\\w/.])[\\w.-]+\\.(?:${[...EXTENSIONS].map((it) => it.replaceAll('+', '\\+')).join('|')})(?!\\w)`,
  'g',
)

/** A message as somebody would ask who does not know the files yet. */
export function questionOf(message: string): string {
  return message
    .replaceAll('\r', '')
    .split('\n')
    .filter((it) => !SIGNATURE.test(it) && !CLOSING.test(it) && !/^\s*-{3,}\s*$/.test(it))
    .map((it) => it.replace(LINK, '').replace(REPORT, '').replace(PATH, '').replace(FILE_NAME, '').trimEnd())
    .filter((it) => it.trim() !== '')
    .join('\n')
    .trim()
}

function words(text: string): number {
  return text.match(/[\p{L}\p{N}_]{2,}/gu)?.length ?? 0
}
