/** What a change reaches, arranged: files by hop, the way to a node, two reaches against each other. */

import type { ImpactAnswer, Reached } from '#views/shapes'

/** A file with what is reached in it, or a node that lies in none. */
export interface ReachedFile {
  /** The path, or the node's own key. */
  id: string
  name: string
  hop: number
  /** Of the strongest node in it. */
  signal: number
  /** The strongest first. */
  nodes: readonly [Reached, ...Reached[]]
}

export interface Hop {
  hop: number
  /** Of all that is reached, also of what is not among the rows. */
  nodes: number
  files: number
  /** Those that are first reached at this distance, the strongest first. */
  rows: ReachedFile[]
}

/** The files among the rows, the strongest first. */
export function filesOf({ affected }: Pick<ImpactAnswer, 'affected'>): ReachedFile[] {
  const files = new Map<string, ReachedFile>()
  for (const node of affected) {
    const id = node.path ?? node.id
    const known = files.get(id)
    const name = id.slice(id.lastIndexOf('/', id.length - 2) + 1)
    files.set(
      id,
      known === undefined
        ? { id, name, hop: node.hop, signal: node.signal, nodes: [node] }
        : { ...known, hop: Math.min(known.hop, node.hop), nodes: [...known.nodes, node] },
    )
  }
  return [...files.values()]
}

export function hopsOf(answer: Pick<ImpactAnswer, 'affected' | 'hops'>): Hop[] {
  const files = filesOf(answer)
  return answer.hops.map((it) => ({ ...it, rows: files.filter(({ hop }) => hop === it.hop) }))
}

/** One step of a way: how the node before leads to this one. */
export interface Step {
  id: string
  label: string
  relation: string
  confidence: string
  site: Reached['site']
}

/** The way by which the strongest signal came from the source to a node, without the source itself; empty when it was not reached. */
export function wayTo(id: string, { affected, between }: Pick<ImpactAnswer, 'affected' | 'between'>): Step[] {
  const rows = new Map([...affected, ...between].map((it) => [it.id, it]))
  const steps: Step[] = []
  const seen = new Set<string>()
  for (let row = rows.get(id); row !== undefined && !seen.has(row.id); row = rows.get(row.from)) {
    seen.add(row.id)
    steps.unshift({
      id: row.id,
      label: row.label,
      relation: row.relation,
      confidence: row.confidence,
      site: row.site,
    })
  }
  return steps
}

export interface Compared {
  /** Reached from both, the one with the larger sum of signals first. */
  shared: { id: string; name: string; left: ReachedFile; right: ReachedFile }[]
  left: ReachedFile[]
  right: ReachedFile[]
  /** Shared ones among all, 0..1; 0 when there are none. */
  overlap: number
}

export function compare(left: Pick<ImpactAnswer, 'affected'>, right: Pick<ImpactAnswer, 'affected'>): Compared {
  const ofLeft = filesOf(left)
  const ofRight = new Map(filesOf(right).map((it) => [it.id, it]))
  const shared: Compared['shared'] = []
  const onlyLeft: ReachedFile[] = []
  for (const file of ofLeft) {
    const other = ofRight.get(file.id)
    if (other === undefined) onlyLeft.push(file)
    else {
      shared.push({ id: file.id, name: file.name, left: file, right: other })
      ofRight.delete(file.id)
    }
  }
  const strength = ({ left: a, right: b }: Compared['shared'][number]) => a.signal + b.signal
  shared.sort((a, b) => strength(b) - strength(a) || (a.id < b.id ? -1 : 1))
  const all = ofLeft.length + ofRight.size
  return { shared, left: onlyLeft, right: [...ofRight.values()], overlap: all === 0 ? 0 : shared.length / all }
}
