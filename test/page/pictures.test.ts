/**
 * How the page looks, compared with kept pictures (`test/page/pictures`). `M1ND_KEEP_PICTURES=1 npm run test:page --
 * pictures` takes them anew, and they are looked at like code. Letters are left out, since every machine has other
 * fonts: what is compared are the picture itself, colours, and where things are.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import type { Page, Request } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect, test, vi } from 'vitest'
import { setStage } from './stage.ts'

const kept = fileURLToPath(new URL('pictures', import.meta.url))
/** Part of the pixels that may differ: edges of discs, other ways of drawing thin lines. */
const TOLERANCE = 0.02
/** This answer never ends. */
const EVENTS = '/api/events'
/** The camera comes to rest after less than this, and asks for what it has come close to. */
const REST_MS = 700
/** Longer than every other answer takes. */
const LATE_MS = 1000

vi.setConfig({ testTimeout: 120_000 })

const stage = setStage({ packages: 5, files: 5, functions: 5 })

const NEIGHBOURHOOD = '/graph?node=file::cart/models.py&focus=yes'

test.each([
  ['map', '/graph', 'light'],
  ['open', '/graph?open=dir::session/&open=dir::cart/&colour=recency', 'dark'],
  ['activation', '/graph?query=session+token', 'dark'],
  ['neighbourhood', NEIGHBOURHOOD, 'light'],
] as const)('%s looks as it did', async (name, path, colorScheme) => {
  expectLike(name, await pictureOf(path, colorScheme))
})

test.each(['map', 'neighbours'])('the neighbourhood looks the same when its %s comes late', async (late) => {
  const picture = await pictureOf(NEIGHBOURHOOD, 'light', (page) =>
    page.route(`**/api/graph/${late}*`, async (route) => {
      await setTimeout(LATE_MS)
      await route.continue()
    }),
  )
  expectLike('neighbourhood', picture)
})

/** The picture at an address without its letters, once it is at rest. */
async function pictureOf(
  path: string,
  colorScheme: 'light' | 'dark',
  before?: (page: Page) => Promise<unknown>,
): Promise<PNG> {
  const viewport = { width: 1000, height: 600 }
  const asked = new Set<Request>()
  const { page } = await stage.look(path, { viewport, colorScheme }, async (it) => {
    await it.addInitScript(() => {
      CanvasRenderingContext2D.prototype.fillText = () => {}
      CanvasRenderingContext2D.prototype.strokeText = () => {}
    })
    it.on('request', (request) => asked.add(request))
    it.on('requestfinished', (request) => asked.delete(request))
    it.on('requestfailed', (request) => asked.delete(request))
    await before?.(it)
  })
  const picture = page.locator('.picture')
  await picture.waitFor()
  // the line below is as high as its text
  await page.locator('.status').evaluate((it) => {
    it.style.height = '40px'
    it.style.overflow = 'hidden'
  })
  let last = await picture.screenshot()
  await vi.waitUntil(
    async () => {
      await setTimeout(REST_MS)
      const before = last
      last = await picture.screenshot()
      return last.equals(before) && [...asked].every((it) => it.url().endsWith(EVENTS))
    },
    { timeout: 30_000 },
  )
  return PNG.sync.read(last)
}

function expectLike(name: string, seen: PNG): void {
  const file = `${kept}/${name}.png`
  if (process.env.M1ND_KEEP_PICTURES === '1') {
    mkdirSync(kept, { recursive: true })
    writeFileSync(file, PNG.sync.write(seen))
    return
  }
  if (!existsSync(file)) throw new Error(`There is no kept picture ${file}; M1ND_KEEP_PICTURES=1 makes it.`)
  const before = PNG.sync.read(readFileSync(file))
  expect({ width: seen.width, height: seen.height }).toEqual({ width: before.width, height: before.height })
  const difference = new PNG({ width: seen.width, height: seen.height })
  const pixels = pixelmatch(before.data, seen.data, difference.data, seen.width, seen.height, { threshold: 0.25 })
  const share = pixels / (seen.width * seen.height)
  if (share > TOLERANCE) writeFileSync(`${kept}/${name}.different.png`, PNG.sync.write(difference))
  expect(share, `${name}: see ${name}.different.png`).toBeLessThanOrEqual(TOLERANCE)
}
