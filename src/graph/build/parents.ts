/** Which node contains which. */

import { type Csr, NONE, PRIMARY } from '#graph/graph'
import { isContainment } from '#graph/relations'
import type { Strings } from '#graph/strings'

interface Contained {
  out: Csr
  relations: Uint32Array
  flags: Uint8Array
  strings: Strings
}

/**
 * Fills in `parents` from containment edges where the input gave none, first edge first, and cuts circles,
 * so that walking upwards always ends.
 */
export function completeParents(parents: Uint32Array, { out, relations, flags, strings }: Contained): void {
  const nNodes = parents.length
  const containment = new Map<number, 'source' | 'target' | null>()
  for (let v = 0; v < nNodes; v++) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      if ((flags[e] & PRIMARY) === 0) continue
      let outer = containment.get(relations[e])
      if (outer === undefined) {
        outer = outerEnd(strings.get(relations[e]))
        containment.set(relations[e], outer)
      }
      const u = out.targets[e]
      if (outer === null || u === v) continue
      if (outer === 'source' && parents[u] === NONE) parents[u] = v
      if (outer === 'target' && parents[v] === NONE) parents[v] = u
    }
  }

  // 0 not seen, 1 on the way up from the current node, 2 known to reach a top
  const seen = new Uint8Array(nNodes)
  for (let start = 0; start < nNodes; start++) {
    let v = start
    while (v !== NONE && seen[v] === 0) {
      seen[v] = 1
      if (parents[v] !== NONE && seen[parents[v]] === 1) parents[v] = NONE
      v = parents[v]
    }
    for (v = start; v !== NONE && seen[v] === 1; v = parents[v]) seen[v] = 2
  }
}

function outerEnd(relation: string): 'source' | 'target' | null {
  if (!isContainment(relation)) return null
  return relation === 'subsection_of' ? 'target' : 'source'
}
