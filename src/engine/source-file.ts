/** Reads a file of the project for somebody who named it by its path in the graph. */

import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Brain } from '#engine/brain'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { FILE, type Graph, NONE, type Root, text } from '#graph/graph'
import { rootsOf, rootsWith } from '#graph/ingest-roots'
import { nodeByKey } from '#graph/lookup'

/** Larger files are refused, whatever part of them is asked for. */
const LARGEST = 10_485_760
/** Where a NUL marks a file as binary. */
const HEAD = 8192
/** Names of files that hold keys and passwords. */
const SECRET = /^(?:\.env(?:\..*)?|id_.*|.*\.(?:pem|key|p12|pfx))$/i

export interface SourceFile {
  path: string
  content: string
  /** Size of the whole file. */
  bytes: number
  truncated: boolean
}

/**
 * The first `maxBytes` of a file, cut between characters. Only files that the graph knows are read, by the path that
 * it knows, from where their real path lies inside of a root. Where several repositories have a file of this path,
 * `node` is the key of something in the one that is meant. Throws a `Refusal` with `path_escape`, `file_not_found` or
 * `invalid_params`.
 */
export function readSourceFile(brain: Brain, path: string, node: string, maxBytes: number): SourceFile {
  if (
    path === '' ||
    path.includes('\0') ||
    isAbsolute(path) ||
    /^[a-z]:|\\/i.test(path) ||
    path.split('/').includes('..')
  )
    throw new Refusal('path_escape', `${quoted(path)} is no path inside of the project.`, RELATIVE)
  const file = knownFile(brain.graph, path, node)
  if (file === null)
    throw new Refusal('file_not_found', `The graph holds no file ${quoted(path)}, or it is gone.`, RELATIVE)
  if (SECRET.test(basename(path)) || SECRET.test(basename(file)))
    throw new Refusal('path_escape', `${quoted(path)} may hold secrets and is not shown.`, 'Open it yourself.')

  const before = statSync(file)
  if (!before.isFile() || before.size > LARGEST)
    throw new Refusal('invalid_params', `${quoted(path)} is no file of at most ${LARGEST} bytes.`, 'Open it yourself.')
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const opened = fstatSync(handle)
    if (opened.dev !== before.dev || opened.ino !== before.ino)
      throw new Refusal('path_escape', `${quoted(path)} was replaced while it was opened.`, 'Ask again.')
    const bytes = Buffer.alloc(Math.min(opened.size, maxBytes))
    const read = bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0))
    if (read.subarray(0, HEAD).includes(0))
      throw new Refusal('invalid_params', `${quoted(path)} is binary.`, 'Only text is shown.')
    const truncated = opened.size > read.length
    // a character that was cut in two at the end is left out
    const content = new TextDecoder('utf-8', { ignoreBOM: false }).decode(read, { stream: truncated })
    return { path, content, bytes: opened.size, truncated }
  } finally {
    closeSync(handle)
  }
}

const RELATIVE = 'Give a source_path as answers name it, relative to the project.'

/** The real path of a file that the graph knows; null when there is none or it lies outside of its root. */
function knownFile(graph: Graph, path: string, node: string): string | null {
  const handle = graph.strings.find(path.toWellFormed())
  const isKnown = graph.paths.some((it, v) => it === handle && graph.types[v] === FILE && graph.dead[v] === 0)
  if (!isKnown || text(graph, handle) !== path) return null
  for (const root of rootsOfFile(graph, path, node)) {
    const candidate = join(root.base, path)
    if (!existsSync(candidate)) continue
    const real = realpathSync.native(candidate)
    if (existsSync(root.path) && isInside(real, realpathSync.native(root.path))) return real
  }
  return null
}

function rootsOfFile(graph: Graph, path: string, node: string): readonly Root[] {
  const among = rootsWith(graph, path)
  if (node !== '') {
    const v = nodeByKey(graph, node)
    if (v === NONE || text(graph, graph.paths[v]) !== path)
      throw new Refusal('invalid_params', `${quoted(node)} is no node in ${quoted(path)}.`, 'Leave node away.')
    return rootsOf(graph, v)
  }
  if (among.length < 2) return among.flat()
  const names = among.flatMap((it) => it[0]?.prefix.replace(/::$/, '') ?? [])
  throw new Refusal(
    'invalid_params',
    `${quoted(path)} is a file of several repositories: ${names.join(', ')}.`,
    'Name the one that is meant: node is the id of something in it.',
  )
}

function quoted(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 297)}…` : path)
}
