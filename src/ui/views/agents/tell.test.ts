import { describe, expect, test, vi } from 'vitest'
import type { LiveEvent } from '../../state/live.ts'

// the page's address, which links are made beside
vi.hoisted(() => {
  vi.stubGlobal('location', { pathname: '/agents', search: '' })
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('sessionStorage', { getItem: () => null })
})
const { agentOf, isOwnQuestion, KINDS, summary, tell } = await import('./tell.ts')

const at = { received: 1_700_000_000_000, number: 1 }
const call = { type: 'tool_result', source: 'http', result_preview: '', timestamp_ms: 0, success: true } as const

/** What is read, and what its links lead to. */
function read(event: LiveEvent): { text: string; to: string[] } {
  const said = tell(event)?.said ?? []
  return {
    text: said.map((it) => (typeof it === 'string' ? it : it.text)).join(''),
    to: said.flatMap((it) => (typeof it === 'string' ? [] : [it.to])),
  }
}

describe('an event is told with links to what it is about', () => {
  const SESSION = 'file::src/sessions.py::class::Session::fn::get'
  test.each<[string, LiveEvent, string, string[]]>([
    ['a call', { ...call, ...at, tool: 'seek', agent_id: 'dev' }, 'dev called seek', ['/agents?agent=dev', '/graph']],
    [
      'a call that failed',
      { ...call, ...at, tool: 'lock_create', agent_id: 'dev', success: false, result_preview: 'Too many locks' },
      'dev called lock_create, which failed: Too many locks',
      ['/agents?agent=dev', '/agents?agent=dev'],
    ],
    [
      'a call about a question',
      {
        ...call,
        ...at,
        tool: 'seek',
        agent_id: 'dev',
        result_preview: '{"query":"a \\"b\\"","results":[{"node_id":"f',
      },
      'dev called seek: “a "b"”',
      ['/agents?agent=dev', '/graph', '/graph?query=a+%22b%22'],
    ],
    [
      'a call about something that is kept',
      { ...call, ...at, tool: 'lock_diff', agent_id: 'dev', result_preview: '{"lock_id":"lock_dev_001","diff":{}}' },
      'dev called lock_diff: lock_dev_001',
      ['/agents?agent=dev', '/agents?agent=dev', '/agents/lock_dev_001'],
    ],
    [
      'a call about a node',
      { ...call, ...at, tool: 'impact', agent_id: 'dev', result_preview: `{"source":"${SESSION}","reach":[` },
      'dev called impact: Session.get',
      ['/agents?agent=dev', '/graph', `/node/${encodeURIComponent(SESSION)}`],
    ],
    [
      'a call whose answer is cut in its first word',
      { ...call, ...at, tool: 'seek', agent_id: 'dev', result_preview: '{"query":"session co' },
      'dev called seek',
      ['/agents?agent=dev', '/graph'],
    ],
    [
      'a question',
      {
        ...at,
        type: 'activation',
        agent_id: 'dev',
        query: 'session token',
        activated: [{ node_id: SESSION, activation: 1 }],
        top_k: 20,
      },
      'dev asked “session token”; first Session.get',
      ['/agents?agent=dev', '/graph?query=session+token', `/node/${encodeURIComponent(SESSION)}`],
    ],
    [
      'a question that found nothing',
      { ...at, type: 'activation', agent_id: '', query: 'x', activated: [], top_k: 20 },
      'Somebody asked “x”; nothing was found',
      ['/graph?query=x'],
    ],
    [
      'a verdict',
      { ...at, type: 'learn', agent_id: 'gui', feedback: 'wrong', node_ids: ['a.py', 'b.py', 'c.py', 'd.py'] },
      'This page said wrong about a.py, b.py, c.py and 1 more',
      ['/learning', '/node/a.py', '/node/b.py', '/node/c.py'],
    ],
    [
      'learning taken back',
      { ...at, type: 'learn', agent_id: 'dev', feedback: 'reset', node_ids: [] },
      'dev took learning back',
      ['/agents?agent=dev', '/learning'],
    ],
    [
      'files that changed',
      { ...at, type: 'graph_changed', event: 'ingest', source: 'watcher', timestamp_ms: 0 },
      'The graph was changed by files that changed on disk',
      ['/graph'],
    ],
    [
      'a reading',
      { ...at, type: 'ingest', agent_id: 'dev', path: '/shop', nodes_added: 1, edges_added: 2000 },
      'dev read /shop: 1 node, 2,000 edges made',
      ['/agents?agent=dev', '/health'],
    ],
    [
      'a touched region',
      {
        ...at,
        type: 'lock_touched',
        lock_id: 'lock_dev_001',
        owner: 'dev',
        kind: 'learn',
        agent_id: '',
        graph_generation: 1,
        timestamp_ms: 0,
      },
      'The server touched the region of lock_dev_001 by learning',
      ['/agents/lock_dev_001'],
    ],
    ['a save', { ...at, type: 'persist', generation: 7 }, 'State saved, generation 7', ['/health']],
    [
      'a call that nobody waits for any longer',
      {
        ...at,
        type: 'tool_timeout',
        tool: 'ingest',
        source: 'http',
        agent_id: 'dev',
        timeout_secs: 120,
        timestamp_ms: 0,
      },
      'dev waited 120 s for ingest; it goes on',
      ['/agents?agent=dev'],
    ],
    [
      'events that were too many',
      { ...at, type: 'gap', from: 0, missed: 12 },
      '12 events came faster than this page could take them',
      [],
    ],
  ])('%s', (_, event, text, to) => {
    expect(read(event)).toEqual({ text, to })
  })
})

test('how far an ingest is, is told elsewhere', () => {
  const progress = { type: 'ingest_progress', phase: 'parse', done: 1, total: 2, file: '', eta_ms: -1 } as const
  expect(tell({ ...progress, ...at, timestamp_ms: 0 })).toBeNull()
})

test('failures are marked, and answers can be opened', () => {
  const failed = tell({ ...call, ...at, tool: 'seek', agent_id: 'dev', success: false, result_preview: 'No such node' })
  expect(failed).toMatchObject({ isFailure: true, detail: '', kind: 'calls' })
  const answered = tell({ ...call, ...at, tool: 'seek', agent_id: 'dev', result_preview: '{"query":"x"}' })
  expect(answered).toMatchObject({ isFailure: false, detail: '{"query":"x"}' })
})

test('calls by which the page shows things are its own, what its reader teaches is not', () => {
  expect(isOwnQuestion({ ...call, ...at, tool: 'health', agent_id: 'gui' })).toBe(true)
  expect(isOwnQuestion({ ...at, type: 'learn', agent_id: 'gui', feedback: 'correct', node_ids: [] })).toBe(false)
  expect(agentOf({ ...at, type: 'persist', generation: 1 })).toBe('')
})

test('what is new is counted by kind', () => {
  const told = KINDS.map((kind) => ({ kind, said: [], detail: '', isFailure: false }))
  expect(summary([...told, told[0]])).toBe(
    '2 calls, 1 question, 1 verdict, 1 change of the graph, 1 touched region, 1 save',
  )
  expect(summary([])).toBe('')
})
