/** Joins two sets of records into one. */

import { type Coverage, CUSTOM, type GraphMeta, MAX_SITES, REFERENCE, type Root } from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'

/** `base` with `added` laid over it; see `mergeInputs`. */
export function merge(base: GraphInput, addedAsGiven: GraphInput): GraphInput {
  const replaced = replacedRoot(base.meta, addedAsGiven.meta)
  const added = withPrefix(addedAsGiven, replaced === null ? freePrefix(base, addedAsGiven) : replaced.prefix)
  const claimed = base.nodes.map((it) => replaced !== null && isOwnKey(it.key, replaced.prefix))
  const kept = keptNodes(base, added, claimed)

  // positions of both lists in the joined one
  const nodes: NodeInput[] = []
  const positions = new Map<string, number>()
  const place = (node: NodeInput): number => {
    positions.set(node.key, nodes.length)
    return nodes.push({ ...node }) - 1
  }
  const replacing = new Set<number>()
  const fromBase = base.nodes.map((node, i) => {
    if (!kept[i]) return -1
    if (claimed[i]) replacing.add(nodes.length)
    return place(node)
  })
  const fromAdded = added.nodes.map((node) => {
    const at = positions.get(node.key)
    if (at === undefined) return place(node)
    nodes[at] = replacing.has(at) ? { ...node } : united(nodes[at], node)
    return at
  })

  const parents = new Int32Array(nodes.length).fill(-1)
  base.nodes.forEach(({ parent = -1 }, i) => {
    if (kept[i] && !claimed[i] && parent >= 0) parents[fromBase[i]] = fromBase[parent]
  })
  added.nodes.forEach(({ parent = -1 }, i) => {
    if (parent >= 0 && parents[fromAdded[i]] < 0) parents[fromAdded[i]] = fromAdded[parent]
  })
  nodes.forEach((node, i) => {
    node.parent = parents[i]
  })

  const edges: EdgeInput[] = []
  for (const edge of base.edges) {
    const source = fromBase[edge.source]
    const target = fromBase[edge.target]
    if (source >= 0 && target >= 0 && !claimed[edge.source]) edges.push({ ...edge, source, target })
  }
  for (const edge of added.edges) {
    edges.push({ ...edge, source: fromAdded[edge.source], target: fromAdded[edge.target] })
  }
  return { nodes, edges, meta: mergedMeta(base.meta, added.meta) }
}

/** The root of `base` that `added` brings anew, when it is one of source code. */
function replacedRoot(base: GraphMeta, added: GraphMeta): Root | null {
  const [root, ...others] = added.roots
  if (root === undefined || others.length > 0 || root.adapter !== 'code') return null
  return base.roots.find((it) => it.path === root.path && it.adapter === 'code') ?? null
}

/** The prefix that keeps the keys of a new code root apart from those of `base`, '' when they are apart. */
function freePrefix(base: GraphInput, added: GraphInput): string {
  const [root, ...others] = added.meta.roots
  if (root === undefined || others.length > 0 || root.adapter !== 'code' || root.prefix !== '') return ''
  if (!base.meta.roots.some((it) => it.adapter === 'code')) return ''
  const taken = new Set(base.nodes.map((it) => it.key))
  if (!added.nodes.some(({ key }) => isOwnKey(key, '') && taken.has(key))) return ''
  const name = root.path.split('/').findLast((it) => it !== '') ?? 'root'
  const prefixes = new Set(base.meta.roots.map((it) => it.prefix))
  let prefix = `${name}::`
  for (let n = 2; prefixes.has(prefix); n++) prefix = `${name}-${n}::`
  return prefix
}

function withPrefix(input: GraphInput, prefix: string): GraphInput {
  if (prefix === '') return input
  return {
    nodes: input.nodes.map((it) => (isOwnKey(it.key, '') ? { ...it, key: prefix + it.key } : it)),
    edges: input.edges,
    meta: { ...input.meta, roots: input.meta.roots.map((it) => (it.prefix === '' ? { ...it, prefix } : it)) },
  }
}

/** Files, folders and what is in them belong to their root; packages and the like are shared between roots. */
function isOwnKey(key: string, prefix: string): boolean {
  return key.startsWith(`${prefix}file::`) || key.startsWith(`${prefix}dir::`)
}

/** Which nodes of `base` stay: not those that their root no longer has, nor what only those made use of. */
function keptNodes(base: GraphInput, added: GraphInput, claimed: boolean[]): boolean[] {
  const keys = new Set(added.nodes.map((it) => it.key))
  const kept = base.nodes.map((it, i) => !claimed[i] || keys.has(it.key))
  const used = new Set<number>()
  const released = new Set<number>()
  for (const { source, target } of base.edges) {
    if (claimed[source]) released.add(target)
    else if (kept[source] && kept[target]) used.add(source).add(target)
  }
  for (const v of released) if (!claimed[v] && !used.has(v) && !keys.has(base.nodes[v].key)) kept[v] = false
  return kept
}

function united(old: NodeInput, node: NodeInput): NodeInput {
  const saysNothing = old.type === REFERENCE || old.type >= CUSTOM
  return {
    key: old.key,
    label: old.label || node.label,
    type: saysNothing ? node.type : old.type,
    tags: [...new Set([...(old.tags ?? []), ...(node.tags ?? [])])],
    lastModified: Math.max(old.lastModified ?? 0, node.lastModified ?? 0),
    changeFrequency: Math.max(old.changeFrequency ?? 0, node.changeFrequency ?? 0),
    path: old.path || node.path,
    lineStart: old.lineStart || node.lineStart,
    lineEnd: Math.max(old.lineEnd ?? 0, node.lineEnd ?? 0),
    excerpt: old.excerpt || node.excerpt,
    namespace: old.namespace || node.namespace,
    canonical: (old.canonical ?? false) || (node.canonical ?? false),
  }
}

function mergedMeta(base: GraphMeta, added: GraphMeta): GraphMeta {
  const sameRoot = (a: Root, b: Root) => a.path === b.path && a.adapter === b.adapter
  const others = base.roots.filter((it) => !added.roots.some((root) => sameRoot(it, root)))
  const replacesAll = base.roots.length > 0 && others.length === 0
  return {
    domain: base.roots.length === 0 ? added.domain : base.domain,
    ingestedAt: Math.max(base.ingestedAt, added.ingestedAt),
    roots: [
      ...base.roots.map((it) => added.roots.find((root) => sameRoot(it, root)) ?? it),
      ...added.roots.filter((it) => !base.roots.some((root) => sameRoot(it, root))),
    ],
    commit: base.roots.length === 0 || replacesAll ? added.commit : base.commit,
    coverage: replacesAll ? added.coverage : summedCoverage(base.coverage, added.coverage),
    generation: Math.max(base.generation, added.generation),
    plasticityGeneration: Math.max(base.plasticityGeneration, added.plasticityGeneration),
  }
}

function summedCoverage(a: Coverage, b: Coverage): Coverage {
  return {
    filesParsed: a.filesParsed + b.filesParsed,
    filesPartial: a.filesPartial + b.filesPartial,
    filesSkipped: a.filesSkipped + b.filesSkipped,
    resolved: a.resolved + b.resolved,
    ambiguous: a.ambiguous + b.ambiguous,
    unresolved: a.unresolved + b.unresolved,
    external: a.external + b.external,
    sites: [...a.sites, ...b.sites].slice(0, MAX_SITES),
    boundaries: [...a.boundaries, ...b.boundaries].slice(0, MAX_SITES),
    patterns: [...a.patterns, ...b.patterns].slice(0, MAX_SITES),
    files: new Map([...a.files, ...b.files]),
    truncated: b.truncated || a.truncated,
  }
}
