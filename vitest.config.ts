import { defineConfig } from 'vitest/config'

/** What every run of tests has in common. */
export const shared = {
  testTimeout: 30_000,
  expect: { poll: { timeout: 20_000 } },
  hookTimeout: 60_000,
  pool: 'threads' as const,
}

export default defineConfig({
  test: {
    ...shared,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/fixtures/**', 'test/page/**', 'node_modules/**'],
  },
})
