/** Which files tools may read and write by a path that a caller gives: those of the project and of its state. */

import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { Engine } from '#engine/brain'
import { makeFolder } from '#engine/folders'
import { isInside, localPath } from '#engine/project'
import { Refusal } from '#engine/refusal'

const INSIDE = 'Give a path inside of an ingested root, or a bare name, which goes to the state folder.'
/** Folder of graphs that were written on request, beside the state. */
const SNAPSHOTS = 'snapshots'

/**
 * The real path of a file that may be read. Relative paths are tried among the snapshots, beside the state, where a graph
 * file of the settings lies, then in each root.
 */
export function readablePath(
  engine: Engine,
  given: string,
  { extension, maxBytes }: { extension: string; maxBytes: number },
): string {
  const { stateFolder } = engine.status()
  const beside = stateFolder === '' ? [] : [stateFolder]
  const path = candidates(engine, given, beside).find((it) => existsSync(it))
  if (path === undefined)
    throw new Refusal('snapshot_missing', `Snapshot not found: ${given}`, 'Write one with persist.')
  const real = realpathSync.native(path)
  refuseOutside(engine, real, given, beside)
  const stats = statSync(real)
  if (!stats.isFile() || !real.endsWith(extension))
    throw new Refusal(
      'snapshot_missing',
      `${given} is no ${extension} file.`,
      `Give the path of a ${extension} file that persist wrote.`,
    )
  if (stats.size > maxBytes)
    throw new Refusal('ingest_budget', `${given} has ${stats.size} bytes, more than ${maxBytes}.`, 'Compare less.')
  return real
}

/** The real path of a file that may be written; a folder that is given gets a file named `name`. */
export function writablePath(engine: Engine, given: string, name: string): string {
  const own = snapshotFolder(engine)
  if (own !== '') makeFolder(own)
  const [first] = candidates(engine, given)
  if (first === undefined) throw new Refusal('ingest_path_missing', `There is no place for ${given}.`, INSIDE)
  const path = statSync(first, { throwIfNoEntry: false })?.isDirectory() === true ? join(first, name) : first
  const folder = dirname(path)
  if (!existsSync(folder))
    throw new Refusal('ingest_path_missing', `There is no folder ${folder}.`, 'Make it first, or give another path.')
  const real = join(realpathSync.native(folder), basename(path))
  refuseOutside(engine, real, given)
  const leaf = lstatSync(real, { throwIfNoEntry: false })
  if (leaf !== undefined && !leaf.isFile())
    throw new Refusal('invalid_params', `${given} is no regular file.`, 'Give the path of a file, or of none yet.')
  return real
}

function snapshotFolder(engine: Engine): string {
  const { stateFolder } = engine.status()
  return stateFolder === '' ? '' : join(stateFolder, SNAPSHOTS)
}

function candidates(engine: Engine, given: string, beside: readonly string[] = []): string[] {
  if (given.includes('\0')) throw new Refusal('invalid_params', 'The path holds a NUL.', INSIDE)
  const own = snapshotFolder(engine)
  const bases = [...(own === '' ? [] : [own]), ...beside, ...engine.brain.graph.meta.roots.map((it) => it.base)]
  return [...new Set(bases.map((it) => localPath(given, it)))]
}

/** What git keeps is not the project's text; the rest of the state folder is written by the engine alone, and may be read. */
function refuseOutside(engine: Engine, real: string, given: string, beside: readonly string[] = []): void {
  const folders = [
    snapshotFolder(engine),
    ...beside,
    ...engine.brain.graph.meta.roots.flatMap((it) => [it.path, it.base]),
  ]
  const isAllowed = folders.some((it) => it !== '' && existsSync(it) && isInside(real, realpathSync.native(it)))
  if (!isAllowed || real.split(sep).includes('.git'))
    throw new Refusal('invalid_params', `${given} lies outside of the project and its snapshots.`, INSIDE)
}
