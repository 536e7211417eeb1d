/** Who may write a folder of state: one process, for as long as it lives and its heartbeat goes on. */

import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'

export interface Lease {
  /**
   * False once another process has taken it, after this one was silent for too long, asleep for example. Taken anew
   * when it was removed.
   */
  isHeld(): boolean
  release(): void
}

const HEARTBEAT_MS = 5000
const STALE_MS = 30_000

/**
 * The lease, or the process that holds it (0 when it cannot be told). Taken by creating the file exclusively, so
 * that two processes never both get it; a dead or silent holder is moved out of the way first.
 */
export function takeLease(path: string, now: () => number): { held: Lease | null; owner: number } {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(path, now)) return { held: hold(path, now), owner: 0 }
    const holder = holderOf(path, now)
    if (holder === null) continue
    if (holder.alive) return { held: null, owner: holder.pid }
    moveAway(path, now)
  }
  return { held: null, owner: holderOf(path, now)?.pid ?? 0 }
}

function create(path: string, now: () => number): boolean {
  try {
    const handle = openSync(path, 'wx', 0o600)
    try {
      writeSync(handle, JSON.stringify({ pid: process.pid, since: now() }))
    } catch (error) {
      // a lease that names nobody would keep others out until it is stale
      unlinkSync(path)
      throw error
    } finally {
      closeSync(handle)
    }
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function hold(path: string, now: () => number): Lease {
  const beat = setInterval(() => {
    const seconds = now() / 1000
    try {
      if (isOurs()) utimesSync(path, seconds, seconds)
    } catch {
      // a heartbeat that cannot be written makes the lease stale, which `isHeld` tells before the next save
      clearInterval(beat)
    }
  }, HEARTBEAT_MS)
  beat.unref()
  const isOurs = () => readHolder(path)?.pid === process.pid
  let held = true
  return {
    isHeld: () => held && (isOurs() || (readHolder(path) === null && create(path, now))),
    release() {
      if (!held) return
      held = false
      clearInterval(beat)
      if (isOurs()) unlinkSync(path)
    },
  }
}

/** The live process that holds a lease, 0 when there is none. */
export function leaseOwner(path: string, now: () => number): number {
  const holder = holderOf(path, now)
  return holder?.alive === true ? holder.pid : 0
}

function holderOf(path: string, now: () => number): { pid: number; alive: boolean } | null {
  const holder = readHolder(path)
  if (holder === null) return null
  const silent = now() - holder.beat > STALE_MS
  return { pid: holder.pid, alive: !silent && isRunning(holder.pid) }
}

function readHolder(path: string): { pid: number; beat: number } | null {
  try {
    const beat = statSync(path).mtimeMs
    const found = /"pid":(\d+)/.exec(readFileSync(path, 'utf8'))
    return { pid: found === null ? 0 : Number(found[1]), beat }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/** A process just starting has written no id yet; it counts as running until its file is stale. */
export function isRunning(pid: number): boolean {
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/**
 * Renaming makes sure that of two processes that find the same dead holder only one removes it. What was renamed
 * is looked at again: if the other process has taken the lease in between, it gets its file back.
 */
function moveAway(path: string, now: () => number): void {
  const aside = `${path}.${process.pid}.old`
  try {
    renameSync(path, aside)
    if (holderOf(aside, now)?.alive === true) linkSync(aside, path)
    unlinkSync(aside)
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
