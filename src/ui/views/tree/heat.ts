/** How hot folders, files and definitions are, and in which order they stand. */

import type { ActivationAnswer, TreeEntry } from '#views/shapes'

export const HEATS = ['change', 'learning', 'activation'] as const
export type Heat = (typeof HEATS)[number]
export const ORDERS = ['name', ...HEATS] as const
export type Order = (typeof ORDERS)[number]

/** Of the question, 0..1 against the best row: by path of files and folders, by id of definitions. */
export type Glow = ReadonlyMap<string, number>

/** A folder is as hot as the hottest in it. */
export function glowOf({ rows }: Pick<ActivationAnswer, 'rows'>): Glow {
  const most = Math.max(...rows.map((it) => it.activation), 1e-9)
  const glow = new Map<string, number>()
  const heat = (at: string, share: number) => glow.set(at, Math.max(share, glow.get(at) ?? 0))
  for (const { id, path, activation } of rows) {
    heat(id, activation / most)
    if (path === null) continue
    for (const it of [path.replace(/\/$/, ''), ...foldersAbove(path)]) heat(it, activation / most)
  }
  return glow
}

/** The folders that a path lies in, the innermost first, without the top. */
export function foldersAbove(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, parts.length - 1 - i).join('/'))
}

export function heatOf(entry: TreeEntry, heat: Heat, glow: Glow): number {
  if (heat !== 'activation') return entry.heat[heat]
  return glow.get(isDefinition(entry) ? entry.id : entry.path.replace(/\/$/, '')) ?? 0
}

export function isDefinition({ files, node_type: kind }: TreeEntry): boolean {
  return files === 0 && kind !== 'directory'
}

/** As they come by name, else the hottest first. */
export function inOrder(entries: readonly TreeEntry[], order: Order, glow: Glow): readonly TreeEntry[] {
  if (order === 'name') return entries
  return entries.toSorted((a, b) => heatOf(b, order, glow) - heatOf(a, order, glow))
}
