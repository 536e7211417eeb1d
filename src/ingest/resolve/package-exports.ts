/** `exports` and `imports` of a package.json: which files a name may stand for. */

import { isRecord } from '#ingest/resolve/workspace'

const CONDITIONS = ['source', 'development', 'types', 'import', 'require', 'module', 'browser', 'node', 'default']

/** Targets of an `exports` map for one key, by the order of our conditions and patterns with the longest prefix first. */
export function collectExports(value: unknown, key: string, targets: string[]): void {
  if (isRecord(value) && Object.keys(value).some((it) => it.startsWith('.'))) addedTargets(value, key, targets)
  else if (key === '.') addConditions(value, '', targets)
}

/** Adds the targets of a key of `exports` or `imports`. */
export function addedTargets(map: Record<string, unknown>, key: string, targets: string[]): void {
  if (key in map) {
    addConditions(map[key], '', targets)
    return
  }
  const patterns = Object.keys(map)
    .filter((it) => it.includes('*') || it.endsWith('/'))
    .sort((a, b) => prefixLength(b) - prefixLength(a))
  for (const pattern of patterns) {
    // `./lib/` is the older way to write `./lib/*`
    const [head, tail] = pattern.includes('*') ? pattern.split('*') : [pattern, '']
    if (!key.startsWith(head) || !key.endsWith(tail) || key.length < head.length + tail.length) continue
    const rest = key.slice(head.length, key.length - tail.length)
    const before = targets.length
    addConditions(map[pattern], rest, targets)
    if (!pattern.includes('*')) for (let i = before; i < targets.length; i++) targets[i] += rest
    return
  }
}

function prefixLength(pattern: string): number {
  const star = pattern.indexOf('*')
  return star < 0 ? pattern.length : star
}

function addConditions(value: unknown, star: string, targets: string[]): void {
  if (typeof value === 'string') targets.push(value.replaceAll('*', () => star))
  else if (Array.isArray(value)) for (const item of value) addConditions(item, star, targets)
  else if (isRecord(value)) {
    const others = Object.keys(value).filter((it) => !CONDITIONS.includes(it))
    // a condition of the project's own names its sources
    const own = others.filter((it) => it.includes('/') || it.includes('source'))
    const order = [...own, ...CONDITIONS, ...others.filter((it) => !own.includes(it))]
    for (const condition of order) if (condition in value) addConditions(value[condition], star, targets)
  }
}
