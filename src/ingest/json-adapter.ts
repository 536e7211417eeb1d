/** Reads a graph from a JSON file: a descriptor of nodes and edges, or a snapshot. */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { GraphInput } from '#graph/input'
import { type JsonInput, readJson } from '#graph/json'
import { IngestError } from '#ingest/report'
import { decode } from '#ingest/text'

const MAX_BYTES = 512 * 1024 * 1024
const HINT = 'Give a JSON object with the arrays nodes and edges, or a snapshot.'

export interface JsonIngested {
  input: GraphInput
  /** What was left out, the first 20 things. */
  warnings: string[]
  collisions: number
}

/** Throws an `IngestError` when the file is missing (`ingest_path_missing`) or is no such JSON (`serialization`). */
export function ingestJson(path: string, now: number): JsonIngested {
  const file = realFile(path)
  const { input, warnings, collisions } = parse(file, path)
  const root = { path: file, prefix: '', adapter: 'json', base: dirname(file) }
  return { input: { ...input, meta: { ...input.meta, roots: [root], ingestedAt: now } }, warnings, collisions }
}

function realFile(path: string): string {
  let size = 0
  let file: string
  try {
    file = realpathSync(resolve(path))
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('it is no regular file')
    size = stats.size
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new IngestError(
      'ingest_path_missing',
      `${path} cannot be read: ${reason}.`,
      'Give the absolute path of a JSON file.',
    )
  }
  if (size > MAX_BYTES)
    throw new IngestError('ingest_budget', `${path} has ${size} bytes, more than ${MAX_BYTES}.`, HINT)
  return file
}

function parse(file: string, path: string): JsonInput {
  try {
    const text = decode(readFileSync(file))
    if (text === null) throw new Error('it is not text')
    return readJson(JSON.parse(text.text))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new IngestError('serialization', `${path} is no graph: ${reason}.`, HINT)
  }
}
