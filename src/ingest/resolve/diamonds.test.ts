import { expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

/** Types of which each has the two of the row above for bases: the ways up double with every row. */
const ROWS = 30
const LAST = `A${ROWS - 1}`

function rows(line: (name: string, bases: readonly string[]) => string): string {
  return Array.from({ length: ROWS }, (_, i) =>
    ['A', 'B'].map((it) => line(`${it}${i}`, i === 0 ? [] : [`A${i - 1}`, `B${i - 1}`])).join(''),
  ).join('')
}

const after = (word: string, bases: readonly string[], more = '') =>
  bases.length > 0 ? ` ${word} ${bases.map((it) => it + more).join(', ')}` : ''

test.each([
  [
    'shop.py',
    rows((name, bases) => `class ${name}(${bases.join(', ')}):\n    pass\n\n`) +
      `def use():\n    ${LAST}.gone()\n    ${LAST}().gone()\n`,
  ],
  [
    'shop.rb',
    rows((name, bases) => `module ${name}\n${bases.map((it) => `  include ${it}\n`).join('')}end\n`) +
      `class Till\n  include ${LAST}\n  def use\n    gone\n    ${LAST}.gone\n    Till.gone\n  end\nend\n`,
  ],
  [
    'shop.ts',
    rows((name, bases) => `interface ${name}<T>${after('extends', bases, '<T>')} {}\n`) +
      `export function use(it: ${LAST}<string>) {\n  it.gone()\n  it((x) => x.gone())\n  for (const one of it) one.gone()\n}\n`,
  ],
  [
    'Shop.java',
    rows((name, bases) => `interface ${name}<T>${after('extends', bases, '<T>')} {}\n`) +
      `class Till { void use(${LAST}<Till> it) { it.gone(); ${LAST}.gone(); } }\n`,
  ],
  [
    'shop.cs',
    rows((name, bases) => `interface ${name}<T>${after(':', bases, '<T>')} {}\n`) +
      `class Till { void Use(${LAST}<int> it) { it.Gone(); } }\n`,
  ],
  [
    'shop.php',
    `<?php\n${rows((name, bases) => `interface ${name}${after('extends', bases)} {}\n`)}function use_it(${LAST} $it) { $it->gone(); ${LAST}::gone(); }\n`,
  ],
])('types with many ways to one base are looked through once (%s)', async (path, text) => {
  const { edges } = await resolveSources({ [path]: text })
  expect(edges.filter((it) => it.includes(' implements ')).length).toBeGreaterThan(2 * ROWS)
})
