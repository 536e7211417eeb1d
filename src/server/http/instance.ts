/** This server as others see it: what it holds, where, and how it is. */

import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { Engine } from '#engine/brain'
import { countNodes, displayName } from '#engine/views'
import { HttpFailure } from '#server/http/failure'

export interface Place {
  bind: string
  port: number
}

/** Names this run of the process: another run has another one. */
export function instanceId(engine: Engine): string {
  const { startedAt, stateFolder } = engine.status()
  const hash = createHash('sha256').update(JSON.stringify([process.pid, startedAt, stateFolder]))
  return `inst_${hash.digest('hex').slice(0, 16)}`
}

export function servedBrain({ brain }: Engine) {
  return { project_root: brain.root || null, display_name: displayName(brain) }
}

/** Throws an `HttpFailure` when a request names another project than the bound one; '' names none. */
export function refuseOtherBrain({ brain }: Engine, named: string): void {
  if (named === '' || isSameFolder(named, brain.root)) return
  throw new HttpFailure(404, 'unknown_brain', `no brain for ${named.slice(0, 300)} — the Hall lists what exists`, {
    hint: 'GET /api/instances lists the projects that this server holds.',
  })
}

function isSameFolder(named: string, root: string): boolean {
  if (root === '' || !isAbsolute(named) || named.includes('\0')) return false
  return resolve(named) === root || (existsSync(named) && realpathSync.native(named) === root)
}

export function health(engine: Engine, now: number) {
  const { graph } = engine.brain
  const status = engine.status()
  const nodes = countNodes(graph)
  return {
    status: status.status === 'ok' && nodes === 0 ? 'empty' : status.status,
    uptime_secs: Math.max(0, now - status.startedAt) / 1000,
    node_count: nodes,
    edge_count: graph.nLogical,
    queries_processed: status.queriesProcessed,
    agent_sessions: status.sessions.map((it) => ({
      agent_id: it.agent_id,
      first_seen_secs_ago: Math.max(0, now - it.firstSeen) / 1000,
      last_seen_secs_ago: Math.max(0, now - it.lastSeen) / 1000,
      query_count: it.queryCount,
    })),
    domain: graph.meta.domain,
    graph_generation: graph.meta.generation,
    plasticity_generation: graph.meta.plasticityGeneration,
    version: status.version,
  }
}

export function self(engine: Engine, place: Place, now: number) {
  const { graph, root } = engine.brain
  const { sessions, queriesProcessed, lastPersistAt, stateFolder } = engine.status()
  const { generation, plasticityGeneration, roots } = graph.meta
  const graphPath = graphFile(engine)
  return {
    instance: entry(engine, place, now),
    graph_state: {
      node_count: countNodes(graph),
      edge_count: graph.nLogical,
      finalized: true,
      graph_generation: generation,
      plasticity_generation: plasticityGeneration,
      cache_generation: Math.max(generation, plasticityGeneration),
      ingest_root_count: roots.length,
      ingest_roots: roots.map((it) => it.path),
      workspace_root: root || null,
      runtime_root: stateFolder || null,
      graph_path: graphPath || null,
      graph_path_exists: graphPath !== '' && existsSync(graphPath),
      workspace_root_source: root === '' ? 'none' : engine.settings.project === '' ? 'detected' : 'setting',
    },
    active_agent_sessions: sessions.length,
    queries_processed: queriesProcessed,
    last_persist_secs_ago: lastPersistAt === 0 ? null : Math.max(0, now - lastPersistAt) / 1000,
    display_name: displayName(engine.brain),
    project_root: root || null,
  }
}

/** This server's line in the list of instances. */
export function entry(engine: Engine, { bind, port }: Place, now: number) {
  const { graph, root } = engine.brain
  const { status, mode, startedAt, sessions, queriesProcessed, stateFolder } = engine.status()
  return {
    instance_id: instanceId(engine),
    workspace_root: root || null,
    runtime_root: stateFolder || null,
    graph_source: graphFile(engine) || null,
    plasticity_state: learnedFile(engine) || null,
    pid: process.pid,
    bind,
    port,
    started_at_ms: startedAt,
    last_heartbeat_ms: now,
    mode: mode === 'read_only' ? 'read_only' : 'read_write',
    status: { ok: 'running', loading: 'starting', degraded: 'degraded' }[status],
    owner_live: true,
    stale: false,
    conflicts: mode === 'read_only' && !engine.settings.readOnly ? ['shared_runtime_root'] : [],
    brain_kind: null,
    display_name: displayName(engine.brain),
    project_root: root || null,
    node_count: countNodes(graph),
    edge_count: graph.nLogical,
    last_activity_ms: sessions.reduce<number | null>((last, it) => Math.max(last ?? 0, it.lastSeen), null),
    mailbox_open_count: null,
    attached_sessions: sessions.length,
    query_count: queriesProcessed,
    calibration_armed: null,
  }
}

/** Saves what is there and says what was saved where. */
export async function save(engine: Engine) {
  const { mode } = engine.status()
  if (mode === 'read_only')
    throw new HttpFailure(403, 'read_only', 'This server may not change the state of the project.', {
      hint: 'Save through the process that owns it.',
    })
  await engine.persist()
  const { graph } = engine.brain
  const { lastPersistAt, stateFolder } = engine.status()
  return {
    persisted: mode === 'file',
    mode,
    state_folder: stateFolder || null,
    node_count: countNodes(graph),
    edge_count: graph.nLogical,
    graph_generation: graph.meta.generation,
    plasticity_generation: graph.meta.plasticityGeneration,
    last_persist_ms: lastPersistAt || null,
  }
}

export function refuseOtherInstance(engine: Engine, id: string): void {
  if (id === instanceId(engine)) return
  throw new HttpFailure(404, 'instance_not_found', `There is no instance ${id.slice(0, 100)}.`, {
    hint: 'GET /api/instances lists them.',
  })
}

function graphFile(engine: Engine): string {
  const { settings } = engine
  const { stateFolder } = engine.status()
  if (settings.graphSource !== '' && settings.graphSource !== ':memory:') return settings.graphSource
  return stateFolder === '' ? '' : join(stateFolder, 'graph.bin')
}

function learnedFile(engine: Engine): string {
  const { settings } = engine
  const { stateFolder } = engine.status()
  if (settings.plasticityState !== '' && settings.plasticityState !== ':memory:') return settings.plasticityState
  return stateFolder === '' || settings.plasticityState !== '' ? '' : join(stateFolder, 'plasticity_state.json')
}
