/** `GET /api/agents`: what the operator of the machine may see of all agents. To each other they are as closed as ever. */

import type { Engine, Session } from '#engine/brain'
import { allLocks, type Lock, pendingEvents } from '#engine/locks'
import { allPerspectives, isStale, type Perspective, readingOf } from '#engine/perspectives'
import { allTrails, type Trail } from '#engine/trails'
import { truncated } from '#tools/shapes'
import type { AgentsAnswer, LockBrief, PerspectiveBrief, TrailBrief } from '#views/shapes'

/** Entries of one list, and of a list in an entry. */
const SHOWN = 500
const INSIDE = 50

export function readAgents(engine: Engine): Omit<AgentsAnswer, 'served_brain'> {
  const { records } = engine
  const perspectives = allPerspectives(records)
  const locks = allLocks(records)
  const trails = allTrails(records)
  const { sessions } = engine.status()
  const countOf = (agents: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const it of agents) counts.set(it, (counts.get(it) ?? 0) + 1)
    return counts
  }
  const counts = {
    perspectives: countOf(perspectives.map((it) => it.agent)),
    locks: countOf(locks.map((it) => it.agent)),
    trails: countOf(trails.map((it) => it.agent_id)),
  }
  const totals = {
    sessions: sessions.length,
    perspectives: perspectives.length,
    locks: locks.length,
    trails: trails.length,
  }
  const all = Object.values(totals)
  const newest = <T extends { accessed_at_ms: number }>(list: T[]) =>
    list.sort((a, b) => b.accessed_at_ms - a.accessed_at_ms)
  return {
    sessions: sessions
      .toSorted((a, b) => b.lastSeen - a.lastSeen || (a.agent_id < b.agent_id ? -1 : 1))
      .slice(0, SHOWN)
      .map((it) => sessionOf(it, counts)),
    perspectives: newest(perspectives.map((it) => perspectiveOf(engine, it))).slice(0, SHOWN),
    locks: locks
      .toSorted((a, b) => b.created_at_ms - a.created_at_ms || (a.lock_id < b.lock_id ? -1 : 1))
      .slice(0, SHOWN)
      .map((it) => lockOf(engine, it)),
    trails: trails.slice(0, SHOWN).map(trailOf),
    totals,
    truncated: truncated(
      all.reduce((sum, it) => sum + Math.min(SHOWN, it), 0),
      all.reduce((sum, it) => sum + it, 0),
      `At most ${SHOWN} of a kind are shown, those used last.`,
    ),
  }
}

type Counts = Record<'perspectives' | 'locks' | 'trails', ReadonlyMap<string, number>>

function sessionOf({ agent_id, firstSeen, lastSeen, queryCount }: Session, counts: Counts) {
  return {
    agent_id,
    first_seen_ms: firstSeen,
    last_seen_ms: lastSeen,
    query_count: queryCount,
    perspectives: counts.perspectives.get(agent_id) ?? 0,
    locks: counts.locks.get(agent_id) ?? 0,
    trails: counts.trails.get(agent_id) ?? 0,
  }
}

function perspectiveOf({ records, brain }: Engine, it: Perspective): PerspectiveBrief {
  return {
    perspective_id: it.perspective_id,
    agent_id: it.agent,
    query: it.query,
    anchor: it.anchor || null,
    focus: it.at.focus || null,
    mode: it.mode_effective,
    visited: it.visited.slice(-INSIDE),
    routes: it.routes.length,
    stale: isStale(it, brain),
    branch_of: it.parent || null,
    branch_name: it.branch_name,
    branches: it.branches.slice(0, INSIDE),
    created_at_ms: it.created_at_ms,
    accessed_at_ms: readingOf(records, it).accessed_at_ms,
  }
}

function lockOf({ records }: Engine, it: Lock): LockBrief {
  return {
    lock_id: it.lock_id,
    agent_id: it.agent,
    scope: it.scope,
    roots: it.roots.slice(0, INSIDE),
    radius: it.radius,
    query: it.query,
    nodes: it.baseline.nInside,
    edges: it.baseline.weights.length,
    strategy: it.strategy || null,
    perspective_id: it.perspective_id || null,
    touched: pendingEvents(records, it)
      .slice(-INSIDE)
      .map(({ kind, agent_id, at_ms }) => ({ kind, agent_id, at_ms })),
    created_at_ms: it.created_at_ms,
    taken_at_ms: it.taken_at_ms,
  }
}

function trailOf(it: Trail): TrailBrief {
  return {
    trail_id: it.trail_id,
    agent_id: it.agent_id,
    label: it.label,
    status: it.status,
    summary: it.summary,
    tags: it.tags,
    visited: it.visited.slice(0, INSIDE).map(({ node, annotation, relevance }) => ({ node, annotation, relevance })),
    hypotheses: it.hypotheses
      .slice(0, INSIDE)
      .map(({ statement, confidence, status }) => ({ statement, confidence, status })),
    conclusions: it.conclusions.slice(0, INSIDE).map(({ statement, confidence }) => ({ statement, confidence })),
    open_questions: it.open_questions.slice(0, INSIDE),
    created_at_ms: it.created_at_ms,
    last_modified_ms: it.last_modified_ms,
  }
}
