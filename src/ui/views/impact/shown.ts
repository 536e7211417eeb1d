/** What the view of impact shows, from its address. */

import { computed } from '@preact/signals'
import type { ImpactAnswer } from '#views/shapes'
import { type Answer, useGet } from '../../state/answers.ts'
import { address, choice, go, link, param } from '../../state/route.ts'

export const DIRECTIONS = ['forward', 'reverse', 'both'] as const
export const DEPTHS = ['3', '1', '2', '4', '5'] as const
export const SHOWN = ['change', 'removal'] as const
/** Rows of one reach; the counts are of all. */
const ROWS = 1000

/** The node that it is about, '' for none yet. */
export const centre = computed(() => (address.value.view === 'impact' ? address.value.about : ''))
/** The node that it is compared with, '' for none. */
export const other = computed(() => param('with'))
export const direction = computed(() => choice('direction', DIRECTIONS))
export const depth = computed(() => choice('depth', DEPTHS))
export const withGuesses = computed(() => param('guesses') === 'yes')
export const shown = computed(() => choice('show', SHOWN))
/** What is looked at besides, '' for the centre alone. */
export const row = computed(() => param('node'))

export function useReach(key: string): Answer<ImpactAnswer> {
  return useGet<ImpactAnswer>(key === '' ? '' : '/api/graph/impact', {
    node: key,
    direction: direction.value,
    depth: depth.value,
    guesses: withGuesses.value ? 'yes' : undefined,
    limit: ROWS,
  })
}

/** Puts another node into the middle; how it is looked at stays. */
export function lookAt(key: string): void {
  const { params } = address.peek()
  const kept = Object.fromEntries([...params].filter(([name]) => name !== 'node'))
  go(link('impact', key, kept))
}

export function words(relation: string): string {
  return relation.replaceAll('_', ' ')
}
