/** Packages of a JavaScript workspace: every package.json of the project that has a name. */

import { parseJsonc } from '#ingest/resolve/jsonc'
import { directoryOf } from '#ingest/resolve/host'

export interface WorkspacePackage {
  folder: string
  manifest: Record<string, unknown>
}

export interface Workspace {
  byName: Map<string, WorkspacePackage>
  byFolder: Map<string, WorkspacePackage>
}

export interface Problem {
  path: string
  line: number
  message: string
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text holds as JSON; null when it is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  const parsed = parseJsonc(text)
  return 'value' in parsed && isRecord(parsed.value) ? parsed.value : null
}

/** A folder pattern of a workspace and where it is written. */
interface Glob extends Problem {
  pattern: RegExp
  isNegative: boolean
}

export function findWorkspacePackages(configFiles: ReadonlyMap<string, string>, problems: Problem[]): Workspace {
  const byFolder = new Map<string, WorkspacePackage>()
  const globs: Glob[] = []
  // shallow manifests first, so that a fixture of the same name deep inside does not hide the package
  const paths = [...configFiles.keys()]
    .filter((it) => /(?:^|\/)package\.json$/.test(it) && !it.includes('node_modules/'))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  for (const path of paths) {
    const text = configFiles.get(path) ?? ''
    const parsed = parseJsonc(text)
    if ('value' in parsed && isRecord(parsed.value)) {
      byFolder.set(directoryOf(path), { folder: directoryOf(path), manifest: parsed.value })
      globs.push(...globsOf(path, text, parsed.value))
    }
  }
  for (const [path, text] of configFiles)
    if (/(?:^|\/)pnpm-workspace\.yaml$/.test(path)) {
      const listed = listedGlobs(path, text)
      globs.push(...listed)
      if (listed.length === 0 && /^packages\s*:(?!\s*\[\s*\])/m.test(text))
        problems.push({ path, line: 1, message: 'No workspace pattern can be read, so there are no packages.' })
    }

  const folders = [...byFolder.keys()]
  for (const { pattern, isNegative, path, line, message } of globs)
    if (!isNegative && !folders.some((it) => pattern.test(it))) problems.push({ path, line, message })
  const isMember = (folder: string): boolean => {
    let member = false
    for (const it of globs) if (it.pattern.test(folder)) member = !it.isNegative
    return member
  }
  return { byName: named(byFolder, isMember, problems), byFolder }
}

/** Packages by name. Of several with one name a member of the workspace comes first, then the one that lies highest. */
function named(
  byFolder: ReadonlyMap<string, WorkspacePackage>,
  isMember: (folder: string) => boolean,
  problems: Problem[],
): Map<string, WorkspacePackage> {
  const byName = new Map<string, WorkspacePackage>()
  const doubled = new Set<string>()
  for (const member of byFolder.values()) {
    const { name } = member.manifest
    if (typeof name !== 'string' || name === '') continue
    const before = byName.get(name)
    if (before === undefined) {
      byName.set(name, member)
      continue
    }
    const first = !isMember(before.folder) && isMember(member.folder) ? member : before
    byName.set(name, first)
    // packages within examples and fixtures are no part of the workspace, and may repeat what is
    if (doubled.has(name) || isMember(before.folder) !== isMember(member.folder)) continue
    doubled.add(name)
    const [path, other] = [member.folder, before.folder].map((it) =>
      it === '' ? 'package.json' : `${it}/package.json`,
    )
    const message = `The package name "${name}" is that of ${other} as well; imports of it lead to the first.`
    problems.push({ path, line: 1, message })
  }
  return byName
}

function globsOf(path: string, text: string, { workspaces }: Record<string, unknown>): Glob[] {
  const list = isRecord(workspaces) ? workspaces.packages : workspaces
  if (!Array.isArray(list)) return []
  return list
    .filter((it) => typeof it === 'string')
    .map((it) => globOf(path, text.slice(0, Math.max(0, text.indexOf(`"${it}"`))).split('\n').length, it))
}

/** The entries of `packages:` in YAML, below it or in brackets. */
function listedGlobs(path: string, text: string): Glob[] {
  const globs: Glob[] = []
  const inBrackets = /^packages\s*:\s*\[([^\]]*)\]/m.exec(text)
  if (inBrackets !== null) {
    const line = text.slice(0, inBrackets.index).split('\n').length
    for (const it of inBrackets[1].split(',')) {
      const glob = it.trim().replace(/^(["'])(.*)\1$/, '$2')
      if (glob !== '') globs.push(globOf(path, line, glob))
    }
  }
  let inside = false
  text.split('\n').forEach((line, i) => {
    if (/^\S/.test(line)) inside = /^packages\s*:/.test(line) || (inside && line.startsWith('-'))
    const item = inside ? /^\s*-\s*(["']?)([^"'#]+?)\1\s*(?:#.*)?$/.exec(line)?.[2] : undefined
    if (item !== undefined) globs.push(globOf(path, i + 1, item))
  })
  return globs
}

function globOf(path: string, line: number, glob: string): Glob {
  const isNegative = glob.startsWith('!')
  const folder = directoryOf(path)
  const plain = glob
    .replace(/^!/, '')
    .replace(/^\.\//, '')
    .replace(/\/(?:package\.json)?$/, '')
  const source = plain
    .replace(/[.+^$()|[\]\\?]/g, '\\$&')
    .replace(/\{([^{}]*)\}/g, (_, list: string) => `(?:${list.replaceAll(',', '|')})`)
    .replace(/(?:\*\*\/?)+|\*+/g, (it) => (it.startsWith('**') ? '(?:.*)' : '[^/]*'))
    // what stands in braces may hold no pattern of its own
    .replace(/[{}]/g, '\\$&')
  const prefix = folder === '' ? '' : `${folder.replace(/[.+^$()|[\]\\?{}*]/g, '\\$&')}/`
  const message = `The workspace pattern "${glob}" matches no package.`
  return { path, line, message, isNegative, pattern: new RegExp(`^${prefix}${source}$`) }
}
