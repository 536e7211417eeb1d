/** Reads a graph from a JSON file: a descriptor of nodes and edges, or a snapshot. */

import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { GraphInput } from '#graph/input'
import { type JsonInput, readJson } from '#graph/json'
import { emptyReport, IngestError, type IngestReport, throwIfAborted } from '#ingest/report'
import { decode } from '#ingest/text'

const MAX_BYTES = 512 * 1024 * 1024
const HINT = 'Give a JSON object with the arrays nodes and edges, or a snapshot.'

/** Ids begin with the namespace, when there is one. Throws an `IngestError` when the file is missing (`ingest_path_missing`) or is no such JSON (`serialization`). */
export async function ingestJson(
  path: string,
  signal: AbortSignal,
  { namespace = '', now = Date.now() } = {},
): Promise<{ input: GraphInput; report: IngestReport }> {
  throwIfAborted(signal)
  const began = performance.now()
  const file = realFile(path)
  const { input, warnings, collisions } = parse(await readFile(file), path)
  throwIfAborted(signal)
  const prefix = namespace === '' ? '' : `${namespace}::`
  // packages are the same for everybody
  const nodes = input.nodes.map((it) => (it.key.startsWith('pkg::') ? it : { ...it, key: prefix + it.key }))
  const root = { path: file, prefix, adapter: 'json', base: dirname(file) }
  const report = {
    ...emptyReport(),
    files_scanned: 1,
    files_parsed: 1,
    nodes_created: input.nodes.length,
    edges_created: input.edges.length,
    node_count: input.nodes.length,
    edge_count: input.edges.length,
    label_collisions: collisions,
    warnings,
    phase_ms: { extract: Math.round(performance.now() - began) },
  }
  return { input: { ...input, nodes, meta: { ...input.meta, roots: [root], ingestedAt: now } }, report }
}

function realFile(path: string): string {
  let size = 0
  let file: string
  try {
    file = realpathSync.native(resolve(path))
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

function parse(bytes: Buffer, path: string): JsonInput {
  try {
    const text = decode(bytes)
    if (text === null) throw new Error('it is not text')
    return readJson(JSON.parse(text.text))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new IngestError('serialization', `${path} is no graph: ${reason}.`, HINT)
  }
}
