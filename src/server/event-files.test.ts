import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EngineEvent, EventList } from '#engine/events'
import { followEvents, logEvents } from '#server/event-files'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'm1nd-events-'))
  path = join(folder, 'events.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const persisted: EngineEvent = { type: 'persist', generation: 7 }

test('events of one process reach the watchers of another one, once and in order', async () => {
  const [there, here] = [new EventList(), new EventList()]
  writeFileSync(path, '{"event":"persist","data":{"generation":1}}\n')
  const seen: EngineEvent[] = []
  here.subscribe((event) => seen.push(event))
  const unfollow = followEvents(here, path, () => {})
  // a process that both follows a file and writes it does not answer itself
  const unlogHere = logEvents(here, path, () => {})
  const unlog = logEvents(there, path, () => {})
  there.push(persisted)
  there.push({ type: 'learn', agent_id: 'é', feedback: 'correct', node_ids: ['cart.ts'] })
  await expect.poll(() => seen).toHaveLength(2)
  expect(seen).toEqual([persisted, { type: 'learn', agent_id: 'é', feedback: 'correct', node_ids: ['cart.ts'] }])
  await unlog()
  await unlogHere()
  unfollow()
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3)
})

test('what is no event is left out, a line comes whole, and a file may begin anew or not be there yet', async () => {
  const events = new EventList()
  const seen: EngineEvent[] = []
  events.subscribe((event) => seen.push(event))
  const unfollow = followEvents(events, path, () => {})
  const line = JSON.stringify({ event: 'persist', data: { generation: 7 } })
  appendFileSync(path, `oops\n5\n{"event":"x\\ndata: 1","data":{}}\n{"event":"persist"}\n${line.slice(0, 10)}`)
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(seen).toEqual([])
  appendFileSync(path, `${line.slice(10)}\n`)
  await expect.poll(() => seen).toEqual([persisted])
  writeFileSync(path, `${line}\n`)
  await expect.poll(() => seen).toEqual([persisted, persisted])
  unfollow()
})

test('a file that cannot be written is told once, and the process goes on', async () => {
  const events = new EventList()
  const said: string[] = []
  const unlog = logEvents(events, join(folder, 'no/such/folder/events.jsonl'), (line) => said.push(line))
  events.push(persisted)
  await expect.poll(() => said).toHaveLength(1)
  events.push(persisted)
  await unlog()
  expect(said).toEqual([expect.stringContaining('not written')])
})

test('a file that cannot be read is told once', async () => {
  const said: string[] = []
  const unfollow = followEvents(new EventList(), path, (line) => said.push(line))
  mkdirSync(path)
  await expect.poll(() => said).toHaveLength(1)
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(said).toEqual([expect.stringContaining('not read')])
  unfollow()
})
