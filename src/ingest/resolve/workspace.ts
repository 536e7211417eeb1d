/** Packages of a JavaScript workspace: every package.json of the project that has a name. */

import { directoryOf } from '#ingest/resolve/host'

export interface WorkspacePackage {
  folder: string
  manifest: Record<string, unknown>
}

export interface Workspace {
  byName: Map<string, WorkspacePackage>
  byFolder: Map<string, WorkspacePackage>
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text holds as JSON; null when it is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function findWorkspacePackages(configFiles: ReadonlyMap<string, string>): Workspace {
  const byName = new Map<string, WorkspacePackage>()
  const byFolder = new Map<string, WorkspacePackage>()
  // shallow manifests first, so that a fixture of the same name deep inside does not hide the package
  const paths = [...configFiles.keys()]
    .filter((it) => /(^|\/)package\.json$/.test(it) && !it.includes('node_modules/'))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  for (const path of paths) {
    const manifest = parseObject(configFiles.get(path) ?? '')
    if (manifest === null) continue
    const member = { folder: directoryOf(path), manifest }
    byFolder.set(member.folder, member)
    if (typeof manifest.name === 'string' && manifest.name !== '' && !byName.has(manifest.name))
      byName.set(manifest.name, member)
  }
  return { byName, byFolder }
}
