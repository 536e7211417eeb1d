import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaults, describeSettings, resolveSettings, SettingsError, settingFlags } from '#engine/settings'

describe('where a setting comes from', () => {
  const file = { auto_persist_interval: 20, domain: 'music' }
  const env = { M1ND_AUTO_PERSIST_INTERVAL: '30', M1ND_DOMAIN: 'memory', M1ND_LEARNING_RATE: '0.2' }

  test('the command line wins over the file, the file over the environment, the environment over the default', () => {
    const { settings } = resolveSettings({ flags: { domain: 'generic' }, file, env })
    expect(settings.domain).toBe('generic')
    expect(settings.autoPersistInterval).toBe(20)
    expect(settings.learningRate).toBe(0.2)
    expect(settings.decayRate).toBe(0.005)
  })

  test('older names of the environment are weaker than the present ones', () => {
    expect(resolveSettings({ env: { GRAPH_SNAPSHOT_PATH: '/data/old.json' } }).settings.graphSource).toBe(
      '/data/old.json',
    )
    const both = { GRAPH_SNAPSHOT_PATH: '/data/old.json', M1ND_GRAPH_SOURCE: '/data/new.json' }
    expect(resolveSettings({ env: both }).settings.graphSource).toBe('/data/new.json')
  })

  test.each(['0', 'false', 'no', 'off', 'OFF'])('"%s" turns a switch off', (word) => {
    expect(resolveSettings({ env: { M1ND_XLR_ENABLED: word } }).settings.xlrEnabled).toBe(false)
  })

  test('an empty variable is none', () => {
    expect(resolveSettings({ env: { M1ND_DOMAIN: '' } }).settings.domain).toBe('code')
  })

  test('paths are made absolute, and ~ is the home folder', () => {
    const { settings } = resolveSettings({ env: { M1ND_HOME: '~/brains', M1ND_PROJECT: 'shop' } })
    expect(settings.home).toBe(join(homedir(), 'brains'))
    expect(settings.project).toBe(resolve('shop'))
  })

  test('without a home in the environment, state does not lie in the working folder', () => {
    const { HOME } = process.env
    process.env.HOME = ''
    const { home } = resolveSettings({}).settings
    process.env.HOME = HOME
    expect(isAbsolute(home)).toBe(true)
    expect(home.startsWith(process.cwd())).toBe(false)
  })

  test('names come as a list or separated by commas', () => {
    expect(resolveSettings({ env: { M1ND_SKIP_DIRS: 'attic, cellar' } }).settings.skipDirs).toEqual(['attic', 'cellar'])
    expect(resolveSettings({ file: { skip_files: ['till.json'] } }).settings.skipFiles).toEqual(['till.json'])
    expect(() => resolveSettings({ file: { skip_dirs: ['a/b'] } })).toThrow('a list of names without /')
  })

  test(':memory: as the graph keeps nothing', () => {
    expect(resolveSettings({ env: { M1ND_GRAPH_SOURCE: ':memory:' } }).settings.ephemeral).toBe(true)
  })
})

describe('values that do not fit', () => {
  test.each([
    [
      { file: { auto_persist_interval: 0 }, fileName: 'm1nd.json' },
      '"auto_persist_interval" in m1nd.json: 0 is not a whole number in [1, 100000].',
    ],
    [{ file: { auto_persist_interval: 2.5 } }, '2.5 is not a whole number'],
    [{ env: { M1ND_LEARNING_RATE: '0' } }, 'M1ND_LEARNING_RATE: "0" is not a number in (0, 1].'],
    [{ env: { M1ND_DECAY_RATE: '1' } }, 'M1ND_DECAY_RATE: "1" is not a number in [0, 1).'],
    [{ env: { M1ND_XLR_ENABLED: 'maybe' } }, 'M1ND_XLR_ENABLED: "maybe" is not true or false.'],
    [{ flags: { domain: 'maths' } }, '--domain: "maths" is not one of code, music, memory, generic, light.'],
    [{ file: { graph_source: 7 } }, '7 is not text.'],
    [{ file: [] }, 'expected a JSON object'],
  ])('%o is refused, naming key and value', (sources, message) => {
    expect(() => resolveSettings(sources)).toThrow(SettingsError)
    expect(() => resolveSettings(sources)).toThrow(message)
  })

  test('an unknown key of a file is a warning', () => {
    const { settings, warnings } = resolveSettings({ file: { colour: 'red' }, fileName: 'm1nd.json' })
    expect(warnings).toEqual(['m1nd.json: unknown key "colour" is ignored.'])
    expect(settings).toEqual(defaults())
  })
})

test('every setting is described once, with its own variable, and every default fits its own rule', () => {
  const rows = describeSettings()
  expect(rows.map((it) => it.key)).toHaveLength(Object.keys(defaults()).length)
  expect(new Set(rows.map((it) => it.env)).size).toBe(rows.length)
  const { autoPersistInterval, parallelism } = resolveSettings({ file: defaults() }).settings
  expect([autoPersistInterval, parallelism]).toEqual([50, defaults().parallelism])
  expect(settingFlags().find((it) => it.flag === 'ephemeral')?.isSwitch).toBe(true)
})
