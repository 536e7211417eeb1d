/** How far long work is, for clients and terminals. */

import type { Progress } from '#engine/brain'

/** Where each phase begins in the whole, 0..1, as measured on repositories of some hundred to some thousand files. */
const BEGINS: Record<Progress['phase'], number> = {
  load: 0,
  walk: 0,
  extract: 0.03,
  history: 0.6,
  resolve: 0.65,
  build: 0.8,
  index: 0.88,
  save: 0.95,
  check: 0.97,
}

/** 0..1 over all phases. */
export function fractionDone({ phase, done, total }: Progress): number {
  const from = BEGINS[phase]
  const to = Math.min(1, ...Object.values(BEGINS).filter((it) => it > from))
  return from + (to - from) * (total > 0 ? Math.min(1, done / total) : 0)
}

/** `extract 312 of 900 files, 4 s left: src/cart.ts` */
export function describeProgress({ phase, done, total, file, etaMs }: Progress): string {
  const count = total > 0 ? ` ${done} of ${total}` : ''
  const left = etaMs >= 0 ? `, ${Math.ceil(etaMs / 1000)} s left` : ''
  return `${phase}${count}${left}${file === '' ? '' : `: ${file}`}`
}
