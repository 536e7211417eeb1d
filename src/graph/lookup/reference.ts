/** What a written reference may mean, from its form alone. */

import type { Root } from '#graph/graph'

/** One reading of a reference. */
export interface Written {
  /** Path of a file or folder, '' when none is written. */
  path: string
  /** True when only a folder can be meant. */
  folder: boolean
  /** Names of definitions, outermost first. */
  names: string[]
  /** Kind written before each name, '' when none. */
  kinds: string[]
  /** 0 when none. */
  line: number
  /** Prefix that the key must have, '' when any will do. */
  repo: string
}

const KINDS = new Set([
  'class',
  'struct',
  'enum',
  'interface',
  'trait',
  'type',
  'fn',
  'mod',
  'variant',
  'const',
  'route',
  'table',
  'section',
])
const NOTHING: Written = { path: '', folder: false, names: [], kinds: [], line: 0, repo: '' }

/** Readings of a reference, the likeliest first. */
export function parseReference(ref: string, roots: readonly Root[]): Written[] {
  const plain = ref
    .trim()
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^(file::)?(\.\/)+(?=.)/, '$1')
    .replace(/^\.\/$/, '.')
    .replace(/\(\)$/, '')
  const { repo, segments } = withoutRepository(plain.split('::'), roots)
  const readings = readingsOf(segments).map((it) => ({ ...it, repo }))
  // a label may itself hold what was taken apart or away
  if (ref !== '') readings.push({ ...NOTHING, names: [ref], kinds: [''] })
  return readings
}

/** The segments behind the name of a repository, where one is written: `backend::file::main.py`. */
function withoutRepository(segments: string[], roots: readonly Root[]): { repo: string; segments: string[] } {
  const [first, ...rest] = segments
  const prefix = `${first}::`
  if (rest.length > 0 && roots.some((it) => it.prefix === prefix)) return { repo: prefix, segments: rest }
  const marked = rest[0] === 'file' || rest[0] === 'dir'
  const named = marked && roots.some((it) => it.prefix === '' && nameOf(it) === first)
  return { repo: '', segments: named ? rest : segments }
}

function nameOf(root: Root): string {
  return root.path.split(/[/\\]/).findLast((it) => it !== '') ?? ''
}

function readingsOf(segments: string[]): Written[] {
  const [first, ...rest] = segments
  if (first === 'file' && rest.length > 0) return filed(rest)
  if (first === 'dir' && rest.length > 0) return [{ ...NOTHING, path: rest.join('::') || '.', folder: true }]
  if (first === 'ref' && rest.length > 0) return named(rest)
  return [...filed(segments), ...named(segments)]
}

/** Readings whose first segment is a path. */
function filed([path, ...rest]: string[]): Written[] {
  if (path === '') return []
  if (rest.length > 0) return withKinds(rest).map((it) => ({ ...it, path }))
  const whole = { ...NOTHING, path, folder: path.endsWith('/') }
  const placed = /^(.*?[^:])(?::|#L)(\d+)(?::\d+)?$/.exec(path)
  return placed === null ? [whole] : [whole, { ...NOTHING, path: placed[1], line: Number(placed[2]) }]
}

/** Readings that are names only; dots may stand for `::`. */
function named(segments: string[]): Written[] {
  if (segments.some((it) => it === '')) return []
  const readings = withKinds(segments)
  const dotted = segments.flatMap((it) => it.split('.'))
  if (dotted.length > segments.length && dotted.every((it) => it !== '')) {
    readings.push({ ...NOTHING, names: dotted, kinds: dotted.map(() => '') })
  }
  return readings
}

/** Segments as kinds and names; once more as names only, since a name may look like a kind. */
function withKinds(segments: string[]): Written[] {
  const names: string[] = []
  const kinds: string[] = []
  for (let i = 0; i < segments.length; i++) {
    const isKind = KINDS.has(segments[i]) && i + 1 < segments.length
    kinds.push(isKind ? segments[i] : '')
    if (isKind) i++
    names.push(segments[i])
  }
  const readings = [{ ...NOTHING, names, kinds }]
  if (names.length < segments.length) readings.push({ ...NOTHING, names: segments, kinds: segments.map(() => '') })
  return readings
}
