/** Reads the source of a node for an excerpt: only regular files inside of what was ingested, by their real path. */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import type { Root } from '#graph/graph'

const HEAD_BYTES = 8192
/** Files that hold keys and passwords are never shown. */
const SECRET = /^(?:\.env(?:\..*)?|.*\.pem|.*\.key|id_[^.]*|.*\.p12|.*\.pfx)$/i

export interface Source {
  lines: string[]
  /** Epoch ms of the last change of the file. */
  modifiedAt: number
  /** Bytes that are no UTF-8 were replaced. */
  lossy: boolean
}

/**
 * The text of a file as its nodes name it. Throws a `Refusal` when it is outside of the roots, also by a link, when it
 * is no regular file, too large, binary, or of a kind that holds secrets.
 */
export function readSource(roots: readonly Root[], path: string, maxBytes: number): Source {
  try {
    return read(roots, path, maxBytes)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error instanceof Refusal) throw error
    // what the system says of a file that is there and still cannot be read
    throw refused(path, `it cannot be read (${String(error.code)})`)
  }
}

function read(roots: readonly Root[], path: string, maxBytes: number): Source {
  const real = locate(roots, path)
  if (SECRET.test(basename(path)) || SECRET.test(basename(real))) throw refused(path, 'files of its kind hold secrets')
  // the file is looked at again once it is open: what lies at the path may change between the two
  const expected = statSync(real)
  if (expected.isDirectory()) throw refused(path, 'it is a folder')
  if (!expected.isFile()) throw refused(path, 'it is no regular file')
  const handle = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const opened = fstatSync(handle)
    if (!opened.isFile() || opened.dev !== expected.dev || opened.ino !== expected.ino)
      throw refused(path, 'it was replaced while it was opened')
    if (opened.size > maxBytes) throw refused(path, `it is too large, ${opened.size} of at most ${maxBytes} bytes`)
    const bytes = Buffer.alloc(opened.size)
    let end = 0
    while (end < bytes.length) {
      const n = readSync(handle, bytes, end, bytes.length - end, end)
      if (n === 0) break
      end += n
    }
    const content = bytes.subarray(0, end)
    if (content.subarray(0, HEAD_BYTES).includes(0)) throw refused(path, 'it is binary')
    const text = content.toString('utf8')
    return {
      lines: text.split(/\r\n|\n|\r/),
      modifiedAt: opened.mtimeMs,
      lossy: text.includes('\ufffd') && !isUtf8(content),
    }
  } finally {
    closeSync(handle)
  }
}

/** Whether an excerpt may be offered: the path of a file that is there and inside. */
export function isReadable(roots: readonly Root[], path: string): boolean {
  try {
    return path !== '' && !SECRET.test(basename(path)) && statSync(locate(roots, path)).isFile()
  } catch (error) {
    // refused by us or by the system
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** The real path of a file inside of a root. */
function locate(roots: readonly Root[], path: string): string {
  if (path === '') throw refused('(none)', 'the node has no source')
  if (path.includes('\0') || path.split(/[\\/]/).includes('..')) throw refused(path, 'the path leads out of its root')
  if (roots.length === 0) throw refused(path, 'no folder was ingested')
  let reason = 'it is outside of the ingested folders'
  for (const root of roots) {
    const file = isAbsolute(path) ? path : resolve(root.base, path)
    if (!isInside(file, root.path)) continue
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
      reason = 'there is no such file any more'
      continue
    }
    const real = realOf(file)
    if (real !== null && isInside(real, realpathSync.native(root.path))) return real
    reason = real === null ? 'its link leads nowhere' : 'its real place is outside of the ingested folders'
  }
  throw refused(path, reason)
}

function realOf(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? null : realpathSync.native(file)
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    // the decoder's way to say no
    return false
  }
}

function refused(path: string, reason: string): Refusal {
  return new Refusal(
    'peek_refused',
    `Peek refused: ${path}: ${reason}`,
    'Read it with your own tools if you may, or ingest its folder.',
    path,
  )
}
