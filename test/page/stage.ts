/** What the tests of one file have in common: a project, a server for it, and a browser. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { buildProgram, cleanUp, temporaryFolder } from '../support.ts'
import { openBrowser, openPage, type Opened, Server } from './browser.ts'
import { writeProject } from './project.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Stage {
  browser: Browser
  server: Server
  /** Opens a window at an address of the page; it ends with the test. Motion is reduced unless a test is about it. */
  look(path: string, options?: BrowserContextOptions, before?: (page: Page) => Promise<unknown>): Promise<Opened>
  /** Has a window of another making end with the test. */
  keep(it: Opened): Opened
}

/** Sets the stage for the tests of a file: a project of this size that was read, served with this environment. */
export function setStage(size: Parameters<typeof writeProject>[1], env: Readonly<Record<string, string>> = {}): Stage {
  const opened: Opened[] = []
  let browser: Browser | null = null
  let server: Server | null = null
  const there = <T>(it: T | null): T => {
    if (it === null) throw new Error('The stage is set before the first test, not earlier.')
    return it
  }

  beforeAll(async () => {
    browser = await openBrowser()
    await buildProgram()
    const project = temporaryFolder()
    writeProject(project, size)
    server = new Server(project)
    await server.start(env)
    await server.call('ingest', { path: project })
  }, 120_000)
  afterEach(async () => {
    for (const it of opened.splice(0)) await it.close()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    cleanUp()
  })

  const keep = (it: Opened) => {
    opened.push(it)
    return it
  }
  return {
    get browser() {
      return there(browser)
    },
    get server() {
      return there(server)
    },
    keep,
    async look(path, options = {}, before) {
      const it = keep(await openPage(there(browser), { reducedMotion: 'reduce', ...options }))
      await before?.(it.page)
      await it.page.goto(there(server).url + path)
      return it
    },
  }
}

/** Waits until nothing on the page is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main').waitFor()
  let quiet = 0
  await expect
    .poll(
      async () => {
        quiet = (await page.locator('.bones').count()) === 0 ? quiet + 1 : 0
        return quiet
      },
      { interval: 100 },
    )
    .toBeGreaterThan(3)
}

/** What makes the page hard to use for some: rule, and the first place that breaks it. */
export async function accessFaults(page: Page): Promise<[string, string][]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(globalThis, 'axe').run()
    return violations.map((it: { id: string; nodes: { html: string }[] }) => [it.id, it.nodes[0].html.slice(0, 200)])
  })
}
