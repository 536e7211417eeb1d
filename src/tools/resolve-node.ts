/** From what a caller wrote to a node: ids, aliases, paths, `path:line` and names. */

import { type Graph, keyOf, type NodeId } from '#graph/graph'
import { nearestKeys, resolveNode } from '#graph/lookup'
import { ToolError } from '#tools/tool'

export interface Resolved {
  node: NodeId
  /** How the reference was understood; fields of the answer, empty when it was the node's own id. */
  resolution: { resolved_from?: string; ambiguous_matches?: number; other_matches?: string[] }
}

/** The node that a reference names; `substring` also accepts a part of a name. Throws `node_not_found`. */
export function nodeOf(graph: Graph, ref: string, { substring = false } = {}): Resolved {
  const found = resolveNode(graph, ref, { substring })
  if (found === null) throw notFound(graph, ref)
  const { node, resolvedFrom, ambiguousMatches } = found
  if (keyOf(graph, node) === ref) return { node, resolution: {} }
  if (ambiguousMatches < 2) return { node, resolution: { resolved_from: resolvedFrom } }
  return {
    node,
    resolution: {
      resolved_from: resolvedFrom,
      ambiguous_matches: ambiguousMatches,
      other_matches: othersOf(graph, found),
    },
  }
}

export interface ResolvedAll {
  /** Each once. */
  nodes: NodeId[]
  /** References that name nothing. */
  unresolved: string[]
  /** References that fit several nodes equally well, and for which of them they were taken. */
  ambiguous: { ref: string; node_id: string; ambiguous_matches: number; other_matches: string[] }[]
}

/** The nodes that references name. */
export function nodesOf(graph: Graph, refs: readonly string[]): ResolvedAll {
  const nodes = new Set<NodeId>()
  const unresolved: string[] = []
  const ambiguous: ResolvedAll['ambiguous'] = []
  for (const ref of new Set(refs)) {
    const found = resolveNode(graph, ref)
    if (found === null) {
      unresolved.push(ref)
      continue
    }
    nodes.add(found.node)
    if (found.ambiguousMatches < 2) continue
    ambiguous.push({
      ref,
      node_id: keyOf(graph, found.node),
      ambiguous_matches: found.ambiguousMatches,
      other_matches: othersOf(graph, found),
    })
  }
  return { nodes: [...nodes], unresolved, ambiguous }
}

/** Up to three of the nodes that a reference might mean as well. */
function othersOf(graph: Graph, { node, candidates }: { node: NodeId; candidates: readonly NodeId[] }): string[] {
  return candidates
    .filter((it) => it !== node)
    .slice(0, 3)
    .map((it) => keyOf(graph, it))
}

/** The error for a reference that names nothing, with up to three ids that come closest. */
export function notFound(graph: Graph, ref: string): ToolError {
  const nearest = nearestKeys(graph, ref, 3)
  const hint =
    nearest.length > 0
      ? `Nearest ids: ${nearest.join(', ')}. If it is none of these, it is not indexed: look with seek or ingest its folder.`
      : 'Nothing of that name is indexed: look with seek or ingest its folder.'
  const given = shortened(ref)
  return new ToolError('node_not_found', `Node not found: ${given}`, hint, { detail: given, suggestedNextStep: 'seek' })
}

/** Characters of what a caller wrote that are given back. */
const GIVEN_BACK = 300

/** What was written, cut where it is too long for an answer. */
export function shortened(text: string): string {
  return text.length > GIVEN_BACK ? `${text.slice(0, GIVEN_BACK - 1)}…` : text
}
