/**
 * Every switch and limit, once. A value is taken from the command line, else the configuration file, else the
 * environment, else the default. `docs/configuration.md` is written from this table.
 */

import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Settings } from '#engine/brain'
import { homeFolder } from '#engine/folders'

/** One switch or limit. `parse` takes text or a value of JSON and throws a `SettingsError` naming what it expects. */
interface Setting<T> {
  fallback(): T
  parse(value: unknown): T
  expects: string
  /** What the documentation shows as the default. */
  shown: string
  description: string
  /** Names of the command-line flag; none when a flag would make no sense. */
  flag?: string
  /** Further environment variables, weaker than the derived one. */
  alsoEnv?: string[]
  /** The environment is stronger than flag and file. */
  envWins?: boolean
}

type Table = { [K in keyof Settings]: Setting<Settings[K]> }

/** A value that a setting cannot take. */
export class SettingsError extends Error {}

interface More {
  flag?: string
  alsoEnv?: string[]
  envWins?: boolean
  shown?: string
}

const TRUE = new Set(['1', 'true', 'yes', 'on'])
const FALSE = new Set(['0', 'false', 'no', 'off'])

function toggle(fallback: boolean, description: string, more: More = {}): Setting<boolean> {
  return {
    fallback: () => fallback,
    parse(value) {
      if (typeof value === 'boolean') return value
      const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
      if (TRUE.has(word)) return true
      if (FALSE.has(word)) return false
      throw new SettingsError('true or false')
    },
    expects: 'true or false',
    shown: String(fallback),
    description,
    ...more,
  }
}

interface Range {
  min: number
  max: number
  /** Leave the bound itself out. */
  above?: boolean
  below?: boolean
  whole?: boolean
}

function number(
  fallback: number | (() => number),
  range: Range,
  description: string,
  more: More = {},
): Setting<number> {
  const { min, max, above = false, below = false, whole = false } = range
  const expects = `${whole ? 'a whole number' : 'a number'} in ${above ? '(' : '['}${min}, ${max}${below ? ')' : ']'}`
  return {
    fallback: () => (typeof fallback === 'number' ? fallback : fallback()),
    parse(value) {
      const given = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      const fits =
        typeof given === 'number' &&
        Number.isFinite(given) &&
        (!whole || Number.isInteger(given)) &&
        (above ? given > min : given >= min) &&
        (below ? given < max : given <= max)
      if (!fits) throw new SettingsError(expects)
      return given
    },
    expects,
    shown: typeof fallback === 'number' ? String(fallback) : '',
    description,
    ...more,
  }
}

function text(fallback: string | (() => string), description: string, more: More = {}): Setting<string> {
  return {
    fallback: () => (typeof fallback === 'string' ? fallback : fallback()),
    parse(value) {
      if (typeof value !== 'string') throw new SettingsError('text')
      return value
    },
    expects: 'text',
    shown: typeof fallback === 'string' ? fallback : '',
    description,
    ...more,
  }
}

function choice<const T extends string>(
  values: readonly [T, ...T[]],
  description: string,
  more: More = {},
): Setting<T> {
  const expects = `one of ${values.join(', ')}`
  return {
    fallback: () => values[0],
    parse(value) {
      const found = values.find((it) => it === value)
      if (found === undefined) throw new SettingsError(expects)
      return found
    },
    expects,
    shown: values[0],
    description,
    ...more,
  }
}

/** Names separated by commas, or a list in a file. */
function names(shown: string, description: string, more: More = {}): Setting<string[]> {
  return {
    fallback: () => [],
    parse(value) {
      const given: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [null]
      return given.map((it) => {
        if (typeof it !== 'string' || it.includes('/')) throw new SettingsError('a list of names without /')
        return it.trim()
      })
    },
    expects: 'names, separated by commas',
    shown,
    description,
    ...more,
  }
}

const TABLE: Table = {
  project: text(
    '',
    'Folder of the project to serve. Empty: the git top level of the working directory, if there is one.',
    {
      flag: 'project',
    },
  ),
  home: text(() => join(homeFolder(), '.m1nd'), 'Folder of all state; each project has a folder of its own in it.', {
    shown: '~/.m1nd',
    flag: 'home',
  }),
  runtimeDir: text('', "Folder of this project's state. Empty: a folder under `home`, or the one of `graph_source`.", {
    flag: 'runtime-dir',
  }),
  graphSource: text(
    '',
    'File of the graph. A name ending in `.json` is written as snapshot version 3 after every ingest.',
    {
      flag: 'graph',
      alsoEnv: ['GRAPH_SNAPSHOT_PATH'],
    },
  ),
  plasticityState: text('', 'File of what was learned.', { flag: 'plasticity', alsoEnv: ['PLASTICITY_STATE_PATH'] }),
  ephemeral: toggle(false, 'Keep everything in memory; read and write no state.', { flag: 'ephemeral' }),
  readOnly: toggle(false, 'Refuse every call that would change the graph or what was learned.', { flag: 'read-only' }),
  watch: toggle(true, 'Let a server follow the files of what was ingested, and read again what changed.', {
    flag: 'watch',
  }),
  watchMaxHandles: number(
    8192,
    { min: 0, max: 1_000_000, whole: true },
    'Most folders that are watched; beyond it files are looked at behind an answer, every ten seconds at most.',
  ),
  toolset: choice(['all', 'core'], 'Tools that are listed to clients; every tool can be called in either case.', {
    flag: 'toolset',
  }),
  port: number(1337, { min: 0, max: 65_535, whole: true }, 'Port of `m1nd serve`; 0 takes a free one.', {
    flag: 'port',
  }),
  bind: text(
    '127.0.0.1',
    'Address that `m1nd serve` listens on. Others than loopback need `allow_remote` and a `token`.',
    {
      flag: 'bind',
    },
  ),
  allowRemote: toggle(false, 'Lets `m1nd serve` listen on an address that other machines can reach.', {
    flag: 'allow-remote',
  }),
  token: text('', 'What every request over HTTP has to bring as `Authorization: Bearer …`. Empty: nothing.'),
  httpAgent: text('', 'Agent that calls over REST count as when they name none. Empty: they are refused.'),
  maxBodyBytes: number(
    1_048_576,
    { min: 1024, max: 1_073_741_824, whole: true },
    'Longest body of a REST request; `/mcp` takes `max_message_bytes`.',
  ),
  toolTimeoutMs: number(
    120_000,
    { min: 100, max: 86_400_000, whole: true },
    'Milliseconds after which a call over HTTP is answered `timeout`; its work may still finish.',
  ),
  maxHttpSessions: number(1000, { min: 1, max: 100_000, whole: true }, 'Open sessions on `/mcp`.'),
  maxEventStreams: number(256, { min: 1, max: 10_000, whole: true }, 'Open streams on `/api/events`.'),
  eventLog: text('', 'File to which every event is added as a line of JSON.', { flag: 'event-log' }),
  watchEvents: text('', 'File of events of another process, which are told on as they come.', { flag: 'watch-events' }),
  registryDir: text('', 'Folder in which running servers over HTTP are listed. Empty: `registry` under `home`.', {
    flag: 'registry-dir',
  }),
  attachUrl: text(
    '',
    'Serve the client on standard input and output from a server that runs: its address, or `auto` for the one of the working folder. The environment is stronger than the flag.',
    { flag: 'attach', envWins: true },
  ),
  domain: choice(
    ['code', 'music', 'memory', 'generic', 'light'],
    'Kind of what is ingested; sets half-lives and relations of change.',
    { flag: 'domain' },
  ),
  autoPersistInterval: number(
    50,
    { min: 1, max: 100_000, whole: true },
    'Queries between two saves of what was learned.',
  ),
  plasticity: choice(
    ['default', 'literal'],
    'How forgetting works: `default` lets learned weights relax, `literal` decays every idle edge at every query.',
  ),
  learningRate: number(0.08, { min: 0, max: 1, above: true }, 'How much one query strengthens the edges that it used.'),
  decayRate: number(0.005, { min: 0, max: 1, below: true }, 'How much an idle edge loses at a query, under `literal`.'),
  ltdCountsPassiveDecay: toggle(true, 'Whether idle decay counts towards long-term depression, under `literal`.'),
  xlrEnabled: toggle(true, 'Noise cancellation of `activate`: what everything reaches is no answer.'),
  xlrGate: choice(
    ['seed', 'rescaled'],
    'Gate of noise cancellation: `rescaled` gives nothing to what is only faintly hot.',
  ),
  xlrHubImmunity: toggle(false, 'Whether hubs within two hops of the seeds are spared by noise cancellation.'),
  verdictTrueMin: number(0.7, { min: 0.5, max: 1 }, 'Confidence from which `hypothesize` calls a claim likely true.'),
  verdictFalseMax: number(
    0.3,
    { min: 0, max: 0.5 },
    'Confidence up to which `hypothesize` calls a claim likely false.',
  ),
  maxConcurrentReads: number(32, { min: 1, max: 1024, whole: true }, 'Reading calls that run at once.'),
  writeQueueSize: number(
    64,
    { min: 1, max: 10_000, whole: true },
    'Changing calls that may wait; more are answered `busy`.',
  ),
  maxNodes: number(
    2_000_000,
    { min: 1, max: 100_000_000, whole: true },
    'Nodes after which an ingest takes no further files.',
  ),
  ingestTimeoutMs: number(
    300_000,
    { min: 1000, max: 86_400_000, whole: true },
    'Milliseconds after which an ingest stops.',
  ),
  ingestMemoryMb: number(
    () => Math.max(256, Math.min(4096, Math.floor(totalmem() / 2 ** 21))),
    { min: 64, max: 1_048_576, whole: true },
    'Megabytes that an ingest may use; beyond it, it takes no further files, and the graph in place stays when that is larger.',
    { shown: '4096, at most half of the memory' },
  ),
  maxFileBytes: number(
    1_048_576,
    { min: 1024, max: 1_073_741_824, whole: true },
    'Larger source files are named, not read.',
  ),
  maxLineBytes: number(
    20_000,
    { min: 200, max: 100_000_000, whole: true },
    'Files with a longer line count as generated.',
  ),
  parallelism: number(
    () => Math.min(8, availableParallelism()),
    { min: 1, max: 64, whole: true },
    'Workers that read files.',
    {
      shown: 'cores, at most 8',
    },
  ),
  externalPackages: toggle(true, 'Whether packages outside of the project become nodes.'),
  typescriptChecker: choice(
    ['auto', 'on', 'off'],
    "TypeScript's own checker over TypeScript and JavaScript: `auto` runs it in the background of a server after each ingest, `on` makes every ingest wait for it, `off` never runs it.",
    { flag: 'typescript-checker' },
  ),
  typescriptCheckerMemoryMb: number(
    () => Math.min(2048, Math.floor(totalmem() / 2 ** 21)),
    { min: 64, max: 1_048_576, whole: true },
    'Megabytes of heap that the checker may use; beyond it, the graph stays as it is.',
    { shown: '2048, at most half of the memory' },
  ),
  typescriptCheckerTimeoutMs: number(
    600_000,
    { min: 1000, max: 86_400_000, whole: true },
    'Milliseconds that the checker may take; beyond it, the graph stays as it is.',
  ),
  scipMaxBytes: number(
    268_435_456,
    { min: 0, max: 2_147_483_647, whole: true },
    'Larger index files (`*.scip`) are named, not read. 0: none is looked for.',
  ),
  skipDirs: names(
    '.git, node_modules, __pycache__, .venv, target, dist, build, .next, vendor',
    'Folders that are not read at any depth, unless git tracks what is in them. Takes the place of the default.',
  ),
  skipFiles: names('lock files of package managers', 'Files that are not read. Takes the place of the default.'),
  maxMessageBytes: number(
    67_108_864,
    { min: 1024, max: 1_073_741_824, whole: true },
    'Longest message taken from a client.',
  ),
  sessionIdleHours: number(
    24,
    { min: 0, max: 100_000, above: true },
    'Hours after which an agent not seen is forgotten, with its perspectives and locks.',
  ),
  maxPerspectivesPerAgent: number(20, { min: 1, max: 10_000, whole: true }, 'Open perspectives of one agent.'),
  maxPerspectives: number(400, { min: 1, max: 100_000, whole: true }, 'Open perspectives of all agents.'),
  maxBranchesPerAgent: number(10, { min: 0, max: 10_000, whole: true }, 'Open branches of perspectives of one agent.'),
  maxNavigationEvents: number(
    1000,
    { min: 1, max: 100_000, whole: true },
    'Steps of a perspective that are remembered; the oldest are dropped.',
  ),
  maxCheckpoints: number(
    200,
    { min: 1, max: 10_000, whole: true },
    'Steps of a perspective that can be taken back; the oldest are dropped.',
  ),
  allowCrossAgentCompare: toggle(true, "Whether a perspective can be compared with another agent's."),
  anchoredHops: number(
    8,
    { min: 1, max: 1000, whole: true },
    'Hops from its anchor beyond which a perspective counts as local.',
  ),
  routeActivation: choice(
    ['calibrated', 'seed'],
    'What counts for a route of a perspective: `calibrated` compares with the strongest of its kind, `seed` takes weights and strengths as they are.',
  ),
  synthesisCalls: number(
    8,
    { min: 1, max: 100, whole: true },
    'Sources of routes that one step of a perspective asks.',
  ),
  synthesisMs: number(
    500,
    { min: 1, max: 60_000 },
    'Milliseconds after which a step of a perspective asks no further source.',
  ),
  peekMaxBytes: number(
    10_485_760,
    { min: 1, max: 1_073_741_824, whole: true },
    'Larger files are not shown by perspective_peek.',
  ),
  affinityCandidates: number(8, { min: 1, max: 100, whole: true }, 'Likely connections that are named at most.'),
  suggestAlternatives: number(3, { min: 0, max: 50, whole: true }, 'Alternatives beside a suggestion.'),
  inspectMaxChars: number(
    1500,
    { min: 500, max: 100_000, whole: true },
    'Characters of what perspective_inspect answers; likely connections are left out first.',
  ),
  compareMaxChars: number(
    3000,
    { min: 1000, max: 100_000, whole: true },
    'Characters of what perspective_compare answers; the longest list is cut first.',
  ),
  peekMaxChars: number(2000, { min: 100, max: 30_000, whole: true }, 'Characters of an excerpt of source code.'),
  lockDiffNodes: number(
    50,
    { min: 1, max: 10_000, whole: true },
    'Nodes that a list of lock_diff names; totals are whole.',
  ),
  lockDiffEdges: number(
    100,
    { min: 1, max: 10_000, whole: true },
    'Edges that a list of lock_diff names; totals are whole.',
  ),
  maxLocksPerAgent: number(10, { min: 1, max: 10_000, whole: true }, 'Locks of one agent.'),
  maxLockNodes: number(5000, { min: 1, max: 10_000_000, whole: true }, 'Nodes of a locked region.'),
  maxLockEdges: number(10_000, { min: 1, max: 10_000_000, whole: true }, 'Edges inside of a locked region.'),
  maxLockEvents: number(
    1000,
    { min: 1, max: 100_000, whole: true },
    'Events that wait at a watched lock; the oldest are dropped.',
  ),
  handleMemoryMb: number(
    50,
    { min: 1, max: 1_048_576 },
    'Megabytes that perspectives, locks and trails may take together, as estimated.',
  ),
  maxTrails: number(1000, { min: 1, max: 1_000_000, whole: true }, 'Trails that are kept.'),
  maxTrailNodes: number(5000, { min: 1, max: 1_000_000, whole: true }, 'Visited nodes of a trail.'),
  maxTrailHypotheses: number(200, { min: 1, max: 100_000, whole: true }, 'Hypotheses of a trail.'),
  maxTrailBytes: number(1_048_576, { min: 1024, max: 1_073_741_824, whole: true }, 'Bytes of a trail.'),
}

/** The rows of the documentation, in the order of the table. */
export function describeSettings() {
  return settingKeys().map((key) => {
    const { shown, expects, description, flag } = TABLE[key]
    return {
      key: fileKey(key),
      env: environmentName(key),
      flag: flag === undefined ? '' : `--${flag}`,
      shown,
      expects,
      description,
    }
  })
}

/** Flags of the command line by setting; a switch takes no value. */
export function settingFlags(): { key: string; flag: string; isSwitch: boolean; description: string }[] {
  return settingKeys().flatMap((key) => {
    const { flag, description } = TABLE[key]
    if (flag === undefined) return []
    return [{ key, flag, isSwitch: typeof TABLE[key].fallback() === 'boolean', description }]
  })
}

interface Sources {
  /** By property name, as the command line gives them. */
  flags?: Readonly<Record<string, unknown>>
  /** A parsed configuration file. */
  file?: unknown
  /** What to call the file in messages. */
  fileName?: string
  env?: Readonly<Record<string, string | undefined>>
}

/** Throws `SettingsError` naming the key and the value when one does not fit; unknown keys of the file are warnings. */
export function resolveSettings({ flags = {}, file = {}, fileName = 'the configuration file', env = {} }: Sources): {
  settings: Settings
  warnings: string[]
} {
  if (!isRecord(file)) throw new SettingsError(`${fileName}: expected a JSON object of settings.`)
  const keys = settingKeys()
  const known = new Set(keys.flatMap((key) => [fileKey(key), key]))
  const warnings = Object.keys(file)
    .filter((it) => !known.has(it))
    .map((it) => `${fileName}: unknown key "${it}" is ignored.`)

  const settings = defaults()
  for (const key of keys) takeFirst(settings, key, candidates(key, flags, file, fileName, env))
  settings.home = resolve(expandHome(settings.home))
  for (const key of [
    'project',
    'runtimeDir',
    'graphSource',
    'plasticityState',
    'eventLog',
    'watchEvents',
    'registryDir',
  ] as const) {
    const path = settings[key]
    if (path !== '' && path !== ':memory:') settings[key] = resolve(expandHome(path))
  }
  if (settings.graphSource === ':memory:') settings.ephemeral = true
  return { settings, warnings }
}

export function defaults(): Settings {
  return {
    project: TABLE.project.fallback(),
    home: TABLE.home.fallback(),
    runtimeDir: TABLE.runtimeDir.fallback(),
    graphSource: TABLE.graphSource.fallback(),
    plasticityState: TABLE.plasticityState.fallback(),
    ephemeral: TABLE.ephemeral.fallback(),
    readOnly: TABLE.readOnly.fallback(),
    toolset: TABLE.toolset.fallback(),
    port: TABLE.port.fallback(),
    bind: TABLE.bind.fallback(),
    allowRemote: TABLE.allowRemote.fallback(),
    token: TABLE.token.fallback(),
    httpAgent: TABLE.httpAgent.fallback(),
    maxBodyBytes: TABLE.maxBodyBytes.fallback(),
    toolTimeoutMs: TABLE.toolTimeoutMs.fallback(),
    maxHttpSessions: TABLE.maxHttpSessions.fallback(),
    maxEventStreams: TABLE.maxEventStreams.fallback(),
    eventLog: TABLE.eventLog.fallback(),
    watchEvents: TABLE.watchEvents.fallback(),
    registryDir: TABLE.registryDir.fallback(),
    attachUrl: TABLE.attachUrl.fallback(),
    domain: TABLE.domain.fallback(),
    autoPersistInterval: TABLE.autoPersistInterval.fallback(),
    plasticity: TABLE.plasticity.fallback(),
    learningRate: TABLE.learningRate.fallback(),
    decayRate: TABLE.decayRate.fallback(),
    ltdCountsPassiveDecay: TABLE.ltdCountsPassiveDecay.fallback(),
    xlrEnabled: TABLE.xlrEnabled.fallback(),
    xlrGate: TABLE.xlrGate.fallback(),
    xlrHubImmunity: TABLE.xlrHubImmunity.fallback(),
    verdictTrueMin: TABLE.verdictTrueMin.fallback(),
    verdictFalseMax: TABLE.verdictFalseMax.fallback(),
    maxConcurrentReads: TABLE.maxConcurrentReads.fallback(),
    writeQueueSize: TABLE.writeQueueSize.fallback(),
    maxNodes: TABLE.maxNodes.fallback(),
    ingestTimeoutMs: TABLE.ingestTimeoutMs.fallback(),
    ingestMemoryMb: TABLE.ingestMemoryMb.fallback(),
    maxFileBytes: TABLE.maxFileBytes.fallback(),
    maxLineBytes: TABLE.maxLineBytes.fallback(),
    parallelism: TABLE.parallelism.fallback(),
    externalPackages: TABLE.externalPackages.fallback(),
    typescriptChecker: TABLE.typescriptChecker.fallback(),
    typescriptCheckerMemoryMb: TABLE.typescriptCheckerMemoryMb.fallback(),
    typescriptCheckerTimeoutMs: TABLE.typescriptCheckerTimeoutMs.fallback(),
    scipMaxBytes: TABLE.scipMaxBytes.fallback(),
    watch: TABLE.watch.fallback(),
    watchMaxHandles: TABLE.watchMaxHandles.fallback(),
    skipDirs: TABLE.skipDirs.fallback(),
    skipFiles: TABLE.skipFiles.fallback(),
    maxMessageBytes: TABLE.maxMessageBytes.fallback(),
    sessionIdleHours: TABLE.sessionIdleHours.fallback(),
    maxPerspectivesPerAgent: TABLE.maxPerspectivesPerAgent.fallback(),
    maxPerspectives: TABLE.maxPerspectives.fallback(),
    maxBranchesPerAgent: TABLE.maxBranchesPerAgent.fallback(),
    maxNavigationEvents: TABLE.maxNavigationEvents.fallback(),
    maxCheckpoints: TABLE.maxCheckpoints.fallback(),
    allowCrossAgentCompare: TABLE.allowCrossAgentCompare.fallback(),
    anchoredHops: TABLE.anchoredHops.fallback(),
    routeActivation: TABLE.routeActivation.fallback(),
    synthesisCalls: TABLE.synthesisCalls.fallback(),
    synthesisMs: TABLE.synthesisMs.fallback(),
    peekMaxBytes: TABLE.peekMaxBytes.fallback(),
    affinityCandidates: TABLE.affinityCandidates.fallback(),
    suggestAlternatives: TABLE.suggestAlternatives.fallback(),
    inspectMaxChars: TABLE.inspectMaxChars.fallback(),
    compareMaxChars: TABLE.compareMaxChars.fallback(),
    peekMaxChars: TABLE.peekMaxChars.fallback(),
    lockDiffNodes: TABLE.lockDiffNodes.fallback(),
    lockDiffEdges: TABLE.lockDiffEdges.fallback(),
    maxLocksPerAgent: TABLE.maxLocksPerAgent.fallback(),
    maxLockNodes: TABLE.maxLockNodes.fallback(),
    maxLockEdges: TABLE.maxLockEdges.fallback(),
    maxLockEvents: TABLE.maxLockEvents.fallback(),
    handleMemoryMb: TABLE.handleMemoryMb.fallback(),
    maxTrails: TABLE.maxTrails.fallback(),
    maxTrailNodes: TABLE.maxTrailNodes.fallback(),
    maxTrailHypotheses: TABLE.maxTrailHypotheses.fallback(),
    maxTrailBytes: TABLE.maxTrailBytes.fallback(),
  }
}

interface Candidate {
  value: unknown
  from: string
}

function candidates(
  key: keyof Settings,
  flags: Readonly<Record<string, unknown>>,
  file: Record<string, unknown>,
  fileName: string,
  env: Readonly<Record<string, string | undefined>>,
): Candidate[] {
  const { flag, alsoEnv = [], envWins = false } = TABLE[key]
  const name = fileKey(key)
  const named = [environmentName(key), ...alsoEnv]
  const inEnvironment = named.map((it) => ({ value: env[it] === '' ? undefined : env[it], from: it }))
  const given = [
    { value: flags[key], from: `--${flag}` },
    { value: file[name] ?? file[key], from: `"${name}" in ${fileName}` },
  ]
  return envWins ? [...inEnvironment, ...given] : [...given, ...inEnvironment]
}

function takeFirst<K extends keyof Settings>(settings: Settings, key: K, from: Candidate[]): void {
  const chosen = from.find(({ value }) => value !== undefined && value !== null)
  if (chosen === undefined) return
  try {
    settings[key] = TABLE[key].parse(chosen.value)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new SettingsError(`${chosen.from}: ${JSON.stringify(chosen.value)} is not ${error.message}.`)
  }
}

function settingKeys(): (keyof Settings)[] {
  const known: Record<string, unknown> = TABLE
  return Object.keys(known).filter((it): it is keyof Settings => it in TABLE)
}

/** `autoPersistInterval` → `auto_persist_interval`. */
function fileKey(key: string): string {
  return key.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`)
}

/** State lies under `M1ND_HOME`, the project is `M1ND_PROJECT`, and so on. */
function environmentName(key: string): string {
  return `M1ND_${fileKey(key).toUpperCase()}`
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder(), path.slice(1)) : path
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
