/** Past deletions: does `counterfactual` name the files that had to change with them? */

import type { Engine } from '#engine/brain'
import { FILE, fileOf, labelOf, type NodeId, NONE } from '#graph/graph'
import { resolveNode } from '#graph/lookup'
import { partsOf } from '#analysis/impact'
import { ask, type Change, git } from './checkout.ts'

export interface Place {
  folder: string
  engine: Engine
  /** Epoch ms. */
  now: number
  show(line: string): void
}

export interface Removals {
  commits: number
  /** Files that lost a line naming what was deleted, and how many of them are among the affected files. */
  needed: number
  found: number
  /** Affected files at the first step, and how many of them the commit touched. */
  near: number
  nearTouched: number
  /** All affected files shown, and how many of them the commit touched. */
  shown: number
  shownTouched: number
}

/** A name this short stands in too many lines to tell anything. */
const SHORTEST_NAME = 4
const MOST_FILES = 60

export async function replayRemovals(at: Place, history: readonly Change[], most: number): Promise<Removals> {
  const sum: Removals = { commits: 0, needed: 0, found: 0, near: 0, nearTouched: 0, shown: 0, shownTouched: 0 }
  const before = git(at.folder, 'rev-parse', 'HEAD').trim()
  for (const { commit, parent, files } of history) {
    if (sum.commits === most) break
    const candidates = files.filter((it) => it.status === 'D')
    const touched = files.filter((it) => it.status === 'M').map((it) => it.path)
    if (parent === '' || candidates.length === 0 || touched.length === 0 || files.length > MOST_FILES) continue
    const deleted = withoutMoves(at.folder, commit).filter((path) => candidates.some((it) => it.path === path))
    if (deleted.length === 0 || !deleted.some((it) => CODE.test(it))) continue

    git(at.folder, 'checkout', '--quiet', '--detach', parent)
    await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
    const needed = neededIn(at, commit, deleted, touched)
    if (needed.length === 0) continue
    const said = await ask(at.engine, 'counterfactual', { node_ids: deleted.slice(0, 50) }, at.now).catch(() => null)
    if (said === null) continue
    const affected = affectedIn(said)
    const paths = new Set(affected.map((it) => it.path))
    const near = affected.filter((it) => it.depth === 1)
    const isTouched = ({ path }: { path: string }) => touched.includes(path)
    const found = needed.filter((it) => paths.has(it))
    sum.commits++
    sum.needed += needed.length
    sum.found += found.length
    sum.near += near.length
    sum.nearTouched += near.filter(isTouched).length
    sum.shown += affected.length
    sum.shownTouched += affected.filter(isTouched).length
    at.show(
      `  ${commit.slice(0, 10)} deletes ${deleted.join(', ').slice(0, 100)}: ${found.length} of ${needed.length}, missed ${needed.filter((it) => !paths.has(it)).join(', ')}`,
    )
  }
  git(at.folder, 'checkout', '--quiet', '--detach', before)
  await ask(at.engine, 'ingest', { path: at.folder, incremental: true }, at.now)
  return sum
}

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|lua)$/

/** Deleted paths that live on under no other name. */
function withoutMoves(folder: string, commit: string): string[] {
  return git(folder, 'show', '--format=', '--name-only', '--diff-filter=D', '-M40%', commit)
    .split('\n')
    .filter((it) => it !== '')
}

/** Touched code of which the commit took a line that names a deleted file or what was defined in it. */
function neededIn(
  { folder, engine }: Place,
  commit: string,
  deleted: readonly string[],
  touched: readonly string[],
): string[] {
  const names = namesOf(engine, deleted)
  if (names.length === 0) return []
  const word = new RegExp(`(?<![\\w$])(?:${names.map((it) => it.replace(/[^\w]/g, '\\$&')).join('|')})(?![\\w$])`)
  return touched.filter((path) => {
    if (!CODE.test(path)) return false
    const diff = git(folder, 'show', '--format=', '--unified=0', '--no-renames', commit, '--', path)
    return diff.split('\n').some((line) => /^-(?!--)/.test(line) && word.test(withoutComment(line)))
  })
}

function withoutComment(line: string): string {
  return line.replace(/(?:\/\/|#(?!\[)|^-\s*\*).*$/, '')
}

/** Stems of the files, and names that are defined in them and nowhere else. */
function namesOf({ brain: { graph } }: Engine, deleted: readonly string[]): string[] {
  const names = new Set<string>()
  const files = deleted
    .map((path) => resolveNode(graph, path)?.node ?? NONE)
    .filter((v) => v !== NONE && graph.types[v] === FILE)
  const gone = new Set(files)
  const elsewhere = new Set<string>()
  for (let v: NodeId = 0; v < graph.nNodes; v++)
    if (graph.dead[v] === 0 && !gone.has(fileOf(graph, v))) elsewhere.add(labelOf(graph, v))
  for (const file of files.filter((v) => CODE.test(labelOf(graph, v)))) {
    const stem = labelOf(graph, file).replace(/\.[^.]+$/, '')
    if (!/^(?:index|mod|lib|main|__init__)$/.test(stem)) names.add(stem)
    for (const part of partsOf(graph, file)) if (!elsewhere.has(labelOf(graph, part))) names.add(labelOf(graph, part))
  }
  return [...names].filter((it) => it.length >= SHORTEST_NAME && /^[\w$-]+$/.test(it))
}

function affectedIn(said: Record<string, unknown>): { path: string; depth: number }[] {
  const rows: unknown[] = Array.isArray(said.affected_files) ? said.affected_files : []
  return rows.flatMap((it) =>
    typeof it === 'object' && it !== null && 'path' in it && 'depth' in it
      ? [{ path: String(it.path), depth: Number(it.depth) }]
      : [],
  )
}
