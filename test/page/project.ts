/** A small project with a history, the same every time: packages of Python files that import and call each other. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Random } from '#std/random'

export interface ProjectSize {
  packages: number
  /** Of each package. */
  files: number
  /** Of each file. */
  functions: number
}

const PACKAGES = ['cart', 'session', 'billing', 'search', 'mail', 'stock', 'report', 'login', 'events', 'storage']
const FILES = ['models', 'views', 'service', 'errors', 'helpers', 'queue', 'cache', 'format', 'rules', 'client']
const VERBS = ['load', 'save', 'check', 'find', 'merge', 'send', 'count', 'split', 'price', 'close']
const NOUNS = ['token', 'order', 'user', 'item', 'batch', 'invoice', 'cookie', 'total', 'page', 'entry']

/** Writes the project into an empty folder and commits it, a package at a time, then two that always change together. */
export function writeProject(folder: string, { packages, files, functions }: ProjectSize): void {
  const random = new Random(7)
  const modules: string[] = []
  git(folder, ['init', '--quiet', '--initial-branch=main'])
  for (let p = 0; p < packages; p++) {
    const name = numbered(PACKAGES, p)
    write(folder, `${name}/__init__.py`, '')
    for (let f = 0; f < files; f++) {
      const file = numbered(FILES, f)
      write(folder, `${name}/${file}.py`, fileText(random, `${name}.${file}`, modules, functions))
      modules.push(`${name}.${file}`)
    }
    commit(folder, `Add ${name}`, p)
  }
  for (let i = 0; i < 4; i++) {
    write(folder, 'cart/prices.py', `RATE = ${i}\n\n\ndef price_rate():\n    return RATE\n`)
    write(folder, 'billing/rates.py', `RATE = ${i}\n\n\ndef invoice_rate():\n    return RATE\n`)
    commit(folder, `Change the rate to ${i}`, packages + i)
  }
}

function fileText(random: Random, module: string, known: readonly string[], functions: number): string {
  const used = known.length === 0 ? [] : [0, 1, 2].map(() => known[random.below(known.length)])
  const imports = [...new Set(used)].map((it) => `from ${it} import ${functionName(random.below(4))} as ${alias(it)}`)
  const own = module.replaceAll('.', '_')
  const lines = [`"""Part of ${module}."""`, '', ...imports, '', '']
  for (let i = 0; i < functions; i++) {
    const calls = [...new Set(used)].filter(() => random.below(2) === 0).map((it) => `    ${alias(it)}(value)`)
    const inner = i > 0 ? [`    ${functionName(random.below(i))}(value)`] : []
    lines.push(
      `def ${functionName(i)}(value):`,
      `    """${own} ${i}."""`,
      ...calls,
      ...inner,
      '    return value',
      '',
      '',
    )
  }
  lines.push(`class ${capital(own)}:`, '    def run(self, value):', `        return ${functionName(0)}(value)`, '')
  return lines.join('\n')
}

function functionName(i: number): string {
  return `${VERBS[i % VERBS.length]}_${numbered(NOUNS, Math.floor(i / VERBS.length) + (i % NOUNS.length))}`
}

function alias(module: string): string {
  return module.replaceAll('.', '_')
}

function capital(word: string): string {
  return word.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function numbered(words: readonly string[], i: number): string {
  const round = Math.floor(i / words.length)
  return `${words[i % words.length]}${round === 0 ? '' : round}`
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** The `day`th commit of a fixed calendar. */
function commit(folder: string, message: string, day: number): void {
  const date = new Date(Date.UTC(2025, 0, 1 + day, 12)).toISOString()
  git(folder, ['add', '--all'])
  git(folder, ['commit', '--quiet', '--no-gpg-sign', '-m', message], date)
}

function git(folder: string, args: readonly string[], date = ''): void {
  const who = { GIT_AUTHOR_NAME: 'dev', GIT_AUTHOR_EMAIL: 'dev@example.org' }
  const committer = { GIT_COMMITTER_NAME: 'dev', GIT_COMMITTER_EMAIL: 'dev@example.org' }
  const at = date === '' ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  execFileSync('git', [...args], { cwd: folder, stdio: 'pipe', env: { ...process.env, ...who, ...committer, ...at } })
}
