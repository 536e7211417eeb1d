/** Bundles the program and its workers into `dist/`, with the grammars beside them: `npm run build`. */

import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build, type PluginBuild } from 'esbuild'
import { LANGUAGES } from '#ingest/languages'

const top = new URL('../', import.meta.url)
const path = (relative: string) => fileURLToPath(new URL(relative, top))
const require = createRequire(import.meta.url)

rmSync(path('dist'), { recursive: true, force: true })
mkdirSync(path('dist/grammars'), { recursive: true })

const result = await build({
  absWorkingDir: path('.'),
  entryPoints: ['src/main.ts', 'src/engine/ingest-worker.ts', 'src/ingest/extract-worker.ts'],
  entryNames: '[name]',
  chunkNames: 'chunk-[hash]',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  // it finds its own prebuilt binary, or its WebAssembly twin, at run time
  external: ['oxc-resolver'],
  // packages in the older module format ask for built-in modules by `require`
  banner: { js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);" },
  plugins: [{ name: 'no-validator', setup: leaveOutValidator }],
  metafile: true,
  logLevel: 'warning',
})

copyFileSync(require.resolve('web-tree-sitter/web-tree-sitter.wasm'), path('dist/grammars/web-tree-sitter.wasm'))
const grammars = [...new Set(LANGUAGES.map((it) => it.grammar).filter((it) => it !== ''))]
for (const grammar of grammars) copyFileSync(grammarFile(grammar), path(`dist/grammars/tree-sitter-${grammar}.wasm`))
chmodSync(path('dist/main.js'), 0o755)

const bytes = Object.values(result.metafile.outputs).reduce((sum, it) => sum + it.bytes, 0)
console.log(`dist: ${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} kB, and ${grammars.length} grammars`)

/** The first of the two packages is the one that parsing prefers. */
function grammarFile(name: string): string {
  for (const packageName of ['@repomix/tree-sitter-wasms', '@cursorless/tree-sitter-wasms']) {
    const file = path(`node_modules/${packageName}/out/tree-sitter-${name}.wasm`)
    if (existsSync(file)) return file
  }
  throw new Error(`No package ships the grammar ${name}.`)
}

/**
 * The protocol library loads a validator of JSON Schema for forms that a server asks a client to fill in. We ask
 * none, and it would be a third of what is read before the first answer.
 */
function leaveOutValidator({ onResolve, onLoad }: PluginBuild): void {
  const shim = '@modelcontextprotocol/server/_shims'
  onResolve({ filter: new RegExp(`^${shim}$`) }, () => ({ path: shim, namespace: 'no-validator' }))
  onLoad({ filter: /.*/, namespace: 'no-validator' }, () => ({
    contents: `
      export { default as process } from 'node:process'
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('this server asks clients for no forms') }
      }`,
  }))
}
