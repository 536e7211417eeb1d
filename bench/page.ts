/**
 * How fast the page is, in the browser of this machine: `npm run bench:page`, or `-- ../project` for a project of
 * yours. Prints first useful paint, time until it can be used, frame times while 10,000 nodes are moved, the longest
 * task, event to screen, and memory after many events. Nothing is asserted: a browser that draws without a graphics
 * card is many times slower than one with it, and says so in the first line.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser, openPage, Server } from '../test/page/browser.ts'
import { writeProject } from '../test/page/project.ts'
import { buildProgram, cleanUp, temporaryFolder } from '../test/support.ts'

/** About 10,000 nodes. */
const SIZE = { packages: 30, files: 16, functions: 19 }
const EVENTS = 100

const given = process.argv[2]
const project = given ?? join(temporaryFolder(), 'generated')
if (given === undefined) {
  mkdirSync(project)
  writeProject(project, SIZE)
}
await buildProgram()
const browser = await openBrowser()
const server = new Server(project)
try {
  await server.start()
  const { node_count } = await server.call('ingest', { path: project })
  const { page } = await openPage(browser, { viewport: { width: 1440, height: 900 } })
  // what runs a script from its sources marks functions by this, also those that are sent to the page
  await page.addInitScript('globalThis.__name = (it) => it')
  await page.addInitScript(watchTasks)
  // the layout of the map is made once for each graph
  await fetch(`${server.url}/api/graph/map`)
  print('nodes', String(node_count))
  print('drawn by', await renderer(page))
  await start(page)
  await pan(page)
  // a project of somebody's own is not written to
  if (given === undefined) await live(page)
} finally {
  await browser.close()
  await server.stop()
  cleanUp()
}

/** Runs in the page: keeps long tasks. */
function watchTasks(): void {
  const tasks: number[] = []
  Reflect.set(globalThis, 'longTasks', tasks)
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) tasks.push(it.duration)
  }).observe({ type: 'longtask', buffered: true })
}

async function renderer(page: Page): Promise<string> {
  return page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl')
    const named = gl?.getExtension('WEBGL_debug_renderer_info')
    return gl === null || named == null ? 'nothing' : String(gl.getParameter(named.UNMASKED_RENDERER_WEBGL))
  })
}

async function start(page: Page): Promise<void> {
  await page.goto(`${server.url}/graph`)
  await page.waitForFunction(() => document.querySelector('.picture canvas') !== null, null, { polling: 'raf' })
  const [paint, usable] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    performance.now(),
  ])
  await page.waitForTimeout(1000)
  print('first paint', ms(paint))
  print('picture there', ms(usable))
  print('longest task at the start', ms(await longestTask(page)))
  const sizes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((it) => it.name.endsWith('.js'))
      .reduce((sum, it) => sum + Number(Reflect.get(it, 'decodedBodySize')), 0),
  )
  print('script loaded', `${Math.round(sizes / 1000)} kB, not compressed`)
}

async function pan(page: Page): Promise<void> {
  await page.goto(`${server.url}/graph?open=*`)
  await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('.picture')?.dataset.nodes) > 1000)
  await page.waitForTimeout(3000)
  print('items drawn', (await page.locator('.picture').getAttribute('data-nodes')) ?? '')
  print('longest task until then', ms(await longestTask(page)))
  await page.evaluate(() => {
    const frames: number[] = []
    Reflect.set(globalThis, 'frameTimes', frames)
    let last = performance.now()
    const next = (time: number) => {
      frames.push(time - last)
      last = time
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })
  await page.mouse.move(700, 500)
  await page.mouse.down()
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(700 + 3 * i, 500 + i)
    await page.waitForTimeout(8)
  }
  await page.mouse.up()
  const frames: number[] = await page.evaluate(() => Reflect.get(globalThis, 'frameTimes'))
  const sorted = [...frames].sort((a, b) => a - b)
  const at = (share: number) => ms(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  print('frames while panning', `median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`)
  print('longest task while panning', ms(await longestTask(page)))
}

async function live(page: Page): Promise<void> {
  await page.goto(`${server.url}/health`)
  await page.locator('.connection.live').waitFor()
  await page.waitForTimeout(500)
  const sizes = await page.locator('.sizes').getAttribute('title')
  writeFileSync(join(project, 'bench_fresh.py'), 'def fresh_one():\n    return 1\n')
  const told = page.evaluate(
    (before) =>
      new Promise<number>((resolve) => {
        let told = 0
        void fetch('/api/events').then(async ({ body }) => {
          const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
          while (told === 0 && reader !== undefined)
            if ((await reader.read()).value?.includes('event: graph_changed') === true) told = performance.now()
        })
        const look = () => {
          if (document.querySelector<HTMLElement>('.sizes')?.title !== before) resolve(performance.now() - told)
          else requestAnimationFrame(look)
        }
        look()
      }),
    sizes ?? '',
  )
  await page.waitForTimeout(500)
  await server.call('ingest', { path: project, incremental: true })
  print('event to screen', ms(await told))
  const before = await heap(page)
  for (let i = 0; i < EVENTS; i++) await server.call('activate', { query: `cart total ${i}`, top_k: 5 })
  await page.waitForTimeout(2000)
  print(`memory before and after ${EVENTS} events`, `${before} and ${await heap(page)}`)
}

async function heap(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return `${(usedSize / 1e6).toFixed(1)} MB`
}

async function longestTask(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, ...Reflect.get(globalThis, 'longTasks').splice(0)))
}

function ms(time: number): string {
  return `${Math.round(time)} ms`
}

function print(name: string, value: string): void {
  console.log(`${name.padEnd(40)} ${value}`)
}
