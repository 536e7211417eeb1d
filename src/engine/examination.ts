/** What can be wrong around an engine, for whoever sets it up. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '#engine/brain'
import { coveredBy } from '#engine/freshness'
import { leaseOwner } from '#engine/lease'
import { checkGrammars } from '#ingest/grammars'

export interface Examination {
  /** Grammars that cannot be loaded, and why. */
  brokenGrammars: string[]
  /** Folders that a server of this project watches. */
  watchedFolders: number
  /** Live process that owns the state, 0 when there is none. */
  owner: number
  /** Files of the state that could not be read and were set aside. */
  setAside: string[]
}

export async function examineEngine(engine: Engine): Promise<Examination> {
  const { stateFolder } = engine.status()
  const files = existsSync(stateFolder) ? readdirSync(stateFolder) : []
  return {
    brokenGrammars: await checkGrammars(),
    watchedFolders: coveredBy(engine.brain.graph).reduce((sum, it) => sum + it.folders.length, 0),
    owner: stateFolder === '' ? 0 : leaseOwner(join(stateFolder, 'lease.json'), Date.now),
    setAside: files.filter((it) => it.includes('.corrupt-')),
  }
}
