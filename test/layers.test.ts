/** The rule about who may import whom, tried on imports that break it: a checker that sees nothing passes too. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { layers } from '../oxlint.config.mjs'

const top = fileURLToPath(new URL('../', import.meta.url))
let made = ''

afterEach(() => rmSync(made, { force: true }))

/** What the linter says about one file with this import. */
function lint(file: string, specifier: string, keyword = 'import'): string {
  made = join(top, file)
  mkdirSync(dirname(made), { recursive: true })
  writeFileSync(made, `${keyword} { thing } from '${specifier}'\n\nexport const copy = thing\n`)
  const { stdout } = spawnSync(join(top, 'node_modules/.bin/oxlint'), ['-c', 'oxlint.config.mjs', file], {
    cwd: top,
    encoding: 'utf8',
  })
  return stdout
}

describe('the linter', () => {
  test.each([
    ['src/std/stray.ts', '#graph/graph', 'std/ may import only'],
    ['src/query/stray.ts', '#plasticity/learned', 'query/ may import only: graph, std.'],
    ['src/plasticity/stray.ts', '#query/seeds', 'plasticity/ may import only: graph, std.'],
    ['src/graph/stray.ts', '#engine/engine', 'graph/ may import only: std.'],
    ['src/tools/stray.ts', '#ingest/ingest', 'tools/ may import only'],
    ['src/views/stray.ts', '#server/serve', 'views/ may import only'],
    ['src/server/stray.ts', '#graph/graph', 'server/ may import only: views, tools, engine, std, evaluation.'],
    ['src/graph/stray.ts', './graph', 'Write imports of our own code as #folder/file.'],
    ['src/engine/stray.ts', '#graph/build/merge', 'A subfolder is private to its folder.'],
    ['src/analysis/stray.ts', 'node:fs', 'analysis/ is pure.'],
    ['src/ui/stray.ts', '#tools/health', 'ui/ may import types only.'],
    ['src/ui/stray.ts', '#graph/graph', 'ui/ may import only: views, tools, engine, server.'],
  ])('%s may not import %s', (file, specifier, message) => {
    expect(lint(file, specifier)).toContain(message)
  })

  test('an import that is allowed is none of its business', () => {
    expect(lint('src/query/stray.ts', '#graph/graph')).not.toContain('restricted')
  })

  test('types of what is answered may be imported by the page', () => {
    expect(lint('src/ui/stray.ts', '#server/http/instance', 'import type')).not.toContain('restricted')
  })
})

test('every folder of src has its row in the table', () => {
  const folders = readdirSync(join(top, 'src'), { withFileTypes: true }).filter((it) => it.isDirectory())
  expect(Object.keys(layers).sort()).toEqual(folders.map((it) => it.name).sort())
})

test('no file of src calls a clock or a random source where it must be pure', () => {
  for (const layer of ['std', 'graph', 'query', 'plasticity', 'analysis']) {
    for (const name of readdirSync(join(top, 'src', layer), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
      const source = readFileSync(join(top, 'src', layer, name), 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '')
      expect(source, `${layer}/${name}`).not.toMatch(/Date\.now|Math\.random|performance\.now|new Date\(\)/)
    }
  }
})
