/** Which project an answer is about, and which file: by real path, whatever way a caller writes or reaches it. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, commit, copyOf, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

function start(folder: string, home: string): Client {
  const env = { M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1', M1ND_TYPESCRIPT_CHECKER: 'off' }
  return new Client([], { cwd: folder, env })
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example', ...args], {
    cwd: folder,
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: 'pipe',
  })

async function found(client: Client, query: string): Promise<string> {
  return JSON.stringify((await client.call('seek', { query })).structuredContent?.results)
}

describe('checkouts of one repository', { timeout: 60_000 }, () => {
  test('never mix: a linked work tree, a clone and the main one each have their own graph and lessons', async () => {
    const home = temporaryFolder()
    const main = copyOf('shop')
    commit(main, 'Open the shop')
    const linked = join(temporaryFolder(), 'linked')
    git(main, 'worktree', 'add', '-q', linked)
    const clone = join(temporaryFolder(), 'shop')
    git(dirname(clone), 'clone', '-q', main, clone)
    const folders = [main, linked, clone]
    folders.forEach((it, i) => writeFileSync(join(it, `only${i}.ts`), `export function lantern${i}() {}\n`))

    const clients = folders.map((it) => start(it, home))
    await Promise.all(clients.map((it, i) => it.call('ingest', { path: folders[i] })))
    await clients[1].call('learn', { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] })
    for (const [i, client] of clients.entries()) {
      const health = (await client.call('health', {})).structuredContent
      expect(health).toMatchObject({ project: folders[i], mode: 'file' })
      expect(Number(health?.plasticity_records) > 0).toBe(i === 1)
      const lanterns = await found(client, 'lantern0 lantern1 lantern2')
      for (const j of [0, 1, 2]) expect(lanterns.includes(`only${j}.ts`), `${i} sees ${j}`).toBe(i === j)
    }
    expect(readdirSync(join(home, 'projects'))).toHaveLength(3)
    await Promise.all(clients.map((it) => it.end()))
  })
})

describe('one folder under several names', { timeout: 60_000 }, () => {
  test('is one project with one state, and its files are known by each of them', async () => {
    const home = temporaryFolder()
    const shop = copyOf('shop')
    commit(shop, 'Open the shop')
    const alias = join(temporaryFolder(), 'alias')
    symlinkSync(shop, alias)
    const first = start(alias, home)
    await first.call('ingest', { path: `${alias}/` })
    const second = start(shop, home)
    expect((await second.call('health', {})).structuredContent).toMatchObject({ project: shop })
    expect(await found(second, 'cart total')).toContain('cart.ts')
    expect(readdirSync(join(home, 'projects'))).toHaveLength(1)

    const plain = (await first.call('impact', { node_id: 'src/price.ts' })).structuredContent
    const written = [
      join(shop, 'src/price.ts'),
      join(alias, 'src/price.ts'),
      `${alias}/./src/price.ts`,
      `${join(alias, 'src/price.ts')}:1`,
      './src/price.ts',
      '.\\src\\price.ts',
      'file::src/price.ts',
    ]
    for (const it of written) {
      const { structuredContent, content } = await first.call('impact', { node_id: it })
      // a line leads into the file
      const source = it.endsWith(':1') ? expect.stringMatching(/^file::src\/price\.ts/) : plain?.source
      expect(structuredContent?.source, `${it}: ${content[0].text.slice(0, 200)}`).toEqual(source)
      if (!it.endsWith(':1')) expect(structuredContent?.total_affected, it).toBe(plain?.total_affected)
    }
    const plan = await first.call('validate_plan', {
      actions: [{ action_type: 'modify', file_path: join(alias, 'src/price.ts') }],
    })
    expect(JSON.stringify(plan.structuredContent)).toContain('cart.ts')
    // a path that leads elsewhere is left as it was written
    expect((await first.call('impact', { node_id: '/etc/hostname' })).content[0].text).toContain('/etc/hostname')
    await Promise.all([first.end(), second.end()])
  })

  test('separators of another system lead into folders too', async () => {
    const home = temporaryFolder()
    const shop = copyOf('shop')
    mkdirSync(join(shop, 'back', 'room'), { recursive: true })
    writeFileSync(
      join(shop, 'back/room/shelf.ts'),
      "import { price } from '../../src/price'\nexport const shelf = () => price('tea')\n",
    )
    const client = start(shop, home)
    await client.call('ingest', { path: shop })
    for (const it of ['back\\room\\shelf.ts', '.\\back\\room\\shelf.ts', 'back\\room/shelf.ts'])
      expect((await client.call('impact', { node_id: it })).isError, it).toBeUndefined()
    expect((await client.call('timeline', { node: 'back\\room\\shelf.ts' })).content[0].text).not.toContain(
      'node_not_found',
    )
    await client.end()
  })

  test('names that differ in case alone are two files', async () => {
    const home = temporaryFolder()
    const shop = copyOf('shop')
    writeFileSync(join(shop, 'src/Price.ts'), 'export function upper() {}\n')
    const client = start(shop, home)
    const { structuredContent } = await client.call('ingest', { path: shop })
    expect(JSON.stringify(structuredContent?.problems)).toContain('differs from')
    const ids = await Promise.all(
      ['src/price.ts', 'src/Price.ts'].map(async (it) =>
        JSON.stringify((await client.call('impact', { node_id: it })).structuredContent),
      ),
    )
    expect(ids[0]).not.toBe(ids[1])
    expect(await found(client, 'upper')).toContain('Price.ts')
    await client.end()
  })
})
