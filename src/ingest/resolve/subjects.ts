/**
 * Which file a test file is about: by its name, or because it imports one file only. A name alone is a guess: `mocks_test.go`
 * is about a `mocks.go` of another folder only when it imports from there, or stands where tests of that folder do.
 */

import type { Tier } from '#graph/graph'
import { baseName, directoryOf } from '#ingest/resolve/host'
import type { Program } from '#ingest/resolve/program'
import type { ResolvedEdge } from '#ingest/resolve/project'
import { partOf, placeOfTest } from '#std/test-places'

const PATTERNS: { pattern: RegExp; stem: string }[] = [
  { pattern: /^test_(.+)\.pyi?$/, stem: '$1' },
  { pattern: /^(.+)_test\.(?:py|go|cc|cpp|c|dart|exs|rb|lua)$/, stem: '$1' },
  { pattern: /^test_(.+)\.(?:rb|c|cc|cpp|sh|lua)$/, stem: '$1' },
  { pattern: /^(.+)_spec\.(?:rb|lua)$/, stem: '$1' },
  { pattern: /^(.+)[.-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/, stem: '$1' },
  { pattern: /^(.+?)(?:Test|Tests|IT|Spec|TestCase)\.(?:java|kt|kts|scala|cs|php|swift|groovy)$/, stem: '$1' },
  { pattern: /^Test(.+)\.(?:java|kt|cs|php)$/, stem: '$1' },
]
const TEST_FOLDER = /(^|\/)(__tests__|tests?)\//
/** Their tests use what lies in the same package without an import, so that what they import is often a helper. */
const SEES_ITS_PACKAGE: ReadonlySet<string> = new Set(['go', 'java', 'kotlin', 'scala', 'csharp', 'swift', 'groovy'])

export interface TestSubject {
  test: number
  subject: number
  tier: Tier
}

/** The subjects of those of `files` that are tests; `edgesOf` gives the edges from a file. */
export function findTestSubjects(
  program: Program,
  files: readonly number[],
  edgesOf: (file: number) => readonly ResolvedEdge[],
): TestSubject[] {
  const { paths, facts, nFiles } = program
  if (!files.some((it) => facts[it].tags.includes('test') || testedStem(paths[it], facts[it].language) !== ''))
    return []
  const isTest = new Uint8Array(nFiles)
  const stems = paths.map((path, file) => testedStem(path, facts[file].language))
  const byStem = new Map<string, number[]>()
  for (let file = 0; file < nFiles; file++) {
    if (stems[file] !== '' || facts[file].tags.includes('test')) isTest[file] = 1
    else if (facts[file].language !== 'generic') {
      const stem = stemOf(paths[file])
      const list = byStem.get(stem)
      if (list) list.push(file)
      else byStem.set(stem, [file])
    }
  }

  /** Parts of the project with sources of a language. */
  const withSources = new Set<string>()
  const placeOf = (file: number) => `${facts[file].language} ${partOf(paths[file]).join('/')}`
  for (let file = 0; file < nFiles; file++) if (isTest[file] === 0) withSources.add(placeOf(file))

  const pairs: TestSubject[] = []
  for (const file of files) {
    if (isTest[file] === 0) continue
    const uses = imported(file)
    const subjects = new Map<number, Tier>()
    const candidates = stems[file] === '' ? [] : (byStem.get(stems[file]) ?? []).filter((it) => isSameKind(it, file))
    const likely = candidates.filter((it) => isLikely(file, it, candidates, uses))
    const named = nearest(file, likely.length > 0 ? likely : candidates)
    if (named >= 0) subjects.set(named, likely.length > 0 ? 'unique' : 'guess')
    const [only, second] = uses
    if (only !== undefined && second === undefined && !hasOwnSources(file)) subjects.set(only, 'unique')
    for (const [subject, tier] of subjects) pairs.push({ test: file, subject, tier })
  }
  return pairs

  /** Whether more than the name says that a test is about a candidate. */
  function isLikely(test: number, it: number, candidates: readonly number[], uses: ReadonlySet<number>): boolean {
    const place = placeOfTest(paths[test], paths[it])
    if (place === 'beside' || place === 'mirrored' || uses.has(it)) return true
    const folder = directoryOf(paths[it])
    if (folder !== '' && [...uses].some((used) => directoryOf(paths[used]) === folder)) return true
    return (
      place === 'under' && candidates.every((other) => other === it || placeOfTest(paths[test], paths[other]) === null)
    )
  }

  function hasOwnSources(test: number): boolean {
    return SEES_ITS_PACKAGE.has(facts[test].language) && withSources.has(placeOf(test))
  }

  /** Files without tests that a file imports. */
  function imported(file: number): Set<number> {
    const found = new Set<number>()
    for (const { relation, from, to, toFile } of edgesOf(file))
      if (relation === 'imports' && from < 0 && to < 0 && isTest[toFile] === 0) found.add(toFile)
    return found
  }

  function isSameKind(a: number, b: number): boolean {
    const kind = (file: number) =>
      facts[file].language
        .replace(/^(typescript|tsx|jsx)$/, 'javascript')
        .replace(/^(kotlin|scala)$/, 'java')
        .replace(/^cpp$/, 'c')
    return kind(a) === kind(b)
  }

  /** The candidate with the most folders in common, then the shortest and first path; -1 without any. */
  function nearest(file: number, candidates: readonly number[]): number {
    const own = directoryOf(paths[file]).split('/')
    let best = -1
    let bestShared = -1
    for (const it of candidates) {
      const folders = directoryOf(paths[it]).split('/')
      let shared = 0
      for (const folder of new Set(folders)) if (own.includes(folder)) shared++
      const isBetter =
        shared > bestShared || (shared === bestShared && best >= 0 && paths[it].length < paths[best].length)
      if (isBetter) {
        best = it
        bestShared = shared
      }
    }
    return best
  }
}

function stemOf(path: string): string {
  const name = baseName(path)
  const dot = name.indexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

/** The stem of the file that a test file's name speaks of; '' when it is no such name. */
function testedStem(path: string, language: string): string {
  const name = baseName(path)
  for (const { pattern, stem } of PATTERNS) {
    const match = pattern.exec(name)
    if (match !== null) return name.replace(pattern, stem).replace(/\..*$/, '')
  }
  if (/(^|\/)__tests__\//.test(path)) return stemOf(path)
  return language === 'rust' && TEST_FOLDER.test(path) ? stemOf(path) : ''
}
