/** The command line: every tool is a command, derived from its input; without a tool it serves a client. */

import { Command, CommanderError, Help, Option } from 'commander'
import { settingFlags, SettingsError } from '#engine/settings'
import { createLog } from '#server/log'
import { progressLine, styleFor } from '#server/terminal'
import type { CallResult, Failure } from '#tools/call'
import { expectation, inputSchema, type Parameter } from '#tools/input-schema'
import type { Tool } from '#tools/tool'

const DONE = 0
const NOTHING_FOUND = 1
const WRONG_USE = 2
const FAILED = 3

/** Runs one command line, without program and script, and returns the exit code. */
export async function runCli(argv: readonly string[], version: string): Promise<number> {
  let code = DONE
  const finish = (result: number) => {
    code = result
  }
  const { tools } = await import('#tools/index')
  const program = createProgram(Object.values(tools), version, finish)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USE
    if (error instanceof SettingsError) {
      complain('settings', error.message, 'Mend the value, or leave it out to use the default (docs/configuration.md).')
      return WRONG_USE
    }
    throw error
  }
}

function createProgram(tools: readonly Tool[], version: string, finish: (code: number) => void): Command {
  const program = new Command('m1nd')
    .description(
      'Local code intelligence for coding agents: a graph of your repository, over MCP and on the command line.',
    )
    .version(version, '--version')
    .argument('[config]', 'configuration file of the server')
    .allowExcessArguments()
    .option('--config <file>', 'configuration file of the server')
    .option('--stdio', 'serve a client on standard input and output; the default')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text) =>
        complain('command line', text.replace(/^error: /, '').trim(), 'm1nd --help lists the commands.'),
    })
    .enablePositionalOptions()
  for (const option of settingOptions()) program.addOption(option)

  for (const tool of tools) program.addCommand(toolCommand(tool, program, version, finish))
  program.addHelpText(
    'after',
    [
      '',
      'Without a command m1nd serves an MCP client on standard input and output.',
      '',
      'Examples:',
      '  m1nd ingest .                       read the project of this folder',
      '  m1nd seek "where is the cart total"  find code by what it does',
    ].join('\n'),
  )
  program.configureHelp({
    visibleCommands: (command) => new Help().visibleCommands(command).filter((it) => it.name() !== 'help'),
    subcommandTerm: (it) => it.name(),
  })

  program.action(async (config: string | undefined, options: Record<string, unknown>) => {
    const file = config ?? (typeof options.config === 'string' ? options.config : '')
    if (config !== undefined && !config.endsWith('.json')) {
      const { nearestNames } = await import('#tools/names')
      const nearest = nearestNames(
        config,
        tools.map((it) => it.name),
        1,
      )
      complain(
        'command line',
        `"${config}" is neither a command nor a configuration file.`,
        nearest.length > 0 ? `Did you mean m1nd ${nearest[0]}?` : 'm1nd --help lists the commands.',
      )
      return finish(WRONG_USE)
    }
    if (process.stdin.isTTY && file === '' && options.stdio !== true) {
      program.outputHelp()
      return
    }
    const { serve } = await import('#server/serve')
    finish(await serve({ flags: settingsIn(options), configFile: file, version }))
  })
  return program
}

/** Flags that set a setting, under the name of the setting. */
function settingOptions(): Option[] {
  return settingFlags().map(
    ({ flag, isSwitch, description }) =>
      new Option(isSwitch ? `--${flag}` : `--${flag} <value>`, description.replaceAll('`', '')),
  )
}

function settingsIn(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(settingFlags().map(({ key, flag }) => [key, options[camelCase(flag)]]))
}

function toolCommand(tool: Tool, program: Command, version: string, finish: (code: number) => void): Command {
  const { properties, required } = inputSchema(tool)
  const command = new Command(tool.name)
    .summary(tool.summary)
    .description([tool.summary, ...tool.details].join('\n'))
    .exitOverride()
  const dashed = tool.name.replaceAll('_', '-')
  if (dashed !== tool.name) command.alias(dashed)

  const main = required.find((it) => it !== 'agent_id')
  if (main !== undefined) {
    const variadic = properties[main].type === 'array' ? '...' : ''
    command.argument(`[${main}${variadic}]`, properties[main].description)
  }
  for (const [name, parameter] of Object.entries(properties))
    for (const option of parameterOptions(name, parameter)) command.addOption(option)
  command.option('--json', 'print exactly what a client gets')
  command.addOption(
    new Option('--project <path>', 'project to ask; default: the one around this folder').hideHelp(
      tool.name === 'ingest',
    ),
  )
  command.addHelpText('after', ['', 'Examples:', ...helpExamples(tool, main).map((it) => `  ${it}`)].join('\n'))
  command.configureHelp({ showGlobalOptions: false })

  command.action(async (...given: unknown[]) => {
    const options = command.opts<Record<string, unknown>>()
    const args = argumentsOf(properties, options)
    if (main !== undefined && given[0] !== undefined && !(Array.isArray(given[0]) && given[0].length === 0))
      args[main] = convert(properties[main], given[0])
    const flags = { ...settingsIn(program.opts()), ...(options.project !== undefined && { project: options.project }) }
    finish(
      await runTool(tool, args, {
        flags,
        json: options.json === true,
        configFile: String(program.opts().config ?? ''),
        version,
      }),
    )
  })
  return command
}

/** `--top-k <n>`, `--query <text>`; a switch that is on by default is turned off by `--no-…`. */
function parameterOptions(name: string, parameter: Parameter): Option[] {
  const flag = name.replaceAll('_', '-')
  const { description = '', type } = parameter
  if (name === 'agent_id') return [new Option(`--${flag} <name>`, description).default('cli')]
  if (type === 'boolean') {
    if (parameter.default !== true) return [new Option(`--${flag}`, description)]
    return [new Option(`--no-${flag}`, `not: ${description}`), new Option(`--${flag}`, description).hideHelp()]
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

function argumentsOf(properties: Record<string, Parameter>, options: Record<string, unknown>): Record<string, unknown> {
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
function convert(parameter: Parameter, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((it) => convert(parameter.items ?? { type: 'string' }, it))
  if (typeof value !== 'string') return value
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
    case 'array':
      return [convert(parameter.items ?? { type: 'string' }, value)]
    case 'object':
      return parsedJson(value)
    default:
      return value
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function helpExamples(tool: Tool, main: string | undefined): string[] {
  const lines = tool.examples.slice(0, 2).map(({ input }) => commandLine(tool, main, input))
  if (lines.length < 2) lines.push(`${lines[0] ?? `m1nd ${tool.name}`} --json`)
  return lines
}

function commandLine(tool: Tool, main: string | undefined, input: Record<string, unknown>): string {
  const words = ['m1nd', tool.name]
  if (main !== undefined && input[main] !== undefined)
    words.push(...(Array.isArray(input[main]) ? input[main] : [input[main]]).map(quoted))
  for (const [name, value] of Object.entries(input)) {
    if (name === main || name === 'agent_id') continue
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

interface RunOptions {
  flags: Record<string, unknown>
  configFile: string
  json: boolean
  version: string
}

async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  { flags, configFile, json, version }: RunOptions,
): Promise<number> {
  const [{ openEngine }, { loadSettings }, { callTool }] = await Promise.all([
    import('#engine/engine'),
    import('#server/load-settings'),
    import('#tools/call'),
  ])
  const log = createLog()
  const { settings, warnings } = loadSettings(flags, configFile)
  for (const it of warnings) log(it)

  const engine = openEngine(settings, { version, log, cwd: process.cwd() })
  const abort = new AbortController()
  const interrupt = () => (abort.signal.aborted ? process.exit(130) : abort.abort())
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const line = progressLine(process.stderr)
  await engine.ready
  const options = { signal: abort.signal, progress: line.show, now: Date.now(), log }
  const result = await callTool(engine, tool.name, args, options).finally(line.clear)
  const code = await print(result, json)
  try {
    await engine.close()
    return code
  } catch (error) {
    complain(
      'saving',
      error instanceof Error ? error.message : String(error),
      'The answer above is right; mend the folder of the state and call again.',
    )
    return FAILED
  }
}

async function print(result: CallResult, json: boolean): Promise<number> {
  if (!result.ok) {
    if (json) process.stdout.write(`${JSON.stringify(result.failure)}\n`)
    else
      complain(
        `${result.failure.tool}: ${result.failure.code.replaceAll('_', ' ')}`,
        result.failure.message,
        remedy(result.failure),
      )
    return exitCode(result.failure)
  }
  const { tool, output, text } = result
  process.stdout.write(
    json
      ? `${text}\n`
      : `${tool.render(tool.output.parse(output), await styleFor(process.stdout, process.env)).trimEnd()}\n`,
  )
  return foundNothing(tool, output) ? NOTHING_FOUND : DONE
}

/** What to do next, as a person at a terminal does it. */
function remedy({ code, hint }: Failure): string {
  return code === 'graph_empty' ? 'Read the project first: m1nd ingest . (or the path of another project).' : hint
}

function exitCode({ code }: Failure): number {
  if (
    code === 'invalid_params' ||
    code === 'unknown_tool' ||
    code === 'unknown_adapter' ||
    code === 'ingest_path_missing'
  )
    return WRONG_USE
  return code === 'node_not_found' ? NOTHING_FOUND : FAILED
}

const NOT_AN_ANSWER = new Set(['seeds', 'warnings', 'dimensions', 'removed_nodes'])

/** Whether a question was answered with empty lists only. */
function foundNothing({ group }: Tool, output: Record<string, unknown>): boolean {
  if (group === 'lifecycle' || group === 'memory') return false
  const lists = Object.entries(output).filter(([name, value]) => Array.isArray(value) && !NOT_AN_ANSWER.has(name))
  return lists.length > 0 && lists.every(([, value]) => Array.isArray(value) && value.length === 0)
}

/** What, why, and what to do: one line each. */
function complain(what: string, why: string, remedy: string): void {
  process.stderr.write(`error: ${what}\n${why}\n${remedy}\n`)
}

function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function singular(name: string): string {
  return name.replace(/_ids$/, '_id').replace(/s$/, '').replaceAll('_', '-')
}
