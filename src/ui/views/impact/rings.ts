/** Where files stand in a picture of rings: how far out says how many hops, and neighbours in the tree stand side by side. */

import type { ReachedFile } from './reach.ts'

export interface Dot {
  file: ReachedFile
  x: number
  y: number
  r: number
}

/** A folder that takes a part of the circle. */
export interface Sector {
  name: string
  files: number
  x: number
  y: number
  anchor: 'start' | 'middle' | 'end'
}

export interface Rings {
  dots: Dot[]
  sectors: Sector[]
  /** Radius of each hop, from the first. */
  radii: number[]
  /** Files that there was no room for. */
  left: number
}

/** Largest radius of a ring. */
export const OUTER = 216
const INNER = 96
const MOST_DOTS = 240
/** Up to so many dots may be large. */
const FEW_DOTS = 40
/** Dots on a crowded ring stand in rows, so far apart. */
const ROW_STEP = 10
const MOST_ROWS = 5
/** Room for a dot along a row. */
const DOT_STEP = 12
const LABEL_GAP = 28
/** What is left free at the top, where the rings have their names; radians. */
const GAP = 0.6
/** Share of the circle that a folder needs to be named. */
const LEAST_SHARE = 0.05

export function ringsOf(files: readonly ReachedFile[], hops: number): Rings {
  const radii = Array.from({ length: hops }, (_, i) =>
    hops === 1 ? (INNER + OUTER) / 2 : INNER + ((OUTER - INNER) * i) / (hops - 1),
  )
  const drawn = files.slice(0, MOST_DOTS).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const most = Math.max(...drawn.map((it) => it.signal), 1e-9)
  const angle = (i: number) => ((i + 0.5) / drawn.length) * (2 * Math.PI - GAP) - (Math.PI - GAP) / 2
  const spacing = hops > 1 ? radii[1] - radii[0] : INNER
  const rows = radii.map((radius, i) => {
    const needed = drawn.filter((it) => it.hop === i + 1).length * DOT_STEP
    return Math.max(1, Math.min(MOST_ROWS, Math.floor(spacing / ROW_STEP), Math.ceil(needed / radius)))
  })
  const counts: number[] = radii.map(() => 0)
  const dots = drawn.map((file, i) => {
    const ring = file.hop - 1
    const row = counts[ring]++ % rows[ring]
    const radius = radii[ring] + (row - (rows[ring] - 1) / 2) * ROW_STEP
    return {
      file,
      x: radius * Math.cos(angle(i)),
      y: radius * Math.sin(angle(i)),
      r: 3 + (drawn.length > FEW_DOTS ? 2 : 5) * Math.sqrt(file.signal / most),
    }
  })
  return { dots, sectors: sectorsOf(drawn, angle), radii, left: files.length - drawn.length }
}

/** The folders below the one that all files share, where they are large enough to be named. */
function sectorsOf(files: readonly ReachedFile[], angle: (i: number) => number): Sector[] {
  const shared = sharedFolder(files.map((it) => it.id))
  const sectors: Sector[] = []
  for (let from = 0; from < files.length; ) {
    const name = folderBelow(shared, files[from].id)
    let to = from + 1
    while (to < files.length && folderBelow(shared, files[to].id) === name) to++
    const middle = angle((from + to - 1) / 2)
    if (name !== '' && to - from >= LEAST_SHARE * files.length) {
      const side = Math.cos(middle)
      sectors.push({
        name,
        files: to - from,
        x: (OUTER + LABEL_GAP) * side,
        y: (OUTER + LABEL_GAP) * Math.sin(middle),
        anchor: side > 0.3 ? 'start' : side < -0.3 ? 'end' : 'middle',
      })
    }
    from = to
  }
  return sectors
}

/** The folder that all paths lie in, with a slash at its end, or ''. */
export function sharedFolder(paths: readonly string[]): string {
  if (paths.length === 0) return ''
  let shared = paths[0].slice(0, paths[0].lastIndexOf('/') + 1)
  for (const it of paths)
    while (!it.startsWith(shared)) shared = shared.slice(0, shared.lastIndexOf('/', shared.length - 2) + 1)
  return shared
}

function folderBelow(shared: string, path: string): string {
  const rest = path.slice(shared.length)
  return rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : ''
}
