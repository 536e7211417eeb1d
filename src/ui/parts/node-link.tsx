/** A node by name, leading to where it lies in the graph. */

import { nameOf } from '../state/format.ts'
import { link } from '../state/route.ts'

export function NodeLink({ id, label = nameOf(id) }: { id: string; label?: string }) {
  return (
    <a href={link('node', id)} title={id}>
      {label}
    </a>
  )
}

/** Names of nodes as links, the first few of them. */
export function NodeLinks({ ids, most = 3 }: { ids: readonly string[]; most?: number }) {
  return (
    <>
      {ids.slice(0, most).map((id, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <NodeLink id={id} />
        </span>
      ))}
      {ids.length > most && ` and ${ids.length - most} more`}
    </>
  )
}
