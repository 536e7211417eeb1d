/** Where code to measure comes from: published packages of exact versions, fetched on demand into a folder of their own. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export type EvaluatedLanguage = 'typescript' | 'python' | 'go' | 'java' | 'rust'

export interface Project {
  name: string
  version: string
  language: EvaluatedLanguage
  folder: string
}

interface Published {
  language: EvaluatedLanguage
  name: string
  version: string
  /** Folder of the package that is measured. */
  within?: string
}

const PUBLISHED: readonly Published[] = [
  { language: 'typescript', name: 'zod', version: '4.1.12', within: 'src' },
  { language: 'typescript', name: '@tanstack/query-core', version: '5.90.5', within: 'src' },
  { language: 'python', name: 'flask', version: '3.1.2' },
  { language: 'python', name: 'httpx', version: '0.28.1' },
  { language: 'go', name: 'github.com/go-chi/chi/v5', version: 'v5.2.3' },
  { language: 'go', name: 'github.com/spf13/cobra', version: 'v1.10.1' },
  { language: 'java', name: 'com.google.code.gson:gson', version: '2.13.2' },
  { language: 'java', name: 'org.apache.commons:commons-csv', version: '1.14.1' },
  { language: 'rust', name: 'rayon', version: '1.11.0' },
  { language: 'rust', name: 'ignore', version: '0.4.23' },
]

/** Holds what was fetched; outside of the repository, and safe to delete. */
export const CACHE = process.env.M1ND_EVAL_CACHE ?? join(homedir(), '.cache', 'm1nd-eval')

export function publishedProjects(language: EvaluatedLanguage): Project[] {
  return PUBLISHED.filter((it) => it.language === language).map((it) => ({
    name: it.name,
    version: it.version,
    language,
    folder: join(fetched(it), it.within ?? ''),
  }))
}

export function localProject(folder: string, language: EvaluatedLanguage): Project {
  const version = existsSync(join(folder, '.git')) ? run('git', ['rev-parse', 'HEAD'], folder).trim() : ''
  return { name: basename(folder), version, language, folder }
}

/** Installs a program of the npm registry once and returns the folder of its package. */
export function npmProgram(name: string, version: string): string {
  const home = join(CACHE, 'npm', `${name.replace(/\W+/g, '-')}-${version}`)
  const folder = join(home, 'node_modules', name)
  if (!existsSync(folder)) {
    mkdirSync(home, { recursive: true })
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, `${name}@${version}`], home)
  }
  return folder
}

export function hasProgram(name: string, argument = '--version'): boolean {
  try {
    execFileSync(name, [argument], { stdio: 'ignore' })
    return true
  } catch {
    // a program that cannot be started is not there; the caller says so
    return false
  }
}

export function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 30,
  })
}

function fetched(it: Published): string {
  const folder = join(CACHE, 'packages', `${it.name.replace(/\W+/g, '-')}-${it.version}`)
  if (existsSync(folder)) return folder
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  FETCH[it.language](it, part)
  renameSync(part, folder)
  return folder
}

const FETCH: Record<EvaluatedLanguage, (it: Published, folder: string) => void> = {
  typescript({ name, version }, folder) {
    const file =
      run('npm', ['pack', '--silent', `${name}@${version}`], folder)
        .trim()
        .split('\n')
        .at(-1) ?? ''
    run('tar', ['xzf', file, '--strip-components=1'], folder)
    rmSync(join(folder, file))
  },
  python({ name, version }, folder) {
    run(
      'python3',
      ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', `${name}==${version}`],
      folder,
    )
    for (const it of readdirSync(folder).filter((file) => file.endsWith('.whl'))) {
      run('python3', ['-m', 'zipfile', '-e', it, '.'], folder)
      rmSync(join(folder, it))
    }
  },
  go({ name, version }, folder) {
    const said: unknown = JSON.parse(run('go', ['mod', 'download', '-json', `${name}@${version}`], folder))
    const from = typeof said === 'object' && said !== null && 'Dir' in said ? String(said.Dir) : ''
    cpSync(from, folder, { recursive: true })
    makeWritable(folder)
  },
  rust({ name, version }, folder) {
    const work = mkdtempSync(join(tmpdir(), 'crate-'))
    try {
      mkdirSync(join(work, 'src'))
      writeFileSync(join(work, 'src/lib.rs'), '')
      const manifest = `[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n`
      writeFileSync(join(work, 'Cargo.toml'), `${manifest}${name} = "=${version}"\n`)
      run('cargo', ['vendor', '--quiet'], work)
      cpSync(join(work, 'vendor', name), folder, { recursive: true })
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  },
  java({ name, version }, folder) {
    const [, artifact] = name.split(':')
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    run('mvn', ['-q', '-B', plugin, `-Dartifact=${name}:${version}:jar:sources`, `-DoutputDirectory=${folder}`], folder)
    const file = `${artifact}-${version}-sources.jar`
    run('jar', ['xf', file], folder)
    rmSync(join(folder, file))
  },
}

/** Modules are stored read-only. */
function makeWritable(path: string): void {
  const isFolder = statSync(path).isDirectory()
  chmodSync(path, isFolder ? 0o755 : 0o644)
  if (isFolder) for (const it of readdirSync(path)) makeWritable(join(path, it))
}
