import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaults } from '#engine/settings'
import { openStore, stateFolder } from '#engine/store'

let home = ''
let project = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'm1nd-store-'))
  project = join(home, 'shop')
  mkdirSync(project)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const settings = (over = {}) => ({ ...defaults(), home: join(home, 'state'), ...over })
const open = (over = {}) => openStore(settings(over), project, Date.now)
const bytes = (text: string) => [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))]
const text = (it: Uint8Array) => Buffer.from(it).toString()
const numeric = (it: Uint8Array) => {
  const value = Number(text(it))
  if (Number.isNaN(value)) throw new Error('not a number')
  return value
}

describe('where state lies', () => {
  test('each project has a folder named after it, the same for every way to reach it', () => {
    symlinkSync(project, join(home, 'link'))
    const folder = stateFolder(settings(), project)
    expect(folder).toMatch(/state\/projects\/shop-[0-9a-f]{12}$/)
    expect(stateFolder(settings(), join(home, 'link'))).toBe(folder)
    mkdirSync(join(home, 'other', 'shop'), { recursive: true })
    expect(stateFolder(settings(), join(home, 'other', 'shop'))).not.toBe(folder)
  })

  test('named files win, and other state lies beside a named graph', async () => {
    const graphSource = join(home, 'data', 'graph_snapshot.json')
    const store = open({ graphSource, plasticityState: join(home, 'elsewhere', 'learned.json') })
    await store.write('graph.json', bytes('{}'))
    await store.write('graph', bytes('bin'))
    await store.write('learned', bytes('[]'))
    await store.write('facts', bytes('{}'))
    store.close()
    expect(readdirSync(join(home, 'data')).sort()).toEqual(['facts.bin', 'graph_snapshot.bin', 'graph_snapshot.json'])
    expect(readdirSync(join(home, 'elsewhere'))).toEqual(['learned.json'])
  })

  test('in memory nothing is written and nothing is read', async () => {
    const store = open({ ephemeral: true })
    await store.write('graph', bytes('12'))
    expect(store.mode).toBe('memory')
    expect(store.read('graph', numeric)).toBeNull()
    expect(existsSync(join(home, 'state'))).toBe(false)
  })
})

test('a store that was opened and closed leaves no folder behind', async () => {
  const store = open()
  expect(existsSync(store.place)).toBe(true)
  store.close()
  expect(existsSync(store.place)).toBe(false)
  const used = open()
  await used.write('learned', bytes('11'))
  used.close()
  expect(existsSync(used.place)).toBe(true)
})

describe('values', () => {
  test('come back as they were written, readable by the user only', async () => {
    const store = open()
    await store.write('learned', bytes('12345'))
    expect(store.read('learned', numeric)).toBe(12345)
    expect(statSync(join(store.place, 'plasticity_state.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(store.place).filter((it) => it.endsWith('.tmp'))).toEqual([])
    store.close()
  })

  test('one that cannot be read gives way to its predecessor and is kept aside', async () => {
    const store = open()
    await store.write('learned', bytes('1111'))
    await store.write('learned', bytes('2222'))
    const file = join(store.place, 'plasticity_state.json')
    writeFileSync(file, 'torn')
    expect(store.read('learned', numeric)).toBe(1111)
    const aside = readdirSync(store.place).filter((it) => it.includes('.corrupt-'))
    expect(aside.map((it) => readFileSync(join(store.place, it), 'utf8'))).toEqual(['torn'])
    expect(store.warnings.join()).toContain('could not be read (not a number)')
    store.close()
  })

  test('when both are unreadable both are kept aside, and later saves leave them alone', async () => {
    const store = open()
    writeFileSync(join(store.place, 'graph.bin'), 'torn')
    writeFileSync(join(store.place, 'graph.bin.bak'), 'torn too')
    expect(store.read('graph', numeric)).toBeNull()
    await store.write('graph', bytes('33'))
    await store.write('graph', bytes('44'))
    const aside = readdirSync(store.place).filter((it) => it.includes('.corrupt-'))
    expect(aside.map((it) => readFileSync(join(store.place, it), 'utf8')).sort()).toEqual(['torn', 'torn too'])
    store.close()
  })

  test('a save that fails leaves the old value', async () => {
    const store = open()
    await store.write('graph', bytes('1111'))
    function* broken() {
      yield Buffer.from('22')
      throw new RangeError('a weight is not finite')
    }
    await expect(store.write('graph', broken())).rejects.toThrow('not finite')
    expect(store.read('graph', numeric)).toBe(1111)
    expect(readdirSync(store.place).filter((it) => it.endsWith('.tmp'))).toEqual([])
    store.close()
  })

  test('files that a killed process left half written are removed once they are old', () => {
    const first = open()
    const { place } = first
    first.close()
    mkdirSync(place, { recursive: true })
    for (const name of ['graph.bin.123.0.tmp', 'graph.bin.124.0.tmp', 'notes.123.0.tmp'])
      writeFileSync(join(place, name), '')
    const old = Date.now() / 1000 - 7200
    utimesSync(join(place, 'graph.bin.123.0.tmp'), old, old)
    utimesSync(join(place, 'notes.123.0.tmp'), old, old)
    open().close()
    expect(
      readdirSync(place)
        .filter((it) => it.endsWith('.tmp'))
        .sort(),
    ).toEqual(['graph.bin.124.0.tmp', 'notes.123.0.tmp'])
  })
})

describe('a folder that cannot hold state', () => {
  test('is no reason not to start: work goes on in memory, and says so', async () => {
    mkdirSync(join(home, 'state'))
    writeFileSync(join(home, 'state', 'projects'), 'a file in the way')
    const store = open()
    expect(store).toMatchObject({ mode: 'memory', owner: 0 })
    expect(store.warnings.join()).toContain('works in memory only')
    await store.write('graph', bytes('12'))
    expect([store.savedAt('graph'), store.read('graph', numeric)]).toEqual([0, null])
    store.close()
    expect(readFileSync(join(home, 'state', 'projects'), 'utf8')).toBe('a file in the way')
  })

  test('that is removed while in use is made anew by the next save', async () => {
    const store = open()
    rmSync(join(home, 'state'), { recursive: true })
    await store.write('learned', bytes('11'))
    expect(store.read('learned', numeric)).toBe(11)
    expect(open().mode).toBe('read_only')
    store.close()
  })

  test('a value that is out of reach, not damaged, is left alone, and so is the rest', async () => {
    const store = open()
    mkdirSync(join(store.place, 'graph.bin'))
    expect(store.read('graph', numeric)).toBeNull()
    expect(store.mode).toBe('memory')
    await store.write('learned', bytes('11'))
    store.close()
    expect(readdirSync(store.place)).toEqual(['graph.bin'])
  })
})

describe('two processes on one state', () => {
  test('the second may only read, and says who owns it', async () => {
    const owner = open()
    await owner.write('learned', bytes('11'))
    const second = open()
    expect([second.mode, second.owner]).toEqual(['read_only', process.pid])
    await second.write('learned', bytes('22'))
    expect(second.read('learned', numeric)).toBe(11)
    owner.close()
    const third = open()
    expect(third.mode).toBe('file')
    third.close()
  })

  test('reading only, an unreadable file stays where it is', () => {
    const owner = open()
    const second = open()
    writeFileSync(join(owner.place, 'graph.bin'), 'torn')
    expect(second.read('graph', numeric)).toBeNull()
    expect(existsSync(join(owner.place, 'graph.bin'))).toBe(true)
    owner.close()
  })

  test.each([
    ['is not running any more', { pid: 2 ** 22 + 7 }, 0],
    ['has been silent for half a minute', { pid: process.pid }, 60],
  ])('an owner that %s is replaced', (_, holder, silentSeconds) => {
    const { place } = openStore(settings(), project, Date.now)
    const lease = join(place, 'lease.json')
    writeFileSync(lease, JSON.stringify(holder))
    const beat = Date.now() / 1000 - silentSeconds
    utimesSync(lease, beat, beat)
    const store = open()
    expect(store.mode).toBe('file')
    store.close()
    expect(existsSync(lease)).toBe(false)
  })

  test('one that slept while another took over saves nothing more', async () => {
    const sleeper = open()
    await sleeper.write('learned', bytes('11'))
    const lease = join(sleeper.place, 'lease.json')
    writeFileSync(lease, JSON.stringify({ pid: 1, since: 0 }))
    await expect(sleeper.write('learned', bytes('22'))).rejects.toThrow('taken this state over')
    expect(sleeper.mode).toBe('read_only')
    expect(sleeper.read('learned', numeric)).toBe(11)
    sleeper.close()
    expect(existsSync(lease)).toBe(true)
  })

  test('closing does not take away the lease of another', () => {
    const store = open()
    const lease = join(store.place, 'lease.json')
    writeFileSync(lease, JSON.stringify({ pid: 1 }))
    store.close()
    expect(existsSync(lease)).toBe(true)
  })
})
