/** A small made-up library, for tests that need some graph and not a certain one. */

import { FILE, FUNCTION, TIERS } from '#graph/graph'
import type { GraphInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { Random } from '#std/random'

const RELATIONS = ['calls', 'imports', 'references', 'replaces', 'contains']

/** Files with functions, and edges between any of them; the same numbers give the same library. */
export function libraryInput(nNodes: number, nEdges: number, seed: number): GraphInput {
  const random = new Random(seed)
  const nodes = Array.from({ length: nNodes }, (_, v) => {
    const path = `shelf/größe_${v - (v % 6)}.py`
    const isFile = v % 6 === 0
    return {
      key: isFile ? `file::${path}` : `file::${path}::fn::lend_${v}`,
      label: isFile ? path.slice(6) : `lend_${v}`,
      type: isFile ? FILE : FUNCTION,
      tags: ['python', `shelf${random.below(4)}`],
      lastModified: random.below(2_000_000_000),
      changeFrequency: random.float(),
      path,
      lineStart: v % 6,
      lineEnd: v % 6,
      excerpt: isFile ? undefined : `Lends "${v}".`,
      namespace: 'code',
      canonical: v % 5 === 0,
    }
  })
  const edges = Array.from({ length: nEdges }, () => {
    const relation = RELATIONS[random.below(RELATIONS.length)]
    return {
      source: random.below(nNodes),
      target: random.below(nNodes),
      relation,
      weight: random.float() * 3,
      causal: random.float(),
      bidirectional: relation === 'contains',
      tier: TIERS[random.below(TIERS.length)],
      line: random.below(90),
      lifted: random.below(9) === 0,
      unreachable: random.below(9) === 0,
    }
  })
  return { nodes, edges, meta: emptyMeta() }
}
