/** What agents do and keep, what they taught, and how the server is: all in a real browser, while another client works. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Opened } from './browser.ts'
import { setStage } from './stage.ts'

/** An event is on the screen within a second; the rest is for a machine that does other things too. */
const SOON = { timeout: 5000 }
const QUERY = 'session token'
const ABOUT = 'session/models.py'

// what changes on disk stays unread until somebody asks for it
const stage = setStage({ packages: 3, files: 4, functions: 4 }, { M1ND_WATCH: 'false' })

/** A window at an address of the page, whose events come. */
async function look(path: string): Promise<Opened> {
  const it = await stage.look(path)
  await isLive(it.page)
  return it
}

async function isLive(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.top .connection').textContent(), SOON).toBe('live')
}

function teach(agent: string, feedback: string): Promise<unknown> {
  return stage.server.call('learn', { agent_id: agent, query: QUERY, feedback, node_ids: [ABOUT] })
}

async function forgetAll(): Promise<void> {
  await stage.server.call('learn', { feedback: 'reset', scope: 'all' })
}

const edges = (page: Page, title: string) => page.getByRole('region', { name: title }).locator('.change')
const lessons = (page: Page) => page.locator('.lesson')

describe('learning', () => {
  test('that has not begun says how it begins', async () => {
    const { page, errors } = await look('/learning')
    await page.getByText('Nothing was learned yet.').waitFor()
    await page.getByRole('link', { name: 'Ask a question' }).click()
    expect(new URL(page.url()).pathname).toBe('/graph')
    expect(errors).toEqual([])
  })

  test('shows by itself what another client teaches, with who, and what it did to edges', async () => {
    const { page } = await look('/learning')
    await page.getByText('Nothing was learned yet.').waitFor()
    await teach('reviewer', 'correct')
    await edges(page, 'Strengthened').first().waitFor(SOON)
    const first = await edges(page, 'Strengthened').first().innerText()
    expect(first).toMatch(/\d\.\d\d → \d\.\d\d \+\d/)
    expect(first).toMatch(/raised \w+/)
    expect(first).toContain('reviewer')
    const lesson = lessons(page).first()
    expect(await lesson.innerText()).toMatch(/reviewer\s+right/)
    expect(await lesson.getByRole('link', { name: QUERY }).getAttribute('href')).toBe('/graph?query=session+token')

    await teach('tester', 'wrong')
    await expect.poll(() => lessons(page).count(), SOON).toBe(2)
    expect(await lessons(page).first().innerText()).toMatch(/tester\s+wrong/)
  })

  test('is shown of one agent alone by an address, and back leads to all', async () => {
    const { page } = await look('/learning')
    await expect.poll(() => lessons(page).count(), SOON).toBe(2)
    await page
      .getByRole('complementary', { name: 'Agents' })
      .getByRole('link', { name: /tester/ })
      .click()
    expect(new URL(page.url()).searchParams.get('agent')).toBe('tester')
    await expect.poll(() => lessons(page).count(), SOON).toBe(1)
    await page.goBack()
    await expect.poll(() => lessons(page).count(), SOON).toBe(2)
  })

  test('is taken back in two steps, the first of which does nothing', async () => {
    const { page } = await look('/learning')
    await expect.poll(() => lessons(page).count(), SOON).toBe(2)
    const ask = lessons(page)
      .last()
      .getByRole('button', { name: /^Take back/ })
    await ask.click()
    const question = lessons(page)
      .last()
      .getByRole('group', { name: /^Forget all/ })
    await question.waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it')
    await page.keyboard.press('Escape')
    expect(await question.count()).toBe(0)
    expect((await edges(page, 'Strengthened').count()) + (await edges(page, 'Weakened').count())).toBeGreaterThan(0)

    await ask.click()
    await question.getByRole('button', { name: 'Forget it' }).click()
    await expect.poll(() => lessons(page).first().innerText(), SOON).toMatch(/gui\s+took back/)
  })

  test('of one agent, and all of it, can be forgotten', async () => {
    await forgetAll()
    await teach('reviewer', 'correct')
    await teach('tester', 'correct')
    const { page } = await look('/learning?agent=tester')
    await page.getByRole('button', { name: 'Forget what tester taught' }).click()
    await page.getByRole('button', { name: 'Forget it' }).click()
    await page.getByText(/Done: \d+ edges? set back/).waitFor()
    await page.getByText('Nothing that tester taught is left.').waitFor()

    await page.getByRole('link', { name: 'everyone', exact: true }).click()
    await edges(page, 'Strengthened').first().waitFor(SOON)
    await page.getByRole('button', { name: 'Forget everything' }).click()
    await page
      .getByRole('group', { name: /^Set every edge back/ })
      .getByRole('button', { name: 'Forget everything' })
      .click()
    await expect.poll(() => edges(page, 'Strengthened').count(), SOON).toBe(0)
    await page.getByText('No edge is stronger than it was read.').waitFor()
  })

  test('comes in pages, which have addresses', async () => {
    await forgetAll()
    for (let i = 0; i < 52; i++) await teach('reviewer', 'correct')
    const { page } = await look('/learning')
    await expect.poll(() => lessons(page).count(), SOON).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    // the lesson that forgot what was before is the oldest one
    await expect.poll(() => lessons(page).count(), SOON).toBe(3)
    expect(new URL(page.url()).searchParams.get('offset')).toBe('50')
    await page.getByRole('link', { name: 'Newer' }).click()
    await expect.poll(() => lessons(page).count(), SOON).toBe(50)
    await forgetAll()
  })
})

const events = (page: Page) => page.getByRole('list', { name: 'Events, newest first' })

describe('agents', () => {
  test('what they keep is shown by itself, by agent, and goes when it is let go', async () => {
    const { page, errors } = await look('/agents')
    await page.getByText('No agent keeps anything here.').waitFor()
    const { lock_id: lock } = await stage.server.call('lock_create', {
      agent_id: 'guard',
      scope: 'subgraph',
      root_nodes: [ABOUT],
      radius: 1,
    })
    const card = page.getByRole('region', { name: 'guard' }).getByText(String(lock))
    await card.waitFor(SOON)
    await stage.server.call('lock_watch', { agent_id: 'guard', lock_id: lock, strategy: 'on_learn' })
    await page.getByText('told when something in it is learned').waitFor(SOON)
    await teach('reviewer', 'correct')
    await page.getByText(/learning by reviewer/).waitFor(SOON)

    await stage.server.call('perspective_start', { agent_id: 'scout', query: QUERY })
    await stage.server.call('trail_save', { agent_id: 'scout', label: 'where tokens end' })
    const scout = page.getByRole('region', { name: 'scout' })
    await scout.getByText('where tokens end', { exact: true }).waitFor(SOON)
    expect(await scout.innerText()).toMatch(/Stands at[\s\S]+routes? ahead/)

    await page
      .getByRole('complementary', { name: 'Agents' })
      .getByRole('link', { name: /^scout/ })
      .click()
    expect(new URL(page.url()).searchParams.get('agent')).toBe('scout')
    expect(await card.count()).toBe(0)
    await page.goBack()
    await card.waitFor()
    await stage.server.call('lock_release', { agent_id: 'guard', lock_id: lock })
    await expect.poll(() => card.count(), SOON).toBe(0)
    expect(errors).toEqual([])
  })

  test('a thing that they keep has an address', async () => {
    const { perspective_id: id } = await stage.server.call('perspective_start', { agent_id: 'scout', query: QUERY })
    const { page } = await look(`/agents/${String(id)}`)
    await page.locator('.kept-one.chosen').waitFor()
    expect(await page.locator('.kept-one.chosen').getAttribute('id')).toBe(id)
    await stage.server.call('perspective_close', { agent_id: 'scout', perspective_id: id })
    await page.getByText(`${String(id)} is not there any more.`).waitFor(SOON)
  })
})

describe('events', () => {
  test('come by themselves, lead to what they are about, and can be held and chosen', async () => {
    const { page } = await look('/agents')
    await page.getByText('Nothing has happened since this page was opened.').waitFor()
    await stage.server.call('activate', { agent_id: 'scout', query: QUERY })
    await teach('reviewer', 'wrong')
    const verdict = events(page).getByRole('listitem').filter({ hasText: 'reviewer said wrong about' })
    await verdict.waitFor(SOON)
    expect(await verdict.getByRole('link', { name: ABOUT }).getAttribute('href')).toContain('/node/')
    const question = events(page).getByRole('listitem').filter({ hasText: 'scout asked' })
    expect(await question.getByRole('link', { name: QUERY }).getAttribute('href')).toBe('/graph?query=session+token')

    await page.getByRole('button', { name: 'Hold' }).click()
    const held = await events(page).getByRole('listitem').count()
    await stage.server.call('seek', { agent_id: 'scout', query: 'invoice' })
    await page.getByRole('button', { name: 'Go on, 1 new' }).waitFor(SOON)
    expect(await events(page).getByRole('listitem').count()).toBe(held)
    await page.getByRole('button', { name: /^Go on/ }).click()
    await expect.poll(() => events(page).getByRole('listitem').count(), SOON).toBe(held + 1)

    await page.getByRole('button', { name: 'calls', exact: true }).click()
    expect(new URL(page.url()).searchParams.get('hide')).toBe('calls')
    expect(await events(page).getByText('called').count()).toBe(0)
    await verdict.waitFor()
  })

  test('are many without end, and only the last ones are kept', async () => {
    const { page } = await look('/agents')
    for (let i = 0; i < 210; i++) await stage.server.call('seek', { agent_id: 'scout', query: QUERY })
    await expect.poll(() => events(page).getByRole('listitem').count(), SOON).toBeGreaterThan(150)
    expect(await events(page).getByRole('listitem').count()).toBeLessThanOrEqual(200)
  })

  test('are told to who listens in one sentence now and then, not one by one', async () => {
    const { page } = await look('/agents')
    const spoken = page.locator('.feed').getByRole('status')
    await stage.server.call('seek', { agent_id: 'scout', query: QUERY })
    await stage.server.call('seek', { agent_id: 'scout', query: QUERY })
    await expect.poll(() => spoken.textContent(), { timeout: 15_000 }).toBe('New: 2 calls.')
    expect(await page.locator('.events').getAttribute('aria-live')).toBeNull()
  })

  test('that were missed are told to be missing', async () => {
    const { page } = await look('/agents')
    await stage.server.stop()
    await page.locator('.feed').getByText('no connection', { exact: true }).waitFor()
    await stage.server.start({ M1ND_WATCH: 'false' })
    await page.getByRole('button', { name: 'Try now' }).click()
    await isLive(page)
    // the page may have been heard once more by the server that was on its way out
    await events(page)
      .getByText(/^No connection since \d\d:\d\d:\d\d/)
      .first()
      .waitFor()
  })
})

describe('health', () => {
  test('counts what the server counts', async () => {
    const { page, errors } = await look('/health')
    const response = await fetch(`${stage.server.url}/api/coverage`)
    const { files, references, languages } = await response.json()
    await page.getByRole('list', { name: 'Files by how they were read' }).waitFor()
    const said = await page.getByRole('main').innerText()
    expect(said).toContain(`${files.parsed} read whole`)
    expect(said).toContain(`${references.resolved} resolved`)
    for (const it of languages) expect(said).toContain(it.language)
    expect(said).toMatch(/Time of the last reading\n[\s\S]*\d ms/)
    expect(errors).toEqual([])
  })

  test('tells which files changed since they were read, and reads them on request', async () => {
    const file = join(stage.server.project, 'cart', 'newest.py')
    writeFileSync(file, 'def newest(value):\n    return value\n')
    await stage.server.call('ingest', { path: stage.server.project, incremental: true })
    // whole seconds are all that some disks keep
    writeFileSync(file, 'def newest(value):\n    return [value]\n')
    const { page } = await look('/health')
    await page.getByText(/^Read .* 1 file has changed since/).waitFor()
    await page.getByRole('list', { name: 'Files that changed' }).getByText('newest.py').waitFor()
    await page.getByRole('button', { name: 'Read what changed' }).click()
    await page.getByText(/^1 file read, \d+ unchanged/).waitFor(SOON)
    await page.getByText(/None of \d+ files that were looked at has changed since/).waitFor(SOON)
  })
})
