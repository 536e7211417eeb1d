/** What the page reads about the project: how well it was read, what was learned, who works on it, its folders and past. */

import type { Engine } from '#engine/brain'
import { servedBrain } from '#server/http/instance'
import { wholeNumber } from '#server/http/params'
import type { Route } from '#server/http/routes'
import { longJson } from '#server/http/streamed'
import { readAgents } from '#views/agents'
import { readCoverage } from '#views/coverage'
import { readLearning } from '#views/learning'
import { AgentsAnswer, CoverageAnswer, LearningAnswer } from '#views/shapes'

export function projectReadsOf(engine: Engine): Route[] {
  const answered = (answer: object) => longJson({ ...answer, served_brain: servedBrain(engine) })
  return [
    {
      method: 'GET',
      path: '/api/coverage',
      summary: 'How much of the code could be read, how sure the edges are, sizes and times.',
      ofBrain: true,
      answer: CoverageAnswer,
      run: async ({ request }) => answered(await readCoverage(engine, { signal: request.signal })),
    },
    {
      method: 'GET',
      path: '/api/learning',
      summary: 'Edges that were strengthened or weakened against what ingest gave them, and who taught what.',
      query: {
        agent: 'only what this one taught by feedback, and the edges that it changed; none: all',
        edges: 'edges in each list, 0 to 500, else 50; the most changed',
        offset: 'lessons to leave out, the newest first, else 0',
        limit: 'lessons at most, 0 to 500, else 50',
      },
      ofBrain: true,
      answer: LearningAnswer,
      async run({ query }) {
        const asked = {
          agent: query.get('agent') ?? '',
          edges: wholeNumber(query, 'edges', { byDefault: 50, min: 0, max: 500 }),
          offset: wholeNumber(query, 'offset', { byDefault: 0, min: 0, max: 1_000_000 }),
          limit: wholeNumber(query, 'limit', { byDefault: 50, min: 0, max: 500 }),
        }
        return answered(await readLearning(engine, asked))
      },
    },
    {
      method: 'GET',
      path: '/api/agents',
      summary: 'Sessions, perspectives, locks and trails of all agents, for the operator.',
      ofBrain: true,
      answer: AgentsAnswer,
      run: () => answered(readAgents(engine)),
    },
  ]
}
