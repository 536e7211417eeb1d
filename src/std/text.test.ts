import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { identifierParts, trigrams } from '#std/text'

describe('identifierParts', () => {
  test.each([
    ['ConnectionPool', ['connection', 'pool']],
    ['handle_message', ['handle', 'message']],
    ['getHTTPResponse', ['get', 'http', 'response']],
    ['HTTPServer', ['http', 'server']],
    ['userIDs', ['user', 'ids']],
    ['XMLHttpRequest2', ['xml', 'http', 'request', '2']],
    ['base64_decode', ['base', '64', 'decode']],
    ['MAX_RETRIES', ['max', 'retries']],
    ['kebab-case.name', ['kebab', 'case', 'name']],
    ['größeBerechnen', ['größe', 'berechnen']],
    ['ÜberSchrift', ['über', 'schrift']],
    ['读取_file', ['读取', 'file']],
    ['__init__', ['init']],
    ['', []],
    ['::', []],
  ])('splits %s', (name, parts) => {
    expect(identifierParts(name)).toEqual(parts)
  })

  test('loses no letter or digit of a plain name', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_]{0,30}$/), (name) => {
        expect(identifierParts(name).join('')).toBe(name.replaceAll('_', '').toLowerCase())
      }),
    )
  })

  test('reads plain names as it reads those with other letters', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_]{0,30}$/), (name) => {
        expect(identifierParts(`${name}_ß`)).toEqual([...identifierParts(name), 'ß'])
      }),
    )
  })
})

describe('trigrams', () => {
  test('takes every three characters in a row', () => {
    expect(trigrams('pool')).toEqual(['poo', 'ool'])
  })

  test('takes a short text as it is, and nothing of nothing', () => {
    expect([trigrams('db'), trigrams('')]).toEqual([['db'], []])
  })

  test('counts characters, not halves of them', () => {
    expect(trigrams('a😀b😀')).toEqual(['a😀b', '😀b😀'])
  })
})
