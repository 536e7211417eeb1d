/** The picture of the map: one WebGL canvas with discs and ties, one canvas with names above it. */

import { MultiDirectedGraph } from 'graphology'
import { Sigma } from 'sigma'
import type { MapAnswer, MapItem } from '#views/shapes'
import { type Palette, readPalette } from './colours.ts'
import { discOf, isBehind, type Look, tieOf } from './look.ts'
import { drawFrames, drawNames, drawTraces, type Projection } from './flat.ts'
import { type Disc, DiscProgram, type Tie, TieProgram } from './programs.ts'

/** Where the camera stands: middle and width of what is seen, where the whole map is 1 wide. */
export interface Camera {
  x: number
  y: number
  ratio: number
}

export interface PictureEvents {
  /** A click on an item, '' beside all of them. */
  onChoose(id: string): void
  /** A click that opens or closes. */
  onOpen(id: string): void
  onPoint(id: string): void
  /** The camera has come to rest. `large`: closed items with children that are seen large enough to be opened. */
  onRest(camera: Camera, large: string[]): void
}

export const WHOLE: Camera = { x: 0.5, y: 0.5, ratio: 1 }
const OPEN_MS = 250
const FLY_MS = 400
const REST_MS = 250
/** Two clicks in this time may be one double click. */
const DOUBLE_MS = 500
/** How much more than its size is seen of what the camera flies to: several things or a frame, one thing alone. */
const ROOM = 1.3
const ROOM_ALONE = 8
/** Part of the map that is seen at the closest. */
const CLOSEST = 0.002
/** Radius in pixels from which on a closed file shows what is in it; a folder when it is this part of the view. */
const LARGE = 70
const LARGE_PART = 0.32
/** Pixels from the top of a frame, and to either side, where its name is. */
const NAME_HEIGHT = 20
const NAME_REACH = 70

const NOTHING_MEANT: Look = {
  colouring: 'group',
  selected: '',
  pointed: '',
  lit: null,
  seeds: new Set(),
  kept: null,
  traces: [],
}

export function canDraw(): boolean {
  const canvas = document.createElement('canvas')
  return (canvas.getContext('webgl2') ?? canvas.getContext('webgl')) !== null
}

export class Picture {
  readonly #sigma: Sigma<Disc, Tie>
  readonly #box: HTMLElement
  readonly #events: PictureEvents
  #palette: Palette
  #map: MapAnswer | null = null
  #look = NOTHING_MEANT
  #items = new Map<string, MapItem>()
  /** By radius, the largest first. */
  #bySize: MapItem[] = []
  #heaviest = 0
  /** The box changes with its columns, not only with the window. */
  readonly #sizes = new ResizeObserver(() => {
    this.#sigma.resize()
    this.#sigma.scheduleRender()
  })
  #growing = 0
  /** When a click opened something. */
  #openedAt = 0
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(box: HTMLElement, events: PictureEvents) {
    this.#box = box
    this.#events = events
    this.#palette = readPalette(box)
    this.#sigma = new Sigma<Disc, Tie>(new MultiDirectedGraph<Disc, Tie>(), box, {
      allowInvalidContainer: true,
      renderLabels: false,
      itemSizesReference: 'positions',
      zoomToSizeRatioFunction: (ratio) => ratio,
      stagePadding: 16,
      zoomingRatio: 1.5,
      doubleClickZoomingRatio: 1,
      minCameraRatio: 0.001,
      maxCameraRatio: 2,
      enableCameraRotation: false,
      defaultNodeType: 'disc',
      defaultEdgeType: 'tie',
      nodeProgramClasses: { disc: DiscProgram },
      edgeProgramClasses: { tie: TieProgram },
      defaultDrawNodeHover: () => {},
    })
    this.#sigma.createCanvasContext('frames', { style: { pointerEvents: 'none' } })
    this.#sigma.createCanvasContext('names', { style: { pointerEvents: 'none' } })
    const { frames } = this.#sigma.getCanvases()
    if (frames !== undefined) box.prepend(frames)
    this.#sigma.resize(true)
    this.#listen()
  }

  #listen(): void {
    const sigma = this.#sigma
    this.#sizes.observe(this.#box)
    sigma.on('afterRender', () => this.#drawFlat())
    sigma.on('enterNode', ({ node }) => {
      this.#box.style.cursor = 'pointer'
      this.#events.onPoint(node)
    })
    sigma.on('leaveNode', () => {
      this.#box.style.cursor = ''
      this.#events.onPoint('')
    })
    sigma.on('clickNode', ({ node }) => {
      if (this.#items.get(node)?.kind !== 'group') this.#events.onChoose(node)
      else {
        this.#openedAt = performance.now()
        this.#events.onOpen(node)
      }
    })
    sigma.on('doubleClickNode', (event) => {
      event.preventSigmaDefault()
      const item = this.#items.get(event.node)
      if (item !== undefined && item.kind !== 'group' && item.children > 0) this.#events.onOpen(item.id)
    })
    sigma.on('clickStage', ({ event }) => {
      // what is open is chosen by its name, which is above it
      const frame = this.#frameNamedAt(event.x, event.y)
      this.#events.onChoose(frame?.kind === 'node' ? frame.id : '')
    })
    sigma.on('doubleClickStage', (event) => {
      event.preventSigmaDefault()
      // the first click of the two has opened it
      if (performance.now() - this.#openedAt < DOUBLE_MS) return
      const frame = this.#frameAt(event.event.x, event.event.y)
      if (frame !== null) this.#events.onOpen(frame.id)
    })
    sigma.getCamera().on('updated', () => {
      clearTimeout(this.#resting)
      this.#resting = setTimeout(() => this.#events.onRest(this.camera, this.#large()), REST_MS)
    })
  }

  get camera(): Camera {
    const { x, y, ratio } = this.#sigma.getCamera().getState()
    return { x, y, ratio }
  }

  set camera(to: Camera) {
    this.#sigma.getCamera().setState(to)
  }

  /** Shows a map. What was not there before grows out of the middle of what it stands in. */
  show(map: MapAnswer, look: Look, isCalm: boolean): void {
    if (map === this.#map) this.#showLook(look)
    else this.#showMap(map, look, isCalm)
  }

  #showMap(map: MapAnswer, look: Look, isCalm: boolean): void {
    const before = this.#items
    const isFirst = this.#map === null
    this.#map = map
    this.#look = look
    this.#items = new Map(map.items.map((it) => [it.id, it]))
    this.#bySize = [...map.items].sort((a, b) => b.r - a.r || (a.id < b.id ? -1 : 1))
    this.#heaviest = map.edges.reduce((most, it) => Math.max(most, it.weight), 0)
    const graph = new MultiDirectedGraph<Disc, Tie>()
    for (const item of map.items) {
      const { x, y, r, open } = item
      // frames are drawn flat; here they are where ties end
      graph.addNode(item.id, { x, y, size: open ? 0 : r, ...discOf(item, look, this.#palette) })
    }
    map.edges.forEach((edge, i) => {
      if (edge.source !== edge.target && graph.hasNode(edge.source) && graph.hasNode(edge.target))
        graph.addEdgeWithKey(String(i), edge.source, edge.target, this.#tie(i))
    })
    const { x, y, width, height } = map.bounds
    this.#sigma.setCustomBBox({ x: [x, x + width], y: [y, y + height] })
    this.#sigma.setGraph(graph)
    cancelAnimationFrame(this.#growing)
    const fresh = map.items.filter((it) => !it.open && !before.has(it.id))
    if (!isFirst && !isCalm && fresh.length > 0) this.#grow(fresh)
  }

  /** Colours what another look makes different. */
  #showLook(look: Look): void {
    const before = this.#look
    if (look === before) return
    this.#look = look
    if (isBehind(look) !== isBehind(before)) this.#paintTies()
    const isSame =
      look.lit === before.lit &&
      look.kept === before.kept &&
      look.seeds === before.seeds &&
      look.colouring === before.colouring
    if (!isSame) this.#paintDiscs()
    else {
      for (const id of [before.pointed, before.selected, look.pointed, look.selected]) this.#paintDisc(id)
      this.#sigma.scheduleRender()
    }
  }

  /** The page has other colours now. */
  readColours(): void {
    this.#palette = readPalette(this.#box)
    this.#paintTies()
    this.#paintDiscs()
  }

  #paintDisc(id: string): void {
    const item = this.#items.get(id)
    if (item !== undefined) this.#sigma.getGraph().mergeNodeAttributes(id, discOf(item, this.#look, this.#palette))
  }

  #paintDiscs(): void {
    this.#sigma.getGraph().updateEachNodeAttributes(
      (id, disc) => {
        const item = this.#items.get(id)
        return item === undefined ? disc : { ...disc, ...discOf(item, this.#look, this.#palette) }
      },
      { attributes: ['fill', 'ring', 'ringWidth', 'hollow'] },
    )
  }

  #paintTies(): void {
    const graph = this.#sigma.getGraph()
    graph.updateEachEdgeAttributes((key) => this.#tie(Number(key)), { attributes: ['colour', 'width', 'dashed'] })
  }

  #tie(i: number): Tie {
    const edge = this.#map?.edges[i]
    if (edge === undefined) throw new Error(`there is no tie ${i}`)
    return tieOf(edge, this.#heaviest, this.#look, this.#palette)
  }

  #grow(fresh: readonly MapItem[]): void {
    const graph = this.#sigma.getGraph()
    const began = performance.now()
    const ids = new Set(fresh.map((it) => it.id))
    const step = () => {
      const time = Math.min(1, (performance.now() - began) / OPEN_MS)
      const share = 1 - (1 - time) ** 3
      graph.updateEachNodeAttributes((id, disc) => {
        const item = ids.has(id) ? this.#items.get(id) : undefined
        const around = item?.parent == null ? undefined : this.#items.get(item.parent)
        if (item === undefined || around === undefined) return disc
        return {
          ...disc,
          x: around.x + (item.x - around.x) * share,
          y: around.y + (item.y - around.y) * share,
          size: item.r * share,
        }
      })
      if (time < 1) this.#growing = requestAnimationFrame(step)
    }
    step()
  }

  /** Moves the camera so that these items are well seen. false: none of them is on the map. */
  flyTo(ids: readonly string[], isCalm: boolean): boolean {
    const items = ids.flatMap((id) => this.#items.get(id) ?? [])
    const [only] = items
    if (only === undefined || this.#map === null) return false
    const left = Math.min(...items.map((it) => it.x - it.r))
    const right = Math.max(...items.map((it) => it.x + it.r))
    const top = Math.min(...items.map((it) => it.y - it.r))
    const bottom = Math.max(...items.map((it) => it.y + it.r))
    const { bounds } = this.#map
    const whole = Math.max(bounds.width, bounds.height)
    const seen = Math.max(right - left, bottom - top) / whole
    const room = items.length > 1 || only.open ? ROOM : ROOM_ALONE
    // from the map alone: what was drawn last may be another one, or of another size
    const to = {
      x: 0.5 + ((left + right) / 2 - (bounds.x + bounds.width / 2)) / whole,
      y: 0.5 + ((top + bottom) / 2 - (bounds.y + bounds.height / 2)) / whole,
      ratio: Math.min(1, Math.max(CLOSEST, seen * room)),
    }
    const camera = this.#sigma.getCamera()
    if (isCalm) camera.setState(to)
    else void camera.animate(to, { duration: FLY_MS })
    return true
  }

  /** Closed items with children that fill a good part of the view. */
  #large(): string[] {
    const to = this.#projection()
    const part = LARGE_PART * Math.min(to.width, to.height)
    return this.#bySize
      .filter((it) => {
        const radius = it.r * to.unit
        if (it.open || it.children === 0 || radius < (it.kind === 'group' ? part : LARGE)) return false
        const x = it.x * to.scaleX + to.offsetX
        const y = it.y * to.scaleY + to.offsetY
        return x > -radius / 2 && y > -radius / 2 && x < to.width + radius / 2 && y < to.height + radius / 2
      })
      .map((it) => it.id)
  }

  #projection(): Projection {
    const origin = this.#sigma.graphToViewport({ x: 0, y: 0 })
    const one = this.#sigma.graphToViewport({ x: 1, y: 1 })
    const { width, height } = this.#sigma.getDimensions()
    const scaleX = one.x - origin.x
    const scaleY = one.y - origin.y
    return { scaleX, scaleY, offsetX: origin.x, offsetY: origin.y, width, height, unit: Math.abs(scaleX) }
  }

  /** The innermost open item around a point of the view. */
  #frameAt(x: number, y: number): MapItem | null {
    const to = this.#projection()
    return (
      this.#bySize.findLast(
        (it) =>
          it.open && Math.hypot(it.x * to.scaleX + to.offsetX - x, it.y * to.scaleY + to.offsetY - y) <= it.r * to.unit,
      ) ?? null
    )
  }

  /** The open item whose name is at a point of the view. */
  #frameNamedAt(x: number, y: number): MapItem | null {
    const item = this.#frameAt(x, y)
    if (item === null) return null
    const to = this.#projection()
    const top = item.y * to.scaleY + to.offsetY - item.r * to.unit
    return y - top <= NAME_HEIGHT && Math.abs(item.x * to.scaleX + to.offsetX - x) <= NAME_REACH ? item : null
  }

  /** Frames below the discs, names above. */
  #drawFlat(): void {
    const to = this.#projection()
    const { frames, names } = this.#sigma.getCanvases()
    const below = frames?.getContext('2d')
    const above = names?.getContext('2d')
    if (below != null) drawFrames(below, this.#bySize, to, this.#look, this.#palette)
    if (above == null) return
    above.clearRect(0, 0, to.width, to.height)
    drawTraces(above, this.#items, to, this.#look, this.#palette)
    drawNames(above, this.#bySize, to, this.#look, this.#palette)
  }

  close(): void {
    clearTimeout(this.#resting)
    cancelAnimationFrame(this.#growing)
    this.#sizes.disconnect()
    this.#sigma.kill()
  }
}
