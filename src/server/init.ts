/** `m1nd init`: sets a project up, and tells clients of it, each only when asked. */

import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Command, Option } from 'commander'
import type { Settings } from '#engine/brain'
import { projectOf } from '#engine/project'
import type { Start } from '#server/clients'

export interface InitOptions {
  settings: () => Promise<Settings>
  /** Reads the project into its graph; gives the exit code. */
  ingest: (project: string) => Promise<number>
  complain: (what: string, why: string, remedy: string) => void
  finish: (code: number) => void
}

const FAILED = 3
/** Those of `CLIENTS`, which is loaded only when one of them is wanted. */
export const CLIENT_NAMES = [
  'claude-code',
  'claude-desktop',
  'codex',
  'cursor',
  'gemini',
  'opencode',
  'vscode',
  'windsurf',
  'zed',
] as const

export function initCommand({ settings, ingest, complain, finish }: InitOptions): Command {
  return new Command('init')
    .summary('Set up a project, or tell a client of it.')
    .description(
      'Reads the project into its graph and makes its folder .m1nd, which git ignores.\nWith --client it prints what that client needs instead, and changes nothing unless told --write.',
    )
    .argument('[path]', 'folder of the project; default: this one')
    .addOption(new Option('--client <name>', 'client to set up').choices(CLIENT_NAMES))
    .option('--write', "put it into the client's file; what stood there is kept")
    .option('--undo', 'put back what stood in the file before --write')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  m1nd init\n  m1nd init --client cursor --write\n\nAgents start m1nd themselves once their client knows it.',
    )
    .action(async (path = '.', { client, write, undo }: { client?: string; write?: boolean; undo?: boolean }) => {
      if (!existsSync(path))
        return fail(`${path} does not exist.`, 'Name the folder of your project, or leave it out for this one.')
      const project = projectOf(path)
      if (client !== undefined) return setUp(client, project, { write: write === true, undo: undo === true })
      if (write === true || undo === true) return fail('Which client?', `Add --client and one of ${names()}.`)
      makeFolder(project)
      const code = await ingest(project)
      if (code === 0)
        process.stdout.write(`\nNext: m1nd init --client NAME shows how a client starts it (${names()}).\n`)
      finish(code)
    })

  async function setUp(client: string, project: string, { write, undo }: { write: boolean; undo: boolean }) {
    const { CLIENTS, ClientFileError, undoEntry, withEntry, writeEntry } = await import('#server/clients')
    const { title, file: fileOf } = CLIENTS[client]
    const file = fileOf(project)
    const { home } = await settings()
    const start = startFor(project)
    try {
      if (undo) process.stdout.write(`${file} was ${undoEntry({ file, home })}.\n`)
      else if (write) {
        writeEntry(client, { file, home, start })
        process.stdout.write(
          `${title} is set up in ${file}. Restart it; m1nd init --client ${client} --undo takes it back.\n`,
        )
      } else {
        process.stderr.write(`For ${title}, in ${file} (--write puts it there):\n`)
        process.stdout.write(withEntry(client, '', start))
      }
    } catch (error) {
      if (!(error instanceof ClientFileError)) throw error
      fail(`${file}: ${error.message}.`, 'Nothing was changed. Mend the file, or put the entry in by hand.')
    }
  }

  function fail(why: string, remedy: string): void {
    complain('init', why, remedy)
    finish(FAILED)
  }
}

const names = () => CLIENT_NAMES.join(', ')

/** The folder travels with the repository; what lies in it does not, unless somebody adds it. */
function makeFolder(project: string): void {
  const folder = join(project, '.m1nd')
  mkdirSync(folder, { recursive: true })
  const ignore = join(folder, '.gitignore')
  if (!existsSync(ignore)) writeFileSync(ignore, 'inbox.jsonl\n')
}

/** By name where the name leads to this program, by the file else. A copy that npx fetched is fetched again. */
export function startFor(project: string): Start {
  const script = realpathSync.native(process.argv[1])
  const args = ['--project', project]
  if (/[\\/]_npx[\\/]/.test(script)) return { command: 'npx', args: ['-y', 'm1nd', ...args] }
  const onPath = (process.env.PATH ?? '').split(delimiter).some((it) => {
    const program = join(it, 'm1nd')
    return it !== '' && existsSync(program) && realpathSync.native(program) === script
  })
  return onPath ? { command: 'm1nd', args } : { command: process.execPath, args: [script, ...args] }
}
