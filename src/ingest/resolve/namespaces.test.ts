import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

describe('Kotlin', () => {
  test('packages, aliases, companions and inherited calls', async () => {
    const { edges } = await resolveSources({
      'src/shop/Cart.kt':
        'package shop\nimport tax.Tax\nimport tax.rate as taxRate\nopen class Base(val tax: Tax) { fun total(): Int = tax.apply(1) + help() }\nclass Cart(tax: Tax) : Base(tax) {\n  fun price(): Int { return total() + taxRate() }\n  companion object { fun create(): Cart = Cart(Tax()) }\n}\nfun help() = 1\n',
      'src/tax/Tax.kt': 'package tax\nclass Tax { fun apply(n: Int): Int = n }\nfun rate(): Int = 1\n',
      'src/app/Main.kt': 'package app\nimport shop.Cart\nfun main() { Cart.create().price() }\n',
      'src/other/Decoy.kt': 'package other\nclass Decoy { fun total() = 0\n fun price() = 1 }\nfun help() = 2\n',
    })
    expect(edges).toContain('src/shop/Cart.kt#Base.total calls src/tax/Tax.kt#Tax.apply')
    expect(edges).toContain('src/shop/Cart.kt#Base.total calls src/shop/Cart.kt#help')
    expect(edges).toContain('src/shop/Cart.kt#Cart.price calls src/shop/Cart.kt#Base.total')
    expect(edges).toContain('src/shop/Cart.kt#Cart.price calls src/tax/Tax.kt#rate')
    expect(edges).toContain('src/app/Main.kt#main calls src/shop/Cart.kt#Cart.price')
    expect(edges.filter((it) => it.includes('Decoy'))).toEqual([])
  })
})

describe('Ruby', () => {
  test('modules that several files add to, mixins, instances and class methods', async () => {
    const { edges } = await resolveSources({
      'lib/cart.rb':
        "require_relative 'tax'\nmodule Shop\n  class Cart < Base\n    include Priced\n    def initialize\n      @tax = Tax.new\n    end\n    def total\n      check()\n      @tax.apply(1) + Tax.rate\n    end\n  end\nend\n",
      'lib/tax.rb': 'module Shop\n  class Tax\n    def apply(n); n; end\n    def self.rate; 1; end\n  end\nend\n',
      'lib/base.rb':
        'module Shop\n  module Priced\n    def price; total(); end\n  end\n  class Base\n    def check; true; end\n  end\nend\n',
      'bin/run.rb': "require_relative '../lib/cart'\ndef main\n  c = Shop::Cart.new\n  c.total\nend\n",
      'lib/decoy.rb': 'class Decoy\n  def total; end\n  def check; end\n  def apply(n); end\nend\n',
    })
    expect(edges).toContain('lib/cart.rb imports lib/tax.rb')
    expect(edges).toContain('lib/cart.rb#Shop.Cart implements lib/base.rb#Shop.Base')
    expect(edges).toContain('lib/cart.rb#Shop.Cart implements lib/base.rb#Shop.Priced')
    expect(edges).toContain('lib/cart.rb#Shop.Cart.total calls lib/tax.rb#Shop.Tax.apply')
    expect(edges).toContain('lib/cart.rb#Shop.Cart.total calls lib/tax.rb#Shop.Tax.rate')
    expect(edges).toContain('lib/cart.rb#Shop.Cart.total calls lib/base.rb#Shop.Base.check')
    expect(edges).toContain('bin/run.rb#main calls lib/cart.rb#Shop.Cart')
    expect(edges).toContain('bin/run.rb#main calls lib/cart.rb#Shop.Cart.total')
    expect(edges.filter((it) => it.includes('decoy'))).toEqual([])
  })
})

test.each([
  ['shop.rb', 'class Cart < Tax\nend\nclass Tax < Cart\nend\ndef sum\n  Cart.find\n  Cart.new.total\nend\n'],
  ['shop.py', 'class Cart(Tax):\n  pass\nclass Tax(Cart):\n  pass\ndef sum():\n  Cart.find()\n  Cart().total()()\n'],
  [
    'shop.ts',
    'interface Cart extends Tax {}\ninterface Tax extends Cart {}\nfunction sum(it: Cart) { it()()\n it.total() }\n',
  ],
])('what is derived from itself has no members for it: %s', async (path, text) => {
  const { edges } = await resolveSources({ [path]: text })
  expect(edges).toContain(`${path}#Cart implements ${path}#Tax`)
  expect(edges.filter((it) => it.includes(' calls ') && !it.endsWith('#Cart'))).toEqual([])
})

describe('PHP', () => {
  test('namespaces, aliases, traits, the parent and included files', async () => {
    const { edges } = await resolveSources({
      'src/User.php':
        "<?php\nnamespace Shop;\nuse Shop\\Base\\Model as Record;\nuse Shop\\Part\\Notes;\nrequire_once __DIR__ . '/helpers.php';\nclass User extends Record { use Notes; public function save() { $this->note('x'); slug('a'); return parent::save(); } }\n",
      'src/Base/Model.php':
        '<?php\nnamespace Shop\\Base;\nclass Model { public function save() { return $this->check(); } protected function check() { return true; } }\n',
      'src/Part/Notes.php': '<?php\nnamespace Shop\\Part;\ntrait Notes { public function note($m) { return $m; } }\n',
      'src/helpers.php': '<?php\nnamespace Shop;\nfunction slug($s) { return $s; }\n',
      'src/Other/Record.php': '<?php\nnamespace Shop\\Other;\nclass Record { public function save() { return 0; } }\n',
    })
    expect(edges).toContain('src/User.php imports src/helpers.php')
    expect(edges).toContain('src/User.php imports src/Base/Model.php')
    expect(edges).toContain('src/User.php#User.save calls src/Base/Model.php#Model.save')
    expect(edges).toContain('src/User.php#User.save calls src/Part/Notes.php#Notes.note')
    expect(edges).toContain('src/User.php#User.save calls src/helpers.php#slug')
    expect(edges.filter((it) => it.includes('Other'))).toEqual([])
  })
})

describe('C#', () => {
  test('namespaces of whole files, parts of one class and types of fields', async () => {
    const { edges } = await resolveSources({
      'A/Store.cs':
        'namespace Shop.Data;\npublic interface IStore { Item Get(string k); }\npublic class Item { public void Use() {} }\npublic partial class Mem : IStore { public Item Get(string k) { return Load(k); } }\n',
      'A/Mem.Load.cs':
        'namespace Shop.Data;\npublic partial class Mem { private Item Load(string k) { return new Item(); } }\n',
      'B/App.cs':
        'using Shop.Data;\nnamespace Shop.App;\npublic class App { private readonly IStore store; public void Run() { store.Get("a").Use(); } }\n',
    })
    expect(edges).toContain('A/Store.cs#Mem implements A/Store.cs#IStore')
    expect(edges).toContain('A/Store.cs#Mem.Get calls A/Mem.Load.cs#Mem.Load')
    expect(edges).toContain('B/App.cs#App.Run calls A/Store.cs#IStore.Get')
    expect(edges).toContain('B/App.cs#App.Run calls A/Store.cs#Item.Use')
    expect(edges).toContain('B/App.cs imports A/Store.cs')
  })
})

describe('C++', () => {
  test('methods written apart from their class, namespaces and base classes', async () => {
    const { edges } = await resolveSources({
      'include/shop/cart.hpp':
        '#pragma once\n#include "base.hpp"\nnamespace shop {\nclass Cart : public Base { public: int total() const; static Cart make(); private: Tax tax_; };\n}\n',
      'include/shop/base.hpp':
        '#pragma once\nnamespace shop { class Tax { public: int apply(int n); }; class Base { public: int check(); }; int help(int n); }\n',
      'src/cart.cpp':
        '#include "shop/cart.hpp"\nnamespace shop {\nint Cart::total() const { return tax_.apply(1) + check() + help(2); }\nCart Cart::make() { return Cart(); }\nint help(int n) { return n; }\n}\n',
      'src/base.cpp':
        '#include "shop/base.hpp"\nint shop::Tax::apply(int n) { return n; }\nint shop::Base::check() { return 1; }\n',
      'src/main.cpp':
        '#include "shop/cart.hpp"\nusing namespace shop;\nint main() { Cart c; c.total(); auto d = shop::Cart::make(); d.check(); return 0; }\n',
      'src/other.cpp': 'static int help(int n) { return 0; }\nint total() { return help(1); }\n',
    })
    expect(edges).toContain('include/shop/cart.hpp#shop.Cart implements include/shop/base.hpp#shop.Base')
    expect(edges).toContain('src/cart.cpp#shop.total calls src/base.cpp#shop.Tax.apply')
    expect(edges).toContain('src/main.cpp#main calls src/cart.cpp#shop.total')
    expect(edges).toContain('src/main.cpp#main calls src/cart.cpp#shop.make')
    expect(edges).toContain('src/other.cpp#total calls src/other.cpp#help')
    expect(edges.filter((it) => it.includes('other.cpp') && !it.startsWith('src/other.cpp'))).toEqual([])
  })
})

describe('Swift, Scala, Lua and shell', () => {
  test('Swift sees the whole module, with extensions', async () => {
    const { edges } = await resolveSources({
      'A.swift':
        'protocol Store { func get() -> Item }\nstruct Item { func use() {} }\nclass Mem: Store { func get() -> Item { return Item() } }\nextension Mem { func extra() { get().use() } }\n',
      'B.swift': 'func run(s: Store) { s.get().use(); let m = Mem(); m.extra() }\n',
    })
    expect(edges).toContain('B.swift#run calls A.swift#Store.get')
    expect(edges).toContain('B.swift#run calls A.swift#Item.use')
    expect(edges).toContain('B.swift#run calls A.swift#Mem.extra')
  })

  test('Scala tells a class from its companion', async () => {
    const { edges } = await resolveSources({
      'src/A.scala':
        'package shop\nclass Base { def check(): Int = 1 }\nclass Cart extends Base { def total: Int = check() }\nobject Cart { def create(): Cart = new Cart }\n',
      'src/B.scala':
        'package app\nimport shop.Cart\nobject Main { def main(): Unit = { val c = Cart.create(); c.check() } }\n',
    })
    expect(edges).toContain('src/B.scala#Main.main calls src/A.scala#Cart.create')
    expect(edges).toContain('src/B.scala#Main.main calls src/A.scala#Base.check')
  })

  test('Lua modules give back a table, and sourced scripts share their functions', async () => {
    const { edges } = await resolveSources({
      'mod.lua': 'local M = {}\nfunction M.go() return 1 end\nreturn M\n',
      'main.lua': 'local m = require("mod")\nlocal function run() m.go() end\nrun()\n',
      'lib.sh': 'greet() { echo hi; }\n',
      'main.sh': 'source ./lib.sh\nmain() { greet; }\nmain\n',
    })
    expect(edges).toContain('main.lua#run calls mod.lua#M.go')
    expect(edges).toContain('main.sh#main calls lib.sh#greet')
    expect(edges).toContain('main.sh imports lib.sh')
  })
})
