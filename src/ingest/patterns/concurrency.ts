/** What runs beside the rest, and nobody waits for; what makes others wait. */

import type { Match } from '#ingest/parse'
import type { Sightings } from '#ingest/patterns/sightings'

const IS_ES = /^(?:typescript|tsx|javascript)$/

interface Blocking {
  /** Last names of the calls. */
  names: readonly string[]
  fits: RegExp
}

const ES: Blocking = {
  names:
    'readFileSync writeFileSync appendFileSync copyFileSync execSync execFileSync spawnSync readdirSync mkdirSync rmSync pbkdf2Sync scryptSync'.split(
      ' ',
    ),
  fits: /./,
}
/** Calls that block a thread which others wait for, within asynchronous functions. */
const BLOCKING: Readonly<Record<string, Blocking>> = {
  python: {
    names:
      'sleep get post put delete patch head request urlopen run call check_call check_output system create_connection input'.split(
        ' ',
      ),
    fits: /^(?:time\.sleep|requests\.(?:get|post|put|delete|patch|head|request)|urllib\.request\.urlopen|urlopen|subprocess\.(?:run|call|check_call|check_output)|os\.system|socket\.create_connection|input)$/,
  },
  typescript: ES,
  tsx: ES,
  javascript: ES,
  rust: {
    names:
      'sleep read write read_to_string copy remove_file rename create_dir_all read_dir blocking_recv blocking_send blocking_lock'.split(
        ' ',
      ),
    fits: /^(?:std\.)?(?:thread\.sleep|fs\.\w+)$|\.blocking_\w+$/,
  },
  kotlin: { names: ['sleep', 'runBlocking'], fits: /^(?:Thread\.sleep|runBlocking)$/ },
  csharp: {
    names: ['Sleep', 'GetResult', 'WaitAll', 'WaitAny'],
    fits: /^(?:System\.Threading\.)?Thread\.Sleep$|\.(?:GetAwaiter\(\)\.GetResult|WaitAll|WaitAny)$/,
  },
  swift: { names: ['sleep', 'usleep'], fits: /^(?:Thread\.sleep|sleep|usleep)$/ },
}
const OWNED =
  /\b(?:WaitGroup|errgroup|wg\.|\.Done\(\)|ctx|context\.|done|quit|stop\w*|cancel\w*|close[dr]?|sync\.|select\s*\{|<-|chan\b|results?|errs?|errCh|eg\.|group|g\.Go|Wait\(\))/i

export function findConcurrency(sightings: Sightings): void {
  const { language } = sightings.facts
  if (sightings.facts.definitions.some((it) => it.tags.includes('async')) || language === 'kotlin') {
    findBlocking(sightings)
    if (language === 'python' || IS_ES.test(language)) findUnawaited(sightings)
  }
  if (language === 'python') {
    const started =
      /^(?:asyncio\.)?(?:create_task|ensure_future)$|^(?:loop|self\.loop|self\._loop|asyncio\.get_event_loop\(\)|asyncio\.get_running_loop\(\))\.create_task$/
    for (const { reference, at } of sightings.calls(['create_task', 'ensure_future'], started))
      if (at >= 0 && sightings.isStatement(at)) sightings.add('dropped_task', reference.line)
    for (const { reference, at } of sightings.calls(['start'], /(?:^|\.)Thread\(\)\.start$/))
      if (at >= 0 && sightings.isStatement(at))
        sightings.add(
          'unowned_thread',
          reference.line,
          /daemon\s*=\s*True/.test(sightings.text.slice(at, sightings.closing(at))) ? 'it ends with the program' : '',
        )
  } else if (IS_ES.test(language)) {
    for (const { at } of sightings.calls(['forEach'])) {
      const call = at < 0 ? -1 : sightings.text.indexOf('forEach(', at)
      if (call >= 0 && /^forEach\(\s*async\b/.test(sightings.text.slice(call, call + 40)))
        sightings.add('dropped_task', sightings.source.lineAt(call))
    }
  } else if (language === 'go') {
    for (const mark of sightings.marks) if (mark.kind === 'start') readGoroutine(sightings, mark)
  } else if (language === 'rust') {
    for (const { reference, at } of sightings.calls(
      ['spawn', 'spawn_blocking', 'spawn_local'],
      /^(?:std\.)?(?:thread|tokio|async_std\.task|tokio\.task|task)\.(?:spawn|spawn_blocking|spawn_local)$/,
    ))
      if (at >= 0 && sightings.isStatement(at)) sightings.add('dropped_task', reference.line)
  } else if (language === 'java' || language === 'kotlin' || language === 'scala') {
    for (const { reference } of sightings.calls(
      ['start', 'schedule', 'launch', 'async'],
      /^(?:Thread|Timer)\(\)\.(?:start|schedule)$|^GlobalScope\.(?:launch|async)$/,
    ))
      sightings.add('unowned_thread', reference.line)
  } else if (language === 'cpp') {
    for (const { reference } of sightings.calls(['detach'], /\.detach$/))
      if (/thread|\bth?\d*\./i.test(sightings.lineText(reference.line))) sightings.add('unowned_thread', reference.line)
  } else if (language === 'csharp') {
    sightings.facts.definitions.forEach((it, d) => {
      const head = sightings.textOf(d).slice(0, 300)
      if (it.kind !== 'fn' || !/^[^{(]*\basync\s+void\b/.test(head)) return
      sightings.add(
        'dropped_task',
        it.nameLine,
        /\(\s*object\??\s+\w+\s*,\s*\w*EventArgs/.test(head) ? 'it answers an event' : '',
      )
    })
    for (const { reference, at } of sightings.calls(['Run', 'StartNew'], /^Task\.(?:Run|Factory\.StartNew)$/))
      if (at >= 0 && sightings.isStatement(at)) sightings.add('dropped_task', reference.line)
  }
}

function findBlocking(sightings: Sightings): void {
  const { language } = sightings.facts
  const blocking = BLOCKING[language]
  if (blocking === undefined) return
  for (const { reference, at } of sightings.calls(blocking.names, blocking.fits)) {
    const inner = sightings.functionOf(reference.from)
    if (inner < 0 || at < 0) continue
    const it = sightings.definition(inner)
    const isAsync =
      it?.tags.includes('async') === true || /^[^{(]*\b(?:async|suspend)\b/.test(sightings.textOf(inner).slice(0, 200))
    if (!isAsync || isElsewhere(sightings, at)) continue
    const once = /^(?:main|start|setup|init|build|cli|run|load\w*config)/i.test(it?.name ?? '')
    sightings.add('blocks_event_loop', reference.line, once ? 'its name says that it runs at the start' : '')
  }
}

/** In a function that another thread runs. */
function isElsewhere(sightings: Sightings, at: number): boolean {
  const before = sightings.before(at)
  // a closure is run by whom it is handed to
  if (sightings.facts.language === 'rust' && /\|[^|]*\|[^|]*$/.test(before)) return true
  return /\b(?:to_thread|run_in_executor|asyncify|spawn_blocking|run_sync|lambda|block_in_place|withContext)\b[^;\n]*$/.test(
    sightings.text.slice(Math.max(0, at - 200), at),
  )
}

/** Calls of asynchronous functions of the same file that are statements by themselves. */
function findUnawaited(sightings: Sightings): void {
  const { facts } = sightings
  const asynchronous = new Map<string, number>()
  facts.definitions.forEach((it, d) => {
    // a name that stands for several says nothing
    if (it.kind === 'fn') asynchronous.set(it.name, asynchronous.has(it.name) || !it.tags.includes('async') ? -1 : d)
  })
  for (const [name, d] of asynchronous) if (d < 0) asynchronous.delete(name)
  const own = /^(?:(?:this|self|cls)\.)?[\p{L}_$][\p{L}\p{N}_$]*$/u
  for (const { reference, at } of sightings.calls([...asynchronous.keys()], own)) {
    const dot = reference.path.indexOf('.')
    const name = reference.path.slice(dot + 1)
    const target = asynchronous.get(name) ?? -1
    if (target < 0 || at < 0 || !sightings.isStatement(at)) continue
    const isMember =
      facts.definitions[target].parent >= 0 && facts.definitions[facts.definitions[target].parent].kind === 'class'
    if (isMember !== dot > 0 || facts.bindings.some((it) => it.name === name && it.kind === 'parameter')) continue
    if (/\bpytest|\btest/.test(facts.definitions[target].tags.join(' '))) continue
    const end = sightings.closing(at)
    if (end > 0 && /^\s*\.\s*(?:catch|then|finally)\b/.test(sightings.text.slice(end, end + 40))) continue
    // in a script the start of all is often called so, with its errors caught inside
    const remedy =
      reference.from < 0
        ? 'it stands at the top of a script'
        : catchesItself(sightings, target)
          ? 'it catches its own errors'
          : ''
    sightings.add('unawaited', reference.line, remedy)
  }
}

function catchesItself(sightings: Sightings, d: number): boolean {
  return IS_ES.test(sightings.facts.language) && /\{\s*(?:\w[^;{}]*;\s*){0,3}try\s*\{/.test(sightings.textOf(d))
}

function readGoroutine(sightings: Sightings, mark: Match): void {
  const scope = sightings.functionOf(sightings.scopeAt(mark.start))
  if (scope < 0 || sightings.definition(scope)?.name === 'main') return
  sightings.add(
    'unowned_thread',
    mark.line,
    OWNED.test(sightings.textOf(scope)) ? 'a channel, context or group is used beside it' : '',
  )
}
