import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { workerUrl } from '#std/worker-url'

test('a worker runs from its TypeScript source while the program is not built', async () => {
  const { url, execArgv } = workerUrl('std/hash')
  expect(url.pathname.endsWith('/src/std/hash.ts')).toBe(true)
  const code = await new Promise((resolve, reject) => {
    new Worker(url, { execArgv }).on('error', reject).on('exit', resolve)
  })
  expect(code).toBe(0)
})
