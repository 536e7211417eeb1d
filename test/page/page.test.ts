/** The page in a real browser, before a real server. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../support.ts'
import { openPage, Server } from './browser.ts'
import { writeProject } from './project.ts'
import { accessFaults, setStage, settled } from './stage.ts'

// a machine that is busy, and draws without a graphics card, takes its time
vi.setConfig({ testTimeout: 120_000 })

const stage = setStage({ packages: 6, files: 6, functions: 6 })
const { look } = stage

/** Names and addresses of all views, as the navigation has them. */
async function views(page: Page): Promise<{ name: string; path: string }[]> {
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  return page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link')
    .evaluateAll((links) => links.map((it) => ({ name: it.textContent ?? '', path: it.getAttribute('href') ?? '' })))
}

const rows = (page: Page) => page.getByRole('list', { name: 'Activated nodes' }).locator('.row-main')

describe('every view', () => {
  test('shows itself without an error on the console', async () => {
    const { page, errors } = await look('/')
    const all = await views(page)
    expect(all.length).toBeGreaterThan(1)
    for (const { name, path } of all) {
      await page.goto(stage.server.url + path)
      await settled(page)
      expect(await page.title(), name).toContain(name)
      expect(await page.locator('.failed').count(), name).toBe(0)
    }
    expect(errors).toEqual([])
  })

  test.each(['light', 'dark'] as const)('has no fault of accessibility in %s', async (colorScheme) => {
    const { page } = await look('/', { colorScheme })
    const places = [
      ...(await views(page)).map((it) => it.path),
      '/graph?query=session+token',
      '/graph?node=file::cart/models.py&code=yes',
    ]
    for (const path of places) {
      await page.goto(stage.server.url + path)
      await settled(page)
      expect(await accessFaults(page), `${path} in ${colorScheme}`).toEqual([])
    }
  })

  test('keeps all it has on a narrow window', async () => {
    const { page } = await look('/graph?query=session+token', { viewport: { width: 390, height: 800 } })
    await page.getByRole('button', { name: 'Meaning' }).click()
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('searchbox', { name: 'Activate' }).waitFor()
    await page.getByRole('button', { name: 'Picture' }).click()
    await page.locator('.picture').waitFor()
    for (const { path } of await views(page)) {
      await page.goto(stage.server.url + path)
      await settled(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, path).toBeLessThanOrEqual(0)
    }
  })

  test('an address that is none says so', async () => {
    const { page } = await look('/nowhere')
    await page.getByText('There is no such view.').waitFor()
  })
})

describe('an activation', () => {
  test('goes from a question to rows with reasons, to code, and into the address', async () => {
    const { page, errors } = await look('/graph')
    await page.getByRole('searchbox', { name: 'Activate' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('session token')
    await page.keyboard.press('Enter')
    await rows(page).first().waitFor()
    expect(new URL(page.url()).searchParams.get('query')).toBe('session token')
    const first = rows(page).first()
    expect(await first.locator('.row-reason').textContent()).toMatch(/named|matches|imports|calls|contains|changed/)
    expect(await first.getByRole('img').getAttribute('aria-label')).toMatch(/structural \d/)
    await rows(page).filter({ hasText: '.py' }).first().click()
    await page.getByRole('button', { name: 'Code' }).click()
    await page.locator('.line.meant').first().waitFor()
    // colours follow, each language in a file of its own
    await page.locator('.code [class^=hljs]').first().waitFor()
    expect(errors).toEqual([])

    // the same address shows the same
    const again = await look(new URL(page.url()).pathname + new URL(page.url()).search)
    await again.page.locator('.line.meant').first().waitFor()
    expect(await rows(again.page).allTextContents()).toEqual(await rows(page).allTextContents())
  })

  test('plays by hops, and is stepped with keys', async () => {
    const { page } = await look('/graph?query=session+token', { reducedMotion: 'no-preference' })
    const steps = page.locator('.steps').getByRole('status')
    await expect.poll(() => steps.textContent()).toMatch(/^ranking of/)
    await page.keyboard.press('[')
    await expect.poll(() => steps.textContent()).toMatch(/^hop \d+: /)
    for (let i = 0; i < 9; i++) await page.keyboard.press('[')
    await expect.poll(() => steps.textContent()).toMatch(/^\d+ seeds?$/)
    await page.keyboard.press(']')
    await expect.poll(() => steps.textContent()).toMatch(/^hop 1: /)
  })

  test('changes with its dimensions and shows what the noise filter does', async () => {
    const { page } = await look('/graph?query=session+token')
    await rows(page).first().waitFor()
    await page.getByRole('checkbox', { name: /semantic/ }).click()
    await expect.poll(() => rows(page).first().getByRole('img').getAttribute('aria-label')).not.toContain('semantic')
    expect(new URL(page.url()).searchParams.getAll('without')).toEqual(['semantic'])
    await page.getByRole('radio', { name: 'side by side' }).click()
    await expect.poll(() => page.locator('.picture').count()).toBe(2)
  })

  test('says why nothing was found', async () => {
    const { page } = await look('/graph?query=zzzyqx')
    await page.getByText('Nothing was activated.').waitFor()
  })

  test('is taught by the buttons of its rows, and by nothing else', async () => {
    const { page } = await look('/graph?query=session+token')
    await rows(page).first().waitFor()
    const before = await stage.server.call('health', {})
    await page
      .getByRole('button', { name: / is useful$/ })
      .first()
      .click()
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: / is useful$/ })
          .first()
          .getAttribute('aria-pressed'),
      )
      .toBe('true')
    const after = await stage.server.call('health', {})
    expect(after.plasticity_generation).not.toBe(before.plasticity_generation)
    const { page: other } = await look('/graph?query=billing+invoice')
    await rows(other).first().waitFor()
    expect((await stage.server.call('health', {})).plasticity_generation).toBe(after.plasticity_generation)
  })
})

describe('the picture', () => {
  test('opens groups in place and goes back', async () => {
    const { page } = await look('/graph')
    const items = page.getByRole('list', { name: 'Items of the map' }).locator('.row-main')
    await items.first().waitFor()
    const closed = await items.count()
    await items.first().click()
    await expect.poll(() => items.count()).toBeGreaterThan(closed)
    expect(new URL(page.url()).searchParams.getAll('open')).toHaveLength(1)
    await page.goBack()
    await expect.poll(() => items.count()).toBe(closed)
  })

  test('is clicked, zoomed and remembered by the address', async () => {
    const { page } = await look('/graph?open=dir::cart/')
    await page.locator('.picture canvas').first().waitFor()
    await settled(page)
    await page.mouse.move(600, 400)
    await page.mouse.wheel(0, -300)
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).not.toBeNull()
    await page.getByRole('button', { name: 'Whole map' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBeNull()
  })

  test('flies to a node that is looked for by name, and keeps its neighbourhood alone', async () => {
    const { page } = await look('/graph')
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('cart/models.py')
    const row = page.getByRole('list', { name: 'Found nodes' }).locator('.row-main').first()
    const name = await row.locator('.row-name').textContent()
    await row.click()
    await page
      .locator('.node-name')
      .getByText(name ?? '')
      .waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).not.toBeNull()
    await page.keyboard.press('f')
    await expect.poll(() => new URL(page.url()).searchParams.get('focus')).toBe('yes')
  })

  test('has an address for a node', async () => {
    const { page } = await look(`/node/${encodeURIComponent('file::cart/models.py')}`)
    await page.getByRole('heading', { name: /models\.py/ }).waitFor()
    await page.getByRole('list', { name: 'Leads to' }).locator('.row-main').first().waitFor()
  })

  test('of a node that is not there says so', async () => {
    const { page } = await look(`/node/${encodeURIComponent('file::gone.py')}`)
    await page.locator('.chosen-node .failed').waitFor()
  })
})

test('all of it can be done with keys', async () => {
  const { page } = await look('/graph')
  await page.getByRole('list', { name: 'Items of the map' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('session token')
  await page.keyboard.press('Enter')
  await rows(page).first().waitFor()
  for (let i = 0; i < 60; i++) {
    if ((await page.evaluate(() => document.activeElement?.closest('[aria-label="Activated nodes"]') ?? null)) !== null)
      break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('ArrowDown')
  const second = await rows(page).nth(1).locator('.row-name').textContent()
  expect(await page.evaluate(() => document.activeElement?.querySelector('.row-name')?.textContent)).toBe(second)
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)
  expect(ring).toBe('solid')
  await page.keyboard.press('Enter')
  await page.locator('.line').first().waitFor()
  await page.keyboard.press('?')
  await page.getByText('the question').waitFor()
  await page.keyboard.press('i')
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/impact\//)
})

describe('live', () => {
  test('what another client ingests appears by itself', async () => {
    const { page } = await look('/graph')
    const sizes = page.locator('.sizes')
    await sizes.waitFor()
    await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    const before = await sizes.textContent()
    writeFileSync(join(stage.server.project, 'cart', 'fresh.py'), 'def very_fresh(value):\n    return value\n')
    await stage.server.call('ingest', { path: stage.server.project, incremental: true })
    await expect.poll(() => sizes.textContent()).not.toBe(before)
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('very_fresh')
    await page.getByRole('list', { name: 'Found nodes' }).getByText('very_fresh').first().waitFor()
  })

  test('a server that goes is missed, and found when it is back', async () => {
    const { page } = await look('/health')
    await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    await stage.server.stop()
    await page.getByText('The server does not answer.').waitFor()
    // what was there is still to be read
    await page.getByRole('heading', { name: 'Health' }).first().waitFor()
    await stage.server.start()
    await page.getByRole('button', { name: 'Try now' }).click()
    await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    expect(await page.getByText('The server does not answer.').count()).toBe(0)
  })

  test('a project that was never read is read from here', async () => {
    const folder = temporaryFolder()
    writeProject(folder, { packages: 2, files: 2, functions: 2 })
    const empty = new Server(folder)
    await empty.start()
    try {
      const it = stage.keep(await openPage(stage.browser))
      await it.page.goto(`${empty.url}/`)
      await it.page.getByText('Nothing has been read yet.').waitFor()
      await it.page.getByRole('button', { name: 'Read this project' }).click()
      await it.page.locator('.picture').waitFor()
      expect(it.errors).toEqual([])
    } finally {
      await empty.stop()
    }
  })

  test('a server with a token asks for it', async () => {
    const folder = temporaryFolder()
    writeProject(folder, { packages: 2, files: 2, functions: 2 })
    const guarded = new Server(folder)
    await guarded.start({ M1ND_TOKEN: 'open sesame' })
    try {
      const { page } = stage.keep(await openPage(stage.browser))
      await page.goto(`${guarded.url}/health`)
      await page.getByLabel('Token').fill('open sesame')
      await page.getByRole('button', { name: 'Go on' }).click()
      await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    } finally {
      await guarded.stop()
    }
  })
})
