/** Asks the compiler of a language about a project. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EvaluatedLanguage, hasProgram, npmProgram, type Project, run } from './projects.ts'
import { type Said, type Truth, truthFrom } from './truth.ts'
import { pythonRoots, saidByIndex } from './truth/indexed.ts'
import { saidByRustAnalyzer } from './truth/rust.ts'
import { type Document, readScip } from './truth/scip.ts'

interface Compiler {
  /** What tells the truth, for the page. */
  name: string
  /** Why it cannot be asked, '' when it can. */
  missing(): string
  ask(project: Project): Said
}

const SCIP_TYPESCRIPT = '0.4.0'
const SCIP_PYTHON = '0.6.6'

const COMPILERS: Record<EvaluatedLanguage, Compiler> = {
  typescript: {
    name: `scip-typescript ${SCIP_TYPESCRIPT}`,
    missing: () => '',
    ask: ({ folder }) =>
      indexed(folder, /\.[cm]?tsx?$/, 'typescript', (output) => {
        const program = join(npmProgram('@sourcegraph/scip-typescript', SCIP_TYPESCRIPT), 'dist/src/main.js')
        const settings = existsSync(join(folder, 'tsconfig.json')) ? [] : ['--infer-tsconfig']
        run(process.execPath, [program, 'index', '--no-progress-bar', ...settings, '--output', output], folder)
      }),
  },
  python: {
    name: `scip-python ${SCIP_PYTHON}`,
    missing: () => (hasProgram('python3') ? '' : 'python3 is not installed'),
    ask: ({ folder, name }) => {
      const work = mkdtempSync(join(tmpdir(), 'python-'))
      try {
        // a copy of the sources alone, so that settings of the project do not matter and none are added to it
        const paths = filesBelow(folder, folder).filter((it) => it.endsWith('.py'))
        for (const it of paths) cpSync(join(folder, it), join(work, it))
        const roots = [...pythonRoots(new Set(paths))].filter((it) => it !== '')
        writeFileSync(join(work, 'pyrightconfig.json'), JSON.stringify({ extraPaths: roots }))
        return indexed(work, /\.py$/, 'python', (output) => {
          const program = join(npmProgram('@sourcegraph/scip-python', SCIP_PYTHON), 'index.js')
          // the packages that happen to be installed here must not change what is measured
          const packages = join(output, '..', 'packages.json')
          writeFileSync(packages, '[]')
          const settings = ['--project-name', name, '--project-version', '0', '--environment', packages, '--quiet']
          run(process.execPath, [program, 'index', '--cwd', work, '--output', output, ...settings], work)
        })
      } finally {
        rmSync(work, { recursive: true, force: true })
      }
    },
  },
  go: {
    name: 'go/types',
    missing: () => (hasProgram('go', 'version') ? '' : 'the Go toolchain is not installed'),
    ask: ({ folder }) => saidFrom(run('go', ['run', '.', folder], here('truth/go'), { GOFLAGS: '-mod=mod' })),
  },
  rust: {
    name: 'rust-analyzer',
    missing: () =>
      hasProgram('rust-analyzer') ? '' : 'rust-analyzer is not installed (rustup component add rust-analyzer)',
    ask: ({ folder }) => {
      const work = mkdtempSync(join(tmpdir(), 'rust-'))
      try {
        // a copy, as the lock file and what is built lie beside the sources
        cpSync(folder, work, { recursive: true })
        run('rust-analyzer', ['scip', work, '--output', join(work, 'index.scip')], work, { RA_LOG: 'off' })
        const documents = readScip(readFileSync(join(work, 'index.scip')))
        return saidByRustAnalyzer(documents, sourcesOf(folder, documents, /\.rs$/))
      } finally {
        rmSync(work, { recursive: true, force: true })
      }
    },
  },
  java: {
    name: 'javac attribution',
    missing: () => (hasProgram('javac', '-version') ? '' : 'no Java development kit is installed'),
    ask: ({ folder }) => saidFrom(run('java', [here('truth/java/Truth.java'), folder], folder)),
  },
}

export function compilerOf(language: EvaluatedLanguage): Pick<Compiler, 'name' | 'missing'> {
  return COMPILERS[language]
}

export function truthOf(project: Project): Truth {
  return truthFrom(COMPILERS[project.language].ask(project))
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

function indexed(
  folder: string,
  wanted: RegExp,
  language: 'python' | 'typescript',
  make: (output: string) => void,
): Said {
  const work = mkdtempSync(join(tmpdir(), 'index-'))
  try {
    mkdirSync(work, { recursive: true })
    const output = join(work, 'index.scip')
    make(output)
    const documents = readScip(readFileSync(output))
    return saidByIndex(documents, sourcesOf(folder, documents, wanted), language)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Texts of the files that an index speaks of. */
function sourcesOf(folder: string, documents: readonly Document[], wanted: RegExp): Map<string, string> {
  const known = new Set(documents.map((it) => it.path))
  const paths = filesBelow(folder, folder).filter((it) => wanted.test(it) && known.has(it))
  return new Map(paths.map((it) => [it, readFileSync(join(folder, it), 'utf8')]))
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((it) => it.name !== 'node_modules' && !it.name.startsWith('.'))
    .flatMap((it) => {
      const path = join(folder, it.name)
      if (it.isDirectory()) return filesBelow(root, path)
      return it.isFile() ? [relative(root, path).split(sep).join('/')] : []
    })
}

function saidFrom(json: string): Said {
  const said: Said = JSON.parse(json)
  return said
}
