/** Files that are on no frame of a stack and may have to be fixed all the same. */

import { companions } from '#analysis/companions'
import { FILE, fileOf, type Graph, GUESS, labelOf, type NodeId, NONE, REFERENCE } from '#graph/graph'
import type { Messages } from '#graph/messages'
import type { CoChange } from '#query/cochange'
import { CODE_ROLE, roleOf } from '#query/corpus'
import type { Frame } from '#query/frames'

export interface OffStack {
  file: NodeId
  /** 0..1 */
  share: number
  reason: string
}

/** Suspects whose companions are asked for. */
const ASKED = 2
/** A file that defines what the error names. */
const NAMED = 0.5
/** A file that alone uses the package in which the error was raised. */
const TALKS = 0.5
/** A name that more files define, or a package that more files use, tells nothing. */
const MOST_FILES = 8
const NAMES = /[\p{L}_$][\p{L}\p{N}_$]{3,}/gu
/** Words of errors themselves, and of prose. */
const PLAIN = /^[a-z]+$/

/**
 * Files that change along with the first suspects, that define what the message names, or that use the package in which
 * the deepest frames are; only code, without files of `own`.
 *
 * @param suspects best first, with a score in 0..1
 */
export function offStack(
  graph: Graph,
  indexes: { cochange: CoChange; messages: Messages },
  {
    suspects,
    message,
    foreign,
    own,
    nowSeconds,
  }: {
    suspects: readonly { file: NodeId; score: number }[]
    message: string
    /** Frames deeper than the deepest of the project. */
    foreign: readonly Frame[]
    own: ReadonlySet<NodeId>
    nowSeconds: number
  },
): OffStack[] {
  const found = new Map<NodeId, OffStack>()
  const tell = (file: NodeId, share: number, reason: string) => {
    if (file === NONE || own.has(file) || roleOf(graph, file) !== CODE_ROLE) return
    const known = found.get(file)
    if (known === undefined) found.set(file, { file, share, reason })
    else {
      // independent witnesses
      const both = 1 - (1 - known.share) * (1 - share)
      found.set(file, { file, share: both, reason: known.share >= share ? known.reason : reason })
    }
  }
  const asked = [...new Map(suspects.map((it) => [it.file, it])).values()].slice(0, ASKED)
  for (const { file, score } of asked) {
    const label = labelOf(graph, file)
    for (const it of companions(graph, indexes, file, { includeVelocity: false, nowSeconds }).rows)
      tell(it.node, score * it.confidence, `${label}: ${it.reason}`)
  }
  for (const [name, files] of definersOf(graph, namesIn(message)))
    for (const file of files) tell(file, NAMED / files.size, `defines ${name}, which the error names`)
  const packages = new Set(foreign.map(packageOf).filter((it) => it !== ''))
  for (let v = 0; packages.size > 0 && v < graph.nNodes; v++) {
    if (graph.types[v] !== REFERENCE || graph.dead[v] === 1 || !packages.has(labelOf(graph, v).toLowerCase())) continue
    const users = new Set<NodeId>()
    for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
      if (graph.tiers[graph.in.slots[i]] !== GUESS) users.add(fileOf(graph, graph.in.targets[i]))
    }
    const code = [...users].filter((file) => file !== NONE && roleOf(graph, file) === CODE_ROLE)
    if (code.length > MOST_FILES) continue
    for (const file of code)
      tell(file, TALKS / Math.sqrt(code.length), `uses ${labelOf(graph, v)}, in which the error was raised`)
  }
  return [...found.values()].sort((a, b) => b.share - a.share || a.file - b.file)
}

/** Names in a message that are written like code: quoted, or with signs or capitals within. */
function namesIn(message: string): Set<string> {
  const quoted = [...message.matchAll(/[`'"]([\p{L}_$][\p{L}\p{N}_$]{2,})[`'"]/gu)].map((it) => it[1])
  return new Set([...quoted, ...(message.match(NAMES) ?? []).filter((it) => !PLAIN.test(it.slice(1)))])
}

function definersOf(graph: Graph, names: ReadonlySet<string>): Map<string, Set<NodeId>> {
  const found = new Map<string, Set<NodeId>>()
  for (let v = 0; names.size > 0 && v < graph.nNodes; v++) {
    if (graph.types[v] === REFERENCE || graph.types[v] === FILE || graph.dead[v] === 1) continue
    const label = labelOf(graph, v)
    if (names.has(label)) found.set(label, (found.get(label) ?? new Set()).add(fileOf(graph, v)))
  }
  for (const [name, files] of found) if (files.size > MOST_FILES) found.delete(name)
  return found
}

/** Name of the package of a frame, in lower case; '' when its path tells none. */
function packageOf({ path }: Frame): string {
  const found =
    /node_modules\/(?!.*node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(path) ??
    /(?:site|dist)-packages\/([^/]+)\//.exec(path) ??
    /registry\/src\/[^/]+\/([\w-]+?)-\d[^/]*\//.exec(path) ??
    /pkg\/mod\/(.+?)@v/.exec(path)
  return found?.[1].toLowerCase() ?? ''
}
