/** Who has called, when and how often; kept between processes, forgotten after some idle hours. */

import * as z from 'zod'
import type { Session } from '#engine/brain'
import { ownersOf } from '#engine/handles'
import { locksOfAgent } from '#engine/locks'
import { perspectivesOfAgent } from '#engine/perspectives'
import type { Records } from '#engine/records'
import { perRecords, Shelf } from '#engine/shelf'

const Kept = z.object({ agent: z.string(), first_seen: z.number(), last_seen: z.number(), query_count: z.int() })
type Kept = z.infer<typeof Kept>

const shelfOf = perRecords((records) => new Shelf<Kept>(records, { kind: 'session', prefix: 'seen/', schema: Kept }))

/** Adds what earlier processes knew of an agent to what this one has seen. */
export function restoreSessions(records: Records, sessions: Map<string, Session>, now: number): void {
  for (const { agent, first_seen, last_seen, query_count } of shelfOf(records).values()) {
    const own = sessions.get(agent)
    sessions.set(agent, {
      agent_id: agent,
      firstSeen: first_seen,
      lastSeen: Math.max(last_seen, own?.lastSeen ?? 0),
      queryCount: query_count + (own?.queryCount ?? 0),
    })
  }
  // who kept something shortly before a process was killed counts as seen now, or it would never be forgotten
  for (const { agent } of ownersOf(records).values()) {
    if (!sessions.has(agent) && keepsAnything(records, agent))
      sessions.set(agent, { agent_id: agent, firstSeen: now, lastSeen: now, queryCount: 0 })
  }
}

function keepsAnything(records: Records, agent: string): boolean {
  return perspectivesOfAgent(records, agent).length > 0 || locksOfAgent(records, agent).length > 0
}

/** Writes down what changed since the last time. */
export function keepSessions(records: Records, sessions: ReadonlyMap<string, Session>): void {
  const shelf = shelfOf(records)
  for (const agent of [...shelf.values()].map((it) => it.agent)) if (!sessions.has(agent)) shelf.remove(agent)
  for (const { agent_id, firstSeen, lastSeen, queryCount } of sessions.values()) {
    if (shelf.get(agent_id)?.last_seen === lastSeen) continue
    shelf.put(agent_id, { agent: agent_id, first_seen: firstSeen, last_seen: lastSeen, query_count: queryCount })
  }
}
