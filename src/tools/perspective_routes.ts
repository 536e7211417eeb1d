import * as z from 'zod'
import { describeLens } from '#analysis/routes'
import { noteReading, PAGE_SIZE } from '#engine/perspectives'
import {
  checkVersion,
  openPerspective,
  pageOf,
  pagesOf,
  PerspectiveId,
  renderPage,
  RoutesPage,
  Version,
} from '#tools/perspective-parts'
import { AgentId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

const MOST = 10

export default defineTool({
  name: 'perspective_routes',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  summary: 'The routes from where a perspective stands, page by page.',
  details: ['Look at one with perspective_inspect, go there with perspective_follow.'],
  input: z.object({
    agent_id: AgentId,
    perspective_id: PerspectiveId,
    page: z.int().min(1).default(1).describe('From 1.'),
    page_size: z.int().default(PAGE_SIZE).describe('1 to 10.'),
    route_set_version: Version.optional(),
  }),
  output: z.looseObject({
    perspective_id: z.string(),
    anchor: z.string().nullable(),
    focus: z.string().nullable(),
    lens_summary: z.string(),
    page_size_clamped: z.boolean(),
    ...RoutesPage,
  }),
  examples: [
    {
      title: 'The second page',
      input: { agent_id: 'reader', perspective_id: 'persp_reader_001', page: 2 },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, { perspective_id, page, page_size, route_set_version }) {
    const { engine, now } = context
    const perspective = openPerspective(context, perspective_id)
    if (route_set_version !== undefined) checkVersion(perspective, route_set_version)
    const size = Math.max(1, Math.min(MOST, page_size))
    const shown = Math.min(page, pagesOf(perspective, size))
    noteReading(engine.records, perspective, now, { page: shown, page_size: size })
    return {
      perspective_id,
      anchor: perspective.anchor || null,
      focus: perspective.at.focus || null,
      lens_summary: describeLens(perspective.lens),
      page_size_clamped: size !== page_size,
      ...pageOf(context, perspective),
    }
  },

  render: (output, style) =>
    [`${style.bold(output.perspective_id)}  at ${output.focus ?? 'nothing'}`, ...renderPage(output, style)].join('\n'),
})
