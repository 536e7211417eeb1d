/** What a terminal can show: width, colours, bars, and one line for work that takes long. */

import type { WriteStream } from 'node:tty'
import type { Progress } from '#engine/brain'
import { fractionDone } from '#server/progress'
import type { Style } from '#tools/tool'

/** Control characters that a terminal obeys and marks that turn the direction of text; line feeds are let through. */
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text of others, such as names of files, with everything that a terminal would obey spelled out. */
export function visible(text: string): string {
  return text.replace(COMMANDS, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same for every text in a value, line feeds included: a name takes one line. */
export function visibleIn(value: unknown): unknown {
  if (typeof value === 'string') return visible(value).replaceAll('\n', '\\n')
  if (Array.isArray(value)) return value.map(visibleIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [visible(name), visibleIn(it)]))
}

/** Colours only where there is a terminal that wants them; the text is the same without. */
export async function styleFor(stream: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv): Promise<Style> {
  const plain = (it: string) => it
  // what reads a pipe can take whole lines
  const width = stream.isTTY === true ? (stream.columns ?? 100) : 1000
  const coloured = stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  if (!coloured)
    return { width, bold: plain, dim: plain, accent: plain, bar: (parts, cells) => bar(parts, cells, [plain]) }
  const { bold, dim, cyan, blue, yellow, green, magenta } = await import('yoctocolors')
  return { width, bold, dim, accent: cyan, bar: (parts, cells) => bar(parts, cells, [blue, yellow, green, magenta]) }
}

const SHADES = ['█', '▓', '▒', '░'] as const

/** The parts one after the other, each in whole cells, told apart by shade as well as by colour. */
function bar(parts: readonly number[], cells: number, colours: readonly ((text: string) => string)[]): string {
  let text = ''
  let used = 0
  let sum = 0
  for (let i = 0; i < parts.length; i++) {
    sum += Math.max(0, parts[i])
    const end = Math.min(cells, Math.round(sum * cells))
    text += colours[i % colours.length](SHADES[i % SHADES.length].repeat(Math.max(0, end - used)))
    used = Math.max(used, end)
  }
  return text + ' '.repeat(cells - used)
}

const REDRAW_MS = 100
const BAR_CELLS = 20

/** One line on a terminal that shows how far long work is; nothing where the stream is no terminal. */
export function progressLine(stream: WriteStream | { isTTY?: false }): { show(at: Progress): void; clear(): void } {
  if (stream.isTTY !== true) return { show() {}, clear() {} }
  const startedAt = performance.now()
  let drawnAt = 0
  return {
    show(at) {
      const now = performance.now()
      if (now - drawnAt < REDRAW_MS) return
      drawnAt = now
      stream.write(`\r\x1b[K${progressText(at, now - startedAt, stream.columns ?? 80)}`)
    },
    clear() {
      if (drawnAt > 0) stream.write('\r\x1b[K')
    },
  }
}

function progressText(at: Progress, elapsedMs: number, width: number): string {
  const filled = Math.round(fractionDone(at) * BAR_CELLS)
  const parts = [at.phase.padEnd(8), '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)]
  if (at.total > 0) {
    parts.push(`${at.done}/${at.total} files`)
    if (at.phase === 'extract' && elapsedMs > 0) parts.push(`${Math.round((at.done * 1000) / elapsedMs)}/s`)
  }
  if (at.etaMs >= 0) parts.push(`${Math.ceil(at.etaMs / 1000)} s left`)
  return parts.join('  ').slice(0, width - 1)
}
