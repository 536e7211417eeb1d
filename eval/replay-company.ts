/** Past commits with several files: from one of them, does `predict` name the others? */

import { resolveNode } from '#graph/lookup'
import { ask, changes, git } from './checkout.ts'
import type { Place } from './replay-removal.ts'

export interface Company {
  commits: number
  /** Files given. */
  asked: number
  /** Other files of the commit that exist, and how many of them are among the first ten. */
  wanted: number
  found: number
  /** Predictions shown. */
  shown: number
}

const LATER = 200
const TOP = 10
const MOST_FILES = 10
/** Files of one commit that are given, one at a time. */
const GIVEN = 3

/** The graph knows nothing of the last 200 commits. */
export async function replayCompany(at: Place, most: number): Promise<Company> {
  const before = git(at.folder, 'rev-parse', 'HEAD').trim()
  const cut =
    git(at.folder, 'rev-list', '--no-merges', '-n', String(LATER + 1), 'HEAD')
      .trim()
      .split('\n')
      .at(-1) ?? 'HEAD'
  git(at.folder, 'checkout', '--quiet', '--detach', cut)
  await ask(at.engine, 'ingest', { path: at.folder }, at.now)
  const { graph } = at.engine.brain
  const sum: Company = { commits: 0, asked: 0, wanted: 0, found: 0, shown: 0 }
  for (const { files } of changes(at.folder, `${cut}..${before}`).slice(0, 5 * most)) {
    if (sum.commits === 2 * most) break
    const known = files.map((it) => it.path).filter((path) => resolveNode(graph, path)?.resolvedFrom === 'file_prefix')
    if (known.length < 2 || known.length > MOST_FILES) continue
    sum.commits++
    for (const path of known.slice(0, GIVEN)) {
      const said = await ask(at.engine, 'predict', { changed_node: path, top_k: TOP }, at.now)
      const rows: unknown[] = Array.isArray(said.predictions) ? said.predictions : []
      const ids = new Set(
        rows.map((it) => (typeof it === 'object' && it !== null && 'node_id' in it ? it.node_id : '')),
      )
      const others = known.filter((it) => it !== path)
      sum.asked++
      sum.wanted += others.length
      sum.found += others.filter((it) => ids.has(`file::${it}`)).length
      sum.shown += rows.length
    }
  }
  git(at.folder, 'checkout', '--quiet', '--detach', before)
  await ask(at.engine, 'ingest', { path: at.folder }, at.now)
  return sum
}
