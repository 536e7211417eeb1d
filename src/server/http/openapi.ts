/** The REST interface as an OpenAPI document, made from the routes and the tools whenever it is asked for. */

import * as z from 'zod'
import type { Route } from '#server/http/routes'
import { inputSchema } from '#tools/input-schema'
import { tools } from '#tools/index'
import type { Tool } from '#tools/tool'

const TOOL_PATH = '/api/tools/:name'

export function describeInterface(
  routes: readonly Route[],
  { version, isProtected }: { version: string; isProtected: boolean },
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    if (route.path === TOOL_PATH) continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  for (const tool of Object.values(tools)) paths[TOOL_PATH.replace(':name', tool.name)] = { post: toolOperation(tool) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'm1nd',
      version,
      description: 'Local code intelligence. The same tools are offered to MCP clients at /mcp.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    components: {
      schemas: { Error: ERROR },
      ...(isProtected && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
    ...(isProtected && { security: [{ token: [] }] }),
  }
}

const ERROR = {
  type: 'object',
  required: ['error', 'message', 'detail'],
  properties: {
    error: { type: 'string', description: 'What kind of failure it is.' },
    message: { type: 'string' },
    detail: { type: 'string', description: 'The same text as message.' },
    hint: { type: 'string', description: 'What to do next.' },
    example: { type: 'object', description: 'Arguments that work.' },
    suggested_next_step: { type: 'string', description: 'A tool to call.' },
  },
}

const FAILURE = {
  description: 'It could not be done; the body says why and what to do.',
  content: json({ $ref: '#/components/schemas/Error' }),
}

function operation({ method, path, summary, query = {}, ofBrain, answer }: Route): object {
  const parts = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const words = Object.entries(query).map(([name, description]) => ({
    name: name.replace('*', ''),
    in: 'query',
    required: name.endsWith('*'),
    description,
    schema: { type: 'string' },
  }))
  const content =
    path === '/api/events' ? { 'text/event-stream': { schema: { type: 'string' } } } : json(schemaOf(answer))
  return {
    operationId: [method.toLowerCase(), ...path.split(/\W+/).filter((it) => it !== '' && it !== 'api')].join('_'),
    summary,
    parameters: [...parts, ...words, ...(ofBrain === true ? [BRAIN] : [])],
    ...(method === 'POST' && { requestBody: { content: json({ type: 'object' }) } }),
    responses: { 200: { description: summary, content }, default: FAILURE },
  }
}

function schemaOf(answer: z.ZodType | undefined): object {
  if (answer === undefined) return {}
  const schema = z.toJSONSchema(answer, { io: 'output', unrepresentable: 'any' })
  delete schema.$schema
  return schema
}

const BRAIN = {
  name: 'brain',
  in: 'query',
  required: false,
  description: 'Absolute path of a project that the server holds; without it the bound one is asked.',
  schema: { type: 'string' },
}

function toolOperation(tool: Tool): object {
  const result = schemaOf(tool.output)
  const answer = {
    type: 'object',
    required: ['result'],
    properties: { result, served_brain: { type: 'object', description: 'What answered, if ?brain= was given.' } },
  }
  return {
    operationId: tool.name,
    tags: [tool.group],
    summary: tool.summary,
    description: tool.details.join(' '),
    parameters: [BRAIN],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: inputSchema(tool),
          examples: Object.fromEntries(tool.examples.map(({ title, input }) => [title, { value: input }])),
        },
      },
    },
    responses: { 200: { description: tool.summary, content: json(answer) }, default: FAILURE },
  }
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}
