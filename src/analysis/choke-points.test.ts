import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chokePoint } from '#analysis/choke-points'
import { node, sketch } from '#analysis/sketch'

describe('choke points', () => {
  test('are files without which others lose their connection', () => {
    const graph = sketch(`
      a.ts imports b.ts 1
      b.ts imports hub.ts 1
      hub.ts imports c.ts 1
      c.ts imports d.ts 1
      hub.ts imports leaf.ts 1
    `)
    const cutOff = (key: string) => chokePoint(graph, node(graph, key)).cutOff
    expect(cutOff('hub.ts')).toBe(3)
    expect(cutOff('leaf.ts')).toBe(0)
    expect(cutOff('a.ts')).toBe(0)
    // what falls off is a single file
    expect(cutOff('b.ts')).toBe(0)
  })

  test('are what much points to', () => {
    const graph = sketch(Array.from({ length: 150 }, (_, i) => `f${i}.ts imports log.ts 1`).join('\n'))
    expect(chokePoint(graph, node(graph, 'log.ts')).central).toBe(true)
    expect(chokePoint(graph, node(graph, 'f3.ts')).central).toBe(false)
  })

  test('agree with taking each file away and counting', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { minLength: 1, maxLength: 14 }), (pairs) => {
        const lines = pairs.map(([a, b]) => `f${a}.ts imports f${b}.ts 1`)
        const graph = sketch([...Array.from({ length: 9 }, (_, i) => `f${i}.ts`), ...lines].join('\n'))
        const pieces = (start: number, without: number) => {
          const seen = new Set([start])
          for (const v of seen)
            for (const [a, b] of pairs) {
              if (a === v && b !== without) seen.add(b)
              if (b === v && a !== without) seen.add(a)
            }
          return seen
        }
        for (let v = 0; v < 9; v++) {
          const around = [...pieces(v, -1)].filter((it) => it !== v)
          const sizes: number[] = []
          const counted = new Set<number>()
          for (const u of around) {
            if (counted.has(u)) continue
            const piece = pieces(u, v)
            for (const it of piece) counted.add(it)
            sizes.push(piece.size)
          }
          sizes.sort((a, b) => b - a)
          const expected = (sizes[1] ?? 0) >= 2 ? sizes.slice(1).reduce((sum, it) => sum + it, 0) : 0
          expect(chokePoint(graph, node(graph, `f${v}.ts`)).cutOff).toBe(expected)
        }
      }),
    )
  })
})
