/** The program and its workers as bundles, with the grammars and the page beside them. */

import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile, type PluginBuild } from 'esbuild'
import { build as buildPage } from 'vite'
import { LANGUAGES } from '#ingest/languages'
import pageConfig from '../vite.config.ts'

const top = fileURLToPath(new URL('../', import.meta.url))

const HOW = {
  format: 'esm',
  platform: 'node',
  // some packages offer modules by this field alone
  mainFields: ['module', 'main'],
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
} satisfies BuildOptions

/** Writes the program into the folder `to`; a `package.json` above it says its version. */
export async function bundle(to: string): Promise<string> {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(join(to, 'grammars'), { recursive: true })
  const program = await bundled(to, ['src/main.ts'], 'chunk-[hash]')
  await joinStart(to, program.outputs)
  // threads of their own have modules of their own, and need the least
  await bundled(to, WORKERS, 'worker-[hash]')

  copyFileSync(
    join(top, 'node_modules/web-tree-sitter/web-tree-sitter.wasm'),
    join(to, 'grammars/web-tree-sitter.wasm'),
  )
  const grammars = [...new Set(LANGUAGES.map((it) => it.grammar).filter((it) => it !== ''))]
  for (const it of grammars) copyFileSync(grammarFile(it), join(to, `grammars/tree-sitter-${it}.wasm`))
  await copyChecker(join(to, 'typescript'))
  await buildPage({
    ...pageConfig,
    configFile: false,
    logLevel: 'warn',
    build: { ...pageConfig.build, outDir: join(to, 'ui') },
  })
  chmodSync(join(to, 'main.js'), 0o755)
  const scripts = readdirSync(to).filter((it) => it.endsWith('.js'))
  const bytes = scripts.reduce((sum, it) => sum + statSync(join(to, it)).size, 0)
  return `${scripts.length} files, ${Math.round(bytes / 1024)} kB, and ${grammars.length} grammars`
}

const WORKERS = [
  'src/engine/ingest-worker.ts',
  'src/engine/index-worker.ts',
  'src/ingest/extract-worker.ts',
  'src/ingest/check-worker.ts',
]

async function bundled(to: string, entryPoints: string[], chunkNames: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: top,
    entryPoints,
    entryNames: '[name]',
    chunkNames,
    outdir: to,
    bundle: true,
    splitting: true,
    ...HOW,
    // packages in the older module format ask for built-in modules by `require`
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
    plugins: [
      { name: 'no-validator', setup: leaveOutValidator },
      { name: 'checker-beside', setup: keepCheckerBeside },
      { name: 'http-apart', setup: keepHttpApart },
    ],
    metafile: true,
  })
  return metafile
}

/** What a server asks for before its first answer. */
const START = [
  'src/server/serve.ts',
  'src/server/load-settings.ts',
  'src/engine/settings.ts',
  'src/engine/engine.ts',
  'src/server/relay.ts',
  'src/server/mcp.ts',
]
const JOINED = 'start.js'

/**
 * Puts the pieces that every server loads before its first answer into one file: finding fifty takes longer than running
 * them. In their places stand references to it, so that whoever loads one of them gets the same modules.
 */
async function joinStart(to: string, outputs: Metafile['outputs']): Promise<void> {
  const pieces = new Set<string>()
  const add = (path: string) => {
    if (pieces.has(path)) return
    pieces.add(path)
    for (const it of outputs[path].imports) if (it.kind === 'import-statement' && it.external !== true) add(it.path)
  }
  for (const [path, { entryPoint = '' }] of Object.entries(outputs)) if (START.includes(entryPoint)) add(path)
  const parts = [...pieces].map((path, i) => ({
    file: join(top, path),
    name: basename(path),
    exports: outputs[path].exports.map((it) => ({ here: it, there: `piece${i}_${it}` })),
  }))
  const lists = parts.map(
    ({ name, exports }) => `export { ${exports.map((it) => `${it.here} as ${it.there}`).join(', ')} } from './${name}'`,
  )
  await build({
    stdin: { contents: lists.join('\n'), resolveDir: to, sourcefile: 'pieces' },
    outfile: join(to, JOINED),
    bundle: true,
    ...HOW,
    plugins: [{ name: 'later-apart', setup: keepLaterApart }],
  })
  for (const { file, exports } of parts)
    writeFileSync(file, `export{${exports.map((it) => `${it.there} as ${it.here}`).join(',')}}from"./${JOINED}";\n`)
}

/** What is asked for when it is needed stays where it is. */
function keepLaterApart({ onResolve }: PluginBuild): void {
  onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined))
}

/**
 * The protocol library has HTTP in one file with what every server needs, and files are what the bundle is split by.
 * Who serves HTTP gets that file a second time, so that the way to the first answer on a pipe does not read it.
 */
function keepHttpApart({ onResolve, resolve }: PluginBuild): void {
  const second = 'second'
  onResolve({ filter: /^@modelcontextprotocol\/server$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
    if (pluginData === second || !importer.includes('/src/server/http/')) return undefined
    const found = await resolve(path, { importer, resolveDir, kind, pluginData: second })
    return { path: found.path, suffix: '?http', sideEffects: found.sideEffects, errors: found.errors }
  })
}

const CHECKER = 'typescript.cjs'

/** TypeScript's checker is a file of its own, loaded by the one worker that uses it. */
function keepCheckerBeside({ onResolve }: PluginBuild): void {
  onResolve({ filter: /^typescript-checker$/ }, () => ({ path: `./typescript/${CHECKER}`, external: true }))
}

/** The checker, what it knows of the language itself, and its licence. */
async function copyChecker(to: string): Promise<void> {
  const from = join(top, 'node_modules/typescript-checker')
  mkdirSync(to)
  await build({
    entryPoints: [join(from, 'lib/typescript.js')],
    outfile: join(to, CHECKER),
    minify: true,
    logLevel: 'error',
  })
  for (const it of ['LICENSE.txt', 'ThirdPartyNoticeText.txt']) copyFileSync(join(from, it), join(to, it))
  for (const it of readdirSync(join(from, 'lib')))
    if (/^lib(?:\..*)?\.d\.ts$/.test(it)) copyFileSync(join(from, 'lib', it), join(to, it))
}

/** The first of the two packages is the one that parsing prefers. */
function grammarFile(name: string): string {
  for (const packageName of ['@repomix/tree-sitter-wasms', '@cursorless/tree-sitter-wasms']) {
    const file = join(top, `node_modules/${packageName}/out/tree-sitter-${name}.wasm`)
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
