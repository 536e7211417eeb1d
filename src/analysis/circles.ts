/**
 * Places circles beside each other without overlap, close to the middle and close to those they are tied to. The
 * largest come first and nothing moves once it is placed, so a small newcomer leaves the larger ones where they were.
 * Every circle goes where it touches two others, to the place that costs least (`map.md`).
 */

import type { Work } from '#std/work'

/** Length 3 · n: x, y and radius of each. */
export type Circles = Float64Array<ArrayBuffer>

/** Ties of one circle to others, by number, heaviest first. */
export type Ties = readonly (readonly [other: number, weight: number])[]

/** Ties that take part; the others are weaker. */
const MOST_TIES = 6
/** What the distance to tied circles counts beside that to the middle. */
const TIED = 0.4
/** A circle that is so much larger than the one at hand is looked at by itself, not by where it is. */
const LARGE = 4
const FEW = 48
/** What rounding may decide. */
const SLACK = 1e-9
/** Circles that are placed before the work can be put down. */
const PER_STEP = 32

export interface Spot {
  x: number
  y: number
}

interface Wishes {
  /** Above 1 the whole becomes wider than high. */
  stretch?: number
  /** Where a circle lay before: it stays there if it can, else as near as it can. */
  before?: (i: number) => Spot | undefined
}

/** `radii` must not rise. */
export function* placeCircles(
  radii: Float64Array,
  tiesOf: (i: number) => Ties,
  { stretch = 1, before = () => undefined }: Wishes = {},
): Work<Circles> {
  const n = radii.length
  const circles = new Float64Array(3 * n)
  const near = new Nearby(circles)
  let spots: Spot[] = []
  for (let i = 0; i < n; i++) {
    if (i % PER_STEP === 0) yield
    const r = radii[i]
    circles[3 * i + 2] = r
    if (i === 0 || r !== radii[i - 1]) {
      near.begin(i, r)
      spots = []
      for (let a = 0; a < i; a++) {
        near.within(circles[3 * a], circles[3 * a + 1], circles[3 * a + 2] + 2 * r, (b) => {
          if (b > a) addSpots(spots, circles, { a, b, r }, near)
        })
      }
    }
    const old = before(i)
    const { x, y } =
      old !== undefined && near.isFree(old.x, old.y, r)
        ? old
        : i < 2
          ? beside(circles, i)
          : cheapest(spots, circles, tiesOf(i), { placed: i, stretch, old })
    circles[3 * i] = x
    circles[3 * i + 1] = y
    spots = spots.filter((it) => Math.hypot(it.x - x, it.y - y) >= 2 * r - SLACK * r)
    near.add(i)
    near.within(x, y, 3 * r, (b) => {
      if (b !== i) addSpots(spots, circles, { a: b, b: i, r }, near)
    })
    if (spots.length === 0) addAside(spots, circles, i)
  }
  return circles
}

/** The first two lie beside each other. */
function beside(circles: Circles, i: number): Spot {
  return i === 0 ? { x: 0, y: 0 } : { x: circles[0] + circles[2] + circles[5], y: circles[1] }
}

/** Circles that lie where they lay before may be too far apart for another one to touch two of them. */
function addAside(spots: Spot[], circles: Circles, i: number): void {
  const r = circles[3 * i + 2]
  let right = Number.NEGATIVE_INFINITY
  for (let k = 0; k <= 3 * i; k += 3) right = Math.max(right, circles[k] + circles[k + 2])
  spots.push({ x: right + r, y: circles[3 * i + 1] })
}

/** The places beside two circles, as far as they are free. */
function addSpots(
  spots: Spot[],
  circles: Circles,
  { a, b, r }: { a: number; b: number; r: number },
  near: Nearby,
): void {
  const ax = circles[3 * a]
  const ay = circles[3 * a + 1]
  const dx = circles[3 * b] - ax
  const dy = circles[3 * b + 1] - ay
  const d = Math.hypot(dx, dy)
  const fromA = circles[3 * a + 2] + r
  const fromB = circles[3 * b + 2] + r
  if (d > fromA + fromB || d === 0) return
  const along = (d * d + fromA * fromA - fromB * fromB) / (2 * d)
  const aside = Math.sqrt(Math.max(0, fromA * fromA - along * along))
  for (const side of [1, -1]) {
    const x = ax + (along * dx - side * aside * dy) / d
    const y = ay + (along * dy + side * aside * dx) / d
    if (near.isFree(x, y, r)) spots.push({ x, y })
  }
}

function cheapest(
  spots: readonly Spot[],
  circles: Circles,
  ties: Ties,
  { placed, stretch, old }: { placed: number; stretch: number; old: Spot | undefined },
): Spot {
  const pulling = ties.filter(([other]) => other < placed).slice(0, MOST_TIES)
  const sum = pulling.reduce((total, [, weight]) => total + weight, 0)
  let best = spots[0]
  let least = Number.POSITIVE_INFINITY
  for (const spot of spots) {
    let cost = old === undefined ? Math.hypot(spot.x / stretch, spot.y) : Math.hypot(spot.x - old.x, spot.y - old.y)
    for (const [other, weight] of old === undefined ? pulling : []) {
      const apart = Math.hypot(spot.x - circles[3 * other], spot.y - circles[3 * other + 1]) - circles[3 * other + 2]
      cost += TIED * (weight / sum) * apart
    }
    if (cost < least - SLACK) {
      best = spot
      least = cost
    }
  }
  return best
}

/** Which of the placed circles are near a place. */
class Nearby {
  readonly #circles: Circles
  #cell = 1
  #cells = new Map<number, number[]>()
  #large: number[] = []

  constructor(circles: Circles) {
    this.#circles = circles
  }

  /** So few are looked at one by one. */
  get #isSmall(): boolean {
    return this.#circles.length <= 3 * FEW
  }

  /** From now on circles of radius `r` are asked about, of which `n` are placed. */
  begin(n: number, r: number): void {
    this.#cell = 2 * LARGE * r
    this.#cells = new Map()
    this.#large = []
    for (let i = 0; i < n; i++) this.add(i)
  }

  add(i: number): void {
    // what is not large and meets a circle in one cell has its middle in that cell or beside it
    if (this.#isSmall || this.#circles[3 * i + 2] > this.#cell / 2) {
      this.#large.push(i)
      return
    }
    const cell = this.#key(this.#line(this.#circles[3 * i]), this.#line(this.#circles[3 * i + 1]))
    const known = this.#cells.get(cell)
    if (known === undefined) this.#cells.set(cell, [i])
    else known.push(i)
  }

  #line(x: number): number {
    return Math.floor(x / this.#cell)
  }

  #key(column: number, row: number): number {
    return (column + 0x8000) * 0x1_0000 + row + 0x8000
  }

  /** Those that are not large in the cells around a place. */
  *#around(x: number, y: number, cells: number): Generator<number> {
    const [column, row] = [this.#line(x), this.#line(y)]
    for (let dx = -cells; dx <= cells; dx++)
      for (let dy = -cells; dy <= cells; dy++) yield* this.#cells.get(this.#key(column + dx, row + dy)) ?? []
  }

  isFree(x: number, y: number, r: number): boolean {
    const circles = this.#circles
    let free = true
    const meets = (i: number) => {
      const apart = Math.hypot(circles[3 * i] - x, circles[3 * i + 1] - y)
      const least = circles[3 * i + 2] + r
      if (apart < least - SLACK * least) free = false
    }
    for (const i of this.#large) {
      meets(i)
      if (!free) return false
    }
    if (this.#isSmall) return true
    for (const i of this.#around(x, y, 1)) {
      meets(i)
      if (!free) return false
    }
    return free
  }

  /** Circles whose edge is not farther away than `reach`. */
  within(x: number, y: number, reach: number, found: (i: number) => void): void {
    const circles = this.#circles
    const look = (i: number) => {
      if (Math.hypot(circles[3 * i] - x, circles[3 * i + 1] - y) - circles[3 * i + 2] <= reach) found(i)
    }
    for (const i of this.#large) look(i)
    if (this.#isSmall) return
    for (const i of this.#around(x, y, Math.ceil(reach / this.#cell) + 1)) look(i)
  }
}
