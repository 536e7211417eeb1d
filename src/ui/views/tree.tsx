/** The project as a tree of folders, files and definitions, with heat from changes, from learning and from a question. */

import { Crumbs } from '../parts/path.tsx'
import { NodeCard } from '../parts/node-card.tsx'
import { Answered, Empty, Loading } from '../parts/states.tsx'
import { many } from '../state/format.ts'
import { useNode } from '../state/node.ts'
import { link, setParams } from '../state/route.ts'
import { pathOf, select, selected } from '../state/selection.ts'
import type { View } from '../views.ts'
import { Ask } from './tree/ask.tsx'
import { Tree } from './tree/rows.tsx'
import { nameFilter, order, question, top, useActivation, useLevel } from './tree/shown.ts'
import './tree.css'

function Main() {
  const answer = useLevel(top.value, nameFilter.value)
  const activation = useActivation()
  return (
    <div class="page-text tree-page">
      <h1 class="unseen">Tree</h1>
      <Crumbs path={top.value} />
      <Answered answer={answer} loading="Reading the folder">
        {(level) =>
          order.value === 'activation' &&
          question.value !== '' &&
          activation.value === null &&
          activation.error === null ? (
            <Loading what="Spreading activation" />
          ) : level.total > 0 ? (
            <>
              <p class="quiet tree-count">
                {nameFilter.value === ''
                  ? many(level.total, 'entry', 'entries')
                  : `${many(level.total, 'name')} with “${nameFilter.value}” below here`}
                {level.truncated !== null && `, the first ${level.truncated.shown} are shown. ${level.truncated.how}`}
              </p>
              <Tree level={level} />
            </>
          ) : nameFilter.value === '' ? (
            <Empty title="There is nothing in it.">
              <p>No file below it was read, or nothing is defined in it.</p>
              <a href={link('tree')}>To the top of the project</a>
            </Empty>
          ) : (
            <Empty title="No file or folder has such a name.">
              <p>“{nameFilter.value}” is in no name below here.</p>
              <button type="button" onClick={() => setParams({ name: '' })}>
                Show all
              </button>
            </Empty>
          )
        }
      </Answered>
    </div>
  )
}

function Meaning() {
  const answer = useNode(selected.value)
  if (selected.value === '')
    return (
      <Empty title="What it is">
        <p>Choose a file, and its code and what else is known of it stand here. Arrow keys open and close folders.</p>
      </Empty>
    )
  return (
    <Answered answer={answer} loading="Reading the node">
      {({ source }) => (
        <NodeCard key={source.id} node={source}>
          <p class="card-links">
            {source.node_type === 'directory' && (
              <a href={link('tree', pathOf(source.id), { node: source.id })}>Only this folder</a>
            )}
            <button type="button" class="link" onClick={() => select('')}>
              Deselect
            </button>
          </p>
        </NodeCard>
      )}
    </Answered>
  )
}

export default { Ask, Main, Meaning } satisfies View
