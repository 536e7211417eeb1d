/** The files of the web page, and nothing else of the disk. */

import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpFailure } from '#server/http/failure'

/** Where the built page lies: beside the bundle; for sources that run as they are, where `npm run build` puts it. */
export function builtPage(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../dist/ui/' : './ui/', import.meta.url))
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const INDEX = 'index.html'
/** Files of this folder have the hash of their content in their name. */
const HASHED = '/assets/'

/** A file of the page by its name; every other path is the page itself, which reads its address. */
export async function pageFile(folder: string, path: string): Promise<Response> {
  const name = decoded(path)
  const file = (await fileIn(folder, name)) ?? (name.startsWith(HASHED) ? null : await fileIn(folder, `/${INDEX}`))
  if (file === null)
    throw new HttpFailure(404, 'not_found', `There is no ${path.slice(0, 300)}.`, { hint: 'The page is at /.' })
  const type = TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream'
  const isFixed = name.startsWith(HASHED)
  return new Response(await readFile(file), {
    headers: {
      'Content-Type': type,
      'Cache-Control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

/** Real path of a regular file whose real path lies in the real folder, else null. */
async function fileIn(folder: string, name: string): Promise<string | null> {
  if (name.includes('\0') || name.includes('\\') || name.split('/').some((it) => it.startsWith('.'))) return null
  try {
    const [base, file] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    return file.startsWith(join(base, '/')) && (await stat(file)).isFile() ? file : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG') return null
    throw error
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // no file has a name that cannot be written
    return '/'
  }
}
