/** What is drawn flat: frames below the discs, names above them. */

import type { MapItem } from '#views/shapes'
import { count } from '../state/format.ts'
import { css, type Palette, type Rgb } from './colours.ts'
import { colourOf, isBehind, type Look } from './look.ts'

/** From positions of the map to pixels; the picture is never turned. */
export interface Projection {
  scaleX: number
  scaleY: number
  offsetX: number
  offsetY: number
  width: number
  height: number
  /** Pixels of one unit of a radius. */
  unit: number
}

const FONT = '12px system-ui, sans-serif'
const STRONG = '600 13px system-ui, sans-serif'
const LINE = 14
/** Smallest radius in pixels of a disc with a name. */
const LEAF = 5
const GROUP = 18
const FRAME = 40
const CELL = 48
/** Pixels of a name that has no larger disc around it. */
const LONGEST = 150
/** Names at most; more cannot be read. */
const MOST = 300
/** Of what is lit. */
const BRIGHT = 60

/** Open items as frames around what is in them; those around come first. */
export function drawFrames(
  context: CanvasRenderingContext2D,
  /** By radius, the largest first. */
  items: readonly MapItem[],
  to: Projection,
  look: Look,
  palette: Palette,
): void {
  context.clearRect(0, 0, to.width, to.height)
  for (const item of items) {
    const radius = item.r * to.unit
    if (radius < 1) break
    if (!item.open) continue
    const x = item.x * to.scaleX + to.offsetX
    const y = item.y * to.scaleY + to.offsetY
    if (x + radius < 0 || y + radius < 0 || x - radius > to.width || y - radius > to.height) continue
    const colour = colourOf(item, look.colouring, palette)
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
    context.fillStyle = css(colour, 0.05)
    context.fill()
    const isSelected = item.id === look.selected
    context.lineWidth = isSelected ? 3 : 1
    context.strokeStyle = isSelected ? css(palette.accent) : css(colour, isBehind(look) ? 0.25 : 0.5)
    context.stroke()
  }
}

/** Ways of the energy and edges of the selected node; guesses are dashed. */
export function drawTraces(
  context: CanvasRenderingContext2D,
  items: ReadonlyMap<string, MapItem>,
  to: Projection,
  { traces }: Look,
  palette: Palette,
): void {
  const colours = {
    incoming: palette.incoming,
    outgoing: palette.outgoing,
    path: palette.accent,
    ghost: palette.quiet,
  }
  for (const { source, target, kind, guess } of traces) {
    const [from, end] = [items.get(source), items.get(target)]
    if (from === undefined || end === undefined || from === end) continue
    context.beginPath()
    context.moveTo(from.x * to.scaleX + to.offsetX, from.y * to.scaleY + to.offsetY)
    context.lineTo(end.x * to.scaleX + to.offsetX, end.y * to.scaleY + to.offsetY)
    context.setLineDash(guess ? [5, 4] : [])
    context.lineWidth = kind === 'path' ? 2 : 1.25
    context.strokeStyle = css(colours[kind], kind === 'ghost' ? 0.5 : 0.75)
    context.stroke()
  }
  context.setLineDash([])
}

/** Names, the largest discs first, none over another. */
export function drawNames(
  context: CanvasRenderingContext2D,
  /** By radius, the largest first. */
  items: readonly MapItem[],
  to: Projection,
  look: Look,
  palette: Palette,
): void {
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 3
  const taken = new Set<string>()
  let drawn = 0
  // what is meant comes first, then what is lit, the brightest first
  const wanted = items.filter((it) => isMeant(it, look))
  const { lit } = look
  const bright = lit === null ? [] : items.filter((it) => !it.open && lit.has(it.id))
  bright.sort((a, b) => (lit?.get(b.id) ?? 0) - (lit?.get(a.id) ?? 0))
  for (const item of [...wanted, ...bright.slice(0, BRIGHT), ...items]) {
    if (drawn >= MOST) break
    const isStrong = isMeant(item, look)
    const isLit = lit?.has(item.id) === true
    const radius = Math.max(item.r * to.unit, isLit ? LEAF : 0)
    if (!isStrong && radius < LEAF) break
    const x = item.x * to.scaleX + to.offsetX
    const y = item.y * to.scaleY + to.offsetY
    if (x + radius < 0 || y + radius < 0 || x - radius > to.width || y - radius > to.height) continue
    const isGroup = item.kind === 'group'
    if (!isStrong) {
      if (radius < (item.open ? FRAME : isGroup && !isLit ? GROUP : LEAF)) continue
      if (lit !== null && !item.open && !isLit) continue
      if (look.kept !== null && !item.open && !look.kept.has(item.id)) continue
    }
    context.font = isGroup && !item.open ? STRONG : FONT
    const isInside = !item.open && radius > 28
    const most = item.open ? radius * 1.2 : Math.max(LONGEST, radius * 1.8)
    const name = fitted(context, item.name, most)
    if (name === '') continue
    const width = context.measureText(name).width
    const left = item.open || isInside || isGroup ? x - width / 2 : x + radius + 4
    const middle = item.open ? y - radius + LINE / 2 + 3 : y
    if (!take(taken, left, middle - LINE / 2, width, LINE) && !isStrong) continue
    write(context, name, left, middle, item.open ? palette.quiet : palette.text, palette)
    drawn++
    if (!isGroup || item.open || radius < GROUP * 1.6) continue
    const size = count(item.nodes)
    context.font = FONT
    write(context, size, x - context.measureText(size).width / 2, middle + LINE, palette.quiet, palette)
  }
}

/** Text with a rim of the ground around it, so that it is read on anything. */
function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  colour: Rgb,
  { ground }: Palette,
) {
  context.strokeStyle = css(ground, 0.75)
  context.strokeText(text, x, y)
  context.fillStyle = css(colour)
  context.fillText(text, x, y)
}

function isMeant(item: MapItem, { selected, pointed }: Look): boolean {
  return item.id === selected || (item.id === pointed && !item.open)
}

/** The text, with its end left out when it is too long; '' when nothing of it has room. */
function fitted(context: CanvasRenderingContext2D, text: string, most: number): string {
  const width = context.measureText(text).width
  if (width <= most) return text
  const fits = Math.floor((text.length * most) / width) - 1
  return fits < 3 ? '' : `${text.slice(0, fits)}…`
}

/** Whether the cells under a rectangle are free; then they are no more. */
function take(taken: Set<string>, left: number, top: number, width: number, height: number): boolean {
  const cells: string[] = []
  const rows = 16
  for (let x = Math.floor(left / CELL); x <= Math.floor((left + width) / CELL); x++)
    for (let y = Math.floor(top / rows); y <= Math.floor((top + height - 1) / rows); y++) cells.push(`${x} ${y}`)
  if (cells.some((it) => taken.has(it))) return false
  for (const it of cells) taken.add(it)
  return true
}
