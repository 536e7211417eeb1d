/** How much each finding says about a claim: prior odds per kind and likelihood ratios. */

import type { ClaimType } from '#analysis/claim'

export interface Factors {
  /** Probability of a claim of this kind before anything was looked at. */
  prior: Record<ClaimType, number>
  /** `depends_on` and `always_before`: a path, by its hops; the last one stands for all longer ones. */
  path: readonly number[]
  /** No path though all was looked at; none, but something on the way could not be told. */
  noPath: number
  unsettled: number
  /** `always_before`: a path the other way only. */
  opposite: number
  /** `always_before`: a path, but others reach the object without the subject. */
  otherWays: number
  /** `always_before`: how sure a graph without order in time can be. */
  orderMax: number
  /** `never_calls` and `no_dependency`. */
  deniedPath: readonly number[]
  deniedNoPath: number
  deniedUnsettled: number
  circular: { both: number; one: number; none: number }
  coupling: { entry: number; perStrength: number; sameCommunity: number; apart: number }
  /** By the share of dependents that lose every path: from 0.9, from 0.5, above 0, none. */
  gateway: { nearlyAll: number; half: number; some: number; none: number }
  choke: { central: number; plain: number }
  /** By the number of neighbours: none, at most two, more. */
  isolated: { none: number; few: number; more: number }
  unknown: { path: number; none: number }
  /** A connection that the dimensions suggest, for a claim that there is one and for one that there is none. */
  ghost: { positive: number; negative: number }
}

/** As published. */
export const PUBLISHED: Factors = {
  prior: {
    depends_on: 0.42,
    always_before: 0.42,
    coupling: 0.42,
    circular: 0.42,
    gateway: 0.42,
    never_calls: 0.5,
    no_dependency: 0.5,
    isolated: 0.5,
    unknown: 0.5,
  },
  path: [6, 3.5, 2, 1.5, 1.2],
  noPath: 0.15,
  unsettled: 0.7,
  opposite: 0.3,
  otherWays: 0.12,
  orderMax: 0.75,
  deniedPath: [0.1, 0.25, 0.45],
  deniedNoPath: 6,
  deniedUnsettled: 2,
  circular: { both: 6, one: 0.3, none: 0.1 },
  coupling: { entry: 4, perStrength: 4, sameCommunity: 1.5, apart: 0.3 },
  gateway: { nearlyAll: 8, half: 3, some: 1, none: 0.2 },
  choke: { central: 3, plain: 0.4 },
  isolated: { none: 8, few: 1.5, more: 0.15 },
  unknown: { path: 1.5, none: 0.5 },
  ghost: { positive: 1.3, negative: 0.8 },
}

/** `list[hops - 1]`, and the last one for more hops than there are. */
export function byHops(list: readonly number[], hops: number): number {
  return list[Math.min(hops, list.length) - 1]
}
