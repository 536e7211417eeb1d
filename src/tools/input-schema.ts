/** The parameters of a tool as clients see them: a plain JSON Schema, without the forms that some clients refuse. */

import * as z from 'zod'
import type { Tool } from '#tools/tool'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export type Parameter = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  description?: string
  default?: Json
  enum?: Json[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Parameter
  properties?: Record<string, Parameter>
  required?: string[]
}

export type InputSchema = {
  type: 'object'
  properties: Record<string, Parameter>
  required: string[]
}

const KEPT = [
  'type',
  'description',
  'default',
  'enum',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
] as const

const known = new WeakMap<object, InputSchema>()

/** Throws when a tool's input has a form that does not reduce to plain types. */
export function inputSchema(tool: Pick<Tool, 'name' | 'input'>): InputSchema {
  const before = known.get(tool.input)
  if (before !== undefined) return before
  const { properties = {}, required = [] } = plain(z.toJSONSchema(tool.input, { io: 'input' }), tool.name)
  const schema: InputSchema = { type: 'object', properties, required }
  known.set(tool.input, schema)
  return schema
}

/** What tells a client nothing that it could use when it calls: lengths of text, and defaults that are empty. */
const UNLISTED = new Set(['minLength', 'maxLength', 'minItems', 'maxItems'])

/** The schema as it is listed, where every character is paid for in each conversation. */
export function listedSchema(tool: Pick<Tool, 'name' | 'input'>): InputSchema {
  const schema = inputSchema(tool)
  return { ...schema, properties: leanAll(schema.properties) }
}

function leanAll(properties: Record<string, Parameter>): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(properties).map(([name, it]): [string, Parameter] => [name, lean(it)]))
}

function lean(parameter: Parameter): Parameter {
  const { type, items, properties, ...rest } = parameter
  const kept = Object.entries(rest).filter(
    ([key, value]) => !UNLISTED.has(key) && !(key === 'default' && isEmpty(value)),
  )
  return {
    type,
    ...Object.fromEntries(kept),
    ...(items !== undefined && { items: lean(items) }),
    ...(properties !== undefined && { properties: leanAll(properties) }),
  }
}

function isEmpty(value: unknown): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function plain(schema: unknown, where: string): Parameter {
  if (!isRecord(schema) || !isType(schema.type)) throw new Error(`${where}: only plain types can be parameters.`)
  const parameter: Parameter = { type: schema.type }
  for (const key of KEPT) {
    const value = schema[key]
    // zod bounds every whole number by what a double holds; that tells a client nothing
    if (value === undefined || value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER) continue
    Object.assign(parameter, { [key]: value })
  }
  if (schema.items !== undefined) parameter.items = plain(schema.items, `${where}[]`)
  if (isRecord(schema.properties)) {
    const entries = Object.entries(schema.properties).map(([name, it]): [string, Parameter] => [
      name,
      plain(it, `${where}.${name}`),
    ])
    parameter.properties = Object.fromEntries(entries)
  }
  return parameter
}

/** What a value must be, in words: `a whole number from 1 to 1000`, `one of "correct", "wrong"`. */
export function expectation(parameter: Parameter): string {
  if (parameter.enum !== undefined) return `one of ${parameter.enum.map((it) => JSON.stringify(it)).join(', ')}`
  switch (parameter.type) {
    case 'integer':
      return `a whole number${range(parameter)}`
    case 'number':
      return `a number${range(parameter)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list of ${parameter.items === undefined ? 'values' : plural(expectation(parameter.items))}${size(parameter.minItems, parameter.maxItems, 'entries')}`
    case 'object':
      return 'an object'
    default:
      return `text${size(parameter.minLength, parameter.maxLength, 'characters')}`
  }
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Parameter): string {
  const from =
    exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : minimum !== undefined ? `from ${minimum}` : ''
  const to = exclusiveMaximum !== undefined ? `below ${exclusiveMaximum}` : maximum !== undefined ? `to ${maximum}` : ''
  return [from, to]
    .filter((it) => it !== '')
    .map((it) => ` ${it}`)
    .join('')
}

function size(min: number | undefined, max: number | undefined, unit: string): string {
  if (max !== undefined) return ` of ${min ?? 0} to ${max} ${unit}`
  if (min === undefined || min === 0) return ''
  return min === 1 ? ', not empty' : ` of at least ${min} ${unit}`
}

function plural(words: string): string {
  return words
    .replace(/^an? /, '')
    .replace(/^whole number\b/, 'whole numbers')
    .replace(/^number\b/, 'numbers')
    .replace(/^text\b/, 'texts')
    .replace(/^object\b/, 'objects')
}

function isType(value: unknown): value is Parameter['type'] {
  return (
    value === 'string' ||
    value === 'number' ||
    value === 'integer' ||
    value === 'boolean' ||
    value === 'array' ||
    value === 'object'
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
