import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { workerUrl } from '#std/worker-url'

describe('workerUrl', () => {
  test('names the TypeScript source and its loader while running unbuilt', () => {
    const { url, execArgv } = workerUrl('ingest/extract-worker')

    expect(url.pathname.endsWith('/src/ingest/extract-worker.ts')).toBe(true)
    expect(existsSync(fileURLToPath(url))).toBe(true)
    expect(execArgv[0]).toBe('--import')
    expect(existsSync(fileURLToPath(execArgv[1]))).toBe(true)
  })
})
