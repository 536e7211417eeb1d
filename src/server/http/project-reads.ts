/** What the page reads about the project: how well it was read, what was learned, who works on it, its folders and past. */

import type { Engine } from '#engine/brain'
import { servedBrain } from '#server/http/instance'
import type { Route } from '#server/http/routes'
import { longJson } from '#server/http/streamed'
import { readCoverage } from '#views/coverage'
import { CoverageAnswer } from '#views/shapes'

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
  ]
}
