/** What composer.json says about where classes are found, as far as it is wrong. */

import { directoryOf, foldersOf, type Host, joinPath } from '#ingest/resolve/host'
import { parseObject } from '#ingest/resolve/workspace'

export function checkComposer({ program, problemIn }: Host): void {
  const folders = foldersOf(program.paths)
  for (const [path, text] of program.project.configFiles) {
    if (!/(?:^|\/)composer\.json$/.test(path)) continue
    const settings = parseObject(text)
    for (const section of ['autoload', 'autoload-dev'])
      for (const folder of foldersNamed(member(settings, section))) {
        const full = joinPath(directoryOf(path), folder)
        if (full !== null && full !== '' && !folders.has(full))
          problemIn(path, 1, `The folder ${folder} that ${section} names does not exist or holds no source.`)
      }
  }
}

/** Folders of the rules that map namespaces to them. */
function foldersNamed(autoload: unknown): string[] {
  return ['psr-4', 'psr-0'].flatMap((rule) => {
    const map = member(autoload, rule)
    if (typeof map !== 'object' || map === null) return []
    return Object.values(map)
      .flat()
      .filter((it) => typeof it === 'string')
  })
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}
