/** What a node is, for places that know no more of it than its key. */

import type { ImpactAnswer } from '#views/shapes'
import { type Answer, useGet } from './answers.ts'

export type NodeFacts = ImpactAnswer['source']

/** Name, kind and place of a node; `''` asks nothing. */
export function useNode(key: string): Answer<Pick<ImpactAnswer, 'source'>> {
  return useGet<ImpactAnswer>(key === '' ? '' : '/api/graph/impact', { node: key, depth: 1, limit: 1 })
}

/** The last part of a key, until more is known: `Cart.total` of `file::a.py::Cart.total`. */
export function nameIn(key: string): string {
  const part = key.replace(/\/$/, '').split('::').at(-1) ?? ''
  return part.slice(part.lastIndexOf('/') + 1).replaceAll('%3A%3A', '::') || key
}
