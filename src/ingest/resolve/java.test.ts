import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

describe('Java', () => {
  test('names that every object of the runtime has are names like any other', async () => {
    const { edges } = await resolveSources({
      'shop/Till.java':
        'package shop;\nclass Till {\n  void add(String a) {}\n  void add(int a) {}\n  void run() { add(Level.constructor); add(Level.toString); add(Level.valueOf); }\n  void hasOwnProperty() { __proto__(); }\n  void __proto__() { hasOwnProperty(); }\n}\n',
    })
    expect(edges).toContain('shop/Till.java#Till.run calls shop/Till.java#Till.add')
    expect(edges).toContain('shop/Till.java#Till.hasOwnProperty calls shop/Till.java#Till.__proto__')
    expect(edges).toContain('shop/Till.java#Till.__proto__ calls shop/Till.java#Till.hasOwnProperty')
  })

  test('an inner class whose base takes type parameters of the class around it comes to an end', async () => {
    const { edges } = await resolveSources({
      'shop/Shelf.java':
        'package shop;\nclass Shelf<B> {\n  Row row() { return new Row(); }\n  class Row extends Base<B> { }\n  void go() { row().first().run(); }\n}\nclass Base<T> { T first() { return null; } void run() {} }\n',
    })
    expect(edges).toContain('shop/Shelf.java#Shelf.go calls shop/Shelf.java#Base.first')
  })

  test('overloads are told apart by boxing, width, null, lambdas, varargs, arrays and derived classes', async () => {
    const params = [
      'int a',
      'long a',
      'Object a',
      'String a',
      'CharSequence a',
      'Integer a',
      'int[] a',
      'Object... a',
      'Runnable a',
      'Base a',
      'Derived a',
      'java.util.List<String> a',
      'java.util.Collection<String> a',
      'char a',
      'double a, int b',
      'Object a, Object b',
    ]
    const uses: [string, string][] = [
      ['(byte) 1', 'int a'],
      ['1L', 'long a'],
      ['Integer.valueOf(1)', 'Integer a'],
      ["'x'", 'char a'],
      ['"x"', 'String a'],
      ['builder', 'CharSequence a'],
      ['new int[] { 1 }', 'int[] a'],
      ['() -> {}', 'Runnable a'],
      ['this::all', 'Runnable a'],
      ['derived', 'Derived a'],
      ['base', 'Base a'],
      ['new Derived()', 'Derived a'],
      ['rows', 'java.util.List<String> a'],
      ['new java.util.HashSet<String>()', 'java.util.Collection<String> a'],
      ['this', 'Object a'],
      ['1.5, 2', 'double a, int b'],
      ['"x", 2', 'Object a, Object b'],
      ['1, 2, 3', 'Object... a'],
      ['count', 'int a'],
      ['name()', 'String a'],
      ['"a" + count', 'String a'],
    ]
    const { result } = await resolveSources({
      'shop/Till.java': [
        'package shop;',
        'class Base {}',
        'class Derived extends Base {}',
        'class Till {',
        '  Base base; Derived derived; StringBuilder builder; java.util.List<String> rows; int count;',
        '  String name() { return ""; }',
        '  void all() {}',
        ...params.map((it) => `  void add(${it}) {}`),
        ...uses.map(([args], i) => `  void use${i}() { add(${args}); }`),
        '}',
        '',
      ].join('\n'),
    })
    const firstLine = 8
    // two classes, the till and its two methods come first
    const firstDefinition = 5
    for (const [i, [args, wanted]] of uses.entries()) {
      const line = firstLine + params.length + i
      const chosen = result.edges.filter(
        (it) => it.relation === 'calls' && it.line === line && !it.lifted && it.to >= firstDefinition,
      )
      expect([args, chosen.map((it) => [params[it.to - firstDefinition], it.tier])]).toEqual([
        args,
        [[wanted, 'exact']],
      ])
    }
  })

  test('a field and a method of one name are two things', async () => {
    const { edges } = await resolveSources({
      'shop/Cart.java':
        'package shop;\nclass Cart {\n  private final Rows rows;\n  Rows rows() { return rows; }\n  int count() { return rows.count(); }\n  int last() { int last = last(); return last; }\n  Totals totals; Rows totals() { return null; }\n  void both() { totals.sum(); totals().count(); }\n}\nclass Rows { int count() { return 0; } }\nclass Totals { int sum() { return 0; } int count() { return 0; } }\n',
    })
    expect(edges).toContain('shop/Cart.java#Cart.count calls shop/Cart.java#Rows.count')
    expect(edges).toContain('shop/Cart.java#Cart.both calls shop/Cart.java#Totals.sum')
    expect(edges).toContain('shop/Cart.java#Cart.both calls shop/Cart.java#Rows.count')
    expect(edges).toContain('shop/Cart.java#Cart.both calls shop/Cart.java#Cart.totals')
    expect(edges).not.toContain('shop/Cart.java#Cart.both calls shop/Cart.java#Totals.count')
  })

  test('a field of a library type is no gap through which outer names are seen', async () => {
    const { edges } = await resolveSources({
      'shop/Pattern.java':
        'package shop;\nimport java.util.regex.Matcher;\nclass Pattern {\n  Match matcher(String s) { return new Match(); }\n  static class Match {\n    Matcher matcher;\n    boolean matches() { return matcher.matches(); }\n    boolean find() { return matcher.find(); }\n  }\n}\n',
    })
    expect(edges.filter((it) => it.includes('Match.matches calls') || it.includes('Match.find calls'))).toEqual([])
  })

  test('wrappers have members of their own', async () => {
    const { edges } = await resolveSources({
      'shop/Cache.java':
        'package shop;\nimport java.util.Optional;\nimport java.util.concurrent.atomic.AtomicReference;\nclass Cache {\n  AtomicReference<Cache> current;\n  Optional<Cache> find() { return Optional.empty(); }\n  Cache get() { return current.get(); }\n  void map() {}\n  void put() {}\n  void use() { find().map(it -> it); find().get().put(); current.get().put(); }\n}\n',
      'lib/Supplier.java': 'package lib;\npublic interface Supplier<T> { T get(); }\n',
      'lib/Use.java': 'package lib;\nclass Use { Supplier<Use> source; void go() { source.get().go(); } }\n',
    })
    expect(edges).not.toContain('shop/Cache.java#Cache.get calls shop/Cache.java#Cache.get')
    expect(edges).not.toContain('shop/Cache.java#Cache.use calls shop/Cache.java#Cache.map')
    expect(edges).not.toContain('shop/Cache.java#Cache.use calls shop/Cache.java#Cache.get')
    expect(edges).toContain('shop/Cache.java#Cache.use calls shop/Cache.java#Cache.put')
    expect(edges).toContain('lib/Use.java#Use.go calls lib/Supplier.java#Supplier.get')
  })

  test('the nearest of several bases has the member, and `X.super` names one of them', async () => {
    const { edges } = await resolveSources({
      'shop/Bases.java': [
        'package shop;',
        'interface Scan { default int scan() { return 0; } int nodes(); }',
        'interface In extends Scan {}',
        'interface Out extends Scan { default int scan() { return 1; } }',
        'interface Both extends In, Out {}',
        'abstract class Use implements Both { public int scan() { return Both.super.scan(); } }',
        'class Far { int total(String a) { return 0; } }',
        'class Near extends Far { int total(int a) { return total("x"); } }',
        'class Outer extends Far { class Inner { int go() { return Outer.super.total("x"); } } }',
        'class Plain implements In { Plain() { super(); } public int nodes() { return 0; } }',
        '',
      ].join('\n'),
    })
    expect(edges).toContain('shop/Bases.java#Use.scan calls shop/Bases.java#Out.scan')
    expect(edges).not.toContain('shop/Bases.java#Use.scan calls shop/Bases.java#Scan.scan')
    expect(edges).toContain('shop/Bases.java#Near.total calls shop/Bases.java#Far.total')
    expect(edges).toContain('shop/Bases.java#Outer.Inner.go calls shop/Bases.java#Far.total')
    expect(edges).not.toContain('shop/Bases.java#Plain.Plain calls shop/Bases.java#In')
  })

  test('type parameters of a base are what the class says, also without a receiver', async () => {
    const { edges } = await resolveSources({
      'shop/Report.java':
        'package shop;\nabstract class Report<T extends Item> { protected T item; T next() { return item; } }\nclass Item {}\nclass Bill extends Item { void print() {} }\nclass BillReport extends Report<Bill> { void run() { item.print(); next().print(); super.next().print(); } }\n',
    })
    expect(edges).toContain('shop/Report.java#BillReport.run calls shop/Report.java#Bill.print')
  })

  test('the body of an enum constant is derived from the enum', async () => {
    const { edges } = await resolveSources({
      'shop/Level.java':
        'package shop;\nenum Level {\n  HIGH { int rate() { return super.rate() + help(); } int help() { return 1; } },\n  LOW;\n  int rate() { return 0; }\n}\n',
    })
    expect(edges).toContain('shop/Level.java#Level.HIGH.rate calls shop/Level.java#Level.rate')
    expect(edges).toContain('shop/Level.java#Level.HIGH.rate calls shop/Level.java#Level.HIGH.help')
  })

  test('what a library class may have itself is not taken from the class around', async () => {
    const { edges } = await resolveSources({
      'shop/Store.java':
        'package shop;\nimport java.lang.ref.WeakReference;\nclass Store {\n  Object get() { return null; }\n  void evictAll() {}\n  class Row extends WeakReference<Object> {\n    Row() { super(null); }\n    Object key() { evictAll(); return get(); }\n  }\n}\n',
    })
    expect(edges).toContain('shop/Store.java#Store.Row.key calls shop/Store.java#Store.evictAll')
    expect(edges).not.toContain('shop/Store.java#Store.Row.key calls shop/Store.java#Store.get')
  })

  test('class literals and constants of library types lead to no method of the project', async () => {
    const { edges } = await resolveSources({
      'shop/Texts.java': 'package shop;\nclass Texts { static final String ONE = "1"; }\n',
      'shop/Builder.java':
        'package shop;\nclass Builder { int indexOf() { return 0; } int toCharArray() { return 0; } void getDeclaredField(String s) {} }\n',
      'shop/Use.java':
        'package app;\nimport static shop.Texts.ONE;\nimport shop.Texts;\nclass Use { void go() throws Exception { ONE.indexOf("a"); ONE.toCharArray(); Texts.class.getDeclaredField("x"); } }\n',
    })
    expect(edges.filter((it) => it.includes('Builder'))).toEqual([])
  })

  test('what a class without a name does is done by what is around it', async () => {
    const { result } = await resolveSources({
      'shop/Till.java':
        'package shop;\nclass Till {\n  Runnable job() {\n    return new Runnable() {\n      final int rate = rate();\n      public void run() { close(); }\n    };\n  }\n  int rate() { return 1; }\n  void close() {}\n}\n',
    })
    const named = ['Till', 'job', '$1', 'run', 'rate', 'close']
    const calls = result.edges.filter((it) => it.relation === 'calls').map((it) => `${named[it.from]} ${named[it.to]}`)
    expect(calls.sort()).toEqual(['job rate', 'run close'])
    expect(result.edges.filter((it) => it.relation === 'implements')).toEqual([])
  })

  test('the only method of a name is meant where its class is seen; elsewhere the receiver may be of a library', async () => {
    const { tiers } = await resolveSources({
      'shop/Till.java': 'package shop;\npublic class Till { public void tally() {} }\n',
      'far/Far.java': 'package far;\nclass Far { void go() { var it = given; it.tally(); } }\n',
      'far/Sees.java': 'package far;\nimport shop.Till;\nclass Sees { void go() { var it = given; it.tally(); } }\n',
    })
    expect(tiers).toContain('far/Far.java#Far.go calls shop/Till.java#Till.tally (guess)')
    expect(tiers).toContain('far/Sees.java#Sees.go calls shop/Till.java#Till.tally (unique)')
  })
})
