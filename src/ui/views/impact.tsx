/** What a change of a node reaches, what its removal would cost, and how far it goes together with another one. */

import { nameIn } from '../state/node.ts'
import { Empty } from '../parts/states.tsx'
import { setParams } from '../state/route.ts'
import type { View } from '../views.ts'
import { Ask } from './impact/ask.tsx'
import { Change } from './impact/change.tsx'
import { Comparison } from './impact/comparison.tsx'
import { Meaning } from './impact/meaning.tsx'
import { Removal } from './impact/removal.tsx'
import { centre, other, shown, SHOWN } from './impact/shown.ts'
import './impact.css'

function Main() {
  if (centre.value === '')
    return (
      <div class="page-text">
        <h1>Impact</h1>
        <Empty title="Which node?">
          <p>
            Find a file, a class or a function in the box “Node” (key <kbd>/</kbd>). Then you see what a change of it
            can reach, hop by hop and why, what its removal would cost, and how it compares with another one.
          </p>
        </Empty>
      </div>
    )
  const names = [centre.value, other.value].filter((it) => it !== '').map(nameIn)
  const isPair = other.value !== ''
  const titles = isPair ? { change: 'Compare', removal: 'Remove both' } : { change: 'Change', removal: 'Remove' }
  return (
    <div class="page-text impact">
      <h1>{names.join(' and ')}</h1>
      <div class="switch" role="group" aria-label="What happens to it">
        {SHOWN.map((it) => (
          <button
            key={it}
            type="button"
            aria-pressed={shown.value === it}
            onClick={() => setParams({ show: it === 'change' ? '' : it }, { replace: false })}
          >
            {titles[it]}
          </button>
        ))}
      </div>
      {shown.value === 'removal' ? <Removal /> : isPair ? <Comparison /> : <Change />}
    </div>
  )
}

export default { Ask, Main, Meaning } satisfies View
