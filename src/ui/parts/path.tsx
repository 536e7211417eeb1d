/** Paths of the project: the name at the end is always whole, the middle gives way. */

import { link } from '../state/route.ts'

export function Path({ path, line = 0 }: { path: string; line?: number }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span class="path" title={path}>
      <span class="path-folder">{path.slice(0, cut)}</span>
      <span class="path-name">
        {path.slice(cut)}
        {line > 0 && `:${line}`}
      </span>
    </span>
  )
}

/** The folders above a path as links, the last part as text. `to` makes the address for a folder. */
export function Crumbs({ path, to = (it) => link('tree', it) }: { path: string; to?: (folder: string) => string }) {
  const parts = path.split('/').filter((it) => it !== '')
  return (
    <nav class="crumbs" aria-label="Folders">
      <ol>
        <li>{parts.length === 0 ? <span aria-current="page">project</span> : <a href={to('')}>project</a>}</li>
        {parts.map((name, i) => {
          const folder = parts.slice(0, i + 1).join('/')
          return (
            <li key={folder}>
              {i === parts.length - 1 ? <span aria-current="page">{name}</span> : <a href={to(folder)}>{name}</a>}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
