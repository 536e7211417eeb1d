/** What the engine holds for one project root, and what tools may ask of the engine. */

import type { EngineEvent, EventList } from '#engine/events'
import type { Records } from '#engine/records'
import type { WatchStatus } from '#engine/watching'
import type { Graph, NodeId } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import type { Messages } from '#graph/messages'
import type { CrossEdge } from '#ingest/federation'
import type { IngestReport, Progress } from '#ingest/report'
import type { CodeSearch } from '#ingest/search'
import type { Learned } from '#plasticity/learned'
import type { CoChange } from '#query/cochange'
import type { Semantic } from '#query/semantic'

export type { IngestReport, Progress } from '#ingest/report'

/** Everything built beside the graph at ingest; all indexed by the same `NodeId`s. */
export interface Indexes {
  semantic: Semantic
  cochange: CoChange
  lexical: Lexical
  messages: Messages
}

export interface Brain {
  /** Absolute real path of the project, '' while nothing is bound. */
  root: string
  graph: Graph
  indexes: Indexes
  /** Learned state besides the weights in the graph: query memory, boosts, counters. */
  learned: Learned
}

/** The graph as an earlier session left it, for `drift` and `diverge`. */
export interface Baseline {
  /** Epoch ms. */
  savedAt: number
  nodeCount: number
  edgeCount: number
  keys: string[]
  /** Weights that differed from ingest at that time: `source -> target|relation` → weight. */
  weights: Map<string, number>
  /** Head commit of the first root, '' without git. */
  commit: string
  /** Per path of a file: its edges besides containment, and its lines. */
  files: Map<string, { degree: number; lines: number }>
}

export interface IngestRequest {
  path: string
  adapter: string
  mode: 'replace' | 'merge'
  incremental: boolean
  namespace: string
  includeDotfiles: boolean
  dotfilePatterns: string[]
  /** An index file to be read besides those in the project. */
  scip?: string
  /** Wait for TypeScript's checker. */
  checker?: boolean
  /** Who asks. */
  agent?: string
}

export interface FederateRequest {
  /** Names are unique; paths may be as people write them. */
  repositories: { name: string; path: string; adapter: string }[]
  incremental: boolean
  /** Whether edges between repositories are looked for. */
  crossEdges: boolean
  agent?: string
}

export interface FederationReport {
  repositories: { name: string; path: string; nodes: number; edges: number; fromCache: boolean; ms: number }[]
  cross: CrossEdge[]
  /** There are more than were kept. */
  isCut: boolean
  skipped: { name: string; reason: string }[]
}

/** The pass of TypeScript's checker that follows an ingest. */
export interface CheckStatus {
  /** `idle`: nothing to do yet or nothing to check. `failed`: see `message`; the graph is as without it. */
  state: 'off' | 'idle' | 'running' | 'done' | 'failed'
  /** Files looked at, of how many. */
  done: number
  total: number
  message: string
}

export interface Session {
  agent_id: string
  /** Epoch ms. */
  firstSeen: number
  lastSeen: number
  queryCount: number
}

export interface EngineStatus {
  mode: 'file' | 'memory' | 'read_only'
  status: 'ok' | 'loading' | 'degraded'
  /** Progress of loading or ingesting, null when idle. */
  working: Progress | null
  queriesProcessed: number
  /** Epoch ms of start and of the last successful persist (0 = never). */
  startedAt: number
  lastPersistAt: number
  sessions: Session[]
  warnings: string[]
  checker: CheckStatus
  watcher: WatchStatus
  stateFolder: string
  version: string
}

/** The process that owns the state of this project, seen from another one: it answers in place of this one. */
export interface Relay {
  /** Rejects with `RelayLost` when that process is gone before it answered. */
  call(
    name: string,
    args: unknown,
    options: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<RelayedResult>
  /** Tells on what happens over there, but for the calls that came from here. */
  watch(listener: (event: EngineEvent) => void): void
  readonly closed: Promise<void>
  close(): void
}

export type RelayedResult =
  | { ok: true; output: Record<string, unknown> }
  | { ok: false; failure: Record<string, unknown> }

export interface Engine {
  /** The bound project; an empty graph before the first ingest. Replaced whole by ingest. */
  readonly brain: Brain
  /** State before the last session that changed something: the one before this process as soon as it has. */
  readonly baseline: Baseline | null
  /** The newest saved state that is not younger than a time (epoch ms), null when there is none. */
  baselineAt(time: number): Baseline | null
  /** What clients keep between calls, of the bound project. */
  readonly records: Records
  /** What happened that somebody may wait for. */
  readonly events: EventList
  /** Resolves when the saved graph is loaded (or there is none). */
  readonly ready: Promise<void>
  /** Resolves when all indexes of the brain in place are there; soon after an ingest of what has changed. */
  readonly settled: Promise<void>
  readonly settings: Settings
  /** Folder of the state that this process owns, for what makes later questions quicker; '' for none. */
  readonly shelf: string
  /** Address of the page of this process, without a slash at its end; '' when none is served. */
  page: string
  /**
   * Who answers in place of this process, null when it answers itself: it owns the state, may only read it, or the
   * owner cannot be reached. Takes the state over when its owner is gone. To be asked before every call.
   */
  owner(): Promise<Relay | null>
  /** Takes over what the owner of the state has saved since it was last read; an owner has nothing to do. */
  follow(): Promise<void>
  /** Whether an ingest of this path would go over to another project. */
  leadsElsewhere(path: string, how: Pick<IngestRequest, 'mode' | 'incremental'>): boolean
  status(): EngineStatus
  /** What the caller has to know of an answer given now, and of a change: that nothing is kept. '' for nothing. */
  notice(isChange: boolean): string
  ingest(
    request: IngestRequest,
    options: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<IngestReport>
  /** Puts one graph of several repositories in place. Throws a `Refusal`. */
  federate(
    request: FederateRequest,
    options: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<FederationReport>
  /** Notes a call of an agent; `counted` calls lead to the next save. */
  record(agent: string, now: number, counted: boolean): void
  /** Binds the project that a client names, '' for none, unless one was asked for at start; `ready` waits for it. */
  suggestProject(path: Promise<string>): void
  /** Says that learned state changed; it is saved at the next persist. */
  touch(): void
  persist(): Promise<void>
  close(): Promise<void>
  /** Of these paths (as in `source_path`), those whose file on disk is newer than the ingest or gone. */
  staleFiles(paths: readonly string[]): string[]
  /** Whether a path, absolute or as in `source_path`, is a file or folder inside a root, indexed or not. */
  isOnDisk(path: string): boolean
  /** The lines of code at these places (paths as in `source_path`), '' where they cannot be read. */
  linesOf(places: readonly { node: NodeId; path: string; line: number }[]): string[]
  /** Places in indexed files where code has the shape of a pattern; `inScope` is asked about each `source_path`. */
  findCode(pattern: string, inScope: (path: string) => boolean, signal: AbortSignal): Promise<CodeSearch>
}

export interface Settings {
  /** Folder of all state, `~/.m1nd`. */
  home: string
  project: string
  graphSource: string
  plasticityState: string
  ephemeral: boolean
  autoPersistInterval: number
  learningRate: number
  decayRate: number
  plasticity: 'default' | 'literal'
  xlrEnabled: boolean
  xlrGate: 'seed' | 'rescaled'
  xlrHubImmunity: boolean
  ltdCountsPassiveDecay: boolean
  /** Confidence from which a claim is likely true, and up to which it is likely false. */
  verdictTrueMin: number
  verdictFalseMax: number
  maxConcurrentReads: number
  writeQueueSize: number
  domain: 'code' | 'music' | 'memory' | 'generic' | 'light'
  maxNodes: number
  ingestTimeoutMs: number
  ingestMemoryMb: number
  maxFileBytes: number
  maxLineBytes: number
  parallelism: number
  externalPackages: boolean
  typescriptChecker: 'auto' | 'on' | 'off'
  typescriptCheckerMemoryMb: number
  typescriptCheckerTimeoutMs: number
  scipMaxBytes: number
  /** Names of folders and of files that are never read; empty = those built in. */
  skipDirs: string[]
  skipFiles: string[]
  watch: boolean
  watchMaxHandles: number
  toolset: 'all' | 'core'
  port: number
  bind: string
  allowRemote: boolean
  /** What requests over HTTP have to bring along, '' for nothing. */
  token: string
  httpAgent: string
  maxBodyBytes: number
  toolTimeoutMs: number
  maxHttpSessions: number
  maxEventStreams: number
  /** Files, '' for none. */
  eventLog: string
  watchEvents: string
  /** Folder in which servers over HTTP are listed; '' = below `home`. */
  registryDir: string
  /** Server that a client on the pipe is served by, `auto` for the one of its folder, '' for none. */
  attachUrl: string
  /** Folder of the bound project's state; '' = derived. */
  runtimeDir: string
  /** Refuse every call that changes something. */
  readOnly: boolean
  maxMessageBytes: number
  sessionIdleHours: number
  maxPerspectivesPerAgent: number
  maxPerspectives: number
  maxBranchesPerAgent: number
  maxNavigationEvents: number
  maxCheckpoints: number
  allowCrossAgentCompare: boolean
  anchoredHops: number
  routeActivation: 'calibrated' | 'seed'
  synthesisCalls: number
  synthesisMs: number
  peekMaxBytes: number
  affinityCandidates: number
  suggestAlternatives: number
  inspectMaxChars: number
  compareMaxChars: number
  peekMaxChars: number
  lockDiffNodes: number
  lockDiffEdges: number
  maxLocksPerAgent: number
  maxLockNodes: number
  maxLockEdges: number
  maxLockEvents: number
  handleMemoryMb: number
  maxTrails: number
  maxTrailNodes: number
  maxTrailHypotheses: number
  maxTrailBytes: number
}
