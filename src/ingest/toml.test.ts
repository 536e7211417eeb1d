import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readToml, tableAt, textAt, textsAt } from '#ingest/toml'

describe('readToml', () => {
  test('reads tables, dotted keys, lists over several lines and inline tables', () => {
    const manifest = readToml(`
# a shop
[package]
name = "shop" # inside
authors = [
  "Ada",   # the first
  'Grace',
]

[dependencies]
serde = { version = "1", features = ["derive"] }
cart.path = "../cart"
"odd name" = '1'

[target.'cfg(unix)'.dependencies]
libc = "0.2"
`)

    expect(textAt(tableAt(manifest, 'package'), 'name')).toBe('shop')
    expect(textsAt(tableAt(manifest, 'package'), 'authors')).toEqual(['Ada', 'Grace'])
    const dependencies = tableAt(manifest, 'dependencies')
    expect(Object.keys(dependencies)).toEqual(['serde', 'cart', 'odd name'])
    expect(textAt(tableAt(dependencies, 'cart'), 'path')).toBe('../cart')
    expect(textsAt(tableAt(dependencies, 'serde'), 'features')).toEqual(['derive'])
    expect(textAt(tableAt(tableAt(tableAt(manifest, 'target'), 'cfg(unix)'), 'dependencies'), 'libc')).toBe('0.2')
  })

  test('keeps the tables of a list apart', () => {
    const { bin } = readToml('[[bin]]\nname = "till"\n[[bin]]\nname = "stock"\nfast = true\n')

    expect(bin).toEqual([{ name: 'till' }, { name: 'stock', fast: true }])
  })

  test('reads texts over several lines and escapes', () => {
    const table = readToml('a = """\none\ntwo"""\nb = "caf\\u00e9 \\"x\\""\nc = \'\\n\'')

    expect(table.a).toBe('one\ntwo')
    expect(table.b).toBe('café "x"')
    expect(table.c).toBe('\\n')
  })

  test('comes to an end on any text', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '"""',
      '=',
      '.',
      ',',
      '#',
      '\n',
      'a',
      '__proto__',
      ' ',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        readToml(pieces.join(''))
        expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('gives up on nesting that no manifest has', () => {
    expect(readToml(`name = 'shop'\na = ${'['.repeat(100_000)}`)).toMatchObject({ name: 'shop' })
  })

  test('keeps what stands in front of a value that is not whole', () => {
    const broken = '[package]\nname = "shop"\n\n[dependencies]\ncart = "1"\nstock = [\n  "a",\n  oops oops\n]\n'
    const table = readToml(broken)

    expect(textAt(tableAt(table, 'package'), 'name')).toBe('shop')
    expect(textAt(tableAt(table, 'dependencies'), 'cart')).toBe('1')
  })
})
