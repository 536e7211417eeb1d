/**
 * Where a worker's program lies and how to start it: the TypeScript source while running unbuilt (tests,
 * scripts), the bundle's own file beside the main bundle otherwise. `name` is the source file below `src/`
 * without extension, `ingest/extract-worker`; a bundle keeps only its last part.
 */
export function workerUrl(name: string): { url: URL; execArgv: string[] } {
  const here = import.meta.url
  if (here.endsWith('.ts')) {
    // tsx registers itself in the main thread only unless it is called; named by its file, as a bare name would
    // be looked up from the working directory of the process
    const loader = new URL('../../node_modules/tsx/dist/esm/api/index.mjs', here)
    const program = `import { register } from ${JSON.stringify(loader.href)}; register()`
    return {
      url: new URL(`../${name}.ts`, here),
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(program)}`],
    }
  }
  return { url: new URL(`./${name.slice(name.lastIndexOf('/') + 1)}.js`, here), execArgv: [] }
}
