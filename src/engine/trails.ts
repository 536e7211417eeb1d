/** Investigations that agents have put down, for themselves and for each other. */

import * as z from 'zod'
import type { Settings } from '#engine/brain'
import { nextTrail, ownersOf } from '#engine/handles'
import type { Records } from '#engine/records'
import { Refusal } from '#engine/refusal'
import { perRecords, Shelf } from '#engine/shelf'

export const HYPOTHESIS_STATUS = ['investigating', 'confirmed', 'rejected'] as const
export const TRAIL_STATUS = ['active', 'saved', 'archived', 'stale', 'merged'] as const

const Hypothesis = z.object({
  statement: z.string(),
  confidence: z.number(),
  status: z.enum(HYPOTHESIS_STATUS),
  supporting_nodes: z.array(z.string()),
  contradicting_nodes: z.array(z.string()),
  /** The statement that won against this one when trails were merged, '' otherwise. */
  lost_to: z.string(),
})
export type Hypothesis = z.infer<typeof Hypothesis>

const Conclusion = z.object({
  statement: z.string(),
  confidence: z.number(),
  from_hypotheses: z.array(z.string()),
  supporting_nodes: z.array(z.string()),
})
export type Conclusion = z.infer<typeof Conclusion>

const Visited = z.object({
  node: z.string(),
  annotation: z.string(),
  relevance: z.number(),
  /** State of the node when it was noted, '' when the graph had none of that id. */
  state: z.string(),
})
export type Visited = z.infer<typeof Visited>

const Trail = z.object({
  trail_id: z.string(),
  agent_id: z.string(),
  label: z.string(),
  status: z.enum(TRAIL_STATUS),
  visited: z.array(Visited),
  hypotheses: z.array(Hypothesis),
  conclusions: z.array(Conclusion),
  open_questions: z.array(z.string()),
  tags: z.array(z.string()),
  summary: z.string(),
  /** Node id and share, strongest first. */
  boosts: z.array(z.tuple([z.string(), z.number()])),
  graph_generation: z.int(),
  created_at_ms: z.number(),
  last_modified_ms: z.number(),
  source_trails: z.array(z.string()),
})
export type Trail = z.infer<typeof Trail>

export type NewTrail = Omit<Trail, 'trail_id' | 'created_at_ms' | 'last_modified_ms'>

type Limits = Pick<Settings, 'maxTrails' | 'maxTrailNodes' | 'maxTrailHypotheses' | 'maxTrailBytes'>

const shelfOf = perRecords((records) => new Shelf<Trail>(records, { kind: 'trail', prefix: '', schema: Trail }))

/** Keeps a trail of what was found so far. Throws a `Refusal` when it is too large or there are too many. */
export function addTrail(records: Records, trail: NewTrail, now: number, limits: Limits): Trail {
  const shelf = shelfOf(records)
  if (shelf.size >= limits.maxTrails)
    throw tooMuch(`${shelf.size} trails are kept, the limit is ${limits.maxTrails}.`, 'Raise max_trails.')
  check(trail, limits)
  const id = nextTrail(ownersOf(records), trail.agent_id, `${trail.label} ${trail.agent_id} ${now}`)
  const whole = { ...trail, trail_id: id, created_at_ms: now, last_modified_ms: now }
  shelf.put(id, whole)
  return whole
}

function check(trail: NewTrail, { maxTrailNodes, maxTrailHypotheses, maxTrailBytes }: Limits): void {
  const counts = [
    [trail.visited.length, maxTrailNodes, 'visited nodes'],
    [trail.hypotheses.length, maxTrailHypotheses, 'hypotheses'],
    [Buffer.byteLength(JSON.stringify(trail)), maxTrailBytes, 'bytes'],
  ] as const
  for (const [n, limit, what] of counts)
    if (n > limit) throw tooMuch(`A trail of ${n} ${what} is too large, the limit is ${limit}.`, 'Save the main part.')
}

function tooMuch(message: string, hint: string): Refusal {
  return new Refusal('trail_limit', message, hint)
}

export function changeTrail(records: Records, trail: Trail, change: Partial<Trail>, now: number): Trail {
  const changed = { ...trail, ...change, last_modified_ms: now }
  shelfOf(records).put(trail.trail_id, changed)
  return changed
}

/** All trails, those changed last first. */
export function allTrails(records: Records): Trail[] {
  return [...shelfOf(records).values()].sort(
    (a, b) => b.last_modified_ms - a.last_modified_ms || (a.trail_id < b.trail_id ? -1 : 1),
  )
}

/** Trails that are kept but could not be read. */
export function unreadableTrails(records: Records): readonly string[] {
  return shelfOf(records).unreadable
}

/**
 * The trail of an id, or of a label that only one investigation has: of one that agents went on with, that of `agent`
 * itself, else the one that the others were taken from.
 */
export function trailOf(records: Records, ref: string, agent: string): Trail {
  const exact = shelfOf(records).get(ref)
  if (exact !== undefined) return exact
  const named = allTrails(records).filter((it) => it.label === ref)
  const [first, ...others] = named.filter((it) => !named.some((from) => isCopyOf(it, from)))
  if (first !== undefined && others.length === 0)
    return named.find((it) => it.agent_id === agent && isCopyOf(it, first)) ?? first
  if (others.length > 0) {
    const ids = [first, ...others].slice(0, 5).map((it) => it.trail_id)
    throw new Refusal(
      'trail_not_found',
      `${others.length + 1} trails are labelled ${ref}`,
      `Name one by id: ${ids.join(', ')}.`,
      ref,
    )
  }
  throw new Refusal('trail_not_found', `Trail not found: ${ref}`, 'trail_list shows the trails that there are.', ref)
}

/** Whether an agent went on with a trail of another one. */
function isCopyOf({ source_trails }: Trail, { trail_id }: Trail): boolean {
  return source_trails.length === 1 && source_trails[0] === trail_id
}
