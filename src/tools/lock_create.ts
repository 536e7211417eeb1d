import * as z from 'zod'
import { createLock, LOCK_SCOPES } from '#engine/locks'
import { lastUsed, perspectiveOf } from '#engine/perspectives'
import { keyOf } from '#graph/graph'
import { ensureRoom } from '#tools/handle-room'
import { nodeOf } from '#tools/resolve-node'
import { AgentId, NodeRef } from '#tools/shapes'
import { plural } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

const RADIUS = 2

export default defineTool({
  name: 'lock_create',
  group: 'lifecycle',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Remember what a region looks like, to see later what others changed in it.',
  details: ['It warns and never blocks anybody. Then lock_watch and lock_diff.'],
  input: z.object({
    agent_id: AgentId,
    scope: z.enum(LOCK_SCOPES).describe('Kind of region.'),
    root_nodes: z.array(NodeRef).max(1000).describe('Where it starts.'),
    radius: z.int().min(1).max(4).optional().describe('Steps, for subgraph; 2.'),
    query: z.string().max(2000).default('').describe('For query_neighborhood.'),
    path_nodes: z.array(NodeRef).max(5000).default([]).describe('For path, in order.'),
    perspective_id: z.string().max(300).default('').describe('Released with it.'),
  }),
  output: z.looseObject({
    lock_id: z.string(),
    scope: z.string(),
    baseline_nodes: z.int(),
    baseline_edges: z.int(),
    nodes_locked: z.int(),
    edges_locked: z.int(),
    boundary_edges: z.int(),
    radius: z.int().nullable(),
    root_nodes: z.array(z.string()),
    perspective_id: z.string().nullable(),
    graph_generation: z.int(),
    created_at_ms: z.number(),
  }),
  examples: [
    {
      title: 'The surroundings of a file',
      input: { agent_id: 'guard', scope: 'subgraph', root_nodes: ['server/bank.py'], radius: 1 },
    },
  ],

  run({ graph, engine, agent, now }, { scope, root_nodes, radius, query, path_nodes, perspective_id }) {
    refuse(root_nodes.length === 0, 'root_nodes: expected a list of texts, not empty, got []', 'root_nodes')
    refuse(scope === 'query_neighborhood' && query.trim() === '', 'query: the scope needs one', 'query')
    refuse(scope === 'path' && path_nodes.length === 0, 'path_nodes: the scope needs them', 'path_nodes')
    const ids = (refs: readonly string[]) => refs.map((it) => keyOf(graph, nodeOf(graph, it, { substring: true }).node))
    // without a name it goes with the perspective that was used last
    const perspective =
      perspective_id === '' ? lastUsed(engine.records, agent) : perspectiveOf(engine.records, perspective_id, agent)
    ensureRoom(engine, 'lock_limit')
    const lock = createLock(
      engine,
      {
        agent,
        scope,
        roots: ids(root_nodes),
        radius: scope === 'subgraph' ? (radius ?? RADIUS) : 0,
        query,
        path: scope === 'path' ? ids(path_nodes) : [],
        perspective_id: perspective?.perspective_id ?? '',
      },
      now,
    )
    const { baseline } = lock
    return {
      lock_id: lock.lock_id,
      scope,
      baseline_nodes: baseline.nInside,
      baseline_edges: baseline.weights.length,
      nodes_locked: baseline.nInside,
      edges_locked: baseline.weights.length,
      boundary_edges: baseline.sources.length - baseline.weights.length,
      radius: scope === 'subgraph' ? lock.radius : null,
      root_nodes: lock.roots,
      perspective_id: lock.perspective_id || null,
      graph_generation: lock.generation,
      created_at_ms: now,
    }
  },

  render: ({ lock_id, scope, baseline_nodes, baseline_edges }, style) =>
    `${style.bold(lock_id)}  ${scope} of ${plural(baseline_nodes, 'node')} and ${plural(baseline_edges, 'edge')}`,
})

function refuse(isWrong: boolean, what: string, detail: string): void {
  if (!isWrong) return
  const hint = 'node takes the roots; subgraph radius 1 to 4; query_neighborhood a query; path path_nodes.'
  throw new ToolError('invalid_params', `Invalid params for lock_create: ${what}`, hint, { detail })
}
