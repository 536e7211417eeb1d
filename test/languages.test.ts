/** What each language module reads from a file: golden cases, and a suite that all languages pass. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { extract } from '#ingest/extract'
import type { Definition, Facts } from '#ingest/facts'
import { LANGUAGES } from '#ingest/languages'
import { loadGrammar } from '#ingest/parse'

const GOLDEN = fileURLToPath(new URL('golden/languages', import.meta.url))

/**
 * A golden case is a source, a line `---` and the facts that come out. The source is a file named `shop` of the
 * language's first extension, unless the first line names another one: `@ tests/test_cart.py`.
 */
interface Case {
  head: string
  path: string
  source: string
}

function readCase(file: string, extension: string): Case {
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf('\n---\n')
  const upper = end < 0 ? text : text.slice(0, end + 1)
  const named = /^@ (\S+)\n/.exec(upper)
  if (named === null) return { head: '', path: `shop.${extension}`, source: upper }
  return { head: named[0], path: named[1], source: upper.slice(named[0].length) }
}

/** Facts as text that one can review: nesting by indentation, one fact a line. */
function render(facts: Facts): string {
  const { definitions } = facts
  const nameOf = (index: number): string => {
    if (index < 0) return '.'
    const { parent, name } = definitions[index]
    return parent < 0 ? name : `${nameOf(parent)}.${name}`
  }
  const depthOf = (it: Definition): number => (it.parent < 0 ? 0 : 1 + depthOf(definitions[it.parent]))
  const lines: string[] = [`tags ${facts.tags.join(' ')}`]
  if (facts.package !== '') lines.push(`package ${facts.package}`)
  if (facts.excerpt !== '') lines.push(`excerpt ${facts.excerpt}`)
  const section = (title: string, rows: string[]) => {
    if (rows.length > 0) lines.push('', title, ...rows.map((it) => `  ${it}`))
  }
  section(
    'definitions',
    definitions.map((it) => {
      const name = it.nameLine === it.line ? '' : ` @${it.nameLine}`
      const owner = it.owner === undefined ? '' : ` of ${it.owner}`
      const parameters = it.parameters === undefined ? '' : ` (${it.parameters.join('; ')})`
      const arity = it.arity === undefined ? '' : ` /${it.arity}`
      const type = it.type === undefined || it.type === '' ? '' : ` : ${it.type}`
      const tags = [...it.tags, ...(it.exported === true ? ['+'] : [])]
      return `${'  '.repeat(depthOf(it))}${it.kind} ${it.name}${owner}${arity}${parameters}${type} ${it.line}-${it.endLine}${name}${tags.length === 0 ? '' : ` [${tags.join(' ')}]`} | ${it.excerpt}`
    }),
  )
  section(
    'imports',
    facts.imports.map((it) => {
      const alias = it.alias === it.name ? '' : ` as ${it.alias === '' ? '-' : it.alias}`
      const scope = it.scope < 0 ? '' : ` in ${nameOf(it.scope)}`
      return `${it.line} ${it.kind} ${it.module} ${it.name === '' ? '-' : it.name}${alias}${scope}${it.conditional === true ? ' conditional' : ''}`
    }),
  )
  section(
    'exports',
    facts.exports.map((it) => `${it.line} ${it.name}${it.local === it.name ? '' : ` = ${it.local}`}`),
  )
  section(
    'bindings',
    facts.bindings.map((it) => {
      const type = it.type === '' ? '' : ` : ${it.type}`
      const value = it.value === '' ? '' : ` = ${it.value}`
      const scope = it.valueScope === undefined ? '' : ` in ${nameOf(it.valueScope)}`
      return `${it.line} ${nameOf(it.scope)} ${it.kind} ${it.name}${type}${value}${scope}`
    }),
  )
  section(
    'references',
    facts.references.map((it) => {
      const args = it.args === undefined ? '' : ` /${it.args}`
      const types = it.argTypes === undefined ? '' : ` (${it.argTypes.join('; ')})`
      return `${it.line} ${nameOf(it.from)} ${it.relation} ${it.path}${args}${types}${it.unreachable === true ? ' unreachable' : ''}`
    }),
  )
  section(
    'named',
    facts.named.map((it) => `${it.line} ${nameOf(it.from)} ${it.form} ${it.text}`),
  )
  section(
    'dynamic',
    facts.dynamic.map((it) => `${it.line} ${it.text}`),
  )
  section(
    'problems',
    facts.problems.map((it) => `${it.line} ${it.message}`),
  )
  return `${lines.join('\n')}\n`
}

for (const language of LANGUAGES) {
  const folder = join(GOLDEN, language.name)
  const extension = language.extensions[0] ?? 'text'
  describe(`${language.name} reads`, () => {
    for (const name of readdirSync(folder).sort()) {
      test(name.replace(/\.txt$/, '').replace(/-/g, ' '), async () => {
        const file = join(folder, name)
        const { head, path, source } = readCase(file, extension)
        const facts = await extract(path, source)
        expect(facts.language).toBe(language.name)
        await expect(`${head}${source}---\n${render(facts)}`).toMatchFileSnapshot(file)
      })
    }
  })
}

test('every query fits its grammar', async () => {
  for (const { grammar, query } of LANGUAGES) if (grammar !== '') await loadGrammar(grammar, query)
})

/** A definition of `name` in each language, and one that calls it. */
const SAMPLES: Record<string, (name: string, caller: string) => string> = {
  python: (name, caller) => `def ${name}():\n    return 1\n\ndef ${caller}():\n    return ${name}()\n`,
  typescript: (name, caller) => `function ${name}() { return 1 }\nfunction ${caller}() { return ${name}() }\n`,
  tsx: (name, caller) => `function ${name}() { return 1 }\nfunction ${caller}() { return ${name}() }\n`,
  javascript: (name, caller) => `function ${name}() { return 1 }\nfunction ${caller}() { return ${name}() }\n`,
  go: (name, caller) => `package shop\n\nfunc ${name}() int { return 1 }\nfunc ${caller}() int { return ${name}() }\n`,
  rust: (name, caller) => `fn ${name}() -> u8 { 1 }\nfn ${caller}() -> u8 { ${name}() }\n`,
  java: (name, caller) => `class Shop {\n  int ${name}() { return 1; }\n  int ${caller}() { return ${name}(); }\n}\n`,
  c: (name, caller) => `int ${name}(void) { return 1; }\nint ${caller}(void) { return ${name}(); }\n`,
  cpp: (name, caller) => `int ${name}() { return 1; }\nint ${caller}() { return ${name}(); }\n`,
  csharp: (name, caller) => `class Shop {\n  int ${name}() { return 1; }\n  int ${caller}() { return ${name}(); }\n}\n`,
  kotlin: (name, caller) => `fun ${name}(): Int { return 1 }\nfun ${caller}(): Int { return ${name}() }\n`,
  swift: (name, caller) => `func ${name}() -> Int { 1 }\nfunc ${caller}() -> Int { ${name}() }\n`,
  scala: (name, caller) => `object Shop {\n  def ${name}(): Int = 1\n  def ${caller}(): Int = ${name}()\n}\n`,
  php: (name, caller) => `<?php\nfunction ${name}() { return 1; }\nfunction ${caller}() { return ${name}(); }\n`,
  ruby: (name, caller) => `def ${name}\n  1\nend\n\ndef ${caller}\n  ${name}()\nend\n`,
  bash: (name, caller) => `${name}() { date; }\n${caller}() { ${name}; }\n`,
  lua: (name, caller) => `function ${name}() return 1 end\nfunction ${caller}() return ${name}() end\n`,
  generic: (name, caller) => `fn ${name}() {\n  one\n}\nfn ${caller}() {\n  ${name}()\n}\n`,
}
const COMMENTS: Record<string, string> = { python: '#', ruby: '#', bash: '#', lua: '--', generic: '//' }

/** Their grammars know letters of ASCII only. */
const ASCII_NAMES = new Set(['c', 'cpp', 'bash'])
/** Far beyond what a slow machine needs; only work without a bound takes longer. */
const STUCK_MS = 15_000

test.each(LANGUAGES.filter((it) => !ASCII_NAMES.has(it.name)))(
  '$name reads names of every alphabet',
  async (language) => {
    const source = SAMPLES[language.name]('größe', 'прайс')
    const facts = await extract(`shop.${language.extensions[0] ?? 'text'}`, source)
    expect(facts.definitions.map((it) => it.name)).toEqual(expect.arrayContaining(['größe', 'прайс']))
    expect(facts.references.map((it) => it.path)).toEqual(
      language.name === 'generic' ? [] : expect.arrayContaining(['größe']),
    )
  },
)

describe.each(LANGUAGES.map((it) => it.name))('%s', (name) => {
  const language = LANGUAGES.find((it) => it.name === name)
  const path = `shop.${language?.extensions[0] ?? 'text'}`
  const write = SAMPLES[name]
  const sample = write('first', 'second')
  const hasCalls = name !== 'generic'
  const outline = (facts: Facts) => facts.definitions.map((it) => `${it.name} ${it.line}-${it.endLine}`)

  test('reads an empty file', async () => {
    const facts = await extract(path, '')
    expect(facts).toMatchObject({ language: name, definitions: [], references: [], lines: 0, partial: false })
  })

  test('reads a definition and a call of it', async () => {
    const facts = await extract(path, sample)
    const { definitions } = facts
    const caller = definitions.findIndex((it) => it.name === 'second')
    expect(definitions.map((it) => it.name)).toEqual(expect.arrayContaining(['first', 'second']))
    expect(facts.partial).toBe(false)
    if (hasCalls)
      expect(facts.references).toContainEqual(
        expect.objectContaining({ from: caller, relation: 'calls', path: 'first' }),
      )
  })

  test('keeps what stands around a syntax error', async () => {
    const broken = `${sample}\n)) ]] <<< {{{ \n`
    const facts = await extract(path, broken)
    expect(facts.definitions.map((it) => it.name)).toContain('first')
    if (hasCalls) {
      expect(facts.partial).toBe(true)
      expect(facts.problems[0].message).toMatch(/no valid syntax/)
      expect(facts.problems[0].line).toBeGreaterThan(0)
    }
  })

  test('falls back to the scanner where most of the file is broken', async () => {
    const facts = await extract(path, `${'}{)(<%$ @@ '.repeat(200)}\nclass Shelf {\n}\n`)
    expect(facts.language).toBe(name)
    expect(Array.isArray(facts.definitions)).toBe(true)
  })

  test('reads the same with any line ending', async () => {
    const unix = await extract(path, sample)
    const windows = await extract(path, sample.replaceAll('\n', '\r\n'))
    expect(outline(windows)).toEqual(outline(unix))
    expect(windows.lines).toBe(unix.lines)
    expect(windows.references.map((it) => `${it.path} ${it.line}`)).toEqual(
      unix.references.map((it) => `${it.path} ${it.line}`),
    )
  })

  test('reads a file without a final line break', async () => {
    expect(outline(await extract(path, sample.trimEnd()))).toEqual(outline(await extract(path, sample)))
  })

  test('names and lines are right behind characters of every width', async () => {
    const [first, ...rest] = sample.split('\n')
    const comment = `${COMMENTS[name] ?? '//'} → é 漢 😀`
    const text = name === 'php' ? [first, comment, comment, ...rest] : [comment, comment, first, ...rest]
    const facts = await extract(path, text.join('\n'))
    const plain = await extract(path, sample)
    expect(facts.definitions.map((it) => it.name)).toEqual(plain.definitions.map((it) => it.name))
    expect(facts.definitions.map((it) => it.line)).toEqual(plain.definitions.map((it) => it.line + 2))
    expect(facts.references.map((it) => it.path)).toEqual(plain.references.map((it) => it.path))
  })

  test.each(['(', '[', '{', '([{'])('says that 20,000 open %s are too deep, and fast', async (bracket) => {
    const started = performance.now()
    const facts = await extract(path, `${sample}${bracket.repeat(20_000)}`)
    expect(performance.now() - started).toBeLessThan(STUCK_MS)
    if (hasCalls) expect(facts.problems[0].message).toMatch(/nested \d+ deep/)
    expect(facts.language).toBe(name)
  })

  test.each([
    ['quotes', `"'\``],
    ['backslashes', `'\\`],
    ['slashes', '/*'],
    ['angles', 'a<b,'],
    ['dots', 'a.'],
    ['question marks', ' a ? b : '],
    ['alternatives', 'a = b or c if d else e ?? f || g\n'],
    ['words', 'class function def fn struct import return await new '],
    ['signs', '@a.b #[c] $d &e *f '],
  ])('makes nothing of %s in a row, and soon', async (_, piece) => {
    const started = performance.now()
    const facts = await extract(path, `${sample}\n${piece.repeat(3000 / piece.length)}\n`)
    expect(performance.now() - started).toBeLessThan(STUCK_MS)
    expect(facts.language).toBe(name)
  })

  test.each([
    ['arguments', `first(${'a, '.repeat(5000)}a)`],
    ['operators', 'a + '.repeat(3000).concat('a')],
    ['alternatives', 'a || '.repeat(3000).concat('a')],
    ['members', 'a.'.repeat(3000).concat('a')],
    ['calls in calls', `${'first('.repeat(500)}a${')'.repeat(500)}`],
    ['a string', `"${'class function def {} '.repeat(5000)}"`],
    ['blanks', `first(${' '.repeat(100_000)}a)`],
    ['one name', 'a'.repeat(100_000)],
  ])('reads a long row of %s in one expression soon', async (_, expression) => {
    const started = performance.now()
    const facts = await extract(path, `${sample}\n${assigned(name, expression)}\n`)
    // within the limits of the parser and of its query
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(facts.definitions.map((it) => it.name)).toContain('first')
  })
})

/** A statement that binds a value, inside of a function where the language asks for one. */
function assigned(language: string, expression: string): string {
  switch (language) {
    case 'go':
      return `func third() { x := ${expression}; use(x) }`
    case 'rust':
      return `fn third() { let x = ${expression}; }`
    case 'java':
    case 'csharp':
      return `class Till { void third() { var x = ${expression}; } }`
    case 'c':
    case 'cpp':
      return `void third(void) { int x = ${expression}; }`
    case 'kotlin':
    case 'swift':
      return `${language === 'kotlin' ? 'fun' : 'func'} third() { let x = ${expression} }`.replace(
        'let',
        language === 'kotlin' ? 'val' : 'let',
      )
    case 'scala':
      return `object Till { val x = ${expression} }`
    case 'php':
      return `$x = ${expression};`
    case 'bash':
      return `x=$(echo ${expression.replace(/[()|]/g, ' ')})`
    default:
      return `x = ${expression}`
  }
}
