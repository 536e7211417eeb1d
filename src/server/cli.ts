/** The command line: every tool is a command, derived from its input; without a tool it serves a client. */

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, CommanderError, Help, Option } from 'commander'
import type { Engine } from '#engine/brain'
import { workingFolder } from '#engine/folders'
import { EXPORT_FORMATS, exportGraph } from '#engine/export'
import { settingFlags, SettingsError } from '#engine/settings'
import { argumentsOf, camelCase, convert, helpExamples, parameterOptions } from '#server/cli-options'
import { delivered } from '#server/delivered'
import { evalCommand } from '#server/eval-command'
import { initCommand } from '#server/init'
import { createLog } from '#server/log'
import { progressLine, styleFor, visible, visibleIn } from '#server/terminal'
import { writeWhole } from '#server/write-whole'
import type { CallResult, Failure } from '#tools/call'
import { inputSchema } from '#tools/input-schema'
import type { Tool } from '#tools/tool'

/** For scripts that pass it. */
const NO_GUI = () => new Option('--no-gui', 'nothing opens by itself anyway').hideHelp()

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
  // a reader that has seen enough, like head, is no failure: what is left to do is done, what is left to say is dropped
  process.stdout.on('error', () => {})
  const { tools } = await import('#tools/index')
  const program = createProgram(Object.values(tools), version, finish)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USE
  if (error instanceof SettingsError) {
    complain('settings', error.message, 'Mend the value, or leave it out to use the default (docs/configuration.md).')
    return WRONG_USE
  }
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return DONE
  if (error instanceof Error && 'syscall' in error) {
    complain('system', error.message, 'Look at the path, its permissions and the space that is left, then try again.')
    return FAILED
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  complain('internal', trace, 'This is a fault of m1nd; please report it with these lines.')
  return FAILED
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
    .addOption(NO_GUI())
    .option('--stdio', 'serve a client on standard input and output; the default')
    .option('--serve', 'serve over HTTP, as the command serve does')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text) =>
        complain('command line', text.replace(/^error: /, '').trim(), 'm1nd --help lists the commands.'),
    })
    .enablePositionalOptions()
  for (const option of settingOptions()) program.addOption(option)

  for (const tool of tools) program.addCommand(toolCommand(tool, program, version, finish))
  program.addCommand(exportCommand(program, version, finish))
  program.addCommand(serveCommand(program, version, finish))
  for (const it of pageOptions()) program.addOption(it.hideHelp())
  program.addCommand(
    evalCommand(version, (why) => {
      complain('eval', why, 'Name folders of git repositories that have some history.')
      finish(FAILED)
    }),
  )
  program.addCommand(doctorCommand(program, version, finish))
  program.addCommand(
    initCommand({
      settings: async () => {
        const { loadSettings } = await import('#server/load-settings')
        return loadSettings(settingsIn(program.opts()), configOf(program)).settings
      },
      ingest: (project) => {
        const tool = tools.find((it) => it.name === 'ingest')
        const flags = { ...settingsIn(program.opts()), project }
        const options = { flags, configFile: configOf(program), json: false, version }
        return tool === undefined ? Promise.resolve(FAILED) : runTool(tool, { agent_id: 'cli', path: project }, options)
      },
      complain,
      finish,
    }),
  )
  program.addHelpText(
    'after',
    [
      '',
      'Without a command m1nd serves an MCP client on standard input and output.',
      'All settings and their flags: docs/configuration.md.',
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
    if (process.stdin.isTTY && file === '' && options.stdio !== true && options.serve !== true) {
      program.outputHelp()
      return
    }
    const { serve } = await import('#server/serve')
    const served = { flags: settingsIn(options), configFile: file, version }
    finish(await serve(options.serve === true ? { ...served, ...overHttp(options) } : served))
  })
  return program
}

/** Settings that the first screen names; all are in `docs/configuration.md`. */
const SHOWN = new Set(['project', 'ephemeral'])

/** Flags that set a setting, under the name of the setting. */
function settingOptions(shown: ReadonlySet<string> = SHOWN): Option[] {
  return settingFlags().map(({ flag, isSwitch, description }) =>
    new Option(isSwitch ? `--${flag}` : `--${flag} <value>`, description.replaceAll('`', '')).hideHelp(
      !shown.has(flag),
    ),
  )
}

function settingsIn(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(settingFlags().map(({ key, flag }) => [key, options[camelCase(flag)]]))
}

/** Parameters that say what a tool is asked about. */
const SUBJECTS = ['query', 'target_node', 'pattern', 'path'] as const

function toolCommand(tool: Tool, program: Command, version: string, finish: (code: number) => void): Command {
  const { properties, required } = inputSchema(tool)
  const command = new Command(tool.name)
    .summary(tool.summary)
    .description([tool.summary, ...tool.details].join('\n'))
    .exitOverride()
  const dashed = tool.name.replaceAll('_', '-')
  if (dashed !== tool.name) command.alias(dashed)

  command.copyInheritedSettings(program).allowExcessArguments(false)
  const needed = required.filter((it) => it !== 'agent_id')
  // what a question is about needs no flag, also where it may be left out
  const positional = needed.length > 0 ? needed : SUBJECTS.filter((it) => it in properties).slice(0, 1)
  positional.forEach((name, i) => {
    const isRest = properties[name].type === 'array' && i === positional.length - 1
    command.argument(`[${name}${isRest ? '...' : ''}]`, properties[name].description)
  })
  for (const [name, parameter] of Object.entries(properties))
    for (const option of parameterOptions(name, parameter)) command.addOption(option)
  command.option('--json', 'print exactly what a client gets')
  command.addOption(
    new Option('--project <path>', 'project to ask; default: the one around this folder').hideHelp(
      tool.name === 'ingest',
    ),
  )
  command.addHelpText('after', ['', 'Examples:', ...helpExamples(tool, positional).map((it) => `  ${it}`)].join('\n'))
  command.configureHelp({ showGlobalOptions: false })

  command.action(async (...given: unknown[]) => {
    const options = command.opts<Record<string, unknown>>()
    const args = argumentsOf(properties, options)
    positional.forEach((name, i) => {
      const value = given[i]
      if (value !== undefined && !(Array.isArray(value) && value.length === 0))
        args[name] = convert(properties[name], value)
    })
    const flags = { ...settingsIn(program.opts()), ...(options.project !== undefined && { project: options.project }) }
    finish(
      await runTool(tool, args, {
        flags,
        json: options.json === true,
        configFile: configOf(program),
        version,
      }),
    )
  })
  return command
}

/** Settings that the help of `serve` names. */
const SERVE_SHOWN = new Set(['project', 'port', 'bind', 'allow-remote', 'read-only', 'ephemeral'])

/** `m1nd serve --port 4000 --open` */
function serveCommand(program: Command, version: string, finish: (code: number) => void): Command {
  const command = new Command('serve')
    .summary('Serve the graph over HTTP, with its page.')
    .description(
      'Serve the graph over HTTP: page, REST and events on this machine only, MCP at /mcp. A token (M1ND_TOKEN) is asked of every request when there is one.',
    )
    .exitOverride()
    .option('--stdio', 'serve a client on standard input and output too')
    .addOption(NO_GUI())
    .addHelpText('after', '\nExamples:\n  m1nd serve --open\n  m1nd serve --port 4000 --project ../shop')
  for (const it of pageOptions()) command.addOption(it)
  for (const it of settingOptions(SERVE_SHOWN)) command.addOption(it)
  command.copyInheritedSettings(program).allowExcessArguments(false)
  return command.action(async () => {
    const options = { ...program.opts(), ...command.opts() }
    const { serve } = await import('#server/serve')
    finish(await serve({ flags: settingsIn(options), configFile: configOf(program), version, ...overHttp(options) }))
  })
}

function pageOptions(): Option[] {
  return [
    new Option('--open', 'show the page in a browser'),
    new Option('--dev', 'let pages of other servers on this machine read answers').hideHelp(),
    new Option('--ui-dir <folder>', 'folder of a page that is being worked on').hideHelp(),
  ]
}

function overHttp(options: Record<string, unknown>) {
  return {
    http: true,
    stdio: options.stdio === true,
    open: options.open === true,
    dev: options.dev === true,
    uiFolder: typeof options.uiDir === 'string' ? options.uiDir : undefined,
  }
}

/** `m1nd export --format graphml --out graph.graphml` */
function exportCommand(program: Command, version: string, finish: (code: number) => void): Command {
  const command = new Command('export')
    .summary('Write the graph for another program.')
    .description(
      'Write the graph for another program: json is the exchange form, graphml, dot and cypher are read by others.',
    )
    .exitOverride()
    .addOption(
      new Option('--format <format>', 'form of the output').choices([...EXPORT_FORMATS]).default(EXPORT_FORMATS[0]),
    )
    .option('--out <file>', 'file to write; default: standard output')
    .option('--project <path>', 'project to export; default: the one around this folder')
    .addHelpText('after', '\nExamples:\n  m1nd export > graph.json\n  m1nd export --format dot --out graph.dot')
  return command.action(async () => {
    const { format, out, project } = command.opts<{
      format: (typeof EXPORT_FORMATS)[number]
      out?: string
      project?: string
    }>()
    const flags = { ...settingsIn(program.opts()), ...(project !== undefined && { project }), readOnly: true }
    const engine = await open(flags, configOf(program), version)
    await engine.ready
    const { graph } = engine.brain
    if (graph.nNodes === 0) {
      complain('export', 'The graph is empty: nothing has been ingested.', 'Read the project first: m1nd ingest .')
      return finish(FAILED)
    }
    const text = exportGraph(graph, format)
    if (out === undefined) await pipeline(Readable.from(text), process.stdout, { end: false })
    else await writeWhole(out, text)
    await delivered(process.stdout)
    await engine.close()
  })
}

function doctorCommand(program: Command, version: string, finish: (code: number) => void): Command {
  return new Command('doctor')
    .summary('What is wrong with this set-up, and how to mend it.')
    .description('Looks at Node, git, memory, state, watcher, grammars and clients. Changes nothing.')
    .exitOverride()
    .option('--project <path>', 'project to look at; default: the one around this folder')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExamples:\n  m1nd doctor\n  m1nd doctor --json')
    .action(async ({ project, json }: { project?: string; json?: boolean }) => {
      const [{ loadSettings }, { examineEngine }, { attachTo }, { examine, renderFindings }] = await Promise.all([
        import('#server/load-settings'),
        import('#engine/examination'),
        import('#server/relay'),
        import('#server/doctor'),
      ])
      const flags = { ...settingsIn(program.opts()), ...(project !== undefined && { project }), readOnly: true }
      const { settings, warnings } = loadSettings(flags, configOf(program))
      const engine = await open(flags, configOf(program), version)
      await engine.ready
      const status = engine.status()
      const examination = await examineEngine(engine)
      const { brain } = engine
      const { stateFolder } = status
      const relay = examination.owner === 0 ? 'nobody' : await attachTo(stateFolder, { version, log: createLog() })
      const ownerAnswers = typeof relay === 'object'
      if (ownerAnswers) relay.close()
      const findings = examine({
        settings,
        warnings,
        project: brain.root,
        status,
        examination,
        nodes: brain.graph.nNodes,
        ingestedAt: brain.graph.meta.ingestedAt,
        ownerAnswers,
      })
      const style = await styleFor(process.stdout, process.env)
      const text = json === true ? JSON.stringify(findings) : renderFindings(findings, style)
      process.stdout.write(`${visible(text)}\n`)
      await delivered(process.stdout)
      await engine.close()
      finish(findings.some((it) => it.state === 'wrong') ? FAILED : DONE)
    })
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
  const { callTool, changes } = await import('#tools/call')
  const engine = await open(flags, configFile, version)
  const abort = new AbortController()
  const interrupt = () => (abort.signal.aborted ? process.exit(130) : abort.abort())
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const line = progressLine(process.stderr)
  if ((await engine.owner()) === null) await engine.ready
  const options = { signal: abort.signal, progress: line.show, now: Date.now(), log: createLog() }
  const result = await callTool(engine, tool.name, args, options).finally(line.clear)
  const code = await print(result, json)
  const isLost = result.ok && changes(tool) && engine.notice(true) !== ''
  const aside = result.ok && !isLost ? engine.notice(false) : ''
  if (aside !== '') createLog()(aside)
  if (isLost) complain('saving', engine.notice(true), 'Mend the folder of the state and call again.')
  try {
    await engine.close()
    return isLost ? FAILED : code
  } catch (error) {
    complain(
      'saving',
      error instanceof Error ? error.message : String(error),
      'The answer above is right; mend the folder of the state and call again.',
    )
    return FAILED
  }
}

async function open(flags: Record<string, unknown>, configFile: string, version: string): Promise<Engine> {
  const [{ openEngine }, { loadSettings }, { attachTo }] = await Promise.all([
    import('#engine/engine'),
    import('#server/load-settings'),
    import('#server/relay'),
  ])
  const log = createLog()
  const { settings, warnings } = loadSettings(flags, configFile)
  for (const it of warnings) log(it)
  return openEngine(settings, {
    version,
    log,
    cwd: workingFolder(),
    attach: (folder) => attachTo(folder, { version, log }),
  })
}

function configOf(program: Command): string {
  return String(program.opts().config ?? '')
}

async function print(result: CallResult, json: boolean): Promise<number> {
  if (!result.ok) {
    if (json) process.stdout.write(`${visible(JSON.stringify(result.failure))}\n`)
    else
      complain(
        `${result.failure.tool}: ${result.failure.code.replaceAll('_', ' ')}`,
        result.failure.message.replaceAll('\n', '\\n'),
        remedy(result.failure).replaceAll('\n', '\\n'),
      )
    return exitCode(result.failure)
  }
  const { tool, output, text } = result
  process.stdout.write(
    json
      ? `${visible(text)}\n`
      : `${tool.render(tool.output.parse(visibleIn(output)), await styleFor(process.stdout, process.env)).trimEnd()}\n`,
  )
  await delivered(process.stdout)
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
    code === 'ingest_path_missing' ||
    code === 'snapshot_missing' ||
    code === 'schema_drift' ||
    code === 'not_a_git_repo'
  )
    return WRONG_USE
  return code === 'node_not_found' ? NOTHING_FOUND : FAILED
}

/** Lists that tell about the question, not what was found. */
const NOT_AN_ANSWER = new Set([
  'seeds',
  'warnings',
  'notes',
  'dimensions',
  'removed_nodes',
  'unresolved_nodes',
  'probes',
  'fingerprint',
  'harmonic_groups',
])

/** Whether a question was answered with empty lists only. */
function foundNothing({ group }: Tool, output: Record<string, unknown>): boolean {
  if (group === 'lifecycle' || group === 'memory') return false
  const lists = Object.entries(output).filter(([name, value]) => Array.isArray(value) && !NOT_AN_ANSWER.has(name))
  return lists.length > 0 && lists.every(([, value]) => Array.isArray(value) && value.length === 0)
}

/** What, why, and what to do: one line each. */
function complain(what: string, why: string, remedy: string): void {
  process.stderr.write(visible(`error: ${what}\n${why}\n${remedy}\n`))
}
