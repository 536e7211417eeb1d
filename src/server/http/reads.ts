/** What the page reads beside the tools. */

import type { Engine } from '#engine/brain'
import { servedBrain } from '#server/http/instance'
import { wholeNumber } from '#server/http/params'
import type { Route } from '#server/http/routes'
import { longJson } from '#server/http/streamed'
import { readMap } from '#views/map'
import { MapAnswer } from '#views/shapes'

export function readsOf(engine: Engine): Route[] {
  const answered = (answer: object) => longJson({ ...answer, served_brain: servedBrain(engine) })
  return [
    {
      method: 'GET',
      path: '/api/graph/map',
      summary: 'The graph as a map: folders, files and definitions as discs in each other, and edges between them.',
      query: {
        open: 'id of an item that shall be shown open, any number of times; * opens all, from outside to inside',
        show: 'id of a node that shall be seen: what lies around it is opened; any number of times',
        edges: 'edges at most, 0 to 20000, else 4000; the heaviest',
      },
      ofBrain: true,
      answer: MapAnswer,
      async run({ query, request }) {
        const edges = wholeNumber(query, 'edges', { byDefault: 4000, min: 0, max: 20_000 })
        const asked = { open: query.getAll('open'), show: query.getAll('show'), edges, signal: request.signal }
        return answered(await readMap(engine, asked))
      },
    },
  ]
}
