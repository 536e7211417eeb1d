/** Which file a test file is about: by its name, or because it imports one file only. */

import { baseName, directoryOf } from '#ingest/resolve/host'
import type { Program } from '#ingest/resolve/program'
import type { ResolvedEdge } from '#ingest/resolve/project'

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

/** The subjects of those of `files` that are tests; `edgesOf` gives the edges from a file. */
export function findTestSubjects(
  program: Program,
  files: readonly number[],
  edgesOf: (file: number) => readonly ResolvedEdge[],
): { test: number; subject: number }[] {
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

  const pairs: { test: number; subject: number }[] = []
  for (const file of files) {
    if (isTest[file] === 0) continue
    const subjects = new Set<number>()
    const named = nearest(
      file,
      (byStem.get(stems[file]) ?? []).filter((it) => isSameKind(it, file)),
    )
    if (stems[file] !== '' && named >= 0) subjects.add(named)
    const [only, second] = imported(file)
    if (only !== undefined && second === undefined) subjects.add(only)
    for (const subject of subjects) pairs.push({ test: file, subject })
  }
  return pairs

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
