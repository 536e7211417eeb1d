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
