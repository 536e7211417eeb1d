/** Small projects for tests: sources in, edges out as readable lines. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extract } from '#ingest/extract'
import { isConfigFile } from '#ingest/manifests'
import { type Resolution, resolve, type SourceFile } from '#ingest/resolve'
import { type Site, UpgradeWriter } from '#ingest/upgrade'

export interface Resolved {
  /** `cart.py#Cart.total calls tax.py#rate`; file nodes have no `#` part. Lifted edges are left out. */
  edges: string[]
  /** The same lines with ` (tier)` after them. */
  tiers: string[]
  /** Those that stand in code that cannot run. */
  dead: string[]
  result: Resolution
}

/** Content hash of a file of a test. */
export function hashOf(text: string): string {
  return `${text.length} ${text}`
}

/** What a compiler might have said about sources: sites by path, and sources that were otherwise then. */
export interface Sayings {
  sites: Record<string, Site[]>
  before?: Record<string, string>
}

/** Writes the files to a folder of their own, since module aliases are looked up on disk, and resolves them. */
export async function resolveSources(
  files: Record<string, string>,
  sayings: Sayings = { sites: {} },
): Promise<Resolved> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'resolve-')))
  try {
    const configFiles = new Map<string, string>()
    const sources: SourceFile[] = []
    for (const path of Object.keys(files).sort()) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), files[path])
      if (isConfigFile(path)) configFiles.set(path, files[path])
      sources.push({ path, facts: await extract(path, files[path]) })
    }
    const writer = new UpgradeWriter()
    for (const [path, sites] of Object.entries(sayings.sites)) writer.add(path, hashOf(files[path]), sites)
    const from = { source: 'typescript' as const, origin: '', originHash: '', stale: 0 }
    const set = writer.finish(from, (path) => (path in files ? hashOf(sayings.before?.[path] ?? files[path]) : ''))
    for (const source of sources) {
      source.hash = hashOf(files[source.path])
      const file = set.files.find((it) => it.path === source.path)
      if (file !== undefined) source.upgrade = { set, file }
    }
    const result = resolve({ root, files: sources, configFiles }, {})
    const name = (file: number, local: number): string => {
      const { path, facts } = sources[file]
      const parts: string[] = []
      for (let d = local; d >= 0; d = facts.definitions[d].parent) parts.unshift(facts.definitions[d].name)
      const owner = local >= 0 && facts.definitions[local].parent < 0 ? facts.definitions[local].owner : undefined
      if (owner) parts.unshift(owner.replace(/<.*$/, ''))
      return parts.length === 0 ? path : `${path}#${parts.join('.')}`
    }
    const shown = result.edges.filter((it) => !it.lifted)
    const line = (it: (typeof shown)[number]) =>
      `${name(it.fromFile, it.from)} ${it.relation} ${name(it.toFile, it.to)}`
    const dead = shown.filter((it) => it.unreachable === true).map(line)
    return { dead, edges: shown.map(line), tiers: shown.map((it) => `${line(it)} (${it.tier})`), result }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
