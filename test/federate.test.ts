/** Several repositories in one graph. */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { coveredBy } from '#engine/freshness'
import { readSourceFile } from '#engine/source-file'
import { nodeByKey } from '#graph/lookup'
import { answer, ask, cleanUp, engineFor, projectOf, temporaryFolder } from './support.ts'

afterAll(cleanUp)

const SHOP = {
  'package.json': '{\n"name": "shop", "keywords": ["@shop/bank"],\n"dependencies": {\n"bank": "1"}}',
  'src/checkout.ts':
    "import { Vault } from 'bank'\nexport async function pay(id: string) {\n  const key = process.env.BANK_API_KEY\n  await fetch(`${HOST}/api/accounts/${id}`, { method: 'POST' })\n  return new Vault(key)\n}\n",
  'src/account.ts': 'export interface Account {\n  owner: string\n  balance: number\n  till: string\n}\n',
  'src/local.ts': "app.get('/health', ok)\nfetch('/health')\n",
  'src/job.ts': 'export function job() {\n  try {\n    work()\n  } catch {}\n}\n',
  'test/checkout.test.ts': "fetch('/api/ledger')\n",
  'docker-compose.yml': 'services:\n  shop:\n    build: .\n  money:\n    image: registry.example/bank:2\n',
  '.mcp.json': '{"mcpServers": {}}',
  'src/agent.ts': "// mcp client\nclient.callTool({ name: 'open_account' })\n",
}
const BANK = {
  'package.json': '{"name": "bank"}',
  'src/server.ts':
    "import { accounts } from './accounts'\nconst key = process.env.BANK_API_KEY\napp.use('/api', accounts)\napp.get('/health', ok)\n",
  'src/accounts.ts':
    "export function open() {\n  accounts.post('/accounts/:id', (req, res) => res.end())\n  router.post('/accounts/:id', (req, res) => res.end())\n  router.get('/ledger', (req, res) => res.end())\n}\n",
  'src/vault.ts': 'export class Vault {\n  door = 1\n}\n',
  'src/job.ts': 'export function job() {\n  try {\n    open()\n  } catch {}\n}\n',
  'src/account.ts': 'export class Account {\n  owner = ""\n  balance = 0\n}\nexport class Vaults {}\n',
  'src/tools.ts': "// mcp server\nserver.registerTool('open_account', {}, open)\n",
}

function two(): { shop: string; bank: string } {
  return { shop: projectOf('shop', SHOP), bank: projectOf('bank', BANK) }
}

async function federated(
  more = {},
): Promise<{ engine: Engine; shop: string; bank: string; found: Record<string, unknown> }> {
  const { shop, bank } = two()
  const engine = engineFor(shop)
  const repos = [
    { name: 'shop', path: shop },
    { name: 'bank', path: bank },
  ]
  return { engine, shop, bank, found: await answer(engine, 'federate', { repos, ...more }) }
}

const edge = (source_node: string, target_node: string, relation: string) =>
  expect.objectContaining({ source_node, target_node, relation })

describe('federate', () => {
  test('ids carry the name of their repository, and every kind of edge between them has its evidence', async () => {
    const { engine, found } = await federated()
    expect(found).toMatchObject({
      repos_ingested: [
        { name: 'shop', from_cache: false },
        { name: 'bank', from_cache: false },
      ],
      skipped_repos: [],
      incremental: false,
      truncated: null,
    })
    expect(found.cross_repo_edges).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          source_node: 'pkg::npm::shop',
          target_node: 'pkg::npm::bank',
          relation: 'depends_on::bank',
          line: 4,
        }),
        edge('shop::file::src/checkout.ts', 'bank::file::src/vault.ts::class::Vault', 'depends_on::bank.Vault'),
        edge('shop::file::src/checkout.ts::fn::pay', 'bank::file::src/accounts.ts::fn::open', 'calls_api'),
        edge('shop::file::src/checkout.ts', 'bank::file::src/server.ts', 'shares_config::BANK_API_KEY'),
        edge(
          'shop::file::src/account.ts::interface::Account',
          'bank::file::src/account.ts::class::Account',
          'shares_type::Account',
        ),
        edge('shop::file::docker-compose.yml', 'bank::file::package.json', 'deploys::bank'),
        edge('shop::file::src/agent.ts', 'bank::file::src/tools.ts', 'uses_mcp_tool'),
      ]),
    )
    expect(found.cross_repo_edges_by_type).toEqual({
      package_dep: 2,
      api_contract: 1,
      shared_config: 1,
      shared_type: 1,
      deployment_dep: 1,
      mcp_contract: 1,
    })
    expect(found.cross_repo_edge_count).toBe(7)
    await engine.close()
  })

  test('impact and why go from one repository to the other', async () => {
    const { engine } = await federated()
    const route = await answer(engine, 'impact', { node_id: 'bank::file::src/accounts.ts::fn::open' })
    expect(JSON.stringify(route.affected ?? route)).toContain('shop::file::src/checkout.ts::fn::pay')
    const way = await answer(engine, 'why', {
      source: 'shop::file::src/checkout.ts',
      target: 'bank::file::src/vault.ts',
    })
    expect(way).toMatchObject({ found: true })
    await engine.close()
  })

  test('a change in one is read alone later on, and keeps the edges to the other', async () => {
    const home = temporaryFolder()
    const { shop, bank } = two()
    const open = () => engineFor(shop, { ephemeral: false, home })
    const repos = [
      { name: 'shop', path: shop },
      { name: 'bank', path: bank },
    ]
    const first = open()
    await answer(first, 'federate', { repos })
    await first.close()

    const second = open()
    writeFileSync(join(bank, 'src/new.ts'), "router.get('/interest/:rate', show)\n")
    writeFileSync(join(shop, 'src/new.ts'), "fetch('/interest/3')\nfetch(`/interest/${rate}`)\n")
    await answer(second, 'ingest', { path: bank, incremental: true })
    const { graph } = second.brain
    expect(nodeByKey(graph, 'bank::file::src/new.ts')).toBeLessThan(graph.nNodes)
    expect(nodeByKey(graph, 'file::src/new.ts')).toBeGreaterThan(graph.nNodes)
    expect(
      await answer(second, 'why', { source: 'shop::file::src/checkout.ts', target: 'bank::file::src/vault.ts' }),
    ).toMatchObject({ found: true })

    const again = await answer(second, 'federate', { repos, incremental: true })
    expect(again.repos_ingested).toMatchObject([
      { name: 'shop', from_cache: true },
      { name: 'bank', from_cache: true },
    ])
    expect(again.cross_repo_edges).toContainEqual(edge('shop::file::src/new.ts', 'bank::file::src/new.ts', 'calls_api'))
    await second.close()
  })

  test('without a project it belongs to the folder where it was asked for, and is found there again', async () => {
    const { shop, bank } = two()
    const folder = temporaryFolder()
    const kept = { project: '', ephemeral: false, home: temporaryFolder() }
    const first = engineFor(folder, kept)
    await answer(first, 'federate', { repos: [{ path: shop }, { path: bank }] })
    expect(first.brain.root).toBe(folder)
    await first.close()
    const second = engineFor(folder, kept)
    expect(await answer(second, 'seek', { query: 'Vault' })).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ node_id: 'bank::file::src/vault.ts::class::Vault' })]),
    })
    await second.close()

    const nowhere = engineFor('/', { project: '' })
    await answer(nowhere, 'federate', { repos: [{ path: shop }, { path: bank }] })
    expect(nowhere.brain.root).toBe(shop)
    await nowhere.close()
  })

  test('a path that both have means the file of the repository that is asked about', async () => {
    const { engine, shop, bank } = await federated()
    const path = 'src/account.ts'
    const { graph } = engine.brain
    const inShop = nodeByKey(graph, `shop::file::${path}`)
    const inBank = nodeByKey(graph, `bank::file::${path}`)
    expect(engine.linesOf([inShop, inBank].map((node) => ({ node, path, line: 1 })))).toEqual([
      'export interface Account {',
      'export class Account {',
    ])
    const read = (node: string) => readSourceFile(engine.brain, path, node, 1000).content
    expect(read('shop::file::src/account.ts')).toBe(SHOP[path])
    expect(read('bank::file::src/account.ts::class::Account')).toBe(BANK[path])
    expect(() => read('')).toThrow('"src/account.ts" is a file of several repositories: shop, bank.')
    expect(() => read('bank::file::src/vault.ts')).toThrow('"bank::file::src/vault.ts" is no node in "src/account.ts".')
    expect(readSourceFile(engine.brain, 'src/vault.ts', '', 1000).content).toBe(BANK['src/vault.ts'])

    expect(coveredBy(graph).map(({ root, files }) => [root, files.filter((it) => it.endsWith(path))])).toEqual([
      [shop, [join(shop, path)]],
      [bank, [join(bank, path)]],
    ])
    expect(coveredBy(graph)[0].files).not.toContain(join(shop, 'src/vault.ts'))

    const scanned = await answer(engine, 'scan', { pattern: 'error_handling' })
    expect(scanned.completeness).toMatchObject({
      reasons: expect.arrayContaining([
        expect.stringMatching(/^\d findings? at paths that several repositories have may be of another one of them$/),
      ]),
    })

    const removed = await answer(engine, 'counterfactual', { node_ids: ['bank::file::src/vault.ts'] })
    expect(removed.affected_files).toContainEqual(
      expect.objectContaining({ path: 'src/checkout.ts', node_id: 'shop::file::src/checkout.ts' }),
    )

    expect(engine.staleFiles([path, 'src/vault.ts'])).toEqual([])
    const later = graph.meta.ingestedAt / 1000 + 60
    utimesSync(join(bank, path), later, later)
    expect(engine.staleFiles([path, 'src/vault.ts'])).toEqual([path])
    await engine.close()
  })

  test('notes and another root join in without taking names or edges away', async () => {
    const { engine, shop, bank } = await federated()
    const notes = projectOf('notes', { 'n.md': '- the vault is in vault.ts\n' })
    const plain = projectOf('plain', { 'src/plain.ts': 'export const plain = 1\n' })
    await answer(engine, 'ingest', { path: notes, adapter: 'memory', mode: 'merge' })
    await answer(engine, 'ingest', { path: plain, mode: 'merge' })
    for (const path of [bank, shop]) await answer(engine, 'ingest', { path, incremental: true })
    const { graph } = engine.brain
    for (const key of [
      'shop::file::src/local.ts',
      'bank::file::src/vault.ts',
      'file::src/plain.ts',
      'memory::memory::file::n-md',
    ])
      expect(nodeByKey(graph, key), key).toBeLessThan(graph.nNodes)
    for (const [source, target] of [
      ['shop::file::src/checkout.ts', 'bank::file::src/vault.ts'],
      ['memory::memory::file::n-md', 'bank::file::src/vault.ts'],
    ])
      expect(await answer(engine, 'why', { source, target })).toMatchObject({ found: true })
    await engine.close()
  })

  test('one that cannot be read is left out with its reason; when none can, the graph stays', async () => {
    const { shop, bank } = two()
    const engine = engineFor(shop)
    const repos = [
      { name: 'shop', path: shop },
      { label: 'bank', path: bank },
      { name: 'gone', path: join(shop, 'gone') },
      { name: 'odd', path: bank, adapter: 'memory' },
    ]
    const found = await answer(engine, 'federate', { repos })
    expect(found).toMatchObject({
      skipped_repos: ['gone', 'odd'],
      repos_ingested: [{ name: 'shop' }, { name: 'bank' }],
    })
    expect(found.skipped_reasons).toMatchObject({
      gone: expect.stringContaining('does not exist'),
      odd: expect.stringContaining('no notes'),
    })
    const { nNodes } = engine.brain.graph
    const none = await ask(engine, 'federate', { repos: [{ name: 'gone', path: join(shop, 'gone') }] })
    expect(none).toMatchObject({ ok: false, failure: { code: 'ingest_path_missing' } })
    expect(engine.brain.graph.nNodes).toBe(nNodes)
    await engine.close()
  })

  test('one that lies in another is read once; one that the other leaves out is read', async () => {
    const { shop, bank } = two()
    const engine = engineFor(shop)
    const repos = [
      { name: 'shop', path: shop },
      { name: 'part', path: join(shop, 'web') },
    ]
    mkdirSync(join(shop, 'web'), { recursive: true })
    writeFileSync(join(shop, 'web/page.ts'), 'export const page = 1\n')
    const found = await answer(engine, 'federate', { repos })
    expect(found).toMatchObject({ skipped_repos: ['part'], repos_ingested: [{ name: 'shop' }] })
    expect(found.skipped_reasons).toEqual({ part: 'It shares files with shop, which is read already.' })

    execFileSync('git', ['init', '-q'], { cwd: shop })
    cpSync(bank, join(shop, 'bank'), { recursive: true })
    writeFileSync(join(shop, '.gitignore'), 'bank/\n')
    const nested = await answer(engine, 'federate', {
      repos: [
        { name: 'shop', path: shop },
        { name: 'bank', path: join(shop, 'bank') },
      ],
    })
    expect(nested).toMatchObject({ skipped_repos: [], repos_ingested: [{ name: 'shop' }, { name: 'bank' }] })
    await engine.close()
  })

  test('names are told apart or refused', async () => {
    const { shop } = two()
    const other = projectOf('shop', BANK)
    const engine = engineFor(shop)
    const named = await answer(engine, 'federate', { repos: [{ path: shop }, { path: other }] })
    expect(named.repos_ingested).toMatchObject([{ name: 'shop' }, { name: 'shop-2' }])
    for (const repos of [
      [],
      [
        { name: 'a', path: shop },
        { name: 'a', path: other },
      ],
      [{ name: 'a::b', path: shop }],
      [{ name: 'a', path: shop, adapter: 'wiki' }],
    ])
      expect(await ask(engine, 'federate', { repos })).toMatchObject({ ok: false })
    await engine.close()
  })

  test('nothing is looked for when it is not wanted, and likeness alone makes no edge', async () => {
    const { engine, found } = await federated({ detect_cross_repo_edges: false })
    expect(found).toMatchObject({ cross_repo_edges: [], cross_repo_edge_count: 0 })
    await engine.close()
    const a = projectOf('api', {
      'package.json': '{"name": "api"}',
      'src/api.ts': "export const api = '/api'\nexport class Account {\n  a = 1\n}\n",
      'rollup.config.js': "export default {\n  input: 'a',\n  output: 'b',\n}\n",
      'src/limits.ts': 'export const limits = {\n  input: 1,\n  output: 2,\n}\n',
    })
    const b = projectOf('capital', {
      'package.json': '{"name": "capital"}',
      'rollup.config.js': "export default {\n  input: 'c',\n  output: 'd',\n}\n",
      'src/limits.ts': 'export const limits = {\n  input: 3,\n  output: 4,\n}\n',
      'src/apis.ts':
        "import { api } from './api'\n// see api and /api/accounts\nexport class Account {\n  b = 1\n}\nmap.get('/api')\n",
    })
    const other = engineFor(a)
    expect(
      await answer(other, 'federate', {
        repos: [
          { name: 'api', path: a },
          { name: 'capital', path: b },
        ],
      }),
    ).toMatchObject({ cross_repo_edges: [] })
    await other.close()
  })
})
