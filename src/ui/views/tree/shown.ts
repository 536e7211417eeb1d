/** What the view of the tree shows, from its address. */

import { computed } from '@preact/signals'
import type { ActivationAnswer, TreeAnswer, TreeEntry } from '#views/shapes'
import { type Answer, useGet, useKept } from '../../state/answers.ts'
import { address, choice, param, setParams } from '../../state/route.ts'
import { pathOf, select, selected } from '../../state/selection.ts'
import { foldersAbove, type Glow, glowOf, isDefinition, ORDERS } from './heat.ts'

/** Rows of the question that give heat. */
const ACTIVATED = 100

/** The folder (or file) whose content is shown; '' is the top. */
export const top = computed(() => (address.value.view === 'tree' ? address.value.about.replace(/\/+$/, '') : ''))
export const question = computed(() => param('query').trim())
export const nameFilter = computed(() => param('name').trim())
export const order = computed(() => choice('sort', ORDERS))

/** Subjects of entries that are open: those of the address, and what the selected node lies in. */
export const open = computed<ReadonlySet<string>>(() => {
  const path = pathOf(selected.value)
  const around = path === '' ? [] : foldersAbove(path)
  // a definition is seen in its file
  if (path !== '' && /::[^/]*$/.test(selected.value.replace(/^(?:file|dir)::/, ''))) around.push(path)
  return new Set([...address.value.params.getAll('open'), ...around])
})

/** While one types, what was found before stays; another folder begins anew. */
export function useLevel(path: string, name = ''): Answer<TreeAnswer> {
  const answer = useGet<TreeAnswer>('/api/tree', { path, name })
  const kept = useKept(answer)
  return kept.value?.path === path ? kept : answer
}

export function useActivation(): Answer<ActivationAnswer> {
  return useGet<ActivationAnswer>(question.value === '' ? '' : '/api/graph/activation', {
    query: question.value,
    top_k: ACTIVATED,
  })
}

const COLD: Glow = new Map()
let latest: ActivationAnswer | null = null
let latestGlow: Glow = COLD

export function useGlow(): Glow {
  const { value } = useActivation()
  if (value === null || question.value === '') return COLD
  if (value !== latest) {
    latest = value
    latestGlow = glowOf(value)
  }
  return latestGlow
}

/** By which the content of an entry is asked for. */
export function subjectOf(entry: TreeEntry): string {
  return isDefinition(entry) ? entry.id : entry.path
}

export function setOpen(entry: TreeEntry, isOpen: boolean): void {
  const subject = subjectOf(entry)
  const all = new Set(address.peek().params.getAll('open'))
  const hidesSelected =
    !isOpen &&
    selected.peek() !== entry.id &&
    (isDefinition(entry)
      ? selected.peek().startsWith(`${entry.id}::`)
      : [pathOf(selected.peek()), ...foldersAbove(pathOf(selected.peek()))].includes(subject))
  if (isOpen) all.add(subject)
  else all.delete(subject)
  setParams({ open: [...all] })
  // what is selected is always seen
  if (hidesSelected) select(entry.id)
}
