/** Names of what an agent keeps: `persp_scout_001`, `lock_scout_002`. Numbers are never given twice. */

import * as z from 'zod'
import { perRecords, Shelf } from '#engine/shelf'
import { fnv1a } from '#std/hash'

const Owner = z.object({
  agent: z.string(),
  /** In handles of perspectives and locks, and the longer one in those of trails; no two agents share one. */
  prefix: z.string(),
  trailPrefix: z.string(),
  perspectives: z.int(),
  locks: z.int(),
  trails: z.int(),
})
type Owner = z.infer<typeof Owner>

const PREFIX = 8
const TRAIL_PREFIX = 16
const DIGITS = 3

/** Every agent that ever kept something. It stays after the agent is forgotten, so that no handle comes back as another. */
export const ownersOf = perRecords(
  (records) => new Shelf<Owner>(records, { kind: 'session', prefix: 'owner/', schema: Owner }),
)

type Owners = ReturnType<typeof ownersOf>

/** The next handle of an agent. `content` tells trails of one number apart. */
export function nextPerspective(owners: Owners, agent: string): string {
  const owner = ownerOf(owners, agent)
  const number = owner.perspectives + 1
  owners.put(agent, { ...owner, perspectives: number })
  return `persp_${owner.prefix}_${padded(number)}`
}

export function nextLock(owners: Owners, agent: string): string {
  const owner = ownerOf(owners, agent)
  const number = owner.locks + 1
  owners.put(agent, { ...owner, locks: number })
  return `lock_${owner.prefix}_${padded(number)}`
}

export function nextTrail(owners: Owners, agent: string, content: string): string {
  const owner = ownerOf(owners, agent)
  const number = owner.trails + 1
  owners.put(agent, { ...owner, trails: number })
  return `trail_${owner.trailPrefix}_${padded(number)}_${hex(content).slice(0, 6)}`
}

function ownerOf(owners: Owners, agent: string): Owner {
  const before = owners.get(agent)
  if (before !== undefined) return before
  const others = [...owners.values()]
  return {
    agent,
    prefix: freePrefix(agent, PREFIX, new Set(others.map((it) => it.prefix))),
    trailPrefix: freePrefix(agent, TRAIL_PREFIX, new Set(others.map((it) => it.trailPrefix))),
    perspectives: 0,
    locks: 0,
    trails: 0,
  }
}

/** Letters and digits of the agent's name; who comes later with the same ones gets some of a hash of the whole name. */
function freePrefix(agent: string, length: number, taken: ReadonlySet<string>): string {
  const letters = Array.from(agent.normalize('NFC').replaceAll(/[^\p{L}\p{N}]/gu, ''))
  const plain = letters.slice(0, length).join('') || 'agent'
  if (!taken.has(plain)) return plain
  for (let salt = 0; ; salt++) {
    const hash = hex(salt === 0 ? agent : `${agent} ${salt}`)
    const prefix = `${plain}~${hash.slice(0, 4)}`
    if (!taken.has(prefix)) return prefix
  }
}

function padded(number: number): string {
  return String(number).padStart(DIGITS, '0')
}

function hex(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0')
}
