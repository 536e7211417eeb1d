/** The picture of the map: one WebGL canvas with discs and ties, one canvas with names above it. */

import { MultiDirectedGraph } from 'graphology'
import { Sigma } from 'sigma'
import type { MapAnswer, MapItem } from '#views/shapes'
import { type Palette, readPalette } from './colours.ts'
import { discOf, type Look, tieOf, traceTie } from './look.ts'
import { drawNames, type Projection } from './names.ts'
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
/** Radius in pixels from which on a closed file shows what is in it; a folder when it is this part of the view. */
const LARGE = 70
const LARGE_PART = 0.32
const NAMES = 'names'

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
  #growing = 0
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
    this.#sigma.createCanvasContext(NAMES, { style: { pointerEvents: 'none' } })
    this.#sigma.resize(true)
    this.#listen()
  }

  #listen(): void {
    const sigma = this.#sigma
    sigma.on('afterRender', () => this.#drawNames())
    sigma.on('enterNode', ({ node }) => {
      const item = this.#items.get(node)
      this.#box.style.cursor = item !== undefined && !item.open ? 'pointer' : ''
      this.#events.onPoint(item?.open === true ? '' : node)
    })
    sigma.on('leaveNode', () => {
      this.#box.style.cursor = ''
      this.#events.onPoint('')
    })
    sigma.on('clickNode', ({ node }) => {
      const item = this.#items.get(node)
      if (item?.kind === 'group' && !item.open) this.#events.onOpen(node)
      else this.#events.onChoose(item?.open === true && item.kind === 'group' ? '' : node)
    })
    sigma.on('doubleClickNode', (event) => {
      event.preventSigmaDefault()
      if ((this.#items.get(event.node)?.children ?? 0) > 0) this.#events.onOpen(event.node)
    })
    sigma.on('clickStage', () => this.#events.onChoose(''))
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
  showMap(map: MapAnswer, isCalm: boolean): void {
    if (map === this.#map) return
    const before = this.#items
    const isFirst = this.#map === null
    this.#map = map
    this.#items = new Map(map.items.map((it) => [it.id, it]))
    this.#bySize = [...map.items].sort((a, b) => b.r - a.r || (a.id < b.id ? -1 : 1))
    this.#heaviest = map.edges.reduce((most, it) => Math.max(most, it.weight), 0)
    const graph = new MultiDirectedGraph<Disc, Tie>()
    for (const item of map.items) {
      const { x, y, r: size } = item
      graph.addNode(item.id, { x, y, size, ...discOf(item, this.#look, this.#palette) })
    }
    for (const edge of map.edges)
      if (graph.hasNode(edge.source) && graph.hasNode(edge.target))
        graph.addEdge(edge.source, edge.target, tieOf(edge, this.#heaviest, this.#look, this.#palette))
    this.#addTraces(graph)
    const { x, y, width, height } = map.bounds
    this.#sigma.setCustomBBox({ x: [x, x + width], y: [y, y + height] })
    this.#sigma.setGraph(graph)
    cancelAnimationFrame(this.#growing)
    const fresh = map.items.filter((it) => !before.has(it.id))
    if (!isFirst && !isCalm && fresh.length > 0) this.#grow(fresh)
  }

  /** Colours everything anew. */
  showLook(look: Look): void {
    if (look === this.#look) return
    const tracesChanged = look.traces !== this.#look.traces
    const isBehindChanged =
      (look.lit !== null || look.kept !== null) !== (this.#look.lit !== null || this.#look.kept !== null)
    this.#look = look
    this.#paint(tracesChanged || isBehindChanged)
  }

  /** The page has other colours now. */
  readColours(): void {
    this.#palette = readPalette(this.#box)
    this.#paint(true)
  }

  #paint(withTies: boolean): void {
    const graph = this.#sigma.getGraph()
    if (withTies && this.#map !== null) {
      const edges = this.#map.edges
      graph.clearEdges()
      for (const edge of edges)
        if (graph.hasNode(edge.source) && graph.hasNode(edge.target))
          graph.addEdge(edge.source, edge.target, tieOf(edge, this.#heaviest, this.#look, this.#palette))
      this.#addTraces(graph)
    }
    graph.updateEachNodeAttributes(
      (id, disc) => {
        const item = this.#items.get(id)
        return item === undefined ? disc : { ...disc, ...discOf(item, this.#look, this.#palette) }
      },
      { attributes: ['fill', 'ring', 'ringWidth', 'hollow'] },
    )
  }

  #addTraces(graph: MultiDirectedGraph<Disc, Tie>): void {
    for (const it of this.#look.traces)
      if (it.source !== it.target && graph.hasNode(it.source) && graph.hasNode(it.target))
        graph.addEdge(it.source, it.target, traceTie(it, this.#palette))
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

  /** Moves the camera to an item, so that it is well seen. false: it is not on the map. */
  flyTo(id: string, isCalm: boolean): boolean {
    const item = this.#items.get(id)
    const at = this.#sigma.getNodeDisplayData(id)
    if (item === undefined || at === undefined || this.#map === null) return false
    const { width, height } = this.#map.bounds
    const camera = this.#sigma.getCamera()
    const seen = (2 * item.r) / Math.max(width, height)
    const to = { x: at.x, y: at.y, ratio: Math.min(1, Math.max(0.002, seen * (item.open ? 1.3 : 8))) }
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

  #drawNames(): void {
    const context = this.#sigma.getCanvases()[NAMES]?.getContext('2d')
    if (context == null) return
    drawNames(context, this.#bySize, this.#projection(), this.#look, this.#palette)
  }

  close(): void {
    clearTimeout(this.#resting)
    cancelAnimationFrame(this.#growing)
    this.#sigma.kill()
  }
}
