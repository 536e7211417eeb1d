/** `m1nd doctor`: what is wrong with this set-up, and how to mend it. */

import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { execFileSync } from 'node:child_process'
import type { EngineStatus, Settings } from '#engine/brain'
import type { Examination } from '#engine/examination'
import { makeFolder, workingFolder } from '#engine/folders'
import { CLIENTS } from '#server/clients'
import type { Style } from '#tools/tool'

export interface Finding {
  what: string
  state: 'ok' | 'warning' | 'wrong'
  says: string
  /** What to do, '' when nothing. */
  mend: string
}

export interface Patient {
  settings: Settings
  /** What the settings complain of. */
  warnings: readonly string[]
  project: string
  status: EngineStatus
  examination: Examination
  /** Nodes of the graph, and when it was made (epoch ms, 0 = never). */
  nodes: number
  ingestedAt: number
  /** Whether the process that owns the state answers. */
  ownerAnswers: boolean
}

/** All that was looked at, in the order in which things are mended. */
export function examine(patient: Patient): Finding[] {
  const { settings } = patient
  return [
    node(),
    git(),
    memory(),
    ...patient.warnings.map(
      (it): Finding => ({ what: 'settings', state: 'warning', says: it, mend: 'Mend or remove it.' }),
    ),
    home(settings.home),
    ...state(patient),
    ...watcher(patient),
    grammars(patient.examination),
    ...clients(patient.project),
  ]
}

/** One line each, and one more for what to do. */
export function renderFindings(findings: readonly Finding[], style: Style): string {
  const marks = { ok: style.dim('ok     '), warning: style.accent('warning'), wrong: style.bold('wrong  ') }
  const lines = findings.flatMap(({ what, state, says, mend }) => [
    `${marks[state]}  ${what.padEnd(8)}  ${says}`,
    ...(mend === '' ? [] : [`${' '.repeat(19)}${mend}`]),
  ])
  const bad = findings.filter((it) => it.state !== 'ok').length
  return [...lines, '', bad === 0 ? 'All is well.' : `${bad} of ${findings.length} things want a look.`].join('\n')
}

const ok = (what: string, says: string): Finding => ({ what, state: 'ok', says, mend: '' })

function node(): Finding {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const says = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', says)
    : { what: 'node', state: 'wrong', says, mend: 'Install Node 20.19 or newer.' }
}

function git(): Finding {
  try {
    return ok('git', execFileSync('git', ['--version'], { encoding: 'utf8', timeout: 5000 }).trim())
  } catch {
    const mend = 'Install git; without it there is no history, and files are listed by our own walk.'
    return { what: 'git', state: 'warning', says: 'git cannot be started', mend }
  }
}

const LOW_MEMORY = 2 ** 31

function memory(): Finding {
  const says = `${Math.round(totalmem() / 2 ** 20)} MB of memory`
  return totalmem() >= LOW_MEMORY
    ? ok('memory', says)
    : { what: 'memory', state: 'warning', says, mend: 'Large repositories may not fit; set parallelism to 1.' }
}

const LOW_SPACE = 2 ** 28

function home(folder: string): Finding {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    const space = bavail * bsize
    const says = `${folder} can be written, ${Math.round(space / 2 ** 20)} MB free`
    return space >= LOW_SPACE
      ? ok('home', says)
      : { what: 'home', state: 'warning', says, mend: 'Make room, or set M1ND_HOME to a folder with more.' }
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    return { what: 'home', state: 'wrong', says, mend: 'Mend its permissions, or set M1ND_HOME to another folder.' }
  }
}

function state({ project, status, examination, nodes, ingestedAt, ownerAnswers }: Patient): Finding[] {
  if (project === '') {
    const mend = 'Run it in the folder of a project, or name one with --project.'
    return [{ what: 'project', state: 'warning', says: 'no project here', mend }]
  }
  const found = [ok('project', project)]
  const { owner, setAside } = examination
  if (owner > 0 && !ownerAnswers) {
    const says = `process ${owner} owns the state and does not answer`
    found.push({ what: 'state', state: 'warning', says, mend: 'Wait if it is a command that runs, else end it.' })
  } else if (owner > 0) found.push(ok('state', `${status.stateFolder}, owned by process ${owner}, which answers`))
  else found.push(ok('state', status.stateFolder || 'in memory only'))
  for (const it of status.warnings) found.push({ what: 'state', state: 'warning', says: it, mend: 'Look at health.' })
  found.push(
    nodes > 0
      ? ok('graph', `${nodes} nodes, read ${new Date(ingestedAt).toISOString()}`)
      : { what: 'graph', state: 'warning', says: 'nothing has been ingested', mend: 'm1nd ingest .' },
  )
  if (setAside.length > 0) {
    const says = `set aside because it could not be read: ${setAside.join(', ')}`
    found.push({ what: 'state', state: 'warning', says, mend: 'Ingest again, and delete them when nothing is missed.' })
  }
  return found
}

function watcher({ settings, examination }: Patient): Finding[] {
  const folders = examination.watchedFolders
  if (!settings.watch) return [ok('watcher', 'off by setting')]
  if (folders > settings.watchMaxHandles) {
    const says = `${folders} folders are more than watch_max_handles (${settings.watchMaxHandles})`
    return [
      { what: 'watcher', state: 'warning', says, mend: 'Raise it; until then files are looked at behind answers.' },
    ]
  }
  const limit = '/proc/sys/fs/inotify/max_user_watches'
  if (!existsSync(limit)) return []
  const most = Number(readFileSync(limit, 'utf8'))
  const says = `${folders} folders to watch, the system allows ${most} in all`
  return folders * 2 <= most
    ? [ok('watcher', says)]
    : [{ what: 'watcher', state: 'warning', says, mend: 'sudo sysctl fs.inotify.max_user_watches=524288' }]
}

function grammars({ brokenGrammars: broken }: Examination): Finding {
  return broken.length === 0
    ? ok('grammars', 'all can be loaded')
    : { what: 'grammars', state: 'wrong', says: broken.join('; '), mend: 'Install m1nd again.' }
}

/** Files of clients that name this program by a path that leads nowhere. */
function clients(project: string): Finding[] {
  const found: Finding[] = []
  for (const [name, { title, file }] of Object.entries(CLIENTS)) {
    const path = file(project === '' ? workingFolder() : project)
    if (!existsSync(path)) continue
    const text = readFileSync(path, 'utf8')
    if (!/\bm1nd\b/.test(text)) continue
    const script = /"((?:\/|[A-Za-z]:)[^"\n]*main\.js)"/.exec(text)?.[1]
    found.push(
      script === undefined || existsSync(script)
        ? ok('client', `${title} knows m1nd (${path})`)
        : {
            what: 'client',
            state: 'wrong',
            says: `${path} starts ${script}, which is not there`,
            mend: `m1nd init --client ${name} --write`,
          },
    )
  }
  return found.length > 0
    ? found
    : [ok('client', 'none of the known clients names m1nd; m1nd init --client NAME shows how')]
}
