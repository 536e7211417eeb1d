import { describe, expect, test } from 'vitest'
import { resolveSide } from '#analysis/sides'
import { names, sketch, sketchInput } from '#analysis/sketch'
import { buildGraph } from '#graph/build'
import { REFERENCE } from '#graph/graph'
import { buildSemantic } from '#query/semantic'

const graph = sketch(`
  src/ contains session.py 0.3
  session.py contains Session 1
  Session contains open() 1
  cookie_helper.py contains open() 1
  utils/crypto.py contains hash() 1
  flask/app.py contains run() 1
  file() tagged x
`)
const semantic = buildSemantic(graph)

function meant(text: string) {
  const { nodes, likeness } = resolveSide(graph, semantic, text)
  return { nodes: names(graph, nodes), likeness }
}

describe('a side', () => {
  test('is a reference, also with a word for its kind', () => {
    expect(meant('session.py')).toEqual({ nodes: ['session.py'], likeness: 1 })
    expect(meant('the Session class'.slice(4)).nodes).toContain('Session')
    expect(meant('class Session').nodes).toContain('Session')
    expect(meant('file').nodes).toEqual(['file()'])
  })

  test('as a word also means a file of that name', () => {
    expect(meant('session').nodes).toContain('session.py')
  })

  test('as dotted words is a module', () => {
    expect(meant('flask.app')).toEqual({ nodes: ['flask/app.py'], likeness: 1 })
  })

  test('of several words is the file with these words in its path, said to be less sure', () => {
    expect(meant('crypto utils')).toEqual({ nodes: ['utils/crypto.py'], likeness: 0.9 })
  })

  test('that is only named like something is what says most of it, and nothing outside of the project', () => {
    const input = sketchInput(
      'hono.ts contains Hono 1\nrequest.ts contains HonoRequest 1\nbase.ts\nhono.ts imports pkg',
    )
    for (const it of input.nodes) if (it.key === 'pkg') Object.assign(it, { label: 'honob', type: REFERENCE })
    const shop = buildGraph(input)
    const like = (text: string) => names(shop, resolveSide(shop, buildSemantic(shop), text).nodes)
    expect(like('HonoRequests')).toEqual(['HonoRequest'])
    expect(like('HonoBasex')).not.toContain('honob')
  })

  test('that is a path is only the file at it', () => {
    expect(meant('src/other.py').nodes).toEqual([])
    expect(meant('session.pyx').nodes).toContain('session.py')
    expect(meant('sessions.py').nodes).toEqual([])
    expect(meant('src/session.py file').nodes).toEqual([])
  })

  test('that nothing is called is nothing', () => {
    expect(meant('frobnicator').nodes).toEqual([])
    expect(meant('').nodes).toEqual([])
  })
})
