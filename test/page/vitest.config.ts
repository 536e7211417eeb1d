/** Tests of the page in a real browser: `npm run test:page`. They need a Chromium, so `npm test` leaves them out. */

import { defineConfig } from 'vitest/config'
import { shared } from '../../vitest.config.ts'

export default defineConfig({ test: { ...shared, include: ['test/page/*.test.ts'] } })
