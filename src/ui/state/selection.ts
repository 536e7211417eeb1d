/** What is looked at (in the address) and what is pointed at (not). */

import { computed, signal } from '@preact/signals'
import { address, go, link, param, setParams } from './route.ts'

/** Views whose path names a node. */
const NODE_VIEWS = new Set(['node', 'impact'])
/** Those of them where selecting another leaves the path alone: what is shown is about that one. */
const STEADY_VIEWS = new Set(['impact'])

/** Key of the selected node, '' for none. */
export const selected = computed(() => {
  const { view, about } = address.value
  const chosen = param('node')
  if (view === 'history' && about !== '' && chosen === '') return about.includes('::') ? about : `file::${about}`
  if (!NODE_VIEWS.has(view) || about === '' || (STEADY_VIEWS.has(view) && chosen !== '')) return chosen
  return about
})

/** Key of the node under the pointer or the focus, '' for none; lists and picture show it in each other. */
export const pointed = signal('')

/** Looks at a node without leaving the view; '' for none. */
export function select(key: string): void {
  const { view, about } = address.peek()
  if (key === selected.peek()) return
  if (NODE_VIEWS.has(view) && !STEADY_VIEWS.has(view) && about !== '')
    go(key === '' ? link('graph') : link(view, key, Object.fromEntries(address.peek().params)))
  else setParams({ node: key }, { replace: false })
}

/**
 * What an address of the history is about: the path of the file that a key lies in, among several repositories the
 * key of the file; '' for what lies in none.
 */
export function pastOf(key: string): string {
  const path = pathOf(key)
  const [repository] = key.split('::')
  return path === '' || repository === 'file' || repository === 'dir' ? path : `${repository}::file::${path}`
}

/** The file that a key of code lies in, '' for what lies in none. */
export function pathOf(key: string): string {
  const parts = key.replace(/\/$/, '').split('::')
  const at = parts.findIndex((it) => it === 'file' || it === 'dir')
  return at < 0 ? '' : (parts[at + 1] ?? '').replaceAll('%3A%3A', '::')
}
