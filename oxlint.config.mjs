/** Lint rules, and the table of who may import whom. A new arrow between folders is a change of design. */

import { defineConfig } from 'oxlint'

/** What each folder of `src/` may import, besides itself. */
export const layers = {
  std: [],
  graph: ['std'],
  query: ['graph', 'std'],
  plasticity: ['graph', 'std'],
  analysis: ['query', 'graph', 'std'],
  ingest: ['graph', 'std'],
  engine: ['analysis', 'query', 'plasticity', 'ingest', 'graph', 'std'],
  tools: ['engine', 'analysis', 'query', 'plasticity', 'graph', 'std'],
  evaluation: ['tools', 'engine', 'ingest', 'query', 'graph', 'std'],
  views: ['tools', 'engine', 'analysis', 'query', 'plasticity', 'graph', 'std'],
  server: ['views', 'tools', 'engine', 'std', 'evaluation'],
  ui: ['views', 'tools', 'engine', 'server'],
}
/** Folders that read no file, no clock and no random source. */
const pure = ['std', 'graph', 'query', 'plasticity', 'analysis']

/** Folders that know others by their types alone. */
const typesOnly = ['ui']

const folders = Object.entries(layers).map(([layer, allowed]) => {
  const others = Object.keys(layers).filter((it) => it !== layer)
  const forbidden = others.filter((it) => !allowed.includes(it))
  const patterns = [
    // the page is bundled apart and imports its own files by path
    ...(layer === 'ui' ? [] : [{ regex: '^[.]', message: 'Write imports of our own code as #folder/file.' }]),
    // what HTTP answers with is in a subfolder, and types are all that the page takes from there
    ...(typesOnly.includes(layer)
      ? []
      : [{ regex: `^#(${others.join('|')})/.+/`, message: 'A subfolder is private to its folder.' }]),
  ]
  if (forbidden.length > 0) {
    patterns.push({
      regex: `^#(${forbidden.join('|')})/`,
      message: `${layer}/ may import only: ${allowed.join(', ') || 'itself'}.`,
    })
  }
  if (typesOnly.includes(layer))
    patterns.push({
      regex: `^#(${allowed.join('|')})/`,
      allowTypeImports: true,
      message: `${layer}/ may import types only.`,
    })
  if (pure.includes(layer)) patterns.push({ regex: '^node:', message: `${layer}/ is pure.` })
  return { files: [`src/${layer}/**`], rules: { 'no-restricted-imports': ['error', { patterns }] } }
})

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist/**', 'coverage/**', 'test/fixtures/**', 'test/golden/**'],
  rules: {
    'import/no-cycle': 'error',
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    'no-empty': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'unicorn/prefer-node-protocol': 'error',
    // taste that the code base does not share
    'import/no-named-as-default-member': 'off',
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'promise/always-return': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-new-array': 'off',
    'vitest/expect-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/valid-expect': 'off',
    'vitest/valid-title': 'off',
    // made for pages: a worker has no origins, a parser looks for control characters, an abort ends a loop
    'no-control-regex': 'off',
    'no-unmodified-loop-condition': 'off',
    'unicorn/prefer-add-event-listener': 'off',
    'unicorn/require-post-message-target-origin': 'off',
  },
  overrides: [
    ...folders,
    // a test of a pure folder may read fixtures
    { files: ['src/**/*.test.ts'], rules: { 'no-restricted-imports': 'off' } },
  ],
})
