/** How the page of `src/ui` is built into files that a browser loads; `npx vite` serves it from its sources, beside `m1nd serve`. */

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('src/ui', import.meta.url)),
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/ui', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // the server allows no script and no style that stands in the page itself
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'licences.md' },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:1337' } },
})
