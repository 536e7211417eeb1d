import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

describe('Go', () => {
  test('packages are folders, found through go.mod, go.work and vendor', async () => {
    const { edges } = await resolveSources({
      'go.work': 'go 1.21\nuse ./app\nuse ./kit\n',
      'app/go.mod': 'module example.com/app\n',
      'kit/go.mod': 'module example.com/kit\n',
      'kit/text/trim.go': 'package text\n\nfunc Trim(s string) string { return s }\n',
      'app/vendor/example.org/dep/d.go': 'package dep\n\nfunc Dep() {}\n',
      'app/main.go':
        'package main\n\nimport (\n\t"example.com/kit/text"\n\t"example.org/dep"\n\t"fmt"\n)\n\nfunc main() {\n\tfmt.Println(text.Trim("x"))\n\tdep.Dep()\n\thelp()\n}\n',
      'app/help.go': 'package main\n\nfunc help() {}\n',
    })
    expect(edges).toContain('app/main.go#main calls kit/text/trim.go#Trim')
    expect(edges).toContain('app/main.go imports kit/text/trim.go')
    expect(edges).toContain('app/main.go#main calls app/vendor/example.org/dep/d.go#Dep')
    expect(edges).toContain('app/main.go#main calls app/help.go#help')
  })

  test('receivers, embedded types and interfaces that are met without being named', async () => {
    const { edges } = await resolveSources({
      'go.mod': 'module example.com/shop\n',
      'till.go':
        'package shop\n\ntype Opener interface {\n\tOpen(n int) error\n}\n\ntype Base struct{}\n\nfunc (b *Base) Open(n int) error { return nil }\n\ntype Till struct {\n\t*Base\n\tnext *Till\n}\n\nfunc (t *Till) Run() {\n\tt.Open(1)\n\tt.next.Run()\n\tt.next.next.Close()\n}\n',
      'close.go':
        'package shop\n\nfunc (t *Till) Close() {}\n\ntype Door struct{}\n\nfunc (d Door) Open(a, b int) error { return nil }\n',
    })
    expect(edges).toContain('till.go#Till.Run calls till.go#Base.Open')
    expect(edges).toContain('till.go#Till.Run calls close.go#Till.Close')
    expect(edges).toContain('till.go#Till implements till.go#Base')
    expect(edges).toContain('till.go#Base implements till.go#Opener')
    expect(edges).toContain('till.go#Till implements till.go#Opener')
    expect(edges).toContain('close.go#Till.Close belongs_to_type till.go#Till')
    expect(edges).not.toContain('close.go#Door implements till.go#Opener')
  })
})

test('a field named like its type refers to the type', async () => {
  const { edges } = await resolveSources({
    'go.mod': 'module example.com/shop\n',
    'till.go': 'package shop\n\ntype Drawer struct{}\n\ntype Till struct {\n\tDrawer Drawer\n}\n',
    'web/till.ts': 'export class Drawer {}\nexport interface Till {\n  Drawer: Drawer\n}\n',
  })
  expect(edges).toContain('till.go#Till references till.go#Drawer')
  expect(edges).toContain('web/till.ts#Till references web/till.ts#Drawer')
})

test('modules of Rust that bring each other in see each other, whichever is asked first', async () => {
  const sources = {
    'Cargo.toml': '[package]\nname = "shop"\n',
    'src/main.rs': 'mod flags;\nuse flags::read;\nfn main() { read(); }\n',
    'src/flags/mod.rs': 'mod parse;\npub use parse::{read, Found};\npub struct Flag;\n',
    'src/flags/parse.rs': 'use super::Flag;\npub struct Found;\npub fn read() -> Found { Found }\n',
  }
  const { edges } = await resolveSources(sources)
  expect(edges).toContain('src/main.rs#main calls src/flags/parse.rs#read')
  expect(edges).toContain('src/flags/mod.rs reexports src/flags/parse.rs#read')
})

describe('Rust', () => {
  test('re-exports, globs, traits and macros', async () => {
    const { edges } = await resolveSources({
      'Cargo.toml': '[package]\nname = "library"\n',
      'src/lib.rs':
        '#[macro_use]\nmod macros;\nmod shelf;\npub use shelf::*;\npub use crate::shelf::inner::Deep as Low;\n\npub fn go(s: &Shelf) { s.open(); shout!(); Low::make(); }\n',
      'src/macros.rs': '#[macro_export]\nmacro_rules! shout { () => {} }\n',
      'src/shelf/mod.rs':
        'pub mod inner;\npub trait Open { fn open(&self) { self.prepare() } fn prepare(&self); }\npub struct Shelf;\nimpl Open for Shelf { fn prepare(&self) {} }\n',
      'src/shelf/inner.rs': 'pub struct Deep;\nimpl Deep { pub fn make() -> Self { Deep } }\n',
    })
    expect(edges).toContain('src/lib.rs declares_module src/shelf/mod.rs')
    expect(edges).toContain('src/lib.rs#go calls src/shelf/mod.rs#Open.open')
    expect(edges).toContain('src/lib.rs#go calls src/macros.rs#shout')
    expect(edges).toContain('src/lib.rs#go calls src/shelf/inner.rs#Deep.make')
    expect(edges).toContain('src/shelf/mod.rs#Shelf implements src/shelf/mod.rs#Open')
  })
})

describe('Java', () => {
  test('static imports, inner classes, the same package and overloads by number and type of arguments', async () => {
    const { edges } = await resolveSources({
      'src/shop/Tax.java':
        'package shop;\npublic class Tax { public static int rate() { return 1; }\n public static class Table { int at(int row) { return 1; }\n int at(String name) { return 2; } } }\n',
      'src/shop/Till.java': 'package shop;\nclass Till { int open() { return 1; } }\n',
      'src/shop/Shop.java':
        'package shop;\nimport static shop.Tax.rate;\nclass Shop extends Till { int go(Tax.Table t) { return rate() + open() + t.at("x") + new Till().open(); } }\n',
      'src/other/Till.java':
        'package other;\npublic class Till { int open() { return 2; } int rate() { return 3; } }\n',
    })
    expect(edges).toContain('src/shop/Shop.java#Shop.go calls src/shop/Tax.java#Tax.rate')
    expect(edges).toContain('src/shop/Shop.java#Shop.go calls src/shop/Till.java#Till.open')
    expect(edges).toContain('src/shop/Shop.java#Shop implements src/shop/Till.java#Till')
    expect(edges).toContain('src/shop/Shop.java#Shop.go references src/shop/Tax.java#Tax.Table')
    expect(edges.filter((it) => it.includes('other/'))).toEqual([])
  })
})

describe('C', () => {
  test('a call reaches the body behind the header that is included', async () => {
    const { edges } = await resolveSources({
      'include/till.h': 'int till_open(int n);\n',
      'src/till.c':
        '#include "till.h"\nstatic int check(int n) { return n; }\nint till_open(int n) { return check(n); }\n',
      'src/door.c': 'static int check(int n) { return n; }\nint door_open(int n) { return check(n); }\n',
      'src/main.c': '#include "till.h"\nint main(void) { return till_open(1); }\n',
    })
    expect(edges).toContain('src/main.c#main calls src/till.c#till_open')
    expect(edges).toContain('src/till.c#till_open calls src/till.c#check')
    expect(edges).toContain('src/door.c#door_open calls src/door.c#check')
  })
})
