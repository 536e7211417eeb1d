import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

const MANIFEST = '[package]\nname = "library"\nedition = "2021"\n'

/** The edges of a crate whose root file is given, or of several files. */
async function edgesOf(source: string | Record<string, string>): Promise<string[]> {
  const files = typeof source === 'string' ? { 'src/lib.rs': source } : source
  return (await resolveSources({ 'Cargo.toml': MANIFEST, ...files })).edges
}

/** Calls within the root file, `run Shelf.open`. */
async function callsOf(source: string): Promise<string[]> {
  const edges = await edgesOf(source)
  return edges
    .filter((it) => it.includes(' calls '))
    .map((it) => it.replace('src/lib.rs#', '').replace(' calls src/lib.rs#', ' '))
}

const SHELF = `
pub struct Book { pub title: Title }
pub struct Title;
impl Title { pub fn show(&self) {} pub fn len(&self) -> usize { 0 } }
impl Book {
    pub fn open(&self) -> Page { Page }
    pub fn cover(&self) -> Option<Page> { None }
    pub fn read(&self) -> Result<Page, Fault> { Err(Fault) }
}
pub struct Page;
impl Page { pub fn turn(&self) -> Page { Page } }
pub struct Fault;
impl Fault { pub fn report(&self) {} }
pub struct Shelf { pub books: Vec<Book>, pub first: Option<Box<Book>> }
impl Shelf {
    pub fn new() -> Self { Shelf { books: Vec::new(), first: None } }
    pub fn find(&self, name: &str) -> Option<&Book> { None }
    pub fn push(&mut self, book: Book) {}
    pub fn len(&self) -> usize { 0 }
}
`

describe('crates', () => {
  const member = (name: string, more = '') => `[package]\nname = "${name}"\nedition = "2021"\n${more}`

  test('are found by members, paths and the names that dependencies have in code', async () => {
    const edges = await edgesOf({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'crates/core-lib/Cargo.toml': member('core-lib'),
      'crates/core-lib/src/lib.rs': 'pub fn init() {}\n',
      'crates/odd/Cargo.toml': member('odd-one', '[lib]\nname = "even"\npath = "code/root.rs"\n'),
      'crates/odd/code/root.rs': 'pub mod deep;\npub fn start() {}\n',
      'crates/odd/code/deep.rs': 'pub fn sink() { crate::start() }\n',
      'crates/app/Cargo.toml': member(
        'app',
        '[dependencies]\ncore-lib = { path = "../core-lib" }\nother = { path = "../odd", package = "odd-one" }\n',
      ),
      'crates/app/src/main.rs': 'use core_lib::init;\nfn main() { init(); other::deep::sink(); even::start(); }\n',
    })
    expect(edges).toContain('crates/app/src/main.rs#main calls crates/core-lib/src/lib.rs#init')
    expect(edges).toContain('crates/app/src/main.rs#main calls crates/odd/code/deep.rs#sink')
    expect(edges).toContain('crates/odd/code/deep.rs#sink calls crates/odd/code/root.rs#start')
    expect(edges).not.toContain('crates/app/src/main.rs#main calls crates/odd/code/root.rs#start')
  })

  test('take what a workspace says about their dependencies', async () => {
    const edges = await edgesOf({
      'Cargo.toml':
        '[workspace]\nmembers = ["a", "b"]\n[workspace.dependencies]\nkit = { path = "a", package = "a-kit" }\n',
      'a/Cargo.toml': member('a-kit'),
      'a/src/lib.rs': 'pub fn help() {}\n',
      'b/Cargo.toml': member('b', '[dependencies]\nkit = { workspace = true }\n'),
      'b/src/lib.rs': 'pub fn go() { kit::help() }\n',
    })
    expect(edges).toContain('b/src/lib.rs#go calls a/src/lib.rs#help')
  })

  test('have programs, examples, tests and benches as roots that use the library by its name', async () => {
    const edges = await edgesOf({
      'Cargo.toml': member('my-shop', '[[bin]]\nname = "extra"\npath = "tools/extra.rs"\n'),
      'src/lib.rs': 'pub fn sell() {}\n',
      'src/bin/till.rs': 'mod drawer;\nfn main() { my_shop::sell(); drawer::pull() }\n',
      'src/bin/drawer.rs': 'pub fn pull() {}\n',
      'tools/extra.rs': 'mod part;\nfn main() { crate::part::make() }\n',
      'tools/part.rs': 'pub fn make() { my_shop::sell() }\n',
      'examples/demo.rs': 'fn main() { my_shop::sell() }\n',
      'tests/all.rs': 'mod common;\n#[test]\nfn sells() { common::setup(); my_shop::sell() }\n',
      'tests/common/mod.rs': 'pub fn setup() {}\n',
      'benches/fast.rs': 'fn main() { my_shop::sell() }\n',
      'build.rs': 'fn main() { helper() }\nfn helper() {}\n',
    })
    for (const from of ['src/bin/till.rs#main', 'tools/part.rs#make', 'examples/demo.rs#main', 'benches/fast.rs#main'])
      expect(edges).toContain(`${from} calls src/lib.rs#sell`)
    expect(edges).toContain('src/bin/till.rs#main calls src/bin/drawer.rs#pull')
    expect(edges).toContain('tools/extra.rs#main calls tools/part.rs#make')
    expect(edges).toContain('tests/all.rs#sells calls tests/common/mod.rs#setup')
    expect(edges).toContain('build.rs#main calls build.rs#helper')
  })

  test('that nobody depends on are not reached by their names', async () => {
    const edges = await edgesOf({
      'Cargo.toml': '[workspace]\nmembers = ["a", "b"]\n',
      'a/Cargo.toml': member('serde'),
      'a/src/lib.rs': 'pub fn help() {}\n',
      'b/Cargo.toml': member('b'),
      'b/src/lib.rs': 'pub fn go() { serde::help() }\n',
    })
    expect(edges).not.toContain('b/src/lib.rs#go calls a/src/lib.rs#help')
  })

  test('before 2018 name modules from the root in use, and crates with extern', async () => {
    const edges = await edgesOf({
      'Cargo.toml': '[workspace]\nmembers = ["old", "kit"]\n',
      'kit/Cargo.toml': member('kit'),
      'kit/src/lib.rs': 'pub fn tool() {}\n',
      'old/Cargo.toml': '[package]\nname = "old"\n[dependencies]\nkit = { path = "../kit" }\n',
      'old/src/lib.rs': 'extern crate kit as box_of_tools;\nmod a;\nmod b;\n',
      'old/src/a.rs': 'use b::help;\nuse box_of_tools::tool;\npub fn go() { help(); tool(); ::b::help(); }\n',
      'old/src/b.rs': 'pub fn help() {}\n',
    })
    expect(edges).toContain('old/src/a.rs#go calls old/src/b.rs#help')
    expect(edges).toContain('old/src/a.rs#go calls kit/src/lib.rs#tool')
  })
})

describe('modules', () => {
  test('are files beside or below, by mod.rs, by attribute, or inline', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod a;\nmod b;\n#[path = "odd/name.rs"]\nmod c;\nmod inline { pub mod deep; pub fn here() { self::deep::low(); super::a::top() } }\n',
      'src/a.rs': 'pub mod inner;\npub fn top() { inner::work(); self::inner::work(); crate::b::side::step() }\n',
      'src/a/inner.rs': 'pub fn work() { super::top() }\n',
      'src/b/mod.rs': 'pub mod side;\n',
      'src/b/side.rs': 'pub fn step() { super::super::c::named() }\n',
      'src/odd/name.rs': 'mod next;\npub fn named() { next::go() }\n',
      'src/odd/next.rs': 'pub fn go() {}\n',
      'src/inline/deep.rs': 'pub fn low() {}\n',
    })
    for (const edge of [
      'src/a.rs#top calls src/a/inner.rs#work',
      'src/a/inner.rs#work calls src/a.rs#top',
      'src/a.rs#top calls src/b/side.rs#step',
      'src/b/side.rs#step calls src/odd/name.rs#named',
      'src/odd/name.rs#named calls src/odd/next.rs#go',
      'src/lib.rs#inline.here calls src/inline/deep.rs#low',
      'src/lib.rs#inline.here calls src/a.rs#top',
    ])
      expect(edges).toContain(edge)
  })

  test('that are missing, doubled or outside are told, and so are manifests that do not hold', async () => {
    const { result } = await resolveSources({
      'Cargo.toml': '[workspace]\nmembers = [\n  "crates/*",\n  "none/*",\n]\n',
      'crates/a/Cargo.toml': '[package]\nname = "same"\n[dependencies]\nx = = 1\n',
      'crates/a/src/lib.rs': 'mod gone;\nmod twice;\n#[path = "../../../../far.rs"]\nmod far;\n',
      'crates/a/src/twice.rs': '',
      'crates/a/src/twice/mod.rs': '',
      'crates/b/Cargo.toml': '[package]\nname = "same"\n',
      'crates/b/src/lib.rs': '',
    })
    expect(result.problems).toEqual(
      expect.arrayContaining([
        { path: 'Cargo.toml', line: 4, message: 'The workspace member none/* matches no package.' },
        { path: 'crates/a/Cargo.toml', line: 4, message: expect.stringMatching(/^This is no valid TOML/) },
        {
          path: 'crates/b/Cargo.toml',
          line: 2,
          message: 'The package same is also declared in crates/a/Cargo.toml.',
        },
        { path: 'crates/a/src/lib.rs', line: 1, message: 'There is no file for the module gone.' },
        {
          path: 'crates/a/src/lib.rs',
          line: 2,
          message:
            'The module twice has two files, crates/a/src/twice.rs and crates/a/src/twice/mod.rs; the first is taken.',
        },
        {
          path: 'crates/a/src/lib.rs',
          line: 4,
          message: 'The path ../../../../far.rs of a module leads out of the root.',
        },
      ]),
    )
  })

  test('that re-export each other in a circle are told', async () => {
    const { result } = await resolveSources({
      'Cargo.toml': MANIFEST,
      'src/lib.rs': 'pub mod a;\npub mod b;\npub fn go() { a::thing() }\n',
      'src/a.rs': 'pub use crate::b::thing;\n',
      'src/b.rs': 'pub use crate::a::thing;\n',
    })
    expect(result.problems).toContainEqual({
      path: 'src/a.rs',
      line: 1,
      message: 'The re-export of thing leads back to itself.',
    })
    expect(result.edges.filter((it) => it.relation === 'calls')).toEqual([])
  })

  test('that stand in a macro count as if it were not there', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'cfg_net! {\n    pub mod tcp;\n    pub use tcp::connect;\n}\ncfg_net! {\n    pub fn go() { connect(); tcp::close() }\n}\n',
      'src/tcp.rs': 'pub fn connect() {}\npub fn close() {}\n',
    })
    expect(edges).toContain('src/lib.rs declares_module src/tcp.rs')
    expect(edges).toContain('src/lib.rs#go calls src/tcp.rs#connect')
    expect(edges).toContain('src/lib.rs#go calls src/tcp.rs#close')
  })

  test('share names with functions, and each is found in its place', async () => {
    const edges = await edgesOf({
      'src/main.rs':
        'mod search;\nfn main() { search(); search::Worker::new(); }\nfn search() { use crate::search::Worker; Worker::new(); }\n',
      'src/search.rs': 'pub struct Worker;\nimpl Worker { pub fn new() -> Self { Worker } }\n',
    })
    expect(edges).toContain('src/main.rs#main calls src/main.rs#search')
    expect(edges).toContain('src/main.rs#main calls src/search.rs#Worker.new')
    expect(edges).toContain('src/main.rs#search calls src/search.rs#Worker.new')
  })

  test('built on a condition are those of the common system', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        '#[cfg(windows)]\n#[path = "windows.rs"]\nmod sys;\n#[cfg(not(windows))]\n#[path = "unix.rs"]\nmod sys;\npub fn go() { sys::open(); pick() }\n#[cfg(windows)]\nfn pick() {}\n#[cfg(unix)]\nfn pick() { only_unix() }\nfn only_unix() {}\n',
      'src/windows.rs': 'pub fn open() {}\n',
      'src/unix.rs': 'pub fn open() {}\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/unix.rs#open')
    expect(edges).not.toContain('src/lib.rs#go calls src/windows.rs#open')
  })
})

describe('names', () => {
  test('follow nested trees, aliases, globs and chains of re-exports to where they are defined', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod shop;\nmod prelude;\nuse shop::{till::{self, Till as Box1}, *};\nuse prelude::*;\npub fn go(a: &Shelf) { till::ring(); Box1::open(); sort(); a.fill(); Low::dig() }\n',
      'src/prelude.rs': 'pub use crate::shop::Shelf;\npub use crate::shop::deep::Deep as Low;\n',
      'src/shop/mod.rs': 'pub mod till;\nmod shelf;\npub mod deep;\npub use self::shelf::*;\npub fn sort() {}\n',
      'src/shop/till.rs': 'pub struct Till;\nimpl Till { pub fn open() {} }\npub fn ring() {}\n',
      'src/shop/shelf.rs': 'pub struct Shelf;\nimpl Shelf { pub fn fill(&self) {} }\n',
      'src/shop/deep.rs': 'pub struct Deep;\nimpl Deep { pub fn dig() {} }\n',
    })
    for (const to of [
      'src/shop/till.rs#ring',
      'src/shop/till.rs#Till.open',
      'src/shop/mod.rs#sort',
      'src/shop/shelf.rs#Shelf.fill',
      'src/shop/deep.rs#Deep.dig',
    ])
      expect(edges).toContain(`src/lib.rs#go calls ${to}`)
  })

  test('imported in a function hold there, and locals hide items', async () => {
    const calls = await callsOf(
      'mod a { pub fn help() {} }\nmod b { pub fn help() {} }\nfn one() { use a::help; help() }\nfn two() { use crate::b::help as aid; aid() }\nfn three(help: fn()) { help() }\nfn four() { let help = || (); help() }\nfn five() { help(); let help = 1; }\nfn help() {}\n',
    )
    expect(calls).toEqual(['one a.help', 'two b.help', 'five help'])
  })

  test('of a module, a function, a type and a macro may be the same', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod spawn;\npub use spawn::spawn;\npub fn go() { spawn(); spawn::other(); spawn!(); crate::spawn(); }\n#[macro_export]\nmacro_rules! spawn { () => {} }\n',
      'src/spawn.rs': 'pub fn spawn() {}\npub fn other() {}\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/spawn.rs#spawn')
    expect(edges).toContain('src/lib.rs#go calls src/spawn.rs#other')
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#spawn')
  })

  test('of variants are reached by path and by glob', async () => {
    const edges = await edgesOf(
      'pub enum State { Open(Door), Shut { door: Door } }\npub struct Door;\nimpl Door { fn close(&self) {} fn lock(&self) {} }\nuse State::*;\nfn go(s: State) { match s { Open(d) => d.close(), State::Shut { door } => door.lock() } }\nfn make() -> State { State::Open(Door) }\n',
    )
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#Door.close')
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#Door.lock')
    expect(edges).toContain('src/lib.rs#go references src/lib.rs#State.Open')
    expect(edges).toContain('src/lib.rs#make calls src/lib.rs#State.Open')
  })

  test('associated with a type are its constants, types and functions', async () => {
    const edges = await edgesOf(
      'pub struct A;\nimpl A { pub const MAX: usize = 1; pub fn new() -> Self { Self::make() } fn make() -> Self { A } }\npub trait Has { type Item; fn get(&self) -> Self::Item; }\npub struct B;\nimpl B { fn go(&self) {} }\nimpl Has for A { type Item = B; fn get(&self) -> B { B } }\nfn f() -> usize { A::new().get().go(); <A as Has>::get(&A); A::MAX }\n',
    )
    expect(edges).toContain('src/lib.rs#A.new calls src/lib.rs#A.make')
    expect(edges).toContain('src/lib.rs#f calls src/lib.rs#B.go')
    expect(edges).toContain('src/lib.rs#f calls src/lib.rs#A.get')
    expect(edges).toContain('src/lib.rs#f references src/lib.rs#A.MAX')
  })
})

describe('types and traits', () => {
  test('have several implementations, in other files, generic or not', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod ext;\npub struct Crate<T> { item: T }\nimpl<T> Crate<T> { pub fn new(item: T) -> Self { Crate { item } } pub fn get(&self) -> &T { &self.item } }\npub struct Apple;\nimpl Apple { pub fn eat(&self) {} }\nfn go() { Crate::new(Apple).get().eat(); let c: Crate<Apple> = todo!(); c.shake(); c.item.eat() }\n',
      'src/ext.rs': 'use crate::Crate;\nimpl<T> Crate<T> { pub fn shake(&self) { self.get(); } }\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#Crate.get')
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#Apple.eat')
    expect(edges).toContain('src/lib.rs#go calls src/ext.rs#Crate.shake')
    expect(edges).toContain('src/ext.rs#Crate.shake calls src/lib.rs#Crate.get')
  })

  test('traits have defaults, bases, implementations elsewhere and for types of others', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod imp;\npub trait Named { fn name(&self) -> String { self.raw() } fn raw(&self) -> String; }\npub trait Loud: Named { fn shout(&self) { self.name(); } }\npub struct Dog;\npub trait Twice { fn twice(&self) -> String; }\nimpl Twice for str { fn twice(&self) -> String { String::new() } }\nfn go(d: &Dog) { d.name(); d.shout(); "x".twice(); }\n',
      'src/imp.rs':
        'use crate::{Dog, Loud, Named};\nimpl Named for Dog { fn raw(&self) -> String { String::new() } }\nimpl Loud for Dog {}\n',
    })
    for (const edge of [
      'src/lib.rs#Dog implements src/lib.rs#Named',
      'src/lib.rs#Dog implements src/lib.rs#Loud',
      'src/lib.rs#Loud implements src/lib.rs#Named',
      'src/lib.rs#go calls src/lib.rs#Named.name',
      'src/lib.rs#go calls src/lib.rs#Loud.shout',
      'src/lib.rs#Loud.shout calls src/lib.rs#Named.name',
      'src/lib.rs#go calls src/lib.rs#str.twice',
    ])
      expect(edges).toContain(edge)
  })

  test('are seen through bounds, where clauses, dyn, impl and blanket implementations', async () => {
    const calls = await callsOf(
      'pub trait Speak { fn speak(&self) {} }\npub trait Run { fn run(&self) {} }\npub trait Ext: Speak { fn ext(&self) {} }\nimpl<T: Speak> Ext for T {}\npub struct Cat;\nimpl Speak for Cat {}\nfn a<T: Speak + Run>(t: T) { t.speak(); t.run() }\nfn b<T>(t: &T) where T: Run { t.run() }\nfn c(t: &dyn Speak, u: Box<dyn Run + Send>, v: impl Speak, w: std::sync::Arc<dyn Speak>) { t.speak(); u.run(); v.speak(); w.speak() }\nfn d() -> impl Run { todo!() }\nfn e() { d().run(); Speak::speak(&Cat); Cat.ext() }\n',
    )
    expect(calls).toEqual([
      'a Speak.speak',
      'a Run.run',
      'b Run.run',
      'c Speak.speak',
      'c Run.run',
      'e d',
      'e Run.run',
      'e Speak.speak',
      'e Ext.ext',
    ])
  })

  test('type parameters take the types that arguments and annotations give', async () => {
    const calls = await callsOf(
      `${SHELF}fn same<T>(t: T) -> T { t }\nfn make<T: Default>() -> T { T::default() }\nfn with<R>(f: impl FnOnce(&Book) -> R) -> R { todo!() }\nfn go(b: Book) { same(b).open(); make::<Page>().turn(); with(|it| it.open()).turn(); }\n`,
    )
    expect(calls).toContain('go Book.open')
    expect(calls).toContain('go Page.turn')
  })
})

describe('receivers', () => {
  const cases: [string, string, string[]][] = [
    [
      'parameters and fields',
      'fn go(s: &Shelf, b: Book) { b.title.show(); s.first.as_ref().unwrap().open(); }',
      ['Title.show', 'Book.open'],
    ],
    [
      'locals of constructors and results',
      'fn go() { let s = Shelf::new(); let b = s.find("x").unwrap(); b.open().turn(); }',
      ['Shelf.new', 'Shelf.find', 'Book.open', 'Page.turn'],
    ],
    [
      'the try operator',
      'fn go(b: &Book) -> Result<(), Fault> { b.read()?.turn(); Ok(()) }',
      ['Book.read', 'Page.turn'],
    ],
    [
      'combinators',
      'fn go(s: &Shelf) { s.find("x").and_then(|it| it.cover()).map(|p| p.turn()).unwrap_or_else(|| Page).turn(); }',
      ['Shelf.find', 'Book.cover', 'Page.turn'],
    ],
    [
      'errors',
      'fn go(b: &Book) { b.read().map_err(|e| e.report()).ok(); if let Err(e) = b.read() { e.report() } }',
      ['Book.read', 'Fault.report'],
    ],
    [
      'loops',
      'fn go(s: &Shelf) { for b in s.books.iter() { b.open(); } for (i, c) in s.books.iter().enumerate() { c.cover(); } }',
      ['Book.open', 'Book.cover'],
    ],
    [
      'closures of iterators',
      'fn go(s: &Shelf) { s.books.iter().filter(|b| b.cover().is_some()).map(|b| b.open()).for_each(|p| { p.turn(); }); }',
      ['Book.cover', 'Book.open', 'Page.turn'],
    ],
    [
      'patterns',
      'fn go(b: Option<(Book, Page)>, s: Shelf) { let Some((x, y)) = b else { return }; x.open(); y.turn(); let Shelf { books, .. } = s; books[0].cover(); }',
      ['Book.open', 'Page.turn', 'Book.cover'],
    ],
    [
      'a name bound again',
      'fn go(b: Option<Book>) { let b = b.unwrap(); let b = b.open(); b.turn(); }',
      ['Book.open', 'Page.turn'],
    ],
    [
      'inner blocks',
      'fn go(x: Book) { { let x = x.open(); x.turn(); } x.cover(); }',
      ['Book.open', 'Page.turn', 'Book.cover'],
    ],
    [
      'wrappers',
      'use std::{cell::RefCell, rc::Rc, sync::{Arc, Mutex}};\nfn go(a: Arc<Mutex<Book>>, b: Rc<RefCell<Page>>, c: Box<Title>) { a.lock().unwrap().open(); b.borrow_mut().turn(); c.show(); let d = Arc::clone(&a); d.lock().unwrap().cover(); }',
      ['Book.open', 'Page.turn', 'Title.show', 'Book.cover'],
    ],
    [
      'maps',
      'use std::collections::HashMap;\nfn go(m: &mut HashMap<String, Book>) { m.entry("x".into()).or_insert_with(|| todo!()).open(); m.get("y").unwrap().cover(); for (k, v) in m { v.read(); } for v in m.values() { v.title.show(); } }',
      ['Book.open', 'Book.cover', 'Book.read', 'Title.show'],
    ],
    [
      'what is put into a collection',
      'fn go(b: Book) { let mut all = Vec::new(); all.push(b.open()); all[0].turn(); let v = vec![Book { title: Title }]; v.first().unwrap().cover(); }',
      ['Book.open', 'Page.turn', 'Book', 'Book.cover'],
    ],
    [
      'branches',
      'fn go(b: &Book, c: bool) { let p = if c { b.open() } else { return }; p.turn(); let q = match b.cover() { Some(q) => q, None => panic!() }; q.turn(); }',
      ['Book.open', 'Page.turn', 'Book.cover'],
    ],
    [
      'collected results',
      'fn go(s: &Shelf) { let p: Vec<_> = s.books.iter().map(|b| b.open()).collect(); p[0].turn(); let q = s.books.iter().map(|b| b.read()).collect::<Result<Vec<_>, _>>().unwrap(); q[0].turn(); }',
      ['Book.open', 'Page.turn', 'Book.read'],
    ],
    [
      'functions handed over',
      'fn go(s: &Shelf) { s.books.iter().map(Book::open).for_each(|p| { p.turn(); }); }',
      ['Page.turn'],
    ],
    [
      'arguments of macros',
      'fn go(b: &Book, s: &Shelf) { println!("{}", b.open()); assert_eq!(s.len(), 1); assert!(matches!(b.cover(), Some(_))); let v = vec![b.read()]; }',
      ['Book.open', 'Shelf.len', 'Book.cover', 'Book.read'],
    ],
    [
      'async functions',
      'async fn load() -> Result<Book, Fault> { todo!() }\nasync fn go() { load().await.unwrap().open(); let h = async { Page }; h.await.turn(); }',
      ['load', 'Book.open', 'Page.turn'],
    ],
    [
      'constants and unsafe blocks',
      'const fn page() -> Page { Page }\nstatic BOOK: Option<Book> = None;\nfn go() { let p = unsafe { page() }; p.turn(); BOOK.as_ref().unwrap().open(); }',
      ['page', 'Page.turn', 'Book.open'],
    ],
    [
      'slices and arrays',
      'fn go(a: &[Book], b: [Page; 2]) { a[0].open(); b[1].turn(); if let [x, ..] = a { x.cover(); } for w in a.windows(2) { w[0].read(); } }',
      ['Book.open', 'Page.turn', 'Book.cover', 'Book.read'],
    ],
  ]
  test.each(cases)('%s', async (_, source, expected) => {
    const calls = await callsOf(SHELF + source)
    expect(calls.filter((it) => it.startsWith('go ')).map((it) => it.slice(3))).toEqual(expected)
  })

  test('builders hand themselves on', async () => {
    const calls = await callsOf(
      'pub struct Maker;\nimpl Maker { pub fn new() -> Maker { Maker } pub fn size(mut self, n: u8) -> Self { self } pub fn name(&mut self, n: &str) -> &mut Self { self } pub fn build(&self) -> Result<Thing, ()> { Err(()) } }\npub struct Thing;\nimpl Thing { fn go(&self) {} }\nfn go() { Maker::new().size(1).name("x").build().unwrap().go(); }\n',
    )
    expect(calls.filter((it) => it.startsWith('go '))).toEqual([
      'go Maker.new',
      'go Maker.size',
      'go Maker.name',
      'go Maker.build',
      'go Thing.go',
    ])
  })

  test('own iterators and pointers behave like those of the library', async () => {
    const calls = await callsOf(
      `${SHELF}pub struct Walk;\nimpl Iterator for Walk { type Item = Book; fn next(&mut self) -> Option<Book> { None } }\npub struct Guard { page: Page }\nimpl std::ops::Deref for Guard { type Target = Page; fn deref(&self) -> &Page { &self.page } }\nfn go(w: Walk, g: Guard) { for b in w { b.open(); } g.turn(); }\nfn far(w: Walk) { w.filter(|b| b.cover().is_some()).map(|b| b.read()).count(); }\n`,
    )
    expect(calls).toEqual(expect.arrayContaining(['go Book.open', 'go Page.turn', 'far Book.cover', 'far Book.read']))
  })

  test('of the library never lead to a method of the project that has the same name', async () => {
    const calls = await callsOf(
      `${SHELF}use std::collections::HashMap;\nuse other::Thing;\nfn go(v: Vec<u8>, s: &str, o: Option<String>, m: HashMap<u8, u8>, t: Thing) { v.len(); s.len(); o.unwrap().len(); m.len(); t.len(); t.open(); let mut w = Vec::new(); w.push(1); std::io::stdout().read(); "x".to_string().len(); s.find("x"); }\n`,
    )
    expect(calls.filter((it) => it.startsWith('go '))).toEqual([])
  })

  test('a field and a method of one name are told apart by the call', async () => {
    const calls = await callsOf(
      'pub struct Args;\nimpl Args { fn count(&self) {} fn go(&self) {} }\npub struct Command { args: Args }\nimpl Command { fn args(&self) -> Page { Page } fn run(&self) { self.args.count(); self.args().turn(); } }\npub struct Page;\nimpl Page { fn turn(&self) {} }\n',
    )
    expect(calls.filter((it) => it.startsWith('Command.run '))).toEqual([
      'Command.run Args.count',
      'Command.run Command.args',
      'Command.run Page.turn',
    ])
  })

  test('have their own methods before those of their traits', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod ext;\npub struct Dfa;\nimpl Dfa { pub fn size(&self) -> usize { 0 } }\nfn go(d: &Dfa) { d.size(); ext::Sized2::size(d); }\n',
      'src/ext.rs':
        'pub trait Sized2 { fn size(&self) -> usize; }\nimpl Sized2 for super::Dfa { fn size(&self) -> usize { 1 } }\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#Dfa.size')
    expect(edges.filter((it) => it.startsWith('src/lib.rs#go calls'))).not.toContain(
      'src/lib.rs#go calls src/ext.rs#Dfa.size',
    )
  })

  test('of collections of the project hold what is put into them', async () => {
    const calls = await callsOf(
      'pub struct Bag<T> { items: Vec<T> }\nimpl<T> Bag<T> { pub fn new() -> Self { todo!() } pub fn push(&mut self, t: T) {} pub fn first(&self) -> &T { &self.items[0] } }\npub struct Nut;\nimpl Nut { fn crack(&self) {} }\nfn go() { let mut b = Bag::new(); b.push(Nut); b.first().crack(); }\n',
    )
    expect(calls).toContain('go Nut.crack')
    expect(calls).toContain('go Bag.push')
  })

  test('get the types that parameters have when none is given', async () => {
    const calls = await callsOf(
      'pub struct Fault;\nimpl Fault { fn report(&self) {} }\npub type Outcome<T, E = Fault> = Result<T, E>;\nfn load() -> Outcome<u8> { todo!() }\nfn go() { if let Err(e) = load() { e.report() } }\n',
    )
    expect(calls).toContain('go Fault.report')
  })

  test('of others have the methods of a trait only where it is in scope', async () => {
    const edges = await edgesOf({
      'src/lib.rs': 'mod ext;\nmod other;\nuse ext::Loud as _;\nfn go(s: &str) { s.shout(); }\n',
      'src/ext.rs': 'pub trait Loud { fn shout(&self); }\nimpl Loud for str { fn shout(&self) {} }\n',
      'src/other.rs': 'fn go(s: &str) { s.shout(); }\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/ext.rs#str.shout')
    expect(edges.filter((it) => it.startsWith('src/other.rs#go'))).toEqual([])
  })

  test('among several conversions the one for the type that is given is meant', async () => {
    const { tiers } = await resolveSources({
      'Cargo.toml': MANIFEST,
      'src/lib.rs':
        'pub struct A;\npub struct B;\npub struct C;\nimpl From<A> for C { fn from(a: A) -> C { one(); C } }\nimpl From<B> for C { fn from(b: B) -> C { two(); C } }\nfn one() {}\nfn two() {}\nfn go(b: B) { C::from(b); }\nfn far(x: other::X) { C::from(x); }\n',
    })
    expect(tiers).toContain('src/lib.rs#go calls src/lib.rs#C.from (exact)')
    expect(tiers).toContain('src/lib.rs#far calls src/lib.rs#C.from (guess)')
  })

  test('that are cloned are not the pointers to them', async () => {
    const calls = await callsOf(
      'use std::sync::Arc;\npub struct A;\nimpl Clone for A { fn clone(&self) -> A { A } }\nimpl A { fn go(&self) {} }\nfn f(a: &A, b: Arc<A>) { a.clone().go(); let c = b.clone(); c.go() }\nfn g(b: Arc<A>) { b.clone(); }\n',
    )
    expect(calls).toEqual(['f A.clone', 'f A.go'])
  })
})

describe('macros', () => {
  test('make functions of the names that they are given', async () => {
    const edges = await edgesOf({
      'src/lib.rs':
        'mod other;\nmacro_rules! getters { ($($name:ident: $t:ty),* $(,)?) => { $(pub fn $name() -> $t { todo!() })* } }\ngetters! { width: u8, height: u16 }\nfn go() { width(); other::size(); }\n',
      'src/other.rs': 'use crate::check;\nmake!(size, |dir: u8| { help(dir) });\nfn help(d: u8) {}\n',
    })
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#width')
    expect(edges).toContain('src/lib.rs#go calls src/other.rs#size')
    expect(edges).toContain('src/other.rs#size calls src/other.rs#help')
  })

  test('hand their names on to another rule', async () => {
    const edges = await edgesOf(
      'macro_rules! matched { ($name:ident, $a:expr) => { matched!($name, $a, true); }; ($name:ident, $a:expr, $b:expr) => { fn $name() {} }; }\nmatched!(one, 1);\nmatched!(two, 1, false);\nfn go() { one(); two() }\n',
    )
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#one')
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#two')
  })

  test('of the own crate come before those of the library', async () => {
    const edges = await edgesOf(
      'macro_rules! write { ($a:expr) => {} }\nfn go() { write!(help()); println!("{}", help()); }\nfn help() {}\n',
    )
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#write')
    expect(edges).toContain('src/lib.rs#go calls src/lib.rs#help')
  })
})

describe('what no compiler would call', () => {
  test('text in strings, comments and quoted code is none', async () => {
    const calls = await callsOf(
      'fn help() {}\nfn go() { let a = "help()"; /* help() */ let b = r#"help()"#; // help()\n quote! { help() }; }\nmacro_rules! make { () => { help() } }\n',
    )
    expect(calls).toEqual([])
  })
})
