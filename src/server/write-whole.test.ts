import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeWhole } from '#server/write-whole'
import { cleanUp, temporaryFolder } from '../../test/support.ts'

afterAll(cleanUp)

function* broken(): Generator<string> {
  yield 'half'
  throw new Error('the graph is gone')
}

test('a file is there as a whole, with the permissions of the one before', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'graph.json')
  await writeWhole(path, ['a', 'b'])
  expect(readFileSync(path, 'utf8')).toBe('ab')
  chmodSync(path, 0o640)
  await writeWhole(path, ['c'])
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([
    'c',
    0o640,
    ['graph.json'],
  ])
})

test('what fails in between leaves the file before, and nothing beside it', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'graph.json')
  writeFileSync(path, 'before')
  await expect(writeWhole(path, broken())).rejects.toThrow('the graph is gone')
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['before', ['graph.json']])
  await expect(writeWhole(join(folder, 'nowhere', 'graph.json'), ['x'])).rejects.toThrow('ENOENT')
})

test('a link stays a link', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'kept'))
  writeFileSync(join(folder, 'kept', 'graph.json'), 'before')
  symlinkSync(join('kept', 'graph.json'), join(folder, 'latest.json'))
  await writeWhole(join(folder, 'latest.json'), ['after'])
  expect(lstatSync(join(folder, 'latest.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(folder, 'kept', 'graph.json'), 'utf8')).toBe('after')
})

test.skipIf(process.platform === 'win32')('devices and pipes are written to and stay', async () => {
  await writeWhole('/dev/null', ['x'])
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const read = new Promise<string>((resolve) => {
    void import('node:fs/promises').then(({ readFile }) => readFile(pipe, 'utf8').then(resolve))
  })
  await writeWhole(pipe, ['through', ' it'])
  expect(await read).toBe('through it')
  expect(lstatSync(pipe).isFIFO()).toBe(true)
})
