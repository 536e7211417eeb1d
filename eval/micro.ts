/** Small cases as JSON files: sources, edges that must be there and edges that must not. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { graphOf, type Made } from './graph-of.ts'

interface MicroCase {
  id: string
  language: string
  files: Record<string, string>
  expect: Wanted[]
  forbid: Wanted[]
}

interface Wanted {
  /** `path`, or `path#Class.member`. */
  from: string
  to: string
  relation: string
  /** Further targets that are as good. */
  also?: string[]
}

export interface MicroResult {
  id: string
  language: string
  failures: string[]
}

export async function runMicro(folder: string): Promise<MicroResult[]> {
  const results: MicroResult[] = []
  for (const file of readdirSync(folder)
    .filter((it) => it.endsWith('.json'))
    .sort()) {
    const one: MicroCase = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    results.push({ id: one.id, language: one.language, failures: await failuresOf(one) })
  }
  return results
}

async function failuresOf({ files, expect, forbid }: MicroCase): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'micro-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const judge = new Judge(await graphOf(root))
    const missing = expect.filter((it) => ![it.to, ...(it.also ?? [])].some((to) => judge.has({ ...it, to })))
    const wrong = forbid.filter((it) => judge.has(it))
    return [
      ...missing.map((it) => `missing ${it.from} ${it.relation} ${it.to}`),
      ...wrong.map((it) => `wrong ${it.from} ${it.relation} ${it.to}`),
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const KINDS: Readonly<Record<string, string>> = {
  imports: 'imports',
  reexports: 'imports',
  declares_module: 'imports',
  calls: 'calls',
  references: 'references',
  implements: 'inherits',
  implements_trait: 'inherits',
}
const FITS: Readonly<Record<string, readonly string[]>> = {
  any: ['imports', 'calls', 'references', 'inherits'],
  uses: ['calls', 'references'],
  references: ['references', 'calls', 'inherits'],
}
const CONSTRUCTORS = new Set(['constructor', '__init__', 'new', '__construct', 'initialize'])

class Judge {
  readonly #made: Made

  constructor(made: Made) {
    this.#made = made
  }

  has({ from, to, relation }: Wanted): boolean {
    const { nodes, edges } = this.#made
    const sources = this.#named(from, false)
    const targets = this.#named(to, true)
    const wanted = FITS[relation] ?? [relation]
    const isFilePair = !from.includes('#') && !to.includes('#')
    return edges.some(({ source, target, relation: drawn, tier }) => {
      const kind = KINDS[drawn]
      if (kind === undefined || tier === 'guess' || !wanted.includes(kind)) return false
      if (isFilePair) return nodes[source].file === from && nodes[target].file === to
      return this.#isWithin(source, sources) && (to.includes('#') ? targets.has(target) : nodes[target].file === to)
    })
  }

  /** True for one of the nodes and for what is inside of them; for a file, anywhere in it. */
  #isWithin(node: number, sources: ReadonlySet<number>): boolean {
    for (let at = node; at >= 0; at = this.#made.parents[at]) if (sources.has(at)) return true
    return false
  }

  #named(spec: string, isTarget: boolean): Set<number> {
    const { nodes, parents } = this.#made
    const [file, names = ''] = spec.split('#')
    const found = new Set<number>()
    const parts = names.split('.')
    nodes.forEach((it, n) => {
      if (it.file !== file) return
      if (names === '') {
        if (it.isFile) found.add(n)
        return
      }
      if (it.isFile || it.label.replace(/^#/, '') !== parts[parts.length - 1]) return
      const around = parts.length > 1 ? parts[parts.length - 2] : ''
      if (around === '' || this.#labels(n).includes(around)) found.add(n)
    })
    // of several the outermost are meant
    const depth = (n: number) => this.#labels(n).length
    const least = Math.min(...[...found].map(depth))
    if (parts.length === 1) for (const n of found) if (depth(n) > least) found.delete(n)
    // a constructor stands for its class
    if (isTarget) nodes.forEach((it, n) => CONSTRUCTORS.has(it.label) && found.has(parents[n]) && found.add(n))
    return found
  }

  /** Labels of what is around a node, up to its file. */
  #labels(n: number): string[] {
    const { nodes, parents } = this.#made
    const labels: string[] = []
    for (let at = parents[n]; at >= 0 && !nodes[at].isFile; at = parents[at]) labels.push(nodes[at].label)
    return labels
  }
}
