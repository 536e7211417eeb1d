/** How items and ties of the map are drawn, as a pure function of what is to be seen. */

import type { MapEdge, MapItem } from '#views/shapes'
import { mixed, packed, type Palette, type Rgb } from './colours.ts'
import type { Disc, Tie } from './programs.ts'

export const COLOURINGS = ['group', 'kind', 'recency'] as const
export type Colouring = (typeof COLOURINGS)[number]

/** A tie that is drawn over the others, between items of the map. */
export interface Trace {
  source: string
  target: string
  kind: 'incoming' | 'outgoing' | 'path' | 'ghost'
  /** Guesses are dashed. */
  guess: boolean
}

export interface Look {
  colouring: Colouring
  /** Items by id. */
  selected: string
  pointed: string
  /** Energy 0..1 of the items that an activation has reached; everything else is dimmed. null: no activation is shown. */
  lit: ReadonlyMap<string, number> | null
  seeds: ReadonlySet<string>
  /** Items that are not dimmed by the focus on a neighbourhood; null: no focus. */
  kept: ReadonlySet<string> | null
  traces: readonly Trace[]
}

/** What everything else is dimmed to while something is lit. */
const DIM = 0.12
/** Pixels of radius that what is lit has at least; twice as many at full energy. */
const LEAST = 3

export function discOf(item: MapItem, look: Look, palette: Palette): Omit<Disc, 'x' | 'y' | 'size'> {
  const own = colourOf(item, look.colouring, palette)
  const isClosed = item.children > 0
  const isGroup = item.kind === 'group'
  let fill = isGroup ? 0.22 : isClosed ? 0.5 : 0.85
  let ring = isGroup ? 0.7 : 1
  let colour: Rgb = own
  let ringColour: Rgb = own
  let ringWidth = isGroup || isClosed ? 1 : 0

  let least = 0
  const energy = look.lit?.get(item.id)
  const isKept = look.kept === null || look.kept.has(item.id)
  if (look.lit !== null) {
    if (energy === undefined) {
      fill *= DIM
      ring *= DIM
    } else {
      least = LEAST + LEAST * energy
      colour = mixed(own, palette.accent, 0.85)
      fill = 0.15 + 0.85 * energy ** 0.7
      ring = 1
      ringColour = palette.accent
      ringWidth = 1
    }
  } else if (!isKept) {
    fill *= DIM
    ring *= DIM
  }
  if (look.seeds.has(item.id)) {
    ringColour = palette.text
    ring = energy === undefined ? 0.3 : 1
    ringWidth = 2
  }
  if (item.id === look.selected || item.id === look.pointed) {
    ringColour = item.id === look.selected ? palette.accent : palette.text
    ring = 1
    ringWidth = item.id === look.selected ? 3 : 2
  }
  return {
    fill: packed(colour, fill),
    ring: packed(ringColour, ring),
    ringWidth,
    least,
    hollow: !isGroup && isType(item.node_type) ? 1 : 0,
  }
}

/** Whether something else is meant than the ties of the map. */
export function isBehind({ lit, kept }: Look): boolean {
  return lit !== null || kept !== null
}

/** Ties of the map: faint, wider with weight, and hardly there while something else is meant. */
export function tieOf({ weight, count, guesses }: MapEdge, heaviest: number, look: Look, palette: Palette): Tie {
  const share = Math.log1p(weight) / Math.log1p(Math.max(heaviest, 1e-9))
  const alpha = isBehind(look) ? 0.012 : (palette.isDark ? 0.1 : 0.12) + 0.08 * share
  return {
    colour: packed(palette.text, alpha),
    width: 1 + 2.5 * share,
    dashed: guesses > 0 && guesses === count ? 1 : 0,
  }
}

/** Kinds that hold members are drawn as rings with a middle. */
function isType(nodeType: string): boolean {
  return ['class', 'struct', 'enum', 'type', 'module'].includes(nodeType)
}

/** Place of a kind in the palette. */
export const KIND_PLACES: Readonly<Record<string, number>> = {
  file: 0,
  function: 1,
  class: 2,
  struct: 2,
  enum: 4,
  type: 8,
  module: 3,
  reference: 5,
}

export function colourOf(item: MapItem, by: Colouring, palette: Palette): Rgb {
  if (by === 'recency') return mixed(palette.mark, palette.accent, item.recency)
  const place = by === 'kind' ? (item.kind === 'group' ? undefined : KIND_PLACES[item.node_type]) : item.community
  return place === undefined ? palette.mark : (palette.groups[place % palette.groups.length] ?? palette.mark)
}
