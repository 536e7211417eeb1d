/** Graphs as files of the project or its state: written by `persist`, read by `differential` and `diverge`. */

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import type { Engine } from '#engine/brain'
import { readablePath, writablePath } from '#engine/contained'
import { type ExportFormat, exportGraph } from '#engine/export'
import { Refusal } from '#engine/refusal'
import type { Graph } from '#graph/graph'
import { graphFromJson, writeJson } from '#graph/json'

/** Name of the graph in memory where a snapshot is asked for. */
export const CURRENT = 'current'

const MAX_BYTES = 512 * 1024 * 1024
/** What the files that this module writes begin with, by format. */
const BEGINNINGS: Record<ExportFormat, string> = {
  json: '{"version":3,"meta":{"domain":',
  graphml: '<?xml',
  dot: 'digraph m1nd',
  cypher: 'CREATE CONSTRAINT m1nd_id',
}

export interface Snapshot {
  /** As it was given. */
  name: string
  graph: Graph
  /** Nodes and edges that could not be read. */
  skipped: number
}

/** The graph in memory, or that of a JSON snapshot. Throws a `Refusal`. */
export function readSnapshot(engine: Engine, name: string): Snapshot {
  if (name === CURRENT) return { name, graph: engine.brain.graph, skipped: 0 }
  const path = readablePath(engine, name, { extension: '.json', maxBytes: MAX_BYTES })
  try {
    return { name, ...graphFromJson(JSON.parse(readFileSync(path, 'utf8'))) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(
      'snapshot_missing',
      `${name} is no snapshot of a graph: ${reason}.`,
      'Write snapshots with persist.',
    )
  }
}

/**
 * Writes the graph in memory with its present weights and returns the path and size. The file is replaced as a whole,
 * and only when it was written by this function before. Throws a `Refusal`.
 */
export function writeSnapshot(engine: Engine, given: string, format: ExportFormat): { path: string; bytes: number } {
  const { graph } = engine.brain
  const path = writablePath(engine, given, `m1nd-graph.${format}`)
  refuseOthers(path, format)
  const temporary = `${path}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`
  let bytes = 0
  try {
    const file = openSync(temporary, 'wx', 0o600)
    try {
      const pieces = format === 'json' ? writeJson(graph, { learned: true }) : exportGraph(graph, format)
      for (const piece of pieces) bytes += writeAll(file, Buffer.from(piece))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    if (!(error instanceof Error)) throw error
    throw new Refusal(
      'io',
      `${given} could not be written: ${error.message}`,
      'Look at its permissions and the space that is left.',
    )
  }
  return { path, bytes }
}

function writeAll(file: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  return bytes.length
}

/** A file of the project that happens to have the name is not replaced. */
function refuseOthers(path: string, format: ExportFormat): void {
  const extensions = format === 'cypher' ? ['.cypher', '.cql'] : [`.${format}`]
  if (!extensions.some((it) => path.endsWith(it)))
    throw new Refusal(
      'invalid_params',
      `${path} does not end in ${extensions.join(' or ')}.`,
      `Give a path that ends in ${extensions[0]}.`,
    )
  if (!existsSync(path)) return
  const beginning = Buffer.alloc(BEGINNINGS[format].length)
  const file = openSync(path, 'r')
  try {
    readSync(file, beginning, 0, beginning.length, 0)
  } finally {
    closeSync(file)
  }
  if (beginning.toString() !== BEGINNINGS[format])
    throw new Refusal('invalid_params', `${path} is there already and is no graph.`, 'Give another path.')
}
