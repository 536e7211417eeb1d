/** The time, for what says how long ago something was. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Epoch ms, again every `everyMs`. */
export function useNow(everyMs: number): number {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now.value
}
