import * as z from 'zod'
import { allTrails, TRAIL_STATUS, unreadableTrails } from '#engine/trails'
import { AgentId } from '#tools/shapes'
import { plural, table } from '#tools/table'
import { TrailRow, trailRow } from '#tools/trail-parts'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'trail_list',
  group: 'memory',
  effect: 'read',
  countsAsQuery: false,
  needsGraph: false,
  summary: 'Saved investigations of all agents, the last changed first.',
  details: ['Go on with one: trail_resume. Put several together: trail_merge.'],
  input: z.object({
    agent_id: AgentId,
    filter_agent_id: z.string().max(256).default('').describe('Whose.'),
    filter_status: z.enum(TRAIL_STATUS).optional().describe('Status.'),
    filter_tags: z.array(z.string()).default([]).describe('Any of these.'),
  }),
  output: z.looseObject({ trails: z.array(TrailRow), total_count: z.int(), note: z.string() }),
  examples: [
    { title: 'All', input: { agent_id: 'dev' } },
    {
      title: 'By tag',
      input: { agent_id: 'filer', filter_tags: ['tax'] },
      after: [
        [
          'trail_save',
          { label: 'rounding', tags: ['tax', 'price'], visited_nodes: [{ node_external_id: 'price.ts' }] },
        ],
      ],
    },
  ],

  async run({ engine }, { filter_agent_id, filter_status, filter_tags }) {
    // trails are read along with the graph
    await engine.ready
    const all = allTrails(engine.records)
    const trails = all.filter(
      (it) =>
        (filter_agent_id === '' || it.agent_id === filter_agent_id) &&
        (filter_status === undefined || it.status === filter_status) &&
        (filter_tags.length === 0 || filter_tags.some((tag) => it.tags.includes(tag))),
    )
    const unreadable = unreadableTrails(engine.records).length
    const notes: string[] = []
    if (all.length === 0) notes.push('No trail was saved yet: trail_save.')
    else if (trails.length === 0) notes.push(`None of ${plural(all.length, 'trail')} fits the filters.`)
    if (unreadable > 0) notes.push(`${plural(unreadable, 'kept trail')} could not be read.`)
    return { trails: trails.map(trailRow), total_count: trails.length, note: notes.join(' ') }
  },

  render({ trails, note }, style) {
    const rows = trails.map((it) => [it.trail_id, it.status, it.node_count, it.label])
    return [...(rows.length > 0 ? [table(rows, style)] : []), ...(note ? [note] : [])].join('\n')
  },
})
