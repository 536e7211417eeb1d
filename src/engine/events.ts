/** What happens in a running process, for whoever watches: pages, clients that keep a stream open, files of events. */

/** Where a call came from. */
export type Source = 'stdio' | 'http' | 'mcp_http' | 'cli'

/** `type` is the name under which an event is sent, the other fields are its data. */
export type EngineEvent =
  /** Something that a picture of the graph shows is another now. `event` is the tool that changed it. */
  | {
      type: 'graph_changed'
      event: string
      agent_id?: string
      source?: Source | 'checker' | 'startup' | 'watcher'
      batch_id?: string
      timestamp_ms: number
      brain_root?: string
    }
  | {
      type: 'activation'
      agent_id: string
      query: string
      activated: { node_id: string; activation: number }[]
      top_k: number
    }
  | { type: 'learn'; agent_id: string; feedback: string; node_ids: string[] }
  | { type: 'ingest'; agent_id: string; path: string; nodes_added: number; edges_added: number }
  /** How far an ingest is, a few times a second; `done` and `total` count what its phase counts. */
  | {
      type: 'ingest_progress'
      phase: string
      done: number
      total: number
      file: string
      /** -1 when it cannot be told. */
      eta_ms: number
      timestamp_ms: number
    }
  /** State was saved; `generation` of the graph. */
  | { type: 'persist'; generation: number }
  /** A call has ended. */
  | {
      type: 'tool_result'
      tool: string
      source: Source
      agent_id: string
      success: boolean
      /** At most 500 characters. */
      result_preview: string
      timestamp_ms: number
      brain_root?: string
    }
  /** The region of a watched lock was touched. */
  | {
      type: 'lock_touched'
      lock_id: string
      /** Owner of the lock. */
      owner: string
      kind: 'ingest' | 'learn'
      /** Whose call it was, '' for the server's own. */
      agent_id: string
      graph_generation: number
      timestamp_ms: number
    }
  /** A caller was told not to wait any longer; the call goes on. */
  | {
      type: 'tool_timeout'
      tool: string
      source: Source
      agent_id: string
      timeout_secs: number
      timestamp_ms: number
    }

/** Every type of event. */
const EVENT_TYPES: Readonly<Record<EngineEvent['type'], true>> = {
  graph_changed: true,
  activation: true,
  learn: true,
  ingest: true,
  ingest_progress: true,
  persist: true,
  tool_result: true,
  tool_timeout: true,
  lock_touched: true,
}

/** The two ends are of one program, so that its type is all that is looked at. */
export function isEvent(value: { type?: unknown }): value is EngineEvent {
  return typeof value.type === 'string' && Object.hasOwn(EVENT_TYPES, value.type)
}

/** `origin` is the connection whose call led to the event, for those who leave out their own; null for none. */
export type Listener = (event: EngineEvent, origin: object | null) => void

export class EventList {
  readonly #listeners = new Set<Listener>()

  /** Whether somebody watches; what costs something to tell is told to somebody only. */
  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  push(event: EngineEvent, origin: object | null = null): void {
    for (const it of this.#listeners) it(event, origin)
  }

  /** Calls back at every event until the function that is returned is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
