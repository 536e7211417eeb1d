/**
 * Asks every tool about this project's own sources and keeps shortened answers for `docs/tools.md`: `npm run answers`.
 * The sources are those of the last commit, with their history, in a folder of their own, so that the same commit gives
 * the same answers. `-- --check` asks again at the commit that was kept, and fails where an answer is another one;
 * `-- <commit>` asks about the sources of another commit.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, checkout, engineOver, git } from '../eval/checkout.ts'
import { ANSWERS_FILE, type Answers, readAnswers, shortened } from './answers-file.ts'

const TRACE = [
  'TypeError: Cannot read properties of undefined (reading "offsets")',
  '    at eachEdge (/app/src/query/holes.ts:380:30)',
  '    at findHoles (/app/src/query/holes.ts:75:10)',
  '    at activate (/app/src/query/activate.ts:150:20)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
].join('\n')

/** Stands for the version of routes that was answered last. */
const LATEST = -1

/** One call of every tool, in an order in which each finds what it rests on. */
const CALLS: [tool: string, input: Record<string, unknown>][] = [
  ['ingest', { path: '.' }],
  ['health', {}],
  ['seek', { query: 'where are weights written after feedback', top_k: 5 }],
  ['activate', { query: 'hub noise filter', top_k: 5 }],
  ['learn', { query: 'hub noise filter', feedback: 'correct', node_ids: ['src/query/spread.ts'] }],
  ['drift', {}],
  ['warmup', { task_description: 'change how co-change is weighed' }],
  ['impact', { node_id: 'src/query/cochange.ts', depth: 2 }],
  ['why', { source: 'src/tools/missing.ts', target: 'src/query/holes.ts' }],
  ['predict', { changed_node: 'src/query/activate.ts', top_k: 5 }],
  ['counterfactual', { node_ids: ['src/query/holes.ts'] }],
  ['fingerprint', { target_node: 'src/query/holes.ts', similarity_threshold: 0.7 }],
  ['hypothesize', { claim: 'Does src/query/holes.ts use src/query/region.ts?' }],
  ['resonate', { query: 'plasticity', top_k: 5 }],
  ['missing', { query: 'relations of the graph' }],
  ['scan', { pattern: 'error_handling', scope: 'src/engine/' }],
  ['trace', { error_text: TRACE }],
  ['timeline', { node: 'src/query/holes.ts', depth: 'all' }],
  ['diverge', { baseline: 'HEAD~5' }],
  ['validate_plan', { actions: [{ action_type: 'modify', file_path: 'src/query/holes.ts' }] }],
  ['persist', { path: 'before.json' }],
  ['differential', { snapshot_a: 'before.json', snapshot_b: 'current' }],
  ['perspective_start', { query: 'trail merge' }],
  ['perspective_routes', { perspective_id: 'persp_dev_001' }],
  ['perspective_inspect', { perspective_id: 'persp_dev_001', route_index: 1, route_set_version: LATEST }],
  ['perspective_peek', { perspective_id: 'persp_dev_001', route_index: 1, route_set_version: LATEST }],
  ['perspective_affinity', { perspective_id: 'persp_dev_001', route_index: 1, route_set_version: LATEST }],
  ['perspective_suggest', { perspective_id: 'persp_dev_001', route_set_version: LATEST }],
  ['perspective_branch', { perspective_id: 'persp_dev_001', branch_name: 'by the engine' }],
  ['perspective_follow', { perspective_id: 'persp_dev_001', route_index: 1, route_set_version: LATEST }],
  ['perspective_compare', { perspective_id_a: 'persp_dev_001', perspective_id_b: 'persp_dev_002' }],
  ['perspective_back', { perspective_id: 'persp_dev_001' }],
  ['perspective_list', {}],
  ['perspective_close', { perspective_id: 'persp_dev_002' }],
  ['lock_create', { scope: 'subgraph', root_nodes: ['src/query/holes.ts'], radius: 1 }],
  ['lock_watch', { lock_id: 'lock_dev_001', strategy: 'on_ingest' }],
  ['lock_diff', { lock_id: 'lock_dev_001' }],
  ['lock_rebase', { lock_id: 'lock_dev_001' }],
  ['lock_release', { lock_id: 'lock_dev_001' }],
  ['trail_save', { label: 'holes', hypotheses: [{ statement: 'gaps are ordered by share', confidence: 0.6 }] }],
  ['trail_resume', { trail_id: 'holes' }],
  ['trail_list', {}],
  ['trail_merge', { trail_ids: ['holes', 'bridges'] }],
  ['federate', { repos: [{ path: 'src/std' }, { path: 'src/graph' }] }],
]

const top = fileURLToPath(new URL('../', import.meta.url))
const before = readAnswers()
const isCheck = process.argv.includes('--check')
if (isCheck && before === null) throw new Error(`There is no ${ANSWERS_FILE} to check: run npm run answers`)
const wanted = process.argv.slice(2).find((it) => !it.startsWith('-')) ?? 'HEAD'
const source = checkout(top, isCheck ? (before?.commit ?? wanted) : wanted)
try {
  const now = 1000 * Number(git(source.folder, 'log', '-1', '--format=%ct').trim())
  const engine = await engineOver(source.folder, { now })
  // what two calls need beside them
  await ask(engine, 'trail_save', { agent_id: 'dev', label: 'bridges' }, now)
  const answers: Answers['answers'] = {}
  const refused: string[] = []
  let version = 0
  for (const [tool, call] of CALLS) {
    const input = call.route_set_version === LATEST ? { ...call, route_set_version: version } : call
    try {
      const said = await ask(engine, tool, { ...absolute(input), agent_id: 'dev' }, now)
      if (typeof said.route_set_version === 'number') version = said.route_set_version
      answers[tool] = { input: { agent_id: 'dev', ...input }, output: shortened(said, source.folder) }
    } catch (error) {
      refused.push(error instanceof Error ? error.message : tool)
    }
  }
  if (refused.length > 0) {
    console.error(refused.join('\n'))
    process.exitCode = 1
  }
  await engine.close()
  const made: Answers = { commit: source.commit, answers }
  if (!isCheck) writeFileSync(ANSWERS_FILE, `${JSON.stringify(made, null, 1)}\n`)
  else {
    const other = Object.keys(answers).filter(
      (it) => JSON.stringify(answers[it]) !== JSON.stringify(before?.answers[it]),
    )
    if (other.length > 0) {
      console.error(`Answers that are others now: ${other.join(', ')}. Run npm run answers and npm run gen.`)
      process.exitCode = 1
    }
  }
} finally {
  source.remove()
}

/** Paths of the calls, within the folder that is asked about. */
function absolute(input: Record<string, unknown>): Record<string, unknown> {
  const inFolder = (it: unknown) => join(source.folder, String(it))
  if ('repos' in input) return { ...input, repos: [{ path: inFolder('src/std') }, { path: inFolder('src/graph') }] }
  return input.path === '.' ? { ...input, path: source.folder } : input
}
