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
  statSync,
  writeSync,
} from 'node:fs'
import type { Engine } from '#engine/brain'
import { readablePath, writablePath } from '#engine/contained'
import { type ExportFormat, exportGraph } from '#engine/export'
import { Refusal } from '#engine/refusal'
import type { Graph } from '#graph/graph'
import { graphFromJson, VersionError, writeJson } from '#graph/json'

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

/** Graphs that were read last, so that the next question about one need not read it again; let go after idle minutes. */
class Kept {
  /** By path, with what tells whether the file is still the same. */
  readonly #graphs = new Map<string, { state: string; read: Read }>()
  #idle: NodeJS.Timeout | undefined

  of(path: string, read: () => Read): Read {
    const { size, ino, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    const state = [size, ino, mtimeNs, ctimeNs].join()
    const before = this.#graphs.get(path)
    const found = before?.state === state ? before.read : read()
    this.#graphs.delete(path)
    if (size <= MOST_KEPT_BYTES) this.#graphs.set(path, { state, read: found })
    for (const oldest of [...this.#graphs.keys()].slice(0, -MOST_KEPT)) this.#graphs.delete(oldest)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#graphs.clear(), IDLE_MS).unref()
    return found
  }
}

type Read = Omit<Snapshot, 'name'>

const MOST_KEPT = 2
/** Of the file; its graph takes about a third of it in memory. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024
const IDLE_MS = 600_000

const keptOf = new WeakMap<Engine, Kept>()

/** The graph in memory, or that of a JSON snapshot, for looking at only. Throws a `Refusal`. */
export function readSnapshot(engine: Engine, name: string): Snapshot {
  if (name === CURRENT) return { name, graph: engine.brain.graph, skipped: 0 }
  const path = readablePath(engine, name, { extension: '.json', maxBytes: MAX_BYTES })
  const kept = keptOf.get(engine) ?? new Kept()
  keptOf.set(engine, kept)
  try {
    return { name, ...kept.of(path, () => graphFromJson(JSON.parse(readFileSync(path, 'utf8')))) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof VersionError) {
      throw new Refusal(
        'schema_drift',
        `${name}: ${reason}.`,
        'Use the version of m1nd that wrote it, or write it anew with persist.',
      )
    }
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
