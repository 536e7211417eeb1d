/** How long ago something was, and when exactly for who points at it. */

import { ago, moment } from '../state/format.ts'
import { useNow } from '../state/now.ts'

export function Ago({ ms }: { ms: number }) {
  const now = useNow(30_000)
  return (
    <time dateTime={new Date(ms).toISOString()} title={moment(ms)}>
      {ago(ms, now)}
    </time>
  )
}
