/** How long one changed file takes, beside reading everything: in a project written for it, and in a copy of a given one. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Engine } from '#engine/brain'
import { FILE, type Graph, text } from '#graph/graph'

const UPDATES = 10
const LEFT_OUT = new Set(['node_modules', '.git'])
/** Modules of the written project, and functions in each. */
const MODULES = 1500
const FUNCTIONS = 12

export interface Update {
  fullMs: number
  /** Of the single-file updates, ascending. */
  updateMs: number[]
}

type Ingest = (folder: string, incremental: boolean) => Promise<number>

/** Reads a copy of a project, then again and again after one file of it was changed. */
export async function timeUpdates(
  project: string,
  engineOf: (folder: string) => Engine,
  ingest: (engine: Engine) => Ingest,
): Promise<Update> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-update-')))
  const folder = join(home, basename(project))
  cpSync(project, folder, { recursive: true, filter: (it) => !LEFT_OUT.has(basename(it)) })
  const engine = engineOf(folder)
  const run = ingest(engine)
  try {
    const fullMs = await run(folder, false)
    // what is right behind the first answer is no part of an update
    await engine.settled
    await run(folder, true)
    const file = join(folder, busyFile(engine.brain.graph))
    const updateMs: number[] = []
    for (let i = 0; i < UPDATES; i++) {
      writeFileSync(file, `\n${readFileSync(file, 'utf8')}`)
      updateMs.push(await run(folder, true))
      await engine.settled
    }
    return { fullMs, updateMs: updateMs.sort((a, b) => a - b) }
  } finally {
    await engine.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** The file with the most definitions. */
function busyFile(graph: Graph): string {
  let best = -1
  let most = -1
  for (let v = 0; v < graph.nNodes; v++) {
    const count = graph.types[v] === FILE ? graph.out.offsets[v + 1] - graph.out.offsets[v] : -1
    if (count <= most) continue
    most = count
    best = v
  }
  return text(graph, graph.paths[best])
}

/** A project of Python modules that import and call each other, the first ones much more often; returns its folder. */
export function writeProject(): string {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-written-'))), 'shop')
  for (let m = 0; m < MODULES; m++) {
    const used = [m - 1, Math.floor(m / 2), Math.floor(m / 40)].filter((it) => it >= 0 && it < m)
    const imports = [...new Set(used)].map((it) => `from ${moduleOf(it)} import Shelf${it}, count_${it}_0`)
    const functions = Array.from({ length: FUNCTIONS }, (_, i) => {
      const callee = used[i % Math.max(1, used.length)]
      const call = callee === undefined ? 'order' : `count_${callee}_0(Shelf${callee}().total(order))`
      return `def count_${m}_${i}(order):\n    """Counts what is left of an order."""\n    left = ${call}\n    return left\n`
    })
    const shelf = `class Shelf${m}:\n    def total(self, order):\n        return order\n\n    def close(self):\n        return self.total(0)\n`
    const file = join(folder, `${moduleOf(m).replaceAll('.', '/')}.py`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, [...imports, '', '', shelf, '', ...functions].join('\n'))
  }
  return folder
}

function moduleOf(m: number): string {
  return `part${Math.floor(m / 30)}.module${m}`
}
