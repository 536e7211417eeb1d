/** What is kept of an ingest for those who ask later: how long it took, and what was left out for which reason. */

import * as z from 'zod'
import type { IngestReport } from '#engine/brain'
import type { Records } from '#engine/records'
import { perRecords, Shelf } from '#engine/shelf'

const Kept = z.object({
  root: z.string(),
  at_ms: z.number(),
  phase_ms: z.record(z.string(), z.number()),
  left_out: z.array(z.object({ reason: z.string(), files: z.int(), sample: z.array(z.string()) })),
})
export type KeptReport = z.infer<typeof Kept>

const shelfOf = perRecords((records) => new Shelf<KeptReport>(records, { kind: 'report', prefix: '', schema: Kept }))

/** Keeps a report in place of the one before; reports of roots that are no longer there go. */
export function keepReport(
  records: Records,
  { phase_ms, left_out }: IngestReport,
  { root, roots, at }: { root: string; roots: readonly string[]; at: number },
): void {
  const shelf = shelfOf(records)
  const gone = [...shelf.values()].filter((it) => !roots.includes(it.root))
  for (const it of gone) shelf.remove(it.root)
  shelf.put(root, { root, at_ms: at, phase_ms: { ...phase_ms }, left_out })
}

/** Of each root the last one, the newest first. */
export function reportsOf(records: Records): KeptReport[] {
  return [...shelfOf(records).values()].sort((a, b) => b.at_ms - a.at_ms || (a.root < b.root ? -1 : 1))
}
