/** The picture as a part of a view. */

import { useEffect, useRef } from 'preact/hooks'
import type { MapAnswer } from '#views/shapes'
import { Empty } from '../parts/states.tsx'
import { colours } from '../state/theme.ts'
import type { Look } from './look.ts'
import { type Camera, canDraw, Picture, type PictureEvents } from './picture.ts'

interface PictureBoxProps {
  map: MapAnswer
  look: Look
  /** What is seen, in words. */
  label: string
  events: PictureEvents
  /** Where the camera stands when the address says so; a new object moves it. */
  camera: Camera
  /** Items to fly to, by a name that is another one for another flight; '' flies nowhere. */
  flight: { name: string; ids: readonly string[] }
}

const drawable = canDraw()

export function PictureBox({ map, look, label, events, camera, flight }: PictureBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const picture = useRef<Picture | null>(null)
  const latest = useRef(events)
  latest.current = events
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches

  useEffect(() => {
    if (box.current === null || !drawable) return undefined
    const it = new Picture(box.current, {
      onChoose: (id) => latest.current.onChoose(id),
      onOpen: (id) => latest.current.onOpen(id),
      onPoint: (id) => latest.current.onPoint(id),
      onRest: (at, large) => latest.current.onRest(at, large),
    })
    picture.current = it
    return () => {
      picture.current = null
      it.close()
    }
  }, [])
  useEffect(() => picture.current?.show(map, look, isCalm), [map, look])
  useEffect(() => {
    const it = picture.current
    if (it !== null) it.camera = camera
  }, [camera])
  const flown = useRef('')
  useEffect(() => {
    if (flight.name !== '' && flight.name !== flown.current && picture.current?.flyTo(flight.ids, isCalm) === true)
      flown.current = flight.name
  }, [flight.name, flight.ids, map])
  const seen = colours.value
  useEffect(() => picture.current?.readColours(), [seen])

  if (!drawable)
    return (
      <Empty title="This browser draws no WebGL.">
        <p>The lists beside show the same: what there is on the left, what it means on the right.</p>
      </Empty>
    )
  return <div class="picture" ref={box} role="img" aria-label={label} data-nodes={map.items.length} />
}
