/** Reading the project, or what changed in it, on request of who looks at the page. */

import { computed, signal } from '@preact/signals'
import type ingest from '#tools/ingest'
import { refresh, working } from './live.ts'
import { callTool, type Output, ServerError } from './server.ts'

const asked = signal(false)
/** Why the last reading that was asked for here did not come about. */
export const readingError = signal<ServerError | null>(null)
/** What the last reading that was asked for here has found. */
export const lastReading = signal<Output<typeof ingest> | null>(null)
/** Whether something is being read, whoever asked for it. */
export const isReading = computed(() => asked.value || working.value !== null)

/** Reads a folder; `changesOnly` keeps what is known of files that did not change. */
export async function readProject(path: string, { changesOnly = false } = {}): Promise<void> {
  asked.value = true
  readingError.value = null
  lastReading.value = null
  try {
    lastReading.value = await callTool<typeof ingest>('ingest', { path, incremental: changesOnly })
    refresh()
  } catch (failure) {
    if (!(failure instanceof ServerError)) throw failure
    // a large project takes longer than an answer may; events tell how it goes on
    if (failure.code !== 'timeout') readingError.value = failure
  } finally {
    asked.value = false
  }
}
