/**
 * Measures how well the program finds what past changes touched: `m1nd eval`. Every repository is read as it was before
 * the changes, in a folder of its own that knows nothing of them; the changes are asked for one after the other.
 */

import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Engine } from '#engine/brain'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { Baselines, SEARCHES } from '#evaluation/baselines'
import { changedFunctions } from '#evaluation/functions'
import { checkOut, readForBaselines, topOf, type Window, windowOf } from '#evaluation/repository'
import { type Figures, figuresOf, mean, percentile, rounded, type Score, scoreOf } from '#evaluation/scores'
import { isSource, type Task } from '#evaluation/tasks'
import { text } from '#graph/graph'
import { Random } from '#std/random'
import { callTool } from '#tools/call'

const TOOLS = ['seek', 'activate'] as const
export const PARTS = ['seek', 'activate', 'functions', 'predict', 'learn'] as const
export type Part = (typeof PARTS)[number]

export interface EvaluateOptions {
  parts: readonly Part[]
  /** Changes per repository. */
  count: number
  version: string
  /** Lines about what is being done. */
  log: (line: string) => void
  /** Changes that are given instead of being looked for; they are about one repository. */
  window?: Window
  signal: AbortSignal
}

/** One way of finding, measured. */
export interface Row {
  part: Exclude<Part, 'learn'>
  name: string
  /** Whether it is here to be compared with. */
  isBaseline: boolean
  all: Figures
  /** The same with tests and what is no code left out of the rankings. */
  source: Figures
  /** Milliseconds of a call: median and 95th percentile. */
  p50: number
  p95: number
  /** Mean size of an answer of default length, four characters each; 0 for baselines. */
  tokens: number
}

/** MRR over sources: without feedback, and the difference that feedback makes. */
export interface LearnRow {
  tool: (typeof TOOLS)[number]
  n: number
  /** Second half of the changes, without any feedback. */
  without: number
  /** What feedback on the right files, and on as many random ones, adds to that. */
  correct: number
  placebo: number
  /** All changes asked once more after everything was told: without feedback, and what it adds. */
  againWithout: number
  again: number
}

export interface RepositoryResult {
  name: string
  base: string
  tasks: number
  files: number
  nodes: number
  /** Seconds that reading it took. */
  seconds: number
  rows: Row[]
  learning: LearnRow[]
}

/** Of the answers this many rows are looked at. */
const ROWS = 50
/** One answer in so many is measured for its size. */
const SIZED = 5
/** Files of a change that are given in turn to find the others. */
const GIVEN = 3
const MOST_FUNCTIONS = 8
/** Ids of one file that feedback names beside the file itself. */
const IDS_PER_FILE = 5

export async function evaluate(repositories: readonly string[], options: EvaluateOptions): Promise<RepositoryResult[]> {
  const results: RepositoryResult[] = []
  for (const it of repositories) {
    const folder = mkdtempSync(join(tmpdir(), 'm1nd-eval-'))
    try {
      results.push(await new Evaluation(await topOf(resolve(it)), folder, options).run())
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return results
}

interface Found {
  /** Files and ids, best first. */
  files: string[]
  ids: string[]
  /** Ids of each file. */
  idsOf: Map<string, string[]>
  ms: number
}

interface Measured {
  score: Score
  source: Score
  ms: number
}

class Evaluation {
  readonly #repository: string
  readonly #folder: string
  readonly #tree: string
  readonly #options: EvaluateOptions
  readonly #name: string
  #now = 0

  constructor(repository: string, folder: string, options: EvaluateOptions) {
    this.#repository = repository
    this.#folder = folder
    // the name is part of what is asked for nowhere, but the same on every machine
    this.#name = basename(repository)
    this.#tree = join(folder, 'tree', this.#name)
    this.#options = options
  }

  async run(): Promise<RepositoryResult> {
    const { count, parts, log } = this.#options
    const window = this.#options.window ?? (await windowOf(this.#repository, count))
    const tasks = window.tasks.slice(0, count)
    this.#now = window.time * 1000
    log(`${this.#name}: ${tasks.length} changes after ${window.base.slice(0, 12)}`)
    await checkOut(this.#repository, window.base, this.#tree)
    const { files, history } = await readForBaselines(this.#tree)
    const baselines = new Baselines(files, history)

    const began = performance.now()
    const reader = await this.#open('kept')
    const report = await this.#call(reader, 'ingest', { path: this.#tree })
    await reader.settled
    const seconds = rounded((performance.now() - began) / 1000, 2)
    const { node_count, files_processed } = report.output
    log(`${this.#name}: ${Number(files_processed)} files, ${Number(node_count)} nodes in ${seconds} s`)
    await reader.close()
    const engine = await this.#open('asked')

    const rows: Row[] = []
    if (parts.includes('seek') || parts.includes('activate')) rows.push(...this.#searches('seek', baselines, tasks))
    const asked = new Map<(typeof TOOLS)[number], Measured[]>()
    const named = TOOLS.filter((it) => parts.includes(it))
    // what is learned is measured for the tools that are named, for both where none is
    for (const tool of named.length > 0 || !parts.includes('learn') ? named : TOOLS) {
      log(`${this.#name}: ${tool}`)
      const { row, measured } = await this.#tool(engine, tool, tasks)
      asked.set(tool, measured)
      if (parts.includes(tool)) rows.push(row)
    }
    if (parts.includes('functions')) rows.push(await this.#functions(engine, window.base, tasks))
    if (parts.includes('predict')) rows.push(...(await this.#predict(engine, baselines, tasks)))
    await engine.close()

    const learning: LearnRow[] = []
    if (parts.includes('learn')) {
      for (const [tool, measured] of asked) learning.push(await this.#learn(tool, tasks, measured))
    }
    return {
      name: this.#name,
      base: window.base,
      tasks: tasks.length,
      files: Number(files_processed),
      nodes: Number(node_count),
      seconds,
      rows,
      learning,
    }
  }

  #searches(part: Row['part'], baselines: Baselines, tasks: readonly Task[]): Row[] {
    return SEARCHES.map((name) => {
      const measured = tasks.map(({ query, gold }) => {
        const began = performance.now()
        const files = baselines.search(name, query)
        return measure(files, gold, performance.now() - began)
      })
      return rowOf({ part, name, isBaseline: true }, measured, [])
    })
  }

  async #tool(engine: Engine, tool: (typeof TOOLS)[number], tasks: readonly Task[]) {
    const measured: Measured[] = []
    const sizes: number[] = []
    for (const [i, { query, gold }] of tasks.entries()) {
      const found = await this.#ask(engine, tool, { query, top_k: ROWS })
      measured.push(measure(found.files, gold, found.ms))
      if (i % SIZED > 0) continue
      const { text } = await this.#call(engine, tool, { query, ...(tool === 'activate' && { learn: false }) })
      sizes.push(tokensIn(text))
    }
    return { row: rowOf({ part: tool, name: `m1nd ${tool}`, isBaseline: false }, measured, sizes), measured }
  }

  async #functions(engine: Engine, base: string, tasks: readonly Task[]): Promise<Row> {
    this.#options.log(`${this.#name}: functions`)
    const measured: Measured[] = []
    for (const task of tasks) {
      const gold = await changedFunctions(engine.brain.graph, this.#repository, base, task)
      if (gold.length === 0 || gold.length > MOST_FUNCTIONS) continue
      const found = await this.#ask(engine, 'seek', { query: task.query, top_k: ROWS, node_types: ['function'] })
      const score = scoreOf(found.ids, gold)
      measured.push({ score, source: score, ms: found.ms })
    }
    return rowOf({ part: 'functions', name: 'm1nd seek, functions', isBaseline: false }, measured, [])
  }

  async #predict(engine: Engine, baselines: Baselines, tasks: readonly Task[]): Promise<Row[]> {
    this.#options.log(`${this.#name}: predict`)
    const own: Measured[] = []
    const counted: Measured[] = []
    const sizes: number[] = []
    for (const { gold } of tasks) {
      if (gold.length < 2) continue
      for (const given of gold.slice(0, GIVEN)) {
        const others = gold.filter((it) => it !== given)
        const node = `file::${given}`
        const found = await this.#ask(engine, 'predict', { changed_node: node, top_k: ROWS })
        own.push(
          measure(
            found.files.filter((it) => it !== given),
            others,
            found.ms,
          ),
        )
        const { text } = await this.#call(engine, 'predict', { changed_node: node })
        sizes.push(tokensIn(text))
        const began = performance.now()
        const together = baselines.changedWith(given)
        counted.push(measure(together, others, performance.now() - began))
      }
    }
    return [
      rowOf({ part: 'predict', name: 'commits in common', isBaseline: true }, counted, []),
      rowOf({ part: 'predict', name: 'm1nd predict', isBaseline: false }, own, sizes),
    ]
  }

  /** Asks, scores, gives feedback, and asks the next; then all of it once more. */
  async #learn(tool: LearnRow['tool'], tasks: readonly Task[], without: readonly Measured[]): Promise<LearnRow> {
    const second = Math.ceil(tasks.length / 2)
    const rr = (measured: readonly Measured[]) => mean(measured.map((it) => it.source.rr))
    const arms: Record<string, { half: number; again: number }> = {}
    for (const arm of ['correct', 'placebo']) {
      this.#options.log(`${this.#name}: ${tool}, feedback ${arm}`)
      const engine = await this.#open(`${tool}-${arm}`)
      const random = new Random(7)
      const everything = Array.from(engine.brain.indexes.lexical.files, (v) => pathOf(engine, v)).filter(Boolean)
      const measured: Measured[] = []
      for (const { query, gold } of tasks) {
        const found = await this.#ask(engine, tool, { query, top_k: ROWS })
        measured.push(measure(found.files, gold, found.ms))
        const right = arm === 'correct' ? gold : gold.map(() => everything[random.below(everything.length)])
        const ids = right.flatMap((it) => [`file::${it}`, ...(found.idsOf.get(it) ?? []).slice(0, IDS_PER_FILE)])
        await this.#call(engine, 'learn', { query, feedback: 'correct', node_ids: [...new Set(ids)] })
      }
      const again: Measured[] = []
      for (const { query, gold } of tasks) {
        const found = await this.#ask(engine, tool, { query, top_k: ROWS })
        again.push(measure(found.files, gold, found.ms))
      }
      await engine.close()
      arms[arm] = { half: rr(measured.slice(second)), again: rr(again) }
    }
    const half = rr(without.slice(second))
    return {
      tool,
      n: tasks.length - second,
      without: rounded(half),
      correct: rounded(arms.correct.half - half),
      placebo: rounded(arms.placebo.half - half),
      againWithout: rounded(rr(without)),
      again: rounded(arms.correct.again - rr(without)),
    }
  }

  /** An engine of its own, on a copy of the kept state where there is one: what is asked changes what was learned. */
  async #open(name: string): Promise<Engine> {
    const home = join(this.#folder, name)
    const kept = join(this.#folder, 'kept')
    if (existsSync(kept)) cpSync(kept, home, { recursive: true })
    const settings = { ...defaults(), home, project: this.#tree }
    const engine = openEngine(settings, { version: this.#options.version, log: () => {}, cwd: this.#tree })
    await engine.ready
    return engine
  }

  async #ask(engine: Engine, tool: string, input: Record<string, unknown>): Promise<Found> {
    const began = performance.now()
    const { output } = await this.#call(engine, tool, input)
    const ms = performance.now() - began
    const found: Found = { files: [], ids: [], idsOf: new Map(), ms }
    for (const { node_id } of rowsIn(output)) {
      const path = /^file::(.+?)(?:::|$)/.exec(node_id)?.[1]
      if (path === undefined) continue
      found.ids.push(node_id)
      const known = found.idsOf.get(path)
      if (known !== undefined) known.push(node_id)
      else {
        found.idsOf.set(path, [node_id])
        found.files.push(path)
      }
    }
    return found
  }

  async #call(engine: Engine, tool: string, input: Record<string, unknown>) {
    const { signal, log } = this.#options
    const result = await callTool(engine, tool, { agent_id: 'eval', ...input }, { now: this.#now, signal, log })
    if (!result.ok) throw new Error(`${tool}: ${result.failure.message}`)
    return result
  }
}

/** Size of an answer, in which the time that it took has no part. */
function tokensIn(answer: string): number {
  return answer.replace(/"elapsed_ms":[\d.]+/, '').length / 4
}

function pathOf(engine: Engine, v: number): string {
  const { graph } = engine.brain
  return text(graph, graph.paths[v])
}

/** The list of an answer: rows with the id of a node. */
function rowsIn(output: Record<string, unknown>): { node_id: string }[] {
  for (const name of ['results', 'activated', 'predictions']) {
    const list = output[name]
    if (Array.isArray(list)) return list
  }
  return []
}

function measure(files: readonly string[], gold: readonly string[], ms: number): Measured {
  const own = new Set(gold)
  const sources = files.filter((it) => own.has(it) || isSource(it))
  return { score: scoreOf(files, gold), source: scoreOf(sources, gold), ms }
}

function rowOf(
  head: Pick<Row, 'part' | 'name' | 'isBaseline'>,
  measured: readonly Measured[],
  sizes: readonly number[],
): Row {
  const times = measured.map((it) => it.ms)
  return {
    ...head,
    all: figuresOf(measured.map((it) => it.score)),
    source: figuresOf(measured.map((it) => it.source)),
    p50: rounded(percentile(times, 50), 2),
    p95: rounded(percentile(times, 95), 2),
    tokens: Math.round(mean(sizes)),
  }
}
