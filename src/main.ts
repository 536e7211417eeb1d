#!/usr/bin/env node
/** Without arguments and with a client on standard input: the server, by the shortest way. Else the command line. */

import { readFileSync } from 'node:fs'

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const argv = process.argv.slice(2)
const code =
  argv.length === 0 && !process.stdin.isTTY
    ? await import('#server/serve').then(({ serve }) => serve({ flags: {}, configFile: '', version: manifest.version }))
    : await import('#server/cli').then(({ runCli }) => runCli(argv, manifest.version))
process.exit(code)
