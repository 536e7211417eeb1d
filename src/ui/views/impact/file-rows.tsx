/** Files that are reached, with how. */

import { ShareBar } from '../../parts/bar.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { many, percent } from '../../state/format.ts'
import { nameIn } from '../../state/node.ts'
import { pointed, select } from '../../state/selection.ts'
import type { ReachedFile } from './reach.ts'
import { row, words } from './shown.ts'

interface FileRowsProps {
  files: readonly ReachedFile[]
  label: string
  /** The signal whose bar is full. */
  most: number
}

export function FileRows({ files, label, most }: FileRowsProps) {
  return (
    <Rows
      items={files}
      label={label}
      idOf={(it) => it.id}
      isChosen={(it) => it.nodes.some(({ id }) => id === row.value)}
      onPoint={(it) => {
        pointed.value = it?.nodes[0].id ?? ''
      }}
      onChoose={(it) => select(it.nodes[0].id)}
    >
      {(it) => <FileRow file={it} most={most} />}
    </Rows>
  )
}

export function FileRow({ file, most }: { file: ReachedFile; most: number }) {
  const [first, ...more] = file.nodes
  return (
    <span class="file-row">
      <Path path={file.id} />
      <ShareBar share={first.signal / most} label={`${percent(first.signal)} of a change arrives`} />
      <span class="row-reason">
        {nameIn(first.from)} <i>{words(first.relation)}</i> {first.label}
        {first.confidence === 'guess' && ' (a guess)'}
        {more.length > 0 && `, and ${many(more.length, 'more node')} in it`}
      </span>
    </span>
  )
}
