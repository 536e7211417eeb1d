/** A node with what can be done about it, and its code. */

import type { ComponentChildren } from 'preact'
import type { NodeFacts } from '../state/node.ts'
import { address, link } from '../state/route.ts'
import { pastOf } from '../state/selection.ts'
import { Code } from './code.tsx'
import { Path } from './path.tsx'

interface NodeCardProps {
  node: NodeFacts
  /** Between its name and its code. */
  children?: ComponentChildren
}

/** Of a file no lines are in question. */
const WHOLE = { from: 0, to: 0 }

export function NodeCard({ node, children }: NodeCardProps) {
  const { id, label, node_type: kind, path, line, line_end: end } = node
  const isFolder = kind === 'directory'
  const { view, about } = address.value
  const links: [name: string, view: string, subject: string, params?: Record<string, string>][] = [
    ['Show in graph', 'node', id],
    ['Impact', 'impact', id],
    ...(path === null || isFolder
      ? []
      : [['History', 'history', pastOf(id) || path] satisfies [string, string, string]]),
    ...(view === 'tree' ? [] : [['Tree', 'tree', '', { node: id }] satisfies [string, string, string, object]]),
  ]
  return (
    <section class="card" aria-label={label}>
      <h2>
        {label} <span class="row-kind">{kind}</span>
      </h2>
      {isFolder && path !== null && <Path path={path} />}
      <p class="card-links">
        {links
          .filter(([, to, subject]) => to !== view || subject !== about)
          .map(([name, to, subject, params]) => (
            <a key={name} href={link(to, subject, params)}>
              {name}
            </a>
          ))}
      </p>
      {children}
      {path !== null && !isFolder && (
        <Code path={path} node={id} {...(kind === 'file' ? WHOLE : { from: line, to: end })} />
      )}
    </section>
  )
}
