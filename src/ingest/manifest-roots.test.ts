import { expect, test } from 'vitest'
import { extract } from '#ingest/extract'
import { isScriptFile, manifestMarks, marked } from '#ingest/manifest-roots'

/** Where roots are: `path` or `path#name`, with the kind. */
async function rootsOf(sources: Record<string, string>, texts: Record<string, string>): Promise<string[]> {
  const plain = []
  for (const [path, text] of Object.entries(sources)) plain.push({ path, facts: await extract(path, text) })
  const marks = manifestMarks(plain, new Map(Object.entries(texts)))
  const files = plain.map(({ path, facts }) => ({ path, facts: marked(facts, marks.get(path) ?? []) }))
  return files
    .flatMap(({ path, facts }) => [
      ...facts.tags.map((tag) => [path, tag]),
      ...facts.definitions.flatMap((it) => it.tags.map((tag) => [`${path}#${it.name}`, tag])),
    ])
    .filter(([, tag]) => tag.startsWith('framework_root:'))
    .map(([place, tag]) => `${place} ${tag.slice('framework_root:'.length)}`)
    .sort()
}

const javascript = 'export const shelf = 1\n'

test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
  [
    'package.json names its entries, also where they are built from other files, its commands and scripts',
    {
      'src/index.ts': javascript,
      'src/node/till.ts': javascript,
      'bin/shop.js': javascript,
      'tools/restock.mjs': javascript,
      'src/other.ts': javascript,
    },
    {
      'package.json': JSON.stringify({
        main: './dist/index.js',
        exports: { './till': { import: './dist/esm/node/till.mjs', types: './dist/types/node/till.d.ts' } },
        bin: { shop: 'bin/shop.js' },
        scripts: { restock: 'node ./tools/restock.mjs --all' },
      }),
    },
    [
      'bin/shop.js package_command',
      'src/index.ts package_entry',
      'src/node/till.ts package_entry',
      'tools/restock.mjs package_script',
    ],
  ],
  [
    'a package without an entry of its own has index.js',
    { 'shop/index.js': javascript, 'shop/cart.js': javascript },
    { 'shop/package.json': '{"name":"shop"}' },
    ['shop/index.js package_entry'],
  ],
  [
    'pyproject.toml and setup.cfg name functions and plug-ins',
    { 'src/shop/cli.py': 'def main(): ...\ndef other(): ...\n', 'src/shop/plug.py': 'class Plugin: ...\n' },
    {
      'pyproject.toml':
        '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n[project.entry-points."pytest11"]\nshop = "shop.plug"\n',
      'setup.cfg': '[options.entry_points]\nconsole_scripts =\n    other = shop.cli:other\n',
    },
    ['src/shop/cli.py#main package_command', 'src/shop/cli.py#other package_command', 'src/shop/plug.py plugin'],
  ],
  [
    'Cargo knows programs, examples and benches by their place',
    {
      'src/lib.rs': 'fn a() {}',
      'src/bin/till.rs': 'fn main() {}',
      'examples/sell.rs': 'fn main() {}',
      'src/cart.rs': '',
    },
    { 'Cargo.toml': '[package]\nname = "shop"\n' },
    [
      'examples/sell.rs example',
      'src/bin/till.rs package_command',
      'src/bin/till.rs#main program_start',
      'src/lib.rs package_entry',
    ].filter((it) => !it.includes('#')),
  ],
  [
    'containers, Procfiles and workflows name what they run',
    { 'web/app.py': 'app = 1\n', 'web/worker.py': 'x = 1\n', 'ci/check.py': 'x = 1\n', 'web/cart.py': 'x = 1\n' },
    {
      'web/Dockerfile': 'COPY . .\nCMD ["python", "worker.py"]\n',
      Procfile: 'web: gunicorn web.app:app\n',
      '.github/workflows/ci.yml': 'jobs:\n  check:\n    steps:\n      - run: python ci/check.py --all\n',
    },
    ['ci/check.py workflow', 'web/app.py start_script', 'web/worker.py start_script'],
  ],
  [
    'service files name classes in full',
    { 'src/Tax.java': 'package com.shop;\nclass Tax {}\n', 'src/Net.java': 'package com.shop;\nclass Net {}\n' },
    { 'META-INF/services/com.shop.Rate': 'com.shop.Tax\n' },
    ['src/Tax.java#Tax plugin'],
  ],
  [
    'a manifest that is no JSON names nothing',
    { 'index.js': javascript },
    { 'package.json': '{"main": ' },
    ['index.js package_entry'],
  ],
])('%s', async (_, sources, texts, roots) => {
  expect(await rootsOf(sources, texts)).toEqual(roots)
})

test('scripts are known by name or place', () => {
  expect(['Procfile', 'a/Dockerfile', '.github/workflows/ci.yml', 'src/cart.ts'].map(isScriptFile)).toEqual([
    true,
    true,
    true,
    false,
  ])
})
