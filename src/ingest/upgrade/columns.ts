/** Upgrades as rows of a header and a few columns, to be kept beside facts. */

import type { Checker } from '#graph/checked'
import type { UpgradedFile, UpgradeSet } from '#ingest/upgrade'

type Columns = Record<string, Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>

export function upgradeColumns(sets: readonly UpgradeSet[]): { rows: object[]; columns: Columns } {
  const columns: Columns = {}
  const encoder = new TextEncoder()
  const rows = sets.map(({ source, origin, originHash, stale, files, hashes, texts, ints }, i) => {
    columns[`upgrade.${i}.ints`] = ints
    columns[`upgrade.${i}.texts`] = encoder.encode(JSON.stringify(texts))
    return {
      source,
      origin,
      originHash,
      stale,
      files: files.map((it) => [it.path, it.hash, it.start, it.end]),
      hashes: [...hashes],
    }
  })
  return { rows, columns }
}

/** Reads what `upgradeColumns` gave; a set that is anything else is left out, as it can be made anew. */
export function upgradesFromColumns(rows: unknown, columns: Readonly<Record<string, ArrayBufferView>>): UpgradeSet[] {
  if (!Array.isArray(rows)) return []
  return rows.flatMap((row: unknown, i) => {
    const ints = columns[`upgrade.${i}.ints`]
    const texts = columns[`upgrade.${i}.texts`]
    if (!isRecord(row) || !(ints instanceof Int32Array) || !(texts instanceof Uint8Array)) return []
    const source = sourceOf(row.source)
    const list: unknown = JSON.parse(new TextDecoder().decode(texts))
    if (source === undefined || !Array.isArray(list) || !Array.isArray(row.files) || !Array.isArray(row.hashes))
      return []
    const files = row.files.flatMap((it: unknown): UpgradedFile[] =>
      Array.isArray(it)
        ? [
            {
              path: String(it[0]),
              hash: String(it[1]),
              start: Number(it[2]),
              end: Number(it[3]),
            },
          ]
        : [],
    )
    const hashes = new Map(
      row.hashes.flatMap((it: unknown): [string, string][] =>
        Array.isArray(it) ? [[String(it[0]), String(it[1])]] : [],
      ),
    )
    const { origin, originHash, stale } = row
    return [
      {
        source,
        origin: String(origin),
        originHash: String(originHash),
        stale: Number(stale),
        files,
        hashes,
        texts: list.map(String),
        ints: Int32Array.from(ints),
      },
    ]
  })
}

function sourceOf(value: unknown): Checker | undefined {
  return value === 'typescript' || value === 'scip' ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
