import * as z from 'zod'
import { EXPORT_FORMATS } from '#engine/export'
import { writeSnapshot } from '#engine/snapshots'
import { refused } from '#tools/refused'
import { AgentId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'persist',
  group: 'lifecycle',
  effect: 'write',
  countsAsQuery: false,
  summary: 'Write the graph to a file, to compare it later or for another program.',
  details: ['State is saved without being asked; this is for differential and other programs.'],
  input: z.object({
    agent_id: AgentId,
    path: z.string().min(1).max(4096).describe('File or folder in the project.'),
    format: z.enum(EXPORT_FORMATS).default('json').describe('json can be compared.'),
  }),
  output: z.looseObject({
    path: z.string(),
    format: z.string(),
    bytes: z.int(),
    node_count: z.int(),
    edge_count: z.int(),
    graph_generation: z.int(),
    plasticity_generation: z.int(),
    next_step_hint: z.string(),
  }),
  examples: [{ title: 'Before a refactoring', input: { agent_id: 'dev', path: 'before.json' } }],

  run({ engine, graph }, { path, format }) {
    try {
      const written = writeSnapshot(engine, path, format)
      return {
        ...written,
        format,
        node_count: graph.dead.reduce((sum, dead) => sum + 1 - dead, 0),
        edge_count: graph.nLogical,
        graph_generation: graph.meta.generation,
        plasticity_generation: graph.meta.plasticityGeneration,
        next_step_hint:
          format === 'json'
            ? `Compare later: differential with snapshot_a ${written.path} and snapshot_b current.`
            : '',
      }
    } catch (error) {
      return refused(error, path)
    }
  },

  render: ({ path, bytes, node_count, edge_count, next_step_hint }) =>
    [`${node_count} nodes and ${edge_count} edges written to ${path} (${bytes} bytes)`, next_step_hint]
      .join('\n')
      .trim(),
})
