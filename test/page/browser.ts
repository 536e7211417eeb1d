/** The page as somebody meets it: the built program serving a project, and a browser that looks at it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { PROGRAM, temporaryFolder } from '../support.ts'

const WHERE = process.env.M1ND_CHROMIUM ?? '/usr/bin/chromium'

/** Starts the browser of this machine; one without is told what is missing. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(WHERE))
    throw new Error(
      `There is no browser at ${WHERE}. Install one (apt-get install chromium), or say where it is: M1ND_CHROMIUM=/path/to/chromium.`,
    )
  return chromium.launch({
    executablePath: WHERE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // what has no graphics card draws the picture by itself
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb',
    ],
  })
}

export interface Opened {
  page: Page
  /** What the console called an error, and what was thrown. */
  errors: string[]
  close: () => Promise<void>
}

/** A window of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const errors: string[] = []
  page.on('console', (it) => {
    if (it.type() === 'error') errors.push(it.text())
  })
  page.on('pageerror', (it) => errors.push(it.message))
  return { page, errors, close: () => context.close() }
}

/** The program serving one project. */
export class Server {
  readonly project: string
  readonly #home = temporaryFolder()
  #process: ChildProcess | null = null
  url = ''

  constructor(project: string) {
    this.project = project
  }

  /** Starts it, at the same address as before when it was there before. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', port], {
      cwd: this.project,
      env: { ...process.env, M1ND_HOME: this.#home, M1ND_TOKEN: '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    this.url = await new Promise((resolve, reject) => {
      let said = ''
      child.stderr?.on('data', (chunk) => {
        said += chunk
        const url = /at (http:\/\/[\w.:]+)\//.exec(said)?.[1]
        if (url !== undefined) resolve(url)
      })
      child.once('exit', () => reject(new Error(`The server ended: ${said}`)))
    })
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child === null) return
    this.#process = null
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await ended
  }

  /** Calls a tool as another client does. */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}/api/tools/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'other', ...args }),
    })
    const { result, message } = await response.json()
    if (!response.ok) throw new Error(`${name}: ${message}`)
    return result
  }
}
