/** `m1nd eval ../flask`: how well past changes are found in repositories on this machine. */

import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Part } from '#evaluation/evaluate'
import { delivered } from '#server/delivered'

/** As in `#evaluation/evaluate`, which is loaded only when it is used. */
const PARTS: readonly Part[] = ['seek', 'activate', 'functions', 'predict', 'learn']
const USUAL_CHANGES = 40

interface Given {
  changes: number
  parts?: Part[]
  tasks?: string
  json?: boolean
}

/** `fail` says what is wrong with the repository and ends the command. */
export function evalCommand(version: string, fail: (why: string) => void): Command {
  const command = new Command('eval')
    .summary('Measure on past changes how well files are found.')
    .description(
      [
        'Measure on past changes how well files are found.',
        'Each repository is read as it was before its last changes, in a temporary folder; the message of each change is',
        'the question, the source files that it touched are the answer. Plain searches stand beside for comparison.',
      ].join('\n'),
    )
    .argument('<repositories...>', 'folders of git repositories with their history')
    .addOption(
      new Option('--changes <n>', 'past changes per repository').default(USUAL_CHANGES).argParser((value) => {
        const n = Number(value)
        if (!Number.isInteger(n) || n < 1 || n > 10_000) throw new InvalidArgumentError('a number from 1 to 10000')
        return n
      }),
    )
    .addOption(new Option('--parts <parts...>', 'what to measure; default: all').choices(PARTS))
    .option('--tasks <file>', 'lines of JSON with base_commit, commit, query, gold_files instead of the last changes')
    .option('--json', 'all figures as JSON')
    .exitOverride()
    .addHelpText('after', '\nExamples:\n  m1nd eval .\n  m1nd eval --changes 120 --parts seek learn ../flask ../hono')
  return command.action(async (repositories: string[]) => {
    const { changes, parts = [...PARTS], tasks, json } = command.opts<Given>()
    const [{ evaluate }, { RepositoryError }, { renderResults }, { readTasks }] = await Promise.all([
      import('#evaluation/evaluate'),
      import('#evaluation/repository'),
      import('#evaluation/report'),
      import('#evaluation/task-file'),
    ])
    const abort = new AbortController()
    process.once('SIGINT', () => abort.abort())
    try {
      if (tasks !== undefined && repositories.length > 1) return fail('--tasks is about one repository')
      const results = await evaluate(repositories, {
        parts,
        count: changes,
        version,
        log: (line) => process.stderr.write(`${line}\n`),
        ...(tasks !== undefined && { window: await readTasks(tasks, resolve(repositories[0])) }),
        signal: abort.signal,
      })
      process.stdout.write(json === true ? `${JSON.stringify(results, null, 1)}\n` : renderResults(results))
      await delivered(process.stdout)
    } catch (error) {
      if (!(error instanceof RepositoryError)) throw error
      fail(error.message)
    }
  })
}
