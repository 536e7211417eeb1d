/**
 * Written cases: what source means, case by case. The folder of a language below `test/languages` holds one
 * file per topic.
 *
 * A case is a title behind `# `, files behind `== path`, and behind `--` what must hold, one line each:
 *   `cart.py#Cart.total calls tax.py#rate`  the edge is there, proven by names or types
 *   `likely …`                              it is there as the only candidate
 *   `not …`                                 there is no such edge, not even a guess
 *   `no certain …`                          there is none but a guess
 *   `problem cart.py words`                 a problem of that file is reported, with these words
 *   `no problem cart.py words`              none with these words is
 *   `unreachable …`                         the edge stands in code that cannot run
 *   `open cart.py words`                    a site of that file is left open, with these words
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resolveSources } from '#ingest/resolve/testing'

export interface WrittenCase {
  language: string
  topic: string
  title: string
  files: Record<string, string>
  expected: string[]
}

const FOLDER = fileURLToPath(new URL('languages', import.meta.url))

export function writtenCases(): WrittenCase[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((it) => it.isDirectory())
    .flatMap(({ name: language }) =>
      readdirSync(join(FOLDER, language))
        .sort()
        .flatMap((file) =>
          readCases(readFileSync(join(FOLDER, language, file), 'utf8')).map((it) => ({
            language,
            topic: file.replace(/\.txt$/, ''),
            ...it,
          })),
        ),
    )
}

function readCases(text: string): Pick<WrittenCase, 'title' | 'files' | 'expected'>[] {
  return text
    .split(/^# (?=.*\n==)/m)
    .slice(1)
    .map((part) => {
      const [body, expected] = part.split(/^--\n/m)
      const [title, ...files] = body.split(/^== /m)
      return {
        title: title.trim(),
        files: Object.fromEntries(
          files.map((it) => {
            const end = it.indexOf('\n')
            return [it.slice(0, end).trim(), it.slice(end + 1)]
          }),
        ),
        expected: expected.split('\n').filter((it) => it !== ''),
      }
    })
}

/** The lines of a case that do not hold, and the edges that there are. */
export async function failuresOf({ files, expected }: WrittenCase): Promise<{ failed: string[]; edges: string[] }> {
  const { edges, tiers, dead, result } = await resolveSources(files)
  const proven = new Set(tiers.filter((it) => /\((?:exact|typed)\)$/.test(it)).map((it) => it.replace(/ \(\w+\)$/, '')))
  const isIn = (list: readonly { path: string; message: string }[], [path, ...words]: string[]) =>
    list.some((it) => it.path === path && it.message.includes(words.join(' ')))
  const failed = expected.filter((line) => {
    if (line.startsWith('not ')) return edges.includes(line.slice(4))
    if (line.startsWith('no certain '))
      return edges.includes(line.slice(11)) && !tiers.includes(`${line.slice(11)} (guess)`)
    if (line.startsWith('likely ')) return !tiers.includes(`${line.slice(7)} (unique)`)
    if (line.startsWith('unreachable ')) return !dead.includes(line.slice(12))
    if (line.startsWith('no problem ')) return isIn(result.problems, line.slice(11).split(' '))
    if (line.startsWith('problem ')) return !isIn(result.problems, line.slice(8).split(' '))
    if (line.startsWith('open ')) {
      const sites = result.sites.map(({ path, text }) => ({ path, message: text }))
      return !isIn(sites, line.slice(5).split(' '))
    }
    return !proven.has(line)
  })
  return { failed, edges: failed.length === 0 ? [] : tiers }
}
