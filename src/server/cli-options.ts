/** A tool's parameters as words of a command line, and back. */

import { Option } from 'commander'
import { expectation, type Parameter } from '#tools/input-schema'
import type { Tool } from '#tools/tool'

/** `--top-k <n>`, `--query <text>`; a switch that is on by default is turned off by `--no-…`. */
export function parameterOptions(name: string, parameter: Parameter): Option[] {
  const flag = name.replaceAll('_', '-')
  const { description = '', type } = parameter
  if (name === 'agent_id') return [new Option(`--${flag} <name>`, description).default('cli')]
  if (type === 'boolean') {
    if (parameter.default !== true) return [new Option(`--${flag}`, description)]
    return [new Option(`--no-${flag}`, `turn off: ${description}`), new Option(`--${flag}`, description).hideHelp()]
  }
  const value =
    type === 'array' ? `<${singular(name)}...>` : `<${type === 'string' ? 'text' : type === 'object' ? 'json' : 'n'}>`
  const choices = parameter.enum === undefined ? '' : ` (${expectation(parameter)})`
  const byDefault =
    parameter.default === undefined || Array.isArray(parameter.default) || parameter.default === ''
      ? ''
      : ` [${JSON.stringify(parameter.default)}]`
  return [new Option(`--${flag} ${value}`, `${description}${choices}${byDefault}`)]
}

export function argumentsOf(
  properties: Record<string, Parameter>,
  options: Record<string, unknown>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(properties)) {
    const value = options[camelCase(name)]
    // a switch that is on by default is reported as on when it was not named at all
    if (value === undefined || (parameter.default === true && value === true)) continue
    args[name] = convert(parameter, value)
  }
  return args
}

/** Words of the command line as values; what does not convert stays text, for the tool to refuse by name. */
export function convert(parameter: Parameter, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((it) => convert(parameter.items ?? { type: 'string' }, it))
  if (typeof value !== 'string') return value
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
    case 'array':
      return [convert(parameter.items ?? { type: 'string' }, value)]
    case 'object':
      return objectFrom(parameter, value)
    default:
      return value
  }
}

/** JSON, or the one text that the object has to hold. */
function objectFrom({ required = [] }: Parameter, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return required.length === 1 && !/^\s*[{[]/.test(text) ? { [required[0]]: text } : text
  }
}

/** Two lines that work as they are. */
export function helpExamples(tool: Tool, positional: readonly string[]): string[] {
  const lines = tool.examples.slice(0, 2).map(({ input }) => commandLine(tool, positional, input))
  if (lines.length < 2) lines.push(`${lines[0] ?? `m1nd ${tool.name}`} --json`)
  return lines
}

function commandLine(tool: Tool, positional: readonly string[], input: Record<string, unknown>): string {
  const words = ['m1nd', tool.name]
  for (const name of positional) {
    const value = input[name]
    if (value !== undefined) words.push(...(Array.isArray(value) ? value : [value]).map(quoted))
  }
  for (const [name, value] of Object.entries(input)) {
    if (positional.includes(name) || name === 'agent_id') continue
    const flag = name.replaceAll('_', '-')
    if (value === true) words.push(`--${flag}`)
    else if (value === false) words.push(`--no-${flag}`)
    else words.push(`--${flag}`, ...(Array.isArray(value) ? value : [value]).map(quoted))
  }
  return words.join(' ')
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

export function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function singular(name: string): string {
  return name.replace(/_ids$/, '_id').replace(/s$/, '').replaceAll('_', '-')
}
