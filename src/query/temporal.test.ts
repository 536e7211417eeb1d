import { describe, expect, test } from 'vitest'
import { CLASS, FILE, FUNCTION, MODULE } from '#graph/graph'
import { graphOf } from '#query/graph-for-tests'
import {
  DOMAINS,
  decayed,
  halfLife,
  resurrected,
  temporalScorer,
  trendOf,
  velocities,
  velocityShare,
} from '#query/temporal'

const NOW = 1_700_000_000
const HOUR = 3600

describe('the temporal score', () => {
  const scoreOf = (hours: number, changeFrequency: number, label = 'cart.ts') =>
    temporalScorer(graphOf([{ label, lastModified: NOW - hours * HOUR, changeFrequency }]), NOW)(0)

  test('is 0.6 recency and 0.4 frequency', () => {
    expect(scoreOf(0, 1)).toBeCloseTo(1, 5)
    expect(scoreOf(24, 0.5)).toBeCloseTo(0.743434, 5)
    expect(scoreOf(168, 0.3)).toBeCloseTo(0.42, 5)
    expect(scoreOf(336, 0.1)).toBeCloseTo(0.19, 5)
    expect(scoreOf(720, 0.3)).toBeCloseTo(0.150763, 5)
  })

  test('halves at the half-life of the type', () => {
    expect(scoreOf(336, 0.3, 'total')).toBeCloseTo(0.42, 5)
  })

  test('counts a time in the future as now, and an unknown one not at all', () => {
    expect(scoreOf(-48, 1)).toBeCloseTo(1, 5)
    expect(temporalScorer(graphOf([{ label: 'cart.ts', changeFrequency: 1 }]), NOW)(0)).toBe(0)
  })
})

test('half-lives depend on type and domain, with a default for other types', () => {
  expect(halfLife(FILE, 'code')).toBe(168)
  expect(halfLife(FILE, 'memory')).toBe(1008)
  expect(halfLife(FUNCTION, 'generic')).toBe(336)
  expect(halfLife(130, 'light')).toBe(840)
  expect(halfLife(FUNCTION, 'no such domain')).toBe(336)
  expect([...DOMAINS.keys()]).toEqual(['code', 'music', 'generic', 'memory', 'light'])
})

test('what is left after 14 days', () => {
  expect(decayed(336, FILE, 'code')).toBeCloseTo(0.25, 5)
  expect(decayed(336, FUNCTION, 'code')).toBeCloseTo(0.5, 5)
  expect(decayed(336, CLASS, 'code')).toBeCloseTo(0.629961, 5)
  expect(decayed(336, MODULE, 'code')).toBeCloseTo(0.723635, 5)
  expect(decayed(1e9, FILE, 'code')).toBe(1e-6)
})

test('a dormant node returns at a floor that grows with its sleep', () => {
  expect(resurrected(840, FILE, 'code')).toBeCloseTo(0.03125, 5)
  expect(resurrected(841, FILE, 'code')).toBeCloseTo(0.369374, 5)
  expect(resurrected(2000, FILE, 'code')).toBeCloseTo(0.421816, 5)
  expect(resurrected(8760, FILE, 'code')).toBeCloseTo(0.543612, 5)
  expect(resurrected(Number.MAX_VALUE, FILE, 'code')).toBe(1)
})

describe('velocity', () => {
  test('is the z-score of the change frequency within a type', () => {
    const files = [0.1, 0.1, 0.3, 0.9].map((changeFrequency, i) => ({ label: `shelf${i}.ts`, changeFrequency }))
    const scores = velocities(graphOf([...files, { label: 'total', changeFrequency: 0.7 }]))
    expect(scores[0]).toBeCloseTo(-0.762493, 4)
    expect(scores[2]).toBeCloseTo(-0.152499, 4)
    expect(scores[3]).toBeCloseTo(1.677484, 4)
    expect(scores[4]).toBe(0)
  })

  test('is a trend beyond half a deviation', () => {
    expect([0.6, 0.5, -0.5, -0.6].map(trendOf)).toEqual(['accelerating', 'steady', 'steady', 'decelerating'])
    expect(velocityShare(0)).toBe(0.5)
  })
})
