/** What an ingest tells its caller: progress while it runs, numbers and problems afterwards, errors instead. */

export interface Progress {
  phase: 'walk' | 'extract' | 'history' | 'resolve' | 'build' | 'index' | 'save' | 'load' | 'check'
  done: number
  total: number
  /** The file being read, '' between files. */
  file: string
  /** Estimated milliseconds left in this run, -1 unknown. */
  etaMs: number
}

/** What went wrong in one place of one file; line 0 when it concerns the whole file. */
export interface Problem {
  path: string
  line: number
  message: string
}

/** Files that were left out for one reason, and the first of them. */
export interface LeftOut {
  reason: 'binary' | 'encoding' | 'unreadable' | 'failed' | 'ignored'
  files: number
  sample: string[]
}

export type Truncation = '' | 'timeout' | 'max_nodes' | 'memory'

/**
 * Numbers of one ingest; names are those of the specification. Every listed file is counted once:
 * scanned = parsed + skipped + failed + unchanged, and skipped = binary + encoding + size + ignored.
 */
export interface IngestReport {
  files_scanned: number
  files_parsed: number
  files_skipped: number
  files_skipped_binary: number
  files_skipped_encoding: number
  /** Oversize, minified and generated files: kept as a bare file node. */
  files_skipped_size: number
  files_skipped_ignored: number
  files_unchanged: number
  files_failed: number
  nodes_created: number
  edges_created: number
  nodes_removed: number
  node_count: number
  edge_count: number
  references_resolved: number
  references_ambiguous: number
  references_unresolved: number
  references_external: number
  label_collisions: number
  languages: Record<string, number>
  commits: number
  warnings: string[]
  /** The first ones, in file order. */
  problems: Problem[]
  problems_total: number
  /** Files of which nothing is in the graph, by reason. */
  left_out: LeftOut[]
  truncated: Truncation
  dropped_roots: string[]
  phase_ms: Record<string, number>
}

/** The report of an ingest that did nothing yet. */
export function emptyReport(): IngestReport {
  return {
    files_scanned: 0,
    files_parsed: 0,
    files_skipped: 0,
    files_skipped_binary: 0,
    files_skipped_encoding: 0,
    files_skipped_size: 0,
    files_skipped_ignored: 0,
    files_unchanged: 0,
    files_failed: 0,
    nodes_created: 0,
    edges_created: 0,
    nodes_removed: 0,
    node_count: 0,
    edge_count: 0,
    references_resolved: 0,
    references_ambiguous: 0,
    references_unresolved: 0,
    references_external: 0,
    label_collisions: 0,
    languages: {},
    commits: 0,
    warnings: [],
    problems: [],
    problems_total: 0,
    left_out: [],
    truncated: '',
    dropped_roots: [],
    phase_ms: {},
  }
}

/** A refusal that the caller can mend; the tool layer gives it to the client as it is. */
export class IngestError extends Error {
  readonly code: 'ingest_path_missing' | 'ingest_refused' | 'ingest_budget' | 'cancelled' | 'serialization'
  readonly hint: string

  constructor(code: IngestError['code'], message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new IngestError(
      'cancelled',
      'The ingest was cancelled.',
      'The previous graph is unchanged; call ingest again.',
    )
}

/** Lets timers, messages and signals be handled between two slices of synchronous work. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
