/** A file that somebody names on the command line: there as a whole, or as it was before. */

import { createWriteStream } from 'node:fs'
import { chmod, realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Writes beside the file and then takes its place, with its permissions; a link stays, and what it leads to is
 * replaced. What is no regular file (a device, a pipe) is written to as it is.
 */
export async function writeWhole(path: string, pieces: Iterable<string>): Promise<void> {
  const before = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (before !== null && !before.isFile()) return pipeline(Readable.from(pieces), createWriteStream(path))
  const target = before === null ? path : await realpath(path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { flags: 'wx', flush: true }))
    if (before !== null) await chmod(temporary, before.mode & 0o777)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
