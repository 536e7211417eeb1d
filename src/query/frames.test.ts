import { describe, expect, test } from 'vitest'
import { cleanPath, frameOn, readTrace } from '#query/frames'

const places = (text: string, hint = '') =>
  readTrace(text, hint).frames.map((it) => `${it.path}:${it.line} ${it.function}`)

describe('a frame of', () => {
  test.each([
    ['python', '  File "/srv/shop/cart.py", line 12, in total', 'srv/shop/cart.py:12 total'],
    ['python', '  File "cart.py", line 3', 'cart.py:3 <module>'],
    ['python', '  | |   File "/srv/shop/cart.py", line 12, in <module>', 'srv/shop/cart.py:12 <module>'],
    ['python', 'shop/cart.py:12: in total', 'shop/cart.py:12 total'],
    ['python', 'F:\\shop\\cart.py:12:total', 'F:/shop/cart.py:12 total'],
    ['javascript', '    at total (/srv/shop/cart.js:12:5)', 'srv/shop/cart.js:12 total'],
    ['javascript', '    at async Cart.total (file:///srv/shop/cart.mjs:12:5)', 'srv/shop/cart.mjs:12 Cart.total'],
    ['javascript', '    at /srv/shop/cart.js:12:5', 'srv/shop/cart.js:12 '],
    ['javascript', '    at Object.total [as sum] (webpack:///./src/cart.js?1a2b:12:5)', 'src/cart.js:12 Object.total'],
    ['javascript', '    at total (webpack-internal:///(rsc)/./src/cart.js:12:5)', 'src/cart.js:12 total'],
    ['javascript', 'total@http://localhost:3000/static/cart.js:12:5', 'static/cart.js:12 total'],
    ['javascript', '    at new Cart (C:\\shop\\cart.js:12:5)', 'C:/shop/cart.js:12 new Cart'],
    ['typescript', '    at total (/srv/shop/cart.ts:12:5)', 'srv/shop/cart.ts:12 total'],
    ['java', '\tat org.shop.Cart.total(Cart.java:12)', 'org/shop/Cart.java:12 org.shop.Cart.total'],
    [
      'java',
      '\tat app//org.shop.Cart$Line.lambda$total$0(Cart.java:12)',
      'org/shop/Cart.java:12 org.shop.Cart$Line.lambda$total$0',
    ],
    ['java', '\tat org.shop.CartKt.total(Cart.kt:12)', 'org/shop/Cart.kt:12 org.shop.CartKt.total'],
    [
      'csharp',
      '   at Shop.Cart.Total(Int32 n) in C:\\shop\\Cart.cs:line 12',
      'C:/shop/Cart.cs:12 Shop.Cart.Total(Int32 n)',
    ],
    ['ruby', "\tfrom /srv/shop/cart.rb:12:in `total'", 'srv/shop/cart.rb:12 total'],
    ['ruby', "shop/cart.rb:12:in 'Cart#total'", 'shop/cart.rb:12 Cart#total'],
    ['php', '#1 /srv/shop/Cart.php(12): Shop\\Cart->total(1)', 'srv/shop/Cart.php:12 Shop\\Cart->total'],
    ['cpp', '    #1 0x4f3a in shop::total(int) /srv/shop/cart.cc:12:3', 'srv/shop/cart.cc:12 shop::total(int)'],
    ['cpp', '#1  0x0000555 in total (n=1) at src/cart.c:12', 'src/cart.c:12 total (n=1)'],
    ['rust', '             at ./src/cart.rs:12:5', 'src/cart.rs:12 '],
    ['rust', "thread 'main' panicked at src/cart.rs:12:5:", 'src/cart.rs:12 '],
    ['rust', "thread 'main' panicked at 'no price', src/cart.rs:12:5", 'src/cart.rs:12 '],
    ['elixir', '    (shop 1.0.0) lib/cart.ex:12: Shop.Cart.total/1', 'lib/cart.ex:12 Shop.Cart.total/1'],
    ['lua', "\tcart.lua:12: in function 'total'", 'cart.lua:12 total'],
    ['dart', '#0      total (package:shop/cart.dart:12:5)', 'shop/cart.dart:12 total'],
  ])('%s: %s', (language, line, expected) => {
    const frame = frameOn(line)
    expect(frame?.language).toBe(language)
    expect(`${frame?.path}:${frame?.line} ${frame?.function}`).toBe(expected)
  })

  test('go takes its function from the line above', () => {
    expect(frameOn('\t/srv/shop/cart.go:12 +0x1d', 'example.org/shop.(*Cart).Total(0xc000, 0x1)')).toMatchObject({
      path: 'srv/shop/cart.go',
      line: 12,
      function: 'example.org/shop.(*Cart).Total',
    })
  })

  test.each(['a sentence at 12:30', 'level=info caller=cart.go:12 msg=done', 'ratio 3:4 (5)', 'at noon'])(
    'none: %s',
    (line) => {
      expect(frameOn(line)).toBeNull()
    },
  )
})

describe('a trace', () => {
  test('of python comes as printed, with the last of a chain deepest, whatever stands between', () => {
    const text = [
      '2031-01-02 12:00:00 ERROR request failed',
      'Traceback (most recent call last):',
      '  File "/srv/shop/bank.py", line 3, in open',
      '    connect()',
      'OSError: refused',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "/srv/shop/app.py", line 20, in handle',
      '    charge()',
      '2031-01-02 12:00:01 INFO something else',
      '  File "/srv/shop/payment.py", line 9, in charge',
      '    raise PaymentFailed("no bank")',
      'shop.errors.PaymentFailed: no bank',
    ].join('\n')
    expect(readTrace(text)).toMatchObject({
      language: 'python',
      errorType: 'shop.errors.PaymentFailed',
      errorMessage: 'no bank',
    })
    expect(places(text)).toEqual([
      'srv/shop/bank.py:3 open',
      'srv/shop/app.py:20 handle',
      'srv/shop/payment.py:9 charge',
    ])
  })

  test('of an exception group is read through its margin', () => {
    const text = [
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "/srv/shop/app.py", line 20, in main',
      '  |     await all()',
      '  | ExceptionGroup: two failed (2 sub-exceptions)',
      '  +-+---------------- 1 ----------------',
      '    | Traceback (most recent call last):',
      '    |   File "/srv/shop/cart.py", line 4, in total',
      '    |     raise KeyError("price")',
      "    | KeyError: 'price'",
      '    +------------------------------------',
    ].join('\n')
    expect(readTrace(text)).toMatchObject({ errorType: 'KeyError', errorMessage: "'price'" })
    expect(places(text).at(-1)).toBe('srv/shop/cart.py:4 total')
  })

  test('of java ends in the first frame of the last cause', () => {
    const text = [
      'Exception in thread "main" org.shop.ShopException: no total',
      '\tat org.shop.App.main(App.java:3)',
      'Caused by: java.lang.IllegalStateException: no price',
      '\tat org.shop.Cart.price(Cart.java:30)',
      '\tat org.shop.Cart.total(Cart.java:12)',
      '\t... 1 more',
    ].join('\n')
    expect(places(text).map((it) => it.split(' ')[0])).toEqual([
      'org/shop/App.java:3',
      'org/shop/Cart.java:12',
      'org/shop/Cart.java:30',
    ])
    expect(readTrace(text)).toMatchObject({
      language: 'java',
      errorType: 'java.lang.IllegalStateException',
      errorMessage: 'no price',
    })
  })

  test('of go is that of the goroutine that failed, the others are counted', () => {
    const text = [
      'panic: runtime error: index out of range [3] with length 2 [recovered]',
      '',
      'goroutine 7 [running]:',
      'main.total(...)',
      '\t/srv/shop/cart.go:12',
      'main.main()',
      '\t/srv/shop/main.go:5 +0x1d',
      '',
      'goroutine 8 [select]:',
      'main.wait()',
      '\t/srv/shop/wait.go:9 +0x33',
    ].join('\n')
    expect(places(text)).toEqual(['srv/shop/main.go:5 main.main', 'srv/shop/cart.go:12 main.total'])
    expect(readTrace(text)).toMatchObject({
      language: 'go',
      errorType: 'panic',
      errorMessage: 'runtime error: index out of range [3] with length 2',
      otherStacks: 1,
    })
  })

  test('of node ends in its first line', () => {
    const text = [
      "TypeError: Cannot read properties of undefined (reading 'price')",
      '    at total (/srv/shop/cart.ts:12:5)',
      '    at async handle (/srv/shop/app.ts:3:7)',
      '    at node:internal/process/task_queues:95:5',
    ].join('\n')
    expect(readTrace(text)).toMatchObject({
      language: 'typescript',
      errorType: 'TypeError',
      errorMessage: "Cannot read properties of undefined (reading 'price')",
    })
    expect(places(text).at(-1)).toBe('srv/shop/cart.ts:12 total')
  })

  test('of rust has the symbol above each place', () => {
    const text = [
      "thread 'main' panicked at src/cart.rs:12:5:",
      'no price',
      'stack backtrace:',
      '   0: rust_begin_unwind',
      '             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5',
      '   1: shop::cart::total::h0123456789abcdef',
      '             at ./src/cart.rs:12:5',
    ].join('\n')
    expect(readTrace(text)).toMatchObject({ language: 'rust', errorType: 'panic', errorMessage: 'no price' })
    // the place of the panic is told twice, and is one frame
    expect(readTrace(text).frames.map((it) => it.function)).toEqual(['shop::cart::total', 'rust_begin_unwind'])
    expect(readTrace(text.split('\n').slice(0, 2).join('\n')).frames).toMatchObject([{ path: 'src/cart.rs', line: 12 }])
  })

  test('of a sanitizer is the first of its stacks', () => {
    const text = [
      '==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020',
      '    #0 0x4f in total /srv/shop/cart.c:12:3',
      '    #1 0x50 in main /srv/shop/main.c:5:1',
      'freed by thread T0 here:',
      '    #0 0x51 in release /srv/shop/pool.c:7:3',
    ].join('\n')
    expect(places(text)).toEqual(['srv/shop/main.c:5 main', 'srv/shop/cart.c:12 total'])
    expect(readTrace(text)).toMatchObject({ errorType: 'AddressSanitizer', otherStacks: 1 })
  })

  test.each([
    ['Error: no price\n    at total (/srv/shop/cart.js:12:5)', 'Error', 'no price'],
    ['Uncaught Error: no price\n    at total (/srv/shop/cart.js:12:5)', 'Error', 'no price'],
    ['KeyError: of before\nError: no price\n    at total (/srv/shop/cart.js:12:5)', 'Error', 'no price'],
    ['Error\n    at total (/srv/shop/cart.js:12:5)', 'Error', ''],
    ['Error [ERR_TILL]: no price\n    at total (/srv/shop/cart.js:12:5)', 'Error', 'no price'],
    ['TillClosed: no price\n    at total (/srv/shop/cart.js:12:5)', 'TillClosed', 'no price'],
    [
      'Exception in thread "main" java.lang.Exception: no price\n\tat org.shop.Cart.total(Cart.java:12)',
      'java.lang.Exception',
      'no price',
    ],
    ['org.shop.TillClosed: no price\n\tat org.shop.Cart.total(Cart.java:12)', 'org.shop.TillClosed', 'no price'],
    [
      'System.Exception: no price\n   at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 12',
      'System.Exception',
      'no price',
    ],
    ["cart.rb:12:in 'total': no price (Shop::PriceError)\n\tfrom app.rb:3:in '<main>'", 'Shop::PriceError', 'no price'],
  ])('tells its error: %s', (text, errorType, errorMessage) => {
    expect(readTrace(text)).toMatchObject({ errorType, errorMessage })
  })

  test('without frames has none, and of unknown kind is read by its places', () => {
    expect(readTrace('it does not work')).toMatchObject({ language: 'unknown', frames: [], errorType: '' })
    expect(places('cart.nim(12) total\nmain.nim(3) main')).toEqual(['main.nim:3 ', 'cart.nim:12 '])
  })

  test('with a hint is read by that grammar first, and by all when that finds nothing', () => {
    const text = '    at total (/srv/shop/cart.js:12:5)'
    expect(readTrace(text, 'python')).toMatchObject({ language: 'python', frames: [{ line: 12 }] })
  })

  test('of any size is read soon, and what was left out is told', () => {
    const started = performance.now()
    const long = readTrace(
      `${'  File "/srv/shop/cart.py", line 12, in total\n'.repeat(60_000)}RecursionError: too deep`,
    )
    expect(long.frames.length).toBe(2000)
    expect(long.skippedChars).toBeGreaterThan(1_000_000)
    expect(long.errorType).toBe('RecursionError')
    for (const it of [
      'at (',
      'at '.repeat(50_000),
      '#1 '.repeat(50_000),
      `${'a/'.repeat(80_000)}x.go:1`,
      '('.repeat(100_000),
    ])
      readTrace(it)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

test('paths lose what bundlers, browsers and shells add', () => {
  expect(cleanPath('./node_modules/loader!./src/cart.js')).toBe('src/cart.js')
  expect(cleanPath('https://example.org/assets/cart.js?v=3')).toBe('assets/cart.js')
  expect(cleanPath('app:///(tabs)/cart.tsx')).toBe('cart.tsx')
  expect(cleanPath('..\\..\\shop\\cart.cs')).toBe('shop/cart.cs')
})
