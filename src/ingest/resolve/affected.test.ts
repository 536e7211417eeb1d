import { expect, test } from 'vitest'
import { extract } from '#ingest/extract'
import type { Facts } from '#ingest/facts'
import { prepared } from '#ingest/resolve'
import { affectedFiles } from '#ingest/resolve/affected'
import { Meanings } from '#ingest/resolve/meanings'
import { counterparts } from '#ingest/resolve/renumber'

/** Paths of the files to be resolved again when the first one becomes another text; null for all. */
async function affectedBy(after: string, files: Record<string, string>): Promise<string[] | null> {
  const before: { path: string; facts: Facts }[] = []
  for (const [path, text] of Object.entries(files)) before.push({ path, facts: await extract(path, text) })
  const [{ path, facts }] = before
  const now = before.with(0, { path, facts: await extract(path, after) })
  const project = (all: typeof before) => ({ root: '/', files: all, configFiles: new Map<string, string>() })
  const moved = new Map([[0, counterparts(facts, now[0].facts)]])
  const worlds = () => ({ before: prepared(project(before)), after: prepared(project(now)) })
  const affected = affectedFiles(now, new Map([[0, facts]]), new Meanings(worlds, moved))
  return affected === null ? null : affected.files.map((it) => now[it].path)
}

const CART = 'class Cart:\n    def total(self):\n        return 1\n'
const CART_WITH_SAVE = `${CART}    def save(self):\n        return Cart()\n`

test('a new name reaches files that mention it, and no further while what they define by it stays the same', async () => {
  const files = {
    'cart.py': CART,
    'store.py': 'def store(it):\n    return it.save()\n',
    'till.py': 'from store import store\nstore(1).total()\n',
    'other.py': 'def other():\n    return 1\n',
  }
  expect(await affectedBy(CART_WITH_SAVE, files)).toEqual(['cart.py', 'store.py'])
})

test('what is defined by a name that means something else now is followed', async () => {
  const files = {
    'cart.py': CART,
    'store.py': 'from cart import Cart\ndef store():\n    return Cart().save()\n',
    'till.py': 'from store import store\nstore().total()\n',
    'other.py': 'def other():\n    return 1\n',
    'more.py': 'def more():\n    return 2\n',
  }
  expect(await affectedBy(CART_WITH_SAVE, files)).toEqual(['cart.py', 'store.py', 'till.py'])
})

const TWO = 'class One:\n    pass\n\nclass Two:\n    pass\n\n'

test('a function that gives something else is followed through other names for it', async () => {
  const files = {
    'make.py': `${TWO}def make():\n    return One()\n`,
    'alias.py': 'from make import make\nbuild = make\n',
    'use.py': 'from alias import build\nbuild().total()\n',
    'other.py': 'def other():\n    return 1\n',
    'more.py': 'def more():\n    return 2\n',
  }
  expect(await affectedBy(`${TWO}def make():\n    return Two()\n`, files)).toEqual(['make.py', 'alias.py', 'use.py'])
})

test('a local of one function is none of another', async () => {
  const both = (made: string) =>
    `${TWO}def one():\n    it = ${made}\n    return it\n\ndef two():\n    it = One()\n    return it\n`
  const files = {
    'cart.py': both('One()'),
    'use.py': 'from cart import two\ntwo()\n',
    'other.py': 'from cart import one\none()\n',
    'more.py': '',
  }
  expect(await affectedBy(both('Two()'), files)).toEqual(['cart.py', 'other.py'])
})

test('a method that is guessed at depends on whether its class is seen', async () => {
  const files = {
    'far/Other.java': 'package far;\nclass Other { }\n',
    'shop/Till.java': 'package shop;\npublic class Till { public void tally() {} }\n',
    'far/Far.java': 'package far;\nclass Far { void go() { var it = given; it.tally(); } }\n',
    'far/More.java': 'package far;\nclass More { }\n',
    'shop/Rest.java': 'package shop;\nclass Rest { }\n',
  }
  const after = 'package far;\nclass Other { }\nclass Till { }\n'
  expect(await affectedBy(after, files)).toEqual(['far/Other.java', 'shop/Till.java', 'far/Far.java'])
})
