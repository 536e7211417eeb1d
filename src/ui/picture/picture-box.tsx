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
  /** An item to fly to; `again` is another number for another flight to the same. */
  flight: { id: string; again: number }
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
    const name = `${flight.id} ${flight.again}`
    if (flight.id !== '' && name !== flown.current && picture.current?.flyTo(flight.id, isCalm) === true)
      flown.current = name
  }, [flight.id, flight.again, map])
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
