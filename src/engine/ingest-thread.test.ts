import { afterAll, expect, test } from 'vitest'
import { openEngine } from '#engine/engine'
import { IngestThread } from '#engine/ingest-thread'
import { defaults } from '#engine/settings'
import { answer, ask, cleanUp, copyOf } from '../../test/support.ts'

afterAll(cleanUp)

test('an ingest that does not come to its end is ended, and the next one is not touched by it', {
  timeout: 60_000,
}, async () => {
  const project = copyOf('shop')
  const settings = { ...defaults(), project, ephemeral: true, parallelism: 1 }
  const context = { version: '0.0.0', log: () => {}, cwd: project }
  // less than the worker needs to start
  const impatient = { ...settings, ingestTimeoutMs: 1 }
  const hasty = openEngine(impatient, { ...context, builder: new IngestThread(0) })
  expect(await ask(hasty, 'ingest', { path: project })).toMatchObject({
    ok: false,
    failure: { code: 'ingest_timeout' },
  })
  await hasty.close()

  const patient = openEngine(settings, { ...context, builder: new IngestThread() })
  expect(await answer(patient, 'ingest', { path: project })).toMatchObject({ truncated: '' })
  await patient.close()
})
