/** Writes `dist/`: `npm run build`. */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'

const to = join(fileURLToPath(new URL('../', import.meta.url)), 'dist')
console.log(`dist: ${await bundle(to)}`)
