import { expect, test } from 'vitest'
import { tools } from '#tools/index'
import { shopGraph } from '#tools/learning-for-tests'
import { pageOf } from '#tools/page'

const graph = shopGraph()
const file = encodeURIComponent('file::db.py')

test.each([
  ['impact', { node_id: 'db.py' }, `/impact/${file}`],
  ['why', { source: 'db.py', target: 'log.py' }, `/node/${file}`],
  ['counterfactual', { node_ids: ['db.py'] }, `/impact/${file}?show=removal`],
  ['counterfactual', { node_ids: ['db.py', 'log.py'] }, `/impact/${file}?with=file%3A%3Alog.py&show=removal`],
  ['fingerprint', { target_node: 'file::db.py' }, `/node/${file}`],
  ['predict', { changed_node: 'db.py' }, '/history/db.py'],
  ['timeline', { node: 'db.py::query' }, '/history/db.py'],
  ['impact', { node_id: 'nowhere.py' }, '/impact/nowhere.py'],
  ['impact', { node_id: '\ud800' }, '/impact/%EF%BF%BD'],
  ['seek', { query: 'cart & total?' }, '/graph?query=cart%20%26%20total%3F'],
  ['seek', { query: `${'x'.repeat(299)}😀` }, `/graph?query=${'x'.repeat(299)}%EF%BF%BD`],
  ['resonate', {}, '/graph'],
  ['resonate', { query: 'cart', node_id: 'db.py' }, `/node/${file}`],
  ['warmup', { task_description: 'refunds' }, '/learning'],
  ['learn', { node_ids: ['db.py'] }, '/learning'],
  ['lock_create', { root_nodes: ['db.py'] }, '/agents'],
  ['trail_list', {}, '/agents'],
  ['perspective_start', { query: 'cart' }, '/agents'],
  ['health', {}, '/health'],
] as const)('%s %j is shown at %s', (name, input, page) => {
  expect(pageOf(tools[name], input, graph)).toBe(page)
})

test('what changes the structure or the weights on purpose is told to who draws the graph', () => {
  const names = Object.values(tools)
    .filter((it) => it.changesGraph)
    .map((it) => it.name)
  expect(names.sort()).toEqual(['federate', 'ingest', 'learn'])
})
