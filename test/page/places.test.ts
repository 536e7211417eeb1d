/** Tree, impact and history in a real browser. */

import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { accessFaults, setStage, settled } from './stage.ts'

const MODELS = encodeURIComponent('file::cart/models.py')
const VIEWS = encodeURIComponent('file::cart/views.py')

const stage = setStage({ packages: 5, files: 5, functions: 5 })
const look = (path: string, options: BrowserContextOptions = {}) => stage.look(path, options, countShifts)

/** Counts what moves by itself, from the beginning. */
async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Reflect.set(globalThis, 'shifted', 0)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (Reflect.get(entry, 'hadRecentInput') === false)
          Reflect.set(globalThis, 'shifted', Reflect.get(globalThis, 'shifted') + Reflect.get(entry, 'value'))
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

const item = (page: Page, name: string) => page.getByRole('treeitem', { name })
const where = (page: Page) => new URL(page.url())

describe('places', () => {
  const addresses = [
    '/tree',
    `/tree/cart?query=load+token&sort=activation&node=${MODELS}`,
    '/tree?name=models',
    '/impact',
    `/impact/${MODELS}`,
    `/impact/${MODELS}?show=removal`,
    `/impact/${MODELS}?with=${VIEWS}&direction=both`,
    '/history',
    '/history/cart%2Fprices.py',
  ]

  test.each(['light', 'dark'] as const)(
    'have no fault of accessibility in %s',
    async (colorScheme) => {
      const { page, errors } = await look('/tree', { colorScheme })
      for (const path of addresses) {
        await page.goto(stage.server.url + path)
        await settled(page)
        expect(await accessFaults(page), `${path} in ${colorScheme}`).toEqual([])
        expect(await page.locator('.failed').count(), path).toBe(0)
      }
      expect(errors).toEqual([])
    },
    120_000,
  )

  test('stand still while they load, and fit a narrow window', async () => {
    for (const path of addresses) {
      const { page, close } = await look(path)
      await settled(page)
      expect(await page.evaluate(() => Reflect.get(globalThis, 'shifted')), path).toBeLessThan(0.1)
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBeLessThanOrEqual(0)
      await close()
    }
  }, 120_000)

  test.each(['/tree/nowhere', '/impact/nowhere.py', '/history/nowhere.py'])(
    '%s says what is not there',
    async (path) => {
      const { page } = await look(path)
      await page.getByRole('main').getByText('Node not found: nowhere').waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Try again' }).waitFor()
    },
  )
})

describe('the tree', () => {
  test('is walked by keys: arrows open and close, Enter chooses, the address says it', async () => {
    const { page } = await look('/tree')
    await item(page, 'cart').focus()
    await page.keyboard.press('ArrowRight')
    await item(page, 'models.py').waitFor()
    expect(where(page).searchParams.getAll('open')).toEqual(['cart'])
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('__init__.py')
    await page.keyboard.press('ArrowLeft')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('cart')
    await item(page, 'models.py').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Code of cart/models.py' }).waitFor()
    expect(where(page).searchParams.get('node')).toBe('file::cart/models.py')
    // a closed folder takes what is selected in it along
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await item(page, 'models.py').waitFor({ state: 'detached' })
    expect(where(page).searchParams.get('node')).toBe('dir::cart/')
    expect(await page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1)
    await page.goBack()
    await item(page, 'models.py').waitFor()
  })

  test('opens by itself what a selected node lies in, down to a definition', async () => {
    const { page } = await look(`/tree?node=${encodeURIComponent('file::cart/models.py::class::CartModels')}`)
    await page.getByRole('treeitem', { name: 'CartModels', selected: true }).waitFor()
  })

  test('shows heat from a question, and finds names at any depth', async () => {
    const { page } = await look('/tree')
    await page.getByRole('searchbox', { name: 'Heat from a question' }).fill('load token')
    await page.keyboard.press('Enter')
    await page.locator('.heat.activation > span').first().waitFor()
    await item(page, 'question 100 %').first().waitFor()
    await page.getByRole('searchbox', { name: 'Names with' }).fill('rates')
    await item(page, 'billing/rates.py').waitFor()
    expect(where(page).searchParams.get('name')).toBe('rates')
    await page.getByRole('searchbox', { name: 'Names with' }).fill('zzz')
    await page.getByText('No file or folder has such a name.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await item(page, 'cart').first().waitFor()
  })
})

describe('the impact', () => {
  test('goes from a name to hops, to the way of a row, and back', async () => {
    const { page } = await look('/impact')
    await page.getByRole('combobox', { name: 'Node' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('cart models')
    await page
      .getByRole('option', { name: /models\.py/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /models/i }).waitFor()
    const centre = where(page).pathname
    await page
      .getByText(/may be affected by a change|Nothing is reached/)
      .first()
      .waitFor()
    await page.goto(`${stage.server.url}/impact/${MODELS}`)
    const row = page.getByRole('list', { name: 'Reached in 1 hop' }).locator('.row-main').first()
    await row.click()
    const steps = page.locator('.way-steps li')
    await steps.first().waitFor()
    expect(await steps.first().textContent()).toBe('models.py')
    expect(await steps.nth(1).textContent()).toMatch(/called by|imported by|contains/)
    expect(await page.locator('.rings .dot.lit').count()).toBeGreaterThan(0)
    const chosen = where(page).searchParams.get('node')
    expect(chosen).toMatch(/^file::/)
    await page.goBack()
    await steps.first().waitFor({ state: 'detached' })
    await page.goBack()
    await expect.poll(() => where(page).pathname).toBe(centre)
  })

  test('counts at the hops what the sentence counts', async () => {
    const { page } = await look(`/impact/${MODELS}`)
    const said = await page.locator('.answer').textContent()
    const total = Number(/([\d,]+) nodes?/.exec(said ?? '')?.[1].replace(',', ''))
    const hops = await page.locator('.hops > section > .quiet').allTextContents()
    expect(hops.reduce((sum, it) => sum + Number(/([\d,]+) node/.exec(it)?.[1].replace(',', '')), 0)).toBe(total)
    expect(await page.locator('.trust-level').textContent()).toMatch(/may be more|known to be missing|cannot be told/)
  })

  test('simulates the removal and compares with another node', async () => {
    const { page } = await look(`/impact/${MODELS}`)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Nodes that hang together').waitFor()
    await page.getByRole('heading', { name: 'Hit at each distance' }).waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('combobox', { name: 'Compare with' }).fill('cart views')
    await page
      .getByRole('option', { name: /cart\/ ?views\.py/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Removed together' }).waitFor()
    await page.getByRole('region', { name: 'Both' }).waitFor()
    expect(where(page).searchParams.get('with')).toMatch(/^file::cart\/views\.py/)
    await page.getByRole('button', { name: 'Do not compare' }).click()
    await page.getByRole('img', { name: /in the middle/ }).waitFor()
  })
})

describe('the history', () => {
  test('has commits in time and as a table, and marks what no import explains', async () => {
    const { page } = await look('/history/cart%2Fprices.py')
    await page.locator('.answer').getByText('4 commits').waitFor()
    expect(await page.locator('.timeline .commit').count()).toBe(4)
    expect(await page.getByRole('table', { name: 'Commits, newest first' }).locator('tbody tr').count()).toBe(4)
    const partner = page.getByRole('list', { name: 'Files that changed together with it' }).locator('.row-main')
    expect(await partner.filter({ hasText: 'billing/rates.py' }).textContent()).toMatch(/hidden.*4×/)
    await partner.filter({ hasText: 'billing/rates.py' }).click()
    await page.getByText('Changed together in 4 of its 4 commits. Neither refers to the other').waitFor()
    await page.getByRole('link', { name: 'Compare their impact' }).click()
    await page.getByRole('heading', { level: 1, name: 'prices.py and rates.py' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'What goes along' }).click()
    await page.getByRole('list', { name: 'What probably changes too' }).getByText('rates.py').first().waitFor()
  })

  test('a commit that is chosen is in the address, in the picture and in the table', async () => {
    const { page } = await look('/history/cart%2Fprices.py')
    await page
      .getByRole('button', { name: /^2025-/ })
      .first()
      .click()
    expect(where(page).searchParams.get('commit')).toMatch(/^[0-9a-f]{40}$/)
    expect(await page.locator('.commit.lit').count()).toBe(1)
    const again = await look(where(page).pathname + where(page).search)
    await again.page.locator('tr.chosen').waitFor()
  })
})
