import { expect, test } from 'vitest'
import { ago, duration, many, nameOf, signed } from './format.ts'

test('a node is called by its path, or by its names inside of a file', () => {
  expect(nameOf('file::src/flask/app.py')).toBe('src/flask/app.py')
  expect(nameOf('file::src/flask/app.py::class::Flask::fn::run')).toBe('Flask.run')
  expect(nameOf('dir::src/flask/')).toBe('src/flask')
  expect(nameOf('api::file::a%3A%3Ab.py::fn::go')).toBe('go')
  expect(nameOf('api::file::a%3A%3Ab.py')).toBe('a::b.py')
  expect(nameOf('package::requests')).toBe('requests')
  expect(nameOf('')).toBe('')
})

test('differences have their sign, small ones are not rounded to nothing', () => {
  expect([signed(0.43), signed(-1.2), signed(0.0031), signed(0)]).toEqual(['+0.43', '-1.20', '+0.0031', '0.00'])
})

test('counts and times are words', () => {
  expect([many(1, 'query', 'queries'), many(1200, 'query', 'queries')]).toEqual(['1 query', '1,200 queries'])
  expect([duration(0.2), duration(90), duration(86_400 * 3)]).toEqual(['200 ms', '1 minute', '3 days'])
  expect([ago(1000, 2000), ago(0, 120_000)]).toEqual(['just now', '2 minutes ago'])
})
