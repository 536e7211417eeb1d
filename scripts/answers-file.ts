/** Answers about this project's own sources, as they are kept and shown. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Tool } from '#tools/tool'

export interface Answers {
  /** Of the sources that were asked about. */
  commit: string
  answers: Record<string, { input: Record<string, unknown>; output: Record<string, unknown> }>
}

export const ANSWERS_FILE = fileURLToPath(new URL('../docs/answers.json', import.meta.url))

export function readAnswers(): Answers | null {
  if (!existsSync(ANSWERS_FILE)) return null
  const answers: Answers = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8'))
  return answers
}

const ROWS = 2
const LONGEST = 140
/** Differ between two runs, name people, or say nothing about the tool. */
const VARYING =
  /^(?:author|elapsed_ms|ingested_at|since_ms|saved_at|uptime_seconds|memory_usage_bytes|\w*_secs_ago|last_\w+_time|phase_ms|version|node_version|url|freshness|state_folder)$/

/** The first rows of every list, texts cut, without what differs between runs; the folder is `/m1nd`. */
export function shortened(value: Record<string, unknown>, folder: string): Record<string, unknown> {
  const rows = Object.entries(value).filter(([name]) => !VARYING.test(name))
  return Object.fromEntries(rows.map(([name, it]) => [name, short(it, folder)]))
}

function short(value: unknown, folder: string): unknown {
  if (typeof value === 'string') {
    const text = value.replaceAll(folder, '/m1nd')
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  }
  if (Array.isArray(value)) {
    const rows = value.slice(0, ROWS).map((it: unknown) => short(it, folder))
    return value.length > ROWS ? [...rows, `… ${value.length - ROWS} more`] : rows
  }
  if (typeof value !== 'object' || value === null) return value
  return shortened({ ...value }, folder)
}

/** What keeps an answer from being one of the tool as it is now; null when nothing does. */
export function faultOf(tool: Tool, answers: Answers): string | null {
  const kept = answers.answers[tool.name]
  if (kept === undefined) return `${tool.name}: no answer is kept`
  const input = tool.input.safeParse(kept.input)
  if (!input.success) return `${tool.name}: its question does not fit any more`
  const missing = Object.entries(tool.output.shape)
    .filter(([name, it]) => !(name in kept.output) && !VARYING.test(name) && !it.safeParse(undefined).success)
    .map(([name]) => name)
  return missing.length > 0 ? `${tool.name}: its answer lacks ${missing.join(', ')}` : null
}
