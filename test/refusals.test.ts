/** What the tools that reason say to questions that they cannot answer. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, ask, cleanUp, engineFor, projectOf, temporaryFolder } from './support.ts'

const SHOP = {
  'worker.py': 'from helper import post\n\ndef work(job):\n    return post(job)\n',
  'helper.py': 'import messaging\n\ndef post(job):\n    return messaging.send(job)\n',
  'messaging.py': 'def send(job):\n    return job\n',
  'clock.py': 'def now():\n    return 0\n',
}

let engine: Engine
beforeEach(async () => {
  const folder = projectOf('post', SHOP)
  engine = engineFor(folder)
  await answer(engine, 'ingest', { path: folder })
})
afterEach(() => engine.close())
afterAll(cleanUp)

describe('on an empty graph', () => {
  test.each([
    ['trace', { error_text: 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError' }],
    ['scan', { pattern: 'error_handling' }],
    ['timeline', { node: 'worker.py' }],
    ['diverge', { baseline: 'last_session' }],
    ['hypothesize', { claim: 'worker depends on messaging' }],
    ['missing', { query: 'worker' }],
    ['counterfactual', { node_ids: ['worker.py'] }],
    ['why', { source: 'worker.py', target: 'helper.py' }],
  ])('%s names ingest', async (tool, args) => {
    const empty = engineFor(temporaryFolder())
    const result = await ask(empty, tool, args)
    expect(result).toMatchObject({ ok: false, failure: { code: 'graph_empty' } })
    expect(result.ok ? '' : `${result.failure.message} ${result.failure.hint}`).toContain('ingest')
    await empty.close()
  })
})

describe('an unknown node', () => {
  test.each([
    ['timeline', { node: 'mesaging.py' }],
    ['counterfactual', { node_ids: ['mesaging.py'] }],
    ['predict', { changed_node: 'mesaging.py' }],
    ['impact', { node_id: 'mesaging.py' }],
    ['why', { source: 'worker.py', target: 'mesaging.py' }],
  ])('%s says which, with the nearest names', async (tool, args) => {
    const result = await ask(engine, tool, args)
    expect(result).toMatchObject({ ok: false, failure: { code: 'node_not_found' } })
    const said = result.ok ? '' : JSON.stringify(result.failure)
    expect(said).toContain('mesaging.py')
    expect(said).toContain('file::messaging.py')
  })
})

describe('a reference', () => {
  const asks = (ref: string) =>
    [
      ['impact', { node_id: ref }],
      ['predict', { changed_node: ref }],
      ['counterfactual', { node_ids: [ref] }],
      ['fingerprint', { target_node: ref }],
      ['resonate', { node_id: ref }],
      ['why', { source: ref, target: 'helper.py' }],
      ['learn', { feedback: 'correct', node_ids: [ref] }],
      ['differential', { snapshot_a: 'current', snapshot_b: 'current', focus_nodes: [ref] }],
    ] as const

  test.each(['', ' \t'])('of no letters (%j) is refused', async (ref) => {
    for (const [tool, args] of asks(ref))
      expect([tool, await ask(engine, tool, args)]).toMatchObject([tool, { failure: { code: 'invalid_params' } }])
  })

  test.each(['mesaging.py\0', '../../etc/passwd', '/etc/passwd', 'x'.repeat(2000), '::', 'file::'])(
    'to nothing (%j) is told, no longer than needed',
    async (ref) => {
      for (const [tool, args] of asks(ref)) {
        const result = await ask(engine, tool, args)
        expect([tool, result]).toMatchObject([
          tool,
          { failure: { code: 'node_not_found', suggested_next_step: 'seek' } },
        ])
        expect(JSON.stringify(result).length).toBeLessThan(3000)
      }
    },
  )

  test('longer than any is refused', async () => {
    for (const [tool, args] of asks('x'.repeat(2001)))
      expect([tool, await ask(engine, tool, args)]).toMatchObject([tool, { failure: { code: 'invalid_params' } }])
  })
})

describe('texts of any length', () => {
  test.each([
    ['warmup', (text: string) => ({ task_description: text })],
    ['resonate', (text: string) => ({ query: text })],
    ['fingerprint', (text: string) => ({ probe_queries: [text] })],
    ['hypothesize', (text: string) => ({ claim: text })],
    ['learn', (text: string) => ({ query: text, feedback: 'correct', node_ids: ['helper.py'] })],
    ['learn', (text: string) => ({ feedback: 'reset', scope: 'agent', target_agent: text })],
    ['drift', (text: string) => ({ since: text })],
    ['diverge', (text: string) => ({ baseline: text })],
    ['diverge', (text: string) => ({ baseline: 'last_session', scope: text })],
    ['differential', (text: string) => ({ snapshot_a: text, snapshot_b: 'current' })],
    ['differential', (text: string) => ({ snapshot_a: 'current', snapshot_b: 'current', question: text })],
  ] as const)('are answered by %s in what a client takes', async (tool, args) => {
    for (const text of ['post '.repeat(400), 'q'.repeat(4000), 'post '.repeat(20_000), 'post\0job'])
      expect(JSON.stringify(await ask(engine, tool, args(text))).length).toBeLessThan(80_000)
  })
})

describe('a wrong value', () => {
  test.each([
    [
      'validate_plan',
      { actions: [{ action_type: 'move', file_path: 'worker.py' }] },
      'actions[0].action_type: expected one of "modify", "create", "delete", "rename", "test", got "move"',
    ],
    ['validate_plan', { actions: [{ action_type: 'modify' }] }, 'actions[0].file_path: expected text of 1 to 2000'],
    [
      'trail_save',
      { label: 'a', hypotheses: [{ statement: 'b', confidence: 2 }] },
      'hypotheses[0].confidence: expected a number from 0 to 1, got 2',
    ],
    ['timeline', { node: 'worker.py', depth: '30' }, 'depth: expected 7d, 30d, 90d, all, or a number with d, w or m'],
    ['federate', { repos: [] }, 'repos: expected a list of objects of 1 to 100 entries, got []'],
  ])('of %s is named where it stands, with what is expected', async (tool, args, said) => {
    const result = await ask(engine, tool, args)
    expect(result).toMatchObject({ ok: false, failure: { code: 'invalid_params' } })
    expect(result.ok ? '' : result.failure.message).toContain(`Invalid params for ${tool}: ${said}`)
  })
})

describe('trace', () => {
  test('of white space is refused, of text without a frame is an answer that says so', async () => {
    expect(await ask(engine, 'trace', { error_text: ' \n\t ' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_params', detail: 'error_text' },
    })
    expect(await answer(engine, 'trace', { error_text: 'error: the till is closed' })).toMatchObject({
      frames_parsed: 0,
      suspects: [],
      causal_chain: [],
      reason: expect.stringContaining('ask seek'),
    })
  })

  test('of a project that was not ingested names the roots that were, and its deepest frame', async () => {
    const said = await answer(engine, 'trace', {
      error_text:
        'Traceback (most recent call last):\n  File "/srv/zoo/keeper.py", line 3, in feed\n    lion()\n' +
        '  File "/srv/zoo/lion.py", line 9, in lion\nValueError: hungry',
    })
    expect(said).toMatchObject({ frames_parsed: 2, frames_mapped: 0, suspects: [], unmapped_total: 2 })
    expect(String(said.reason)).toContain('srv/zoo/lion.py')
    expect(String(said.reason)).toContain(engine.settings.project)
    expect(said.completeness).toMatchObject({ level: 'unknown' })
  })

  test('takes the name of a language in any case', async () => {
    const error_text = 'Traceback (most recent call last):\n  File "worker.py", line 4, in work\nKeyError: 1'
    expect(await answer(engine, 'trace', { error_text, language: 'Python' })).toMatchObject({
      language_detected: 'python',
      frames_mapped: 1,
    })
  })
})

describe('health', () => {
  test('of a path says which empty it is, and what was cut', async () => {
    const none = await answer(engine, 'health', { path: 'nowhere' })
    expect(none).toMatchObject({ coverage_by_file: [], coverage_note: expect.stringContaining('No indexed file') })
    const one = await answer(engine, 'health', { path: join(engine.settings.project, 'helper.py') })
    expect(one).toMatchObject({ coverage_by_file: [{ path: 'helper.py' }], coverage_note: '' })
    const whole = await answer(engine, 'health', { path: '.' })
    expect(whole).toMatchObject({ coverage_by_file: [{}, {}, {}, {}], coverage_note: '' })
  })
})

describe('scan', () => {
  test('for a word that nothing bears finds nothing and says what was looked at', async () => {
    const said = await answer(engine, 'scan', { pattern: 'zzyzx' })
    expect(said).toMatchObject({ findings: [], total_matches_raw: 0 })
    expect(Number(said.files_scanned)).toBe(4)
  })

  test('of a language that no rule reads is no clean bill', async () => {
    const folder = projectOf('lamps', {
      'lamp.lua': 'function light()\n  pcall(open)\nend\n',
      'lamp.py': 'def light():\n    return 1\n',
      'README.md': '# Lamps\n',
    })
    const lamps = engineFor(folder)
    await answer(lamps, 'ingest', { path: folder })
    const all = await answer(lamps, 'scan', { pattern: 'error_handling' })
    expect(all.completeness).toMatchObject({
      level: 'lower_bound',
      reasons: ['no rule reads the syntax of 1 file of lua'],
    })
    const one = await answer(lamps, 'scan', { pattern: 'error_handling', scope: 'lamp.lua' })
    expect(one.completeness).toMatchObject({ level: 'unknown' })
    const words = await answer(lamps, 'scan', { pattern: 'light', scope: join(folder, 'lamp.lua') })
    expect(words).toMatchObject({ files_scanned: 1, total_matches_raw: 1, completeness: { level: 'exact' } })
    await lamps.close()
  })

  test('without a pattern sums up as many edges as health counts', async () => {
    const { graph_summary } = await answer(engine, 'scan', {})
    const { edges }: { edges: Record<string, number> } = JSON.parse(JSON.stringify(graph_summary))
    const { edge_count } = await answer(engine, 'health', {})
    expect(Object.values(edges).reduce((a, b) => a + b)).toBe(edge_count)
  })

  test('of a scope that holds nothing is no clean bill', async () => {
    const said = await ask(engine, 'scan', { pattern: 'error_handling', scope: 'nowhere/' })
    expect(JSON.stringify(said)).toContain('nowhere/')
  })
})

describe('hypothesize', () => {
  test('reads what fits no wording as unknown and decides nothing', async () => {
    expect(await answer(engine, 'hypothesize', { claim: 'clock mirrors messaging' })).toMatchObject({
      claim_type: 'unknown',
      verdict: 'inconclusive',
    })
  })

  test.each([
    ['What calls messaging?', 'asks for a list'],
    ['worker calls helper and clock', 'several claims'],
    ['only worker depends on helper', 'only one'],
  ])('does not test "%s" and says why', async (claim, why) => {
    const said = await answer(engine, 'hypothesize', { claim })
    expect(said).toMatchObject({ verdict: 'inconclusive', confidence: 0.5, paths_explored: 0 })
    expect(String(said.note)).toContain(why)
  })

  test('says of a file that ingest has not read that it is there, and takes nothing else for it', async () => {
    writeFileSync(join(engine.settings.project, 'vault.py'), 'import helper\n')
    const said = await answer(engine, 'hypothesize', { claim: 'vault.py depends on helper.py' })
    expect(said).toMatchObject({ verdict: 'inconclusive', subject_nodes: [] })
    expect(String(said.note)).toContain('"vault.py" is on disk but not in the graph')
  })

  test('gives opposite claims opposite verdicts, however they are put', async () => {
    const verdictOf = async (claim: string) => (await answer(engine, 'hypothesize', { claim })).verdict
    expect(await verdictOf('Is helper.py used by worker.py?')).toBe('likely_true')
    expect(await verdictOf("helper.py isn't used by worker.py")).toBe('likely_false')
    expect(await verdictOf("Doesn't worker.py ever import clock.py?")).toBe('likely_false')
    expect(await verdictOf('worker.py has nothing to do with clock.py')).toBe('likely_true')
  })
})

describe('differential', () => {
  test('refuses a snapshot of a later version, half a one, and none', async () => {
    const folder = engine.settings.project
    mkdirSync(join(folder, 'old'), { recursive: true })
    writeFileSync(join(folder, 'old/4.json'), JSON.stringify({ version: 4, nodes: [], edges: [] }))
    writeFileSync(join(folder, 'old/half.json'), '{"version": 3, "nodes": [')
    for (const [snapshot_a, code] of [
      ['old/4.json', 'schema_drift'],
      ['old/half.json', 'snapshot_missing'],
      ['old/none.json', 'snapshot_missing'],
    ]) {
      const result = await ask(engine, 'differential', { snapshot_a, snapshot_b: 'current' })
      expect(result).toMatchObject({ ok: false, failure: { code, suggested_next_step: 'persist' } })
      expect(JSON.stringify(result)).toContain(snapshot_a)
    }
  })
})

describe('trails', () => {
  test('with opposite hypotheses merge, with the conflict told', async () => {
    for (const [label, statement] of [
      ['a', 'worker.py depends on messaging.py'],
      ['b', 'worker.py is independent of messaging.py'],
    ])
      await answer(engine, 'trail_save', {
        label,
        visited_nodes: [{ node_external_id: 'worker.py', relevance: 1 }],
        hypotheses: [{ statement, confidence: 0.9, supporting_nodes: ['worker.py'] }],
      })
    const said = await answer(engine, 'trail_merge', { trail_ids: ['a', 'b'] })
    expect(said.conflicts).toHaveLength(1)
  })
})
