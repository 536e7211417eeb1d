import { describe, expect, test } from 'vitest'
import { combined } from '#analysis/cases'
import { type PredictOptions, predict } from '#analysis/predict'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'
import { buildMessages } from '#graph/messages'
import { buildCoChange } from '#query/cochange'

const NOW = 100 * 86_400

function together(graph: Graph, commits: string[][]) {
  const groups = commits.map((files) => Uint32Array.from(files.map((it) => node(graph, it))))
  return {
    cochange: buildCoChange(graph, groups),
    messages: buildMessages(groups.map((files) => ({ time: NOW, message: '', files, width: files.length }))),
  }
}

function predicted(graph: Graph, commits: string[][], changed: string, options: Partial<PredictOptions> = {}) {
  const { rows } = predict(graph, together(graph, commits), node(graph, changed), {
    ranking: 'seed',
    includeVelocity: false,
    nowSeconds: NOW,
    ...options,
  })
  return rows.map((it) => ({ ...it, name: names(graph, [it.node])[0], confidence: Number(it.confidence.toFixed(6)) }))
}

describe('predict', () => {
  test('witnesses are combined as independent ones', () => {
    expect(combined([0.9 * 0.8, 0.5 + 0.3 * 0.5])).toBeCloseTo(0.902, 9)
    expect(combined([0.9 * 0.8, 0.5 + 0.3 * 0.5]) * (0.85 + 0.15 * 0.72)).toBeCloseTo(0.864116, 6)
    expect(combined([])).toBe(0)
  })

  const shop = sketch(`
    cart.ts imports price.ts 0.5
    price.ts imports money.ts 0.5
    till.ts imports cart.ts 0.5
    price.test.ts tests price.ts 0.5
    banner.ts
  `)
  const eightTimes = Array.from({ length: 8 }, () => ['cart.ts', 'price.ts'])

  test('history and a direct dependent give what the formula gives', () => {
    const [first] = predicted(shop, eightTimes, 'price.ts')
    expect(first).toMatchObject({
      name: 'cart.ts',
      confidence: 0.902,
      observed: true,
      reason: 'changed together in 8 commits + imports it',
    })
    expect(first.coupling).toBeCloseTo(0.8, 6)
  })

  test('a test, a dependency and a dependent over two steps are named with their reasons', () => {
    const rows = predicted(shop, eightTimes, 'price.ts').map((it) => [it.name, it.reason])
    expect(rows).toContainEqual(['price.test.ts', 'tests it'])
    expect(rows).toContainEqual(['money.ts', 'imported by it'])
    expect(rows).toContainEqual(['till.ts', 'depends on it over two steps'])
  })

  test('velocity scales confidence between 0.85 and 1', () => {
    const [plain] = predicted(shop, eightTimes, 'price.ts')
    const [scaled] = predicted(shop, eightTimes, 'price.ts', { includeVelocity: true })
    expect(scaled.confidence).toBeCloseTo(plain.confidence * (0.85 + 0.15 * plain.velocity), 5)
  })

  test('edges of its parts count for a file, answers are files, and its own parts are none', () => {
    const graph = sketch(`
      price.ts contains net() 1
      cart.ts contains total() 1
      total() calls net() 0.4
    `)
    expect(predicted(graph, [], 'price.ts').map((it) => it.name)).toEqual(['cart.ts'])
    expect(predicted(graph, [], 'net()').map((it) => it.name)).toContain('total()')
  })

  test('what changed together in every commit comes before a mere dependent', () => {
    const commits = [
      ['banner.ts', 'price.ts'],
      ['banner.ts', 'price.ts'],
      ['banner.ts', 'price.ts'],
    ]
    expect(predicted(shop, commits, 'price.ts', { ranking: 'fused' })[0].name).toBe('banner.ts')
    expect(predicted(shop, commits, 'price.ts')[0].name).toBe('cart.ts')
  })

  test('without history and edges, the same folder and a like name are what is left', () => {
    const graph = sketch(`
      shop/ contains price_list.ts 0.3
      shop/ contains banner.ts 0.3
      shop/ contains price_tag.ts 0.3
    `)
    const rows = predicted(graph, [], 'price_list.ts', { ranking: 'fused' })
    expect(rows.map((it) => it.name)).toEqual(['price_tag.ts', 'banner.ts'])
    expect(predicted(graph, [], 'price_list.ts').filter((it) => it.observed)).toEqual([])
  })

  test('younger and narrower commits say more', () => {
    const graph = sketch(`
      a/ contains till.ts 0.3
      b/ contains vat.ts 0.3
      c/ contains logo.ts 0.3
      d/ contains menu.ts 0.3
    `)
    const at = (files: string[], time: number) => ({
      time,
      message: '',
      files: files.map((it) => node(graph, it)),
      width: files.length,
    })
    const four = 4 * 365.25 * 86_400
    const messages = buildMessages([
      at(['till.ts', 'vat.ts'], four),
      at(['till.ts', 'logo.ts'], 0),
      at(['till.ts', 'logo.ts', 'menu.ts'], 0),
    ])
    const options = { ranking: 'fused' as const, includeVelocity: false, nowSeconds: four }
    const rows = predict(graph, { cochange: buildCoChange(graph, []), messages }, node(graph, 'till.ts'), options).rows
    expect(
      names(
        graph,
        rows.map((it) => it.node),
      ),
    ).toEqual(['vat.ts', 'logo.ts', 'menu.ts'])
    expect(rows.map((it) => it.reason.replace(/ \+.*/, ''))).toEqual([
      'changed together in 1 of 3 commits of few files',
      'changed together in 2 of 3 commits of few files',
      'changed together in 1 of 3 commits of few files',
    ])
    // weights 1, 0.5 and 0.5, of which vat.ts has 1 / (2 + 0.7), beside its place and one commit of 150
    const often = 0.1 * (Math.log(2) / Math.log(151))
    expect(rows[0].confidence).toBeCloseTo(1 - (1 - 0.95 / 2.7) * (1 - 0.05) * (1 - often), 6)
    expect(rows.every((it) => it.observed)).toBe(true)
  })

  test('no node comes twice and all confidences lie between 0 and 1', () => {
    const rows = predicted(shop, [['cart.ts', 'price.ts', 'till.ts']], 'price.ts', {
      ranking: 'fused',
      includeVelocity: true,
    })
    expect(new Set(rows.map((it) => it.node)).size).toBe(rows.length)
    for (const it of rows) {
      expect(it.confidence).toBeGreaterThan(0)
      expect(it.confidence).toBeLessThan(1)
    }
  })
})
