import { expect, test } from 'vitest'
import { refusePart } from '#engine/difference'
import { defaults } from '#engine/settings'
import { buildGraph } from '#graph/build'
import { FILE, type Graph } from '#graph/graph'
import { emptyMeta } from '#graph/meta'
import { emptyReport } from '#ingest/report'

function graphOf(...names: string[]): Graph {
  const roots = [{ path: '/srv/shop', prefix: '', adapter: 'code', base: '/srv/shop' }]
  const nodes = names.map((it) => ({ key: `file::${it}`, label: it, type: FILE, path: it }))
  return buildGraph({ nodes, edges: [], meta: { ...emptyMeta(), roots } })
}

test.each([
  ['timeout', 'ingest_timeout', 'more than 2 s'],
  ['memory', 'ingest_budget', 'more than 300 MB'],
] as const)('what %s cut short takes no larger graph away, and says the limit', (truncated, code, said) => {
  const settings = { ...defaults(), ingestTimeoutMs: 2000, ingestMemoryMb: 300 }
  const report = { ...emptyReport(), truncated }
  const whole = graphOf('a.py', 'b.py')
  expect(() => refusePart(whole, graphOf('a.py'), report, settings)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(said) }),
  )
  expect(() => refusePart(whole, graphOf('a.py', 'b.py', 'c.py'), report, settings)).not.toThrow()
  expect(() => refusePart(whole, graphOf('a.py'), emptyReport(), settings)).not.toThrow()
})
