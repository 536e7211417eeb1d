/** Faults of the manifests that Python is looked up by, and of names of files. */

import { baseName, type Host } from '#ingest/resolve/host'
import { tomlFault } from '#ingest/toml'

const SECTION = /^\[[^\]]*\]\s*(?:[#;].*)?$/
const ENTRY = /^[^=:\s][^=:]*[=:]/

/** Names every `pyproject.toml`, `Pipfile` and `setup.cfg` that cannot be read to its end. */
export function reportManifests({ program, problemIn }: Host): void {
  for (const [path, text] of program.project.configFiles) {
    const name = baseName(path)
    const fault =
      name === 'pyproject.toml' || name === 'Pipfile'
        ? tomlFault(text)
        : name === 'setup.cfg'
          ? cfgFault(text)
          : undefined
    if (fault !== undefined)
      problemIn(path, fault.line, `Only what stands in front of this line is read: ${fault.message}`)
  }
}

/** What keeps a text from being a file of sections and entries; undefined when nothing does. */
function cfgFault(text: string): { line: number; message: string } | undefined {
  let isInSection = false
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    if (SECTION.test(line)) isInSection = true
    else if (!isInSection) return { line: i + 1, message: 'an entry in front of any section' }
    else if (!/^\s/.test(line) && !ENTRY.test(line)) return { line: i + 1, message: 'neither a section nor an entry' }
  }
  return undefined
}

/** Names files whose paths differ in case alone: some systems keep only one of them. */
export function reportCaseTwins({ program, problem }: Host, files: readonly number[]): void {
  const seen = new Map<string, number>()
  for (const file of files) {
    const key = program.paths[file].toLowerCase()
    const other = seen.get(key)
    if (other === undefined) seen.set(key, file)
    else
      problem(
        file,
        1,
        `The path differs from ${program.paths[other]} in case alone; some systems keep only one of them.`,
      )
  }
}
