/** A server in the process of the test, for a project that was read, and how its answers are looked at. */

import { afterAll, beforeAll, expect } from 'vitest'
import type * as z from 'zod'
import type { Engine } from '#engine/brain'
import { type HttpServer, serveHttp } from '#server/http'
import { answer, cleanUp, engineFor, projectOf, temporaryFolder } from './support.ts'

export interface ShopServer {
  engine: Engine
  /** Folder of the project. */
  root: string
  get(path: string, to?: HttpServer): Promise<{ status: number; body: Record<string, unknown> }>
  /** An answer of status 200 that has exactly this shape. */
  read<T>(shape: z.ZodType<T>, path: string, to?: HttpServer): Promise<T>
}

/** Serves a project of these files to the tests of a file; `prepare` works on its folder before it is read. */
export function serveShop(
  files: Readonly<Record<string, string>>,
  prepare: (root: string) => void = () => {},
): ShopServer {
  let engine: Engine | null = null
  let http: HttpServer | null = null
  let root = ''
  const there = <T>(it: T | null): T => {
    if (it === null) throw new Error('The server starts before the first test, not earlier.')
    return it
  }

  beforeAll(async () => {
    root = projectOf('shop', files)
    prepare(root)
    engine = engineFor(root, { port: 0 })
    http = await serveHttp(engine, { version: '0.0.0', log: () => {} })
    await answer(engine, 'ingest', { path: root })
  })
  afterAll(async () => {
    await http?.close(1000)
    await engine?.close()
    cleanUp()
  })

  const get = async (path: string, to = there(http)) => {
    const response = await fetch(to.url + path)
    return { status: response.status, body: Object(await response.json()) }
  }
  return {
    get engine() {
      return there(engine)
    },
    get root() {
      return root
    },
    get,
    async read(shape, path, to) {
      const { status, body } = await get(path, to)
      expect(status, JSON.stringify(body)).toBe(200)
      const read = shape.parse(body)
      expect(body).toEqual(read)
      return read
    },
  }
}

/** Another project, and a server that has read nothing yet. */
export async function elsewhere<T>(act: (other: HttpServer) => Promise<T>): Promise<T> {
  const empty = engineFor(temporaryFolder(), { port: 0 })
  const other = await serveHttp(empty, { version: '0.0.0', log: () => {} })
  try {
    return await act(other)
  } finally {
    await other.close(1000)
    await empty.close()
  }
}
