/** Who has called, when and how often; kept between processes, forgotten after some idle hours. */

import * as z from 'zod'
import type { Session } from '#engine/brain'
import type { Records } from '#engine/records'
import { perRecords, Shelf } from '#engine/shelf'

const Kept = z.object({ agent: z.string(), first_seen: z.number(), last_seen: z.number(), query_count: z.int() })
type Kept = z.infer<typeof Kept>

const shelfOf = perRecords((records) => new Shelf<Kept>(records, { kind: 'session', prefix: 'seen/', schema: Kept }))

/** Adds what earlier processes knew of an agent to what this one has seen. */
export function restoreSessions(records: Records, sessions: Map<string, Session>): void {
  for (const { agent, first_seen, last_seen, query_count } of shelfOf(records).values()) {
    const own = sessions.get(agent)
    sessions.set(agent, {
      agent_id: agent,
      firstSeen: first_seen,
      lastSeen: Math.max(last_seen, own?.lastSeen ?? 0),
      queryCount: query_count + (own?.queryCount ?? 0),
    })
  }
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
