import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  argumentsOf,
  expressionPath,
  headOf,
  skipBalanced,
  type Syntax,
  splitTopLevel,
  typeNames,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'

const braces: Syntax = { lineComment: '//', generics: '<', transparent: new Set(['Promise', 'Box', 'Optional']) }
const python: Syntax = { lineComment: '#', generics: '[', transparent: new Set(['Optional', 'Awaitable']) }
const ruby: Syntax = { lineComment: '#', generics: '<', transparent: new Set(), markedNames: true }
const syntaxes = [braces, python, ruby]

describe('the path of an expression', () => {
  test.each([
    ['shelf', 'shelf'],
    ['self.books.first', 'self.books.first'],
    ['await shop.open(name).door', 'shop.open().door'],
    ['new Shelf(repo)', 'Shelf()'],
    ['new Shelf', 'Shelf()'],
    ['shop::Tax::apply', 'shop.Tax.apply'],
    ['shelf->books[0]->sell', 'shelf.books[].sell'],
    ['user?.orders?.[0]?.send', 'user.orders[].send'],
    ['user!.mail!.send', 'user.mail.send'],
    ['this.#label.print', 'this.#label.print'],
    ['(user as Admin).grant', 'Admin().grant'],
    ['(Admin) user.get()', 'Admin()'],
    ['((Admin) user).grant', 'Admin().grant'],
    ['(a || b).close', '?.close'],
    ['Vec::<Book>::new', 'Vec.new'],
    ['List.<Book>of()', 'List.of()'],
    ['get<User>(name)', 'get()'],
    ['<Shelf as Store>::get', 'Shelf.get'],
    ['Service{Name: name}', 'Service()'],
    ['builder()\n  // the name\n  .name("x") /* done */\n  .build()', 'builder().name().build()'],
    ['pair.0', 'pair[]'],
    ['&mut shelf.books', 'shelf.books'],
    ['a + b', ''],
    ['it -> it.name', ''],
    ['"text"', ''],
    ['42', ''],
    ['', ''],
  ])('%s is %s', (text, path) => {
    expect(expressionPath(text, braces)).toBe(path)
  })

  test('keeps the marks of names where the language has them', () => {
    expect(expressionPath('receipt.ok?', ruby)).toBe('receipt.ok?')
    expect(expressionPath('@repo.save!(book)', ruby)).toBe('self.repo.save!()')
  })

  test('of an expression that is nested too deeply is none', () => {
    expect(expressionPath(`${'('.repeat(5000)}a${')'.repeat(5000)}`, braces)).toBe('')
  })
})

describe('the path of a type', () => {
  test.each([
    ['User', 'User'],
    ['models.User', 'models.User'],
    ['Promise<User | null>', 'User'],
    ['Map<string, List<User>>', 'Map<string,List<User>>'],
    ['User[]', 'Array<User>'],
    ['readonly User[]', 'Array<User>'],
    ['*models.User', 'models.User'],
    ["&'a mut Shelf<T>", 'Shelf<T>'],
    ['Box<dyn Store + Send>', 'Store'],
    ['Class<? extends Handler>', 'Class<Handler>'],
    ['shop::inner::Point', 'shop.inner.Point'],
    ['User?', 'User'],
    ['A | B', ''],
    ['(a: A) => B', ''],
    ['C extends Book ? Page : Cover', ''],
    ["Shelf['books']", ''],
    ['interface{}', ''],
    ['', ''],
  ])('%s is %s', (text, path) => {
    expect(typePath(text, braces)).toBe(path)
  })

  test.each([
    ['Optional[User]', 'User'],
    ['dict[str, list[User]]', 'dict<str,list<User>>'],
    ['Union[User, None]', 'User'],
    ['User | None', 'User'],
    ['"models.User"', 'models.User'],
    ['Callable[[A], B]', ''],
    ['Literal["a"]', ''],
    ['map[string]*Book', 'Map<string,Book>'],
    ['[]Book', 'Array<Book>'],
    ['[String: Page]', 'Map<String,Page>'],
  ])('%s is %s', (text, path) => {
    expect(typePath(text, python)).toBe(path)
  })

  test('falls apart into its head and its arguments', () => {
    expect(headOf('Map<str,List<User>>')).toBe('Map')
    expect(argumentsOf('Map<str,List<User>>')).toEqual(['str', 'List<User>'])
    expect(argumentsOf('User')).toEqual([])
  })
})

describe('names of types', () => {
  test('are all that a type mentions, without keys and without what is skipped', () => {
    expect(typeNames('{ owner: User; pages?: Map<string, models.Page> }', new Set(['string', 'Map']), braces)).toEqual([
      'User',
      'models.Page',
    ])
  })

  test('stand in forward references too', () => {
    expect(typeNames('dict[str, "Book"]', new Set(['str', 'dict']), python)).toEqual(['Book'])
  })
})

describe('splitting at the top level', () => {
  test.each([
    ['a, b(c, d), [e, f], "g, h"', ['a', ' b(c, d)', ' [e, f]', ' "g, h"']],
    ['a: Map<b, c>, d', ['a: Map<b, c>', ' d']],
    ['a, // b, c\n d', ['a', ' // b, c\n d']],
    ['f: (a) => b, c', ['f: (a) => b', ' c']],
    ["&'a str, b", ["&'a str", ' b']],
    ['', ['']],
  ])('%s', (text, parts) => {
    expect(splitTopLevel(text, ',', braces)).toEqual(parts)
  })

  test('loses nothing', () => {
    fc.assert(
      fc.property(code(), fc.constantFrom(...syntaxes), (text, syntax) => {
        expect(splitTopLevel(text, ',', syntax).join(',')).toBe(text)
      }),
    )
  })
})

test('a bracket that is not closed reaches to the end', () => {
  expect(skipBalanced('(a, "b)"', 0, braces)).toBe(8)
  expect(skipBalanced('(a)(b)', 0, braces)).toBe(3)
})

test('comments in front are dropped', () => {
  expect(withoutLeadingComments(' /* a */ // b\n name', braces)).toBe('name')
})

describe('any text', () => {
  const PATH = /^(?:[^\s.()[\]]+(?:\(\)|\[\])*)(?:\.[^\s.()[\]]+(?:\(\)|\[\])*)*$/

  test('gives a path or nothing, and never an exception', () => {
    fc.assert(
      fc.property(code(), fc.constantFrom(...syntaxes), (text, syntax) => {
        const path = expressionPath(text, syntax)
        if (path !== '') expect(path).toMatch(PATH)
        const type = typePath(text, syntax)
        expect(type).not.toMatch(/[\s"'(){}[\]]/)
        for (const name of typeNames(text, new Set(), syntax)) expect(name).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    '(',
    '[',
    '{',
    '<',
    '"',
    "'",
    '`',
    '\\',
    "'\\",
    '/*',
    '//',
    'a.',
    'a<',
    'a ',
    'new ',
    '?.',
    '|',
    '&',
    '((a)',
    '[a:',
  ])('100 kB of %s are read soon', (piece) => {
    const text = piece.repeat(100_000 / piece.length)
    const started = performance.now()
    for (const syntax of syntaxes) {
      expressionPath(text, syntax)
      expressionPath(text.slice(0, 19_000), syntax)
      typePath(text.slice(0, 1900), syntax)
      typeNames(text, new Set(), syntax)
      splitTopLevel(text, ',', syntax)
    }
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

/** Text of what expressions are made of, in any order. */
function code(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ...'a b Foo self . :: -> ?. ( ) [ ] { } < > " \' ` , ; : ? ! & * | = => // # /* */ \\ 1 @ new await as é 漢 😀'.split(
      ' ',
    ),
    ' ',
    '\n',
  )
  return fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
}
