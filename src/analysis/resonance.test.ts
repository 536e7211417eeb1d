import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amplitudesAt, energyOf, propagate, resonance, WAVE_SPEED } from '#analysis/resonance'
import { names, node, sketch } from '#analysis/sketch'
import { type Graph, labelOf } from '#graph/graph'
import type { Seed } from '#query/seeds'

const FAINTEST = 0.01
const OPTIONS = { nHarmonics: 5, frequencies: [], minAmplitude: FAINTEST }

function seedsOf(graph: Graph, ...keys: string[]): Seed[] {
  return keys.map((key) => ({ node: node(graph, key), relevance: 1 }))
}

function amplitudes(graph: Graph, seeds: readonly Seed[], wavelength: number): Record<string, number> {
  const waves = propagate(graph, seeds, FAINTEST)
  const at = amplitudesAt(waves, WAVE_SPEED / wavelength)
  return Object.fromEntries(waves.nodes.map((v, row) => [labelOf(graph, v), at[row]]))
}

const path = sketch('a.ts imports b.ts 1\nb.ts imports c.ts 1')

describe('waves on a path of three', () => {
  test.each([
    [4, [1.015971, 0.912077, 0.419253], 1.428235],
    [12, [1.068583, 0.699004, 0.550565], 1.390538],
  ])('of length %d', (wavelength, expected, energy) => {
    const at = amplitudes(path, seedsOf(path, 'a.ts'), wavelength)
    expect(Object.values(at).map((it) => Number(it.toFixed(6)))).toEqual(expected)
    expect(energyOf(Float64Array.from(Object.values(at)))).toBeCloseTo(energy, 5)
  })

  test('take eleven pulses, and their harmonics have these energies', () => {
    const { waves, harmonics } = resonance(path, seedsOf(path, 'a.ts'), OPTIONS)
    expect(waves).toMatchObject({ pulses: 11, exhausted: false })
    expect(harmonics.map((it) => Number(it.energy.toFixed(6)))).toEqual([
      1.390538, 1.503703, 1.428235, 1.463067, 1.930581,
    ])
  })
})

describe('pulses', () => {
  test('that meet add up by their phases', () => {
    // from two ends one step away they come to the middle alike, from one and from three steps away against each other
    const even = sketch('a.ts imports m.ts 1\nb.ts imports m.ts 1')
    const alone = amplitudes(even, seedsOf(even, 'a.ts'), 12)['m.ts']
    expect(amplitudes(even, seedsOf(even, 'a.ts', 'b.ts'), 12)['m.ts']).toBeCloseTo(2 * alone, 9)
    const one = {
      nodes: [0],
      amplitudes: Float64Array.of(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      pulses: 2,
      exhausted: false,
    }
    expect(amplitudesAt(one, 3)[0]).toBeCloseTo(Math.SQRT2, 6)
    expect(amplitudesAt(one, 6)[0]).toBeCloseTo(0, 6)
  })

  test('are turned back in part by hubs', () => {
    const leaves = Array.from({ length: 20 }, (_, i) => `hub.ts imports l${i}.ts 1`)
    const graph = sketch(['s.ts imports t.ts 1', 't.ts imports hub.ts 1', ...leaves].join('\n'))
    const { waves } = resonance(graph, seedsOf(graph, 's.ts'), OPTIONS)
    expect(names(graph, waves.nodes)).toContain('l19.ts')
    expect(waves.nodes).toHaveLength(23)
    // the echo of the hub comes back to the seed
    const row = waves.nodes.indexOf(node(graph, 's.ts'))
    expect(waves.amplitudes[row * 11 + 3]).toBeLessThan(0)
  })

  test('do not run along dead or inhibitory edges, and end at their budget', () => {
    const graph = sketch('a.ts replaces b.ts 1 inhibitory\na.ts imports c.ts 1')
    expect(names(graph, propagate(graph, seedsOf(graph, 'a.ts'), FAINTEST).nodes)).toEqual(['a.ts', 'c.ts'])
    const lines = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 3 }, (_, j) => `f${i}.ts imports f${(i * 7 + j * 11 + 1) % 60}.ts 3`),
    )
    const heavy = sketch(lines.flat().join('\n'))
    const seeds = Array.from({ length: 60 }, (_, i) => ({ node: node(heavy, `f${i}.ts`), relevance: 1 }))
    const waves = propagate(heavy, seeds, FAINTEST)
    expect(waves.pulses).toBeLessThanOrEqual(50_000)
  })

  test('agree with pulses followed one by one', () => {
    const edges = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(edges, fc.integer({ min: 1, max: 5 }), (pairs, frequency) => {
        const graph = sketch(['f0.ts', ...pairs.map(([a, b]) => `f${a}.ts imports f${b}.ts 1`)].join('\n'))
        const near = (v: number) =>
          [...new Set(pairs.flatMap(([a, b]) => (a === v ? [b] : b === v ? [a] : [])))].filter((it) => it !== v)
        // amplitudes of all pulses with the same way, so that the limit means the same on both sides
        const sums = new Map<number, [number, number]>()
        let layer = new Map([['0 0 0', 1]])
        for (let hop = 0; hop <= 10; hop++) {
          const next = new Map<string, number>()
          const send = (from: number, to: number, steps: number, a: number) =>
            next.set(`${from} ${to} ${steps}`, (next.get(`${from} ${to} ${steps}`) ?? 0) + a)
          for (const [key, a] of layer) {
            if (Math.abs(a) < 0.01) continue
            const [from, v, steps] = key.split(' ').map(Number)
            const angle = (2 * Math.PI * frequency * steps) / 12
            const [re, im] = sums.get(v) ?? [0, 0]
            sums.set(v, [re + a * Math.cos(angle), im + a * Math.sin(angle)])
            const around = near(v)
            if (hop === 10 || around.length === 0) continue
            if (around.length === 1 && hop > 0) send(v, from, steps, -0.9 * a)
            else
              for (const u of around)
                if ((u !== from || hop === 0) && Math.abs(a / around.length) >= 0.01)
                  send(v, u, steps + 1, a / around.length)
          }
          layer = next
        }
        const waves = propagate(graph, [{ node: node(graph, 'f0.ts'), relevance: 1 }], FAINTEST)
        const at = amplitudesAt(waves, frequency)
        expect(waves.nodes).toHaveLength(sums.size)
        for (const [v, [re, im]] of sums)
          expect(at[waves.nodes.indexOf(node(graph, `f${v}.ts`))]).toBeCloseTo(Math.hypot(re, im), 9)
      }),
    )
  })
})

describe('resonance', () => {
  const graph = sketch(`
    seed.ts imports m.ts 1
    m.ts imports n.ts 1
    n.ts imports o.ts 1
    o.ts imports p.ts 1
    m.ts imports x.ts 1
    m.ts imports y.ts 1
  `)

  test('pairs nodes that swing alike and have no edge', () => {
    const { pairs } = resonance(graph, seedsOf(graph, 'seed.ts'), OPTIONS)
    const [first] = pairs
    expect(names(graph, [first.a, first.b])).toEqual(['x.ts', 'y.ts'])
    expect(first.coupling).toBeCloseTo(1, 9)
    expect(pairs.length).toBeLessThanOrEqual(10)
  })

  test('names strong nodes beyond two hops', () => {
    const { sympathetic } = resonance(graph, seedsOf(graph, 'seed.ts'), OPTIONS)
    expect(
      names(
        graph,
        sympathetic.map((it) => it.node),
      ).sort(),
    ).toEqual(['o.ts', 'p.ts'])
  })

  test('reports peaks of the sweep, or the energy at each frequency asked for', () => {
    const swept = resonance(path, seedsOf(path, 'a.ts'), OPTIONS).resonant
    expect(swept.length).toBeGreaterThan(0)
    for (const { frequency } of swept) expect(frequency > 0.1 && frequency < 0.1 + 19 * 0.495).toBe(true)
    const asked = resonance(path, seedsOf(path, 'a.ts'), { ...OPTIONS, frequencies: [1, 3] }).resonant
    expect(asked.map((it) => it.frequency)).toEqual([3, 1])
    expect(asked[0].energy).toBeCloseTo(1.428235, 5)
  })

  test('of a single node and of a node without neighbours is that node', () => {
    const lone = sketch('a.ts')
    expect(resonance(lone, seedsOf(lone, 'a.ts'), OPTIONS)).toMatchObject({
      antinodes: [{ node: 0, amplitude: 1, order: 1 }],
      pairs: [],
      sympathetic: [],
      waves: { pulses: 1 },
    })
  })
})
