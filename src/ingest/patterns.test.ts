import { describe, expect, test } from 'vitest'
import { extract } from '#ingest/extract'

async function rulesIn(path: string, text: string): Promise<string[]> {
  const { patterns } = await extract(path, text)
  return patterns.map((it) => `${it.line} ${it.rule}${it.remedy === '' ? '' : ` (${it.remedy})`}`)
}

describe('places where patterns hold', () => {
  test('errors that are dropped, unless a reason stands beside or one kind alone is meant', async () => {
    expect(
      await rulesIn(
        'shop.py',
        'def total():\n    try:\n        count()\n    except Exception:\n        pass\n    try:\n        count()\n    except Exception:\n        # prices may be missing\n        pass\n    try:\n        count()\n    except PriceError:\n        pass\n    try:\n        count()\n    except KeyError:\n        pass\n    try:\n        count()\n    except:\n        x = 1\n',
      ),
    ).toEqual([
      '4 swallowed_error',
      '8 swallowed_error (a comment says why)',
      '13 swallowed_error (only one kind of error is let pass)',
      '21 caught_too_much',
    ])
    expect(
      await rulesIn('shop.ts', 'try { total() } catch (e) {}\nload().catch(() => {})\nload().catch(report)\n'),
    ).toEqual(['1 swallowed_error', '2 swallowed_error'])
    expect(await rulesIn('Shop.java', 'class Shop { void f() { try { g(); } catch (Exception e) { } } }')).toEqual([
      '1 swallowed_error',
    ])
    expect(
      await rulesIn(
        'shop.go',
        'package shop\nfunc f() {\n\tif err := g(); err != nil {\n\t}\n\tv, _ := read(1)\n\tuse(v)\n\tpanic("no")\n}\n',
      ),
    ).toEqual(['3 swallowed_error', '5 ignored_error', '7 aborts_on_error (a message says what must not be)'])
    expect(await rulesIn('shop.rs', 'fn f() {\n    let v = g().unwrap();\n    let _ = h();\n}\n')).toEqual([
      '2 aborts_on_error',
      '3 ignored_error (it is named as ignored)',
    ])
  })

  test('what is opened and not closed, given away or put in a block that closes it', async () => {
    expect(
      await rulesIn(
        'shop.py',
        'def a(p):\n    f = open(p)\n    return f.read()\ndef b(p):\n    f = open(p)\n    f.close()\ndef c(p):\n    return open(p)\ndef d(p):\n    with open(p) as f:\n        return f.read()\ndef e(p):\n    f = open(p)\n    return f\n',
      ),
    ).toEqual(['2 not_closed'])
    expect(
      await rulesIn(
        'shop.go',
        'package shop\nfunc f() {\n\ta, err := os.Open("a")\n\tb, err := os.Open("b")\n\tdefer b.Close()\n\tuse(a, b, err)\n}\n',
      ),
    ).toEqual(['3 not_closed'])
    expect(
      await rulesIn('shop.go', 'package shop\nfunc (s *Shop) Total() int {\n\ts.mu.Lock()\n\treturn s.n\n}\n'),
    ).toEqual(['3 not_unlocked'])
    expect(await rulesIn('shop.ts', 'setInterval(tick, 5)\nconst timer = setInterval(tick, 5)\n')).toEqual([
      '1 never_stopped',
    ])
  })

  test('what all callers share, and no variable that only has its name', async () => {
    expect(
      await rulesIn(
        'shop.py',
        'CACHE = {}\ntotal = 0\ndef f(x):\n    global total\n    total += x\n    CACHE[x] = 1\n    CACHE.update(a=1)\ndef g(CACHE):\n    CACHE.update(a=1)\ndef h(items=[]):\n    items.append(1)\n',
      ),
    ).toEqual(['5 global_write', '6 global_write', '7 global_write', '10 shared_default'])
    expect(
      await rulesIn(
        'shop.ts',
        'let total = 0\nexport function f() {\n  total++\n}\nexport function g() {\n  let total = 1\n  total = 2\n  return total\n}\n',
      ),
    ).toEqual(['3 global_write'])
  })

  test('what runs beside the rest and nobody waits for', async () => {
    expect(
      await rulesIn(
        'shop.py',
        'import asyncio, time\nasync def f():\n    asyncio.create_task(g())\n    task = asyncio.create_task(g())\n    time.sleep(1)\n    g()\n    await g()\nasync def g():\n    pass\ndef h():\n    time.sleep(1)\n',
      ),
    ).toEqual(['3 dropped_task', '5 blocks_event_loop', '6 unawaited'])
    expect(
      await rulesIn('shop.ts', 'async function f() {\n  items.forEach(async (it) => { await g(it) })\n}\n'),
    ).toEqual(['2 dropped_task'])
  })

  test('secrets and checks that are off, and no placeholder or name', async () => {
    expect(
      await rulesIn(
        'shop.py',
        'API_KEY = "sk4f9a2b7c1d8e"\npassword = "your-password"\nPASSWORD_FIELD = "password1"\napi_key = os.environ["KEY"]\nrequests.get(url, verify=False)\n# verify=False\n',
      ),
    ).toEqual(['1 secret_literal', '4 environment_read', '5 check_disabled'])
    expect(await rulesIn('shop.go', 'package shop\nvar c = tls.Config{InsecureSkipVerify: true}\n')).toEqual([
      '2 check_disabled',
    ])
  })

  test('tests that do not run or assert nothing', async () => {
    expect(
      await rulesIn('cart.test.ts', "it.skip('adds', () => {})\nit.only('takes', () => { expect(1).toBe(1) })\n"),
    ).toEqual(['1 skipped_test', '2 lone_test'])
    expect(
      await rulesIn(
        'tests/test_cart.py',
        'def test_a():\n    cart = Cart()\n    cart.add(1)\n    cart.add(2)\ndef test_b():\n    assert Cart()\n',
      ),
    ).toEqual(['1 no_assertion'])
    expect(
      await rulesIn(
        'tests/conftest.py',
        'import pytest\n@pytest.fixture(autouse=True)\ndef test_cart(monkeypatch):\n    cart = Cart()\n    cart.add(1)\n    return cart\n',
      ),
    ).toEqual([])
  })

  test('nothing in broken, empty or unknown text', async () => {
    for (const path of [
      'a.py',
      'a.ts',
      'a.go',
      'a.java',
      'a.rs',
      'a.rb',
      'a.php',
      'a.kt',
      'a.cs',
      'a.cpp',
      'a.swift',
      'a.scala',
      'a.txt',
    ])
      for (const text of ['', '}{)(', 'catch except rescue {']) expect(await rulesIn(path, text)).toEqual([])
  })
})
