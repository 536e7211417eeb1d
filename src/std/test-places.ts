/** Where tests stand, seen from what they test. */

/** Folders that hold tests, and none of whose names stands for a part of the project. */
const TEST_FOLDERS: ReadonlySet<string> = new Set(
  'test tests testing __tests__ spec specs unit integration functional e2e'.split(' '),
)
/** Folders that hold sources whatever these are about. */
const SOURCE_FOLDERS: ReadonlySet<string> = new Set(
  'src source sources lib main java kotlin scala groovy swift php python cpp include app pkg'.split(' '),
)

/**
 * How the place of a test speaks for what it tests: `beside` in the same folder, `mirrored` in a folder of tests that
 * stands for that folder, `under` in a folder of tests for a part of the project that the source is somewhere below.
 * null: nothing but a name speaks for it. Paths are relative to one folder, with `/`.
 */
export function placeOfTest(test: string, source: string): 'beside' | 'mirrored' | 'under' | null {
  const from = foldersOf(test)
  const to = foldersOf(source)
  if (from.join('/') === to.join('/')) return 'beside'
  if (!from.some((it) => TEST_FOLDERS.has(it))) return null
  const wanted = partOf(test)
  const there = to.filter((it) => !SOURCE_FOLDERS.has(it))
  if (wanted.at(-1) === there.at(-1)) return 'mirrored'
  return wanted.every((it, i) => it === there[i]) ? 'under' : null
}

/** The part of the project that a file stands in: its folders without those named only for holding tests or sources. */
export function partOf(path: string): string[] {
  return foldersOf(path).filter((it) => !TEST_FOLDERS.has(it) && !SOURCE_FOLDERS.has(it))
}

function foldersOf(path: string): string[] {
  return path.split('/').slice(0, -1)
}
