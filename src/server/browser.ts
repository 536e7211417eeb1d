/** Shows a page in the browser of whoever started the program. */

import { spawn } from 'node:child_process'

const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Where there is no browser, nothing is opened, and the log says so. */
export function openBrowser(url: string, log: (line: string) => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => log(`No browser could be opened; the page is at ${url}/.`))
  child.unref()
}
