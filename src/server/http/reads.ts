/** What the page reads beside the tools. */

import type { Engine } from '#engine/brain'
import { HttpFailure } from '#server/http/failure'
import { servedBrain } from '#server/http/instance'
import { listOf, oneOf, required, wholeNumber } from '#server/http/params'
import type { Route } from '#server/http/routes'
import { longJson } from '#server/http/streamed'
import { DIMENSION_NAMES, readActivation } from '#views/activation'
import { readHistory } from '#views/history'
import { readImpact } from '#views/impact'
import { readMap } from '#views/map'
import { readNeighbours } from '#views/neighbours'
import { ActivationAnswer, HistoryAnswer, ImpactAnswer, MapAnswer, NeighboursAnswer, TreeAnswer } from '#views/shapes'
import { readTree } from '#views/tree'

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
    {
      method: 'GET',
      path: '/api/graph/impact',
      summary: 'What may be affected when a node changes, with the way to each.',
      query: {
        'node*': 'id, path, path:line or name',
        direction: 'forward (who depends on it, the default), reverse (what it relies on) or both',
        depth: 'hops, 1 to 5, else 3',
        guesses: 'yes follows guessed edges too',
        limit: 'rows at most, 1 to 5000, else 1000; the strongest',
      },
      ofBrain: true,
      answer: ImpactAnswer,
      async run({ query }) {
        const asked = {
          node: required(query, 'node'),
          direction: oneOf(query, 'direction', ['forward', 'reverse', 'both'], 'forward'),
          depth: wholeNumber(query, 'depth', { byDefault: 3, min: 1, max: 5 }),
          includeGuesses: oneOf(query, 'guesses', ['yes', 'no'], 'no') === 'yes',
          limit: wholeNumber(query, 'limit', { byDefault: 1000, min: 1, max: 5000 }),
        }
        await engine.settled
        return answered(readImpact(engine, asked))
      },
    },
    {
      method: 'GET',
      path: '/api/graph/neighbours',
      summary: 'The edges of a node, in and out, with how sure they are and where they stand.',
      query: {
        'node*': 'id, path, path:line or name',
        relation: 'calls, imports, …, any number of times; none: all',
        limit: 'edges at most in each direction, 1 to 1000, else 100; the heaviest',
      },
      ofBrain: true,
      answer: NeighboursAnswer,
      async run({ query, request }) {
        const asked = {
          node: required(query, 'node'),
          relations: query.getAll('relation').filter((it) => it !== ''),
          limit: wholeNumber(query, 'limit', { byDefault: 100, min: 1, max: 1000 }),
          signal: request.signal,
        }
        return answered(await readNeighbours(engine, asked))
      },
    },
    {
      method: 'GET',
      path: '/api/graph/activation',
      summary: 'What a question activates, as the tool activate finds it, and how energy travels hop by hop.',
      query: {
        'query*': 'words or names',
        xlr: 'the noise filter: on (else), off, or both for the rows without it beside',
        dimensions: `some of ${DIMENSION_NAMES.join(',')}, with commas; none: all four`,
        top_k: 'rows at most, 1 to 100, else 20',
      },
      ofBrain: true,
      answer: ActivationAnswer,
      async run({ query, request }) {
        const asked = (query.get('query') ?? '').trim()
        if (asked === '')
          throw new HttpFailure(400, 'missing_query', 'The query is empty.', { hint: 'Ask with ?query=cart+total.' })
        const options = {
          query: asked,
          xlr: oneOf(query, 'xlr', ['on', 'off', 'both'], 'on'),
          dimensions: listOf(query, 'dimensions', DIMENSION_NAMES),
          topK: wholeNumber(query, 'top_k', { byDefault: 20, min: 1, max: 100 }),
          signal: request.signal,
        }
        return answered(await readActivation(engine, options))
      },
    },
    {
      method: 'GET',
      path: '/api/tree',
      summary: 'What is in a folder or a file, with how hot it is from changes and from learning.',
      query: {
        path: 'path or id; none: the top',
        name: 'part of a name: files and folders at any depth below that have it',
        limit: 'entries at most, 1 to 5000, else 1000',
      },
      ofBrain: true,
      answer: TreeAnswer,
      async run({ query, request }) {
        const asked = {
          path: query.get('path') ?? '',
          name: (query.get('name') ?? '').trim(),
          limit: wholeNumber(query, 'limit', { byDefault: 1000, min: 1, max: 5000 }),
          signal: request.signal,
        }
        return answered(await readTree(engine, asked))
      },
    },
    {
      method: 'GET',
      path: '/api/history',
      summary: 'The commits of a file, what changes together with it, and whether the code says why.',
      query: {
        'path*': 'path, or id of a file or of something in it',
        limit: 'commits at most, 1 to 500, else 200; the newest',
      },
      ofBrain: true,
      answer: HistoryAnswer,
      async run({ query, request }) {
        const asked = {
          path: required(query, 'path'),
          limit: wholeNumber(query, 'limit', { byDefault: 200, min: 1, max: 500 }),
          signal: request.signal,
        }
        return answered(await readHistory(engine, asked))
      },
    },
  ]
}
