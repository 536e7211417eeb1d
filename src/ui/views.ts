/** The views, in the order of the navigation. How one is written: `CONTRIBUTING.md`, `views/health.tsx`. */

import type { ComponentType } from 'preact'

/** What a view puts into the three columns; on narrow windows each is a tab. */
export interface View {
  /** Left: what is asked and what exists. */
  Ask?: ComponentType
  /** Middle: the picture or the list. */
  Main: ComponentType
  /** Right: what it means. */
  Meaning?: ComponentType
}

export interface ViewEntry {
  /** First part of its addresses. */
  name: string
  /** Further first parts that lead to it. */
  also?: readonly string[]
  title: string
  /** What its addresses are about; the navigation leads to what is selected. */
  of?: 'node' | 'path'
  /** Words of the address that the navigation takes along to it. */
  keeps?: readonly ('query' | 'node')[]
  /** Has something to show before anything was ingested. */
  worksEmpty?: boolean
  /** What the tabs of its columns are called on narrow windows. */
  tabs?: readonly [ask: string, main: string, meaning: string]
  load: () => Promise<{ default: View }>
}

export const VIEWS: readonly ViewEntry[] = [
  { name: 'graph', also: ['node'], title: 'Graph', keeps: ['query', 'node'], load: () => import('./views/graph.tsx') },
  {
    name: 'tree',
    title: 'Tree',
    keeps: ['query', 'node'],
    tabs: ['Look', 'Tree', 'Node'],
    load: () => import('./views/tree.tsx'),
  },
  {
    name: 'impact',
    title: 'Impact',
    of: 'node',
    tabs: ['Node', 'Reach', 'Why'],
    load: () => import('./views/impact.tsx'),
  },
  {
    name: 'history',
    title: 'History',
    of: 'path',
    tabs: ['File', 'History', 'Along'],
    load: () => import('./views/history.tsx'),
  },
  {
    name: 'learning',
    title: 'Learning',
    tabs: ['Agents', 'Edges', 'Lessons'],
    load: () => import('./views/learning.tsx'),
  },
  {
    name: 'agents',
    title: 'Agents',
    worksEmpty: true,
    tabs: ['Agents', 'Kept', 'Events'],
    load: () => import('./views/agents.tsx'),
  },
  {
    name: 'health',
    title: 'Health',
    worksEmpty: true,
    tabs: ['Server', 'Coverage', 'Notes'],
    load: () => import('./views/health.tsx'),
  },
]

/** The entry that an address leads to; null when there is none. */
export function viewOf(name: string): ViewEntry | null {
  return VIEWS.find((it) => it.name === name || it.also?.includes(name) === true) ?? null
}
