import { expect, test } from 'vitest'
import { extract } from '#ingest/extract'

/** Lines whose target is known only at run time, and sources that have the same words without such a line. */
test.each([
  [
    'shop.py',
    'import importlib\nimportlib.import_module(name)\ngetattr(shop, name)()\neval(code)\nhandlers[name](cart)\nimport_string(name)\n',
    [2, 3, 4, 5, 6],
  ],
  ['shop.py', 'getattr(shop, "total")()\ncart.total()\n# eval(code)\ns = "eval(code)"\n', []],
  [
    'shop.ts',
    'eval(code)\nhandlers[name](cart)\nawait import(`./${name}.js`)\nrequire(name)\nReflect.apply(f, cart, [])\n',
    [1, 2, 3, 4, 5],
  ],
  ['shop.ts', "await import('./cart.js')\ncart.total()\n", []],
  [
    'shop.go',
    'package shop\n\nfunc f() {\n\treflect.ValueOf(v).MethodByName(name).Call(nil)\n\tplugin.Open(path)\n\tcart.Total()\n}\n',
    [4, 5],
  ],
  ['shop.rs', 'fn f() {\n    let lib = libloading::Library::new(path);\n    cart.total();\n}\n', [2]],
  [
    'Shop.java',
    'class Shop {\n  void f() {\n    Class.forName(name);\n    type.getMethod(name);\n    cart.total();\n  }\n}\n',
    [3, 4],
  ],
  ['Shop.kt', 'fun f() {\n  Class.forName(name)\n  cart.total()\n}\n', [2]],
  ['Shop.scala', 'object Shop {\n  def f() = {\n    Class.forName(name)\n    cart.total()\n  }\n}\n', [3]],
  ['Shop.cs', 'class Shop {\n  void F() {\n    Activator.CreateInstance(type);\n    cart.Total();\n  }\n}\n', [3]],
  ['Shop.swift', 'func f() {\n  NSClassFromString(name)\n  cart.total()\n}\n', [2]],
  [
    'shop.php',
    '<?php\ncall_user_func($name);\n$name($cart);\n$this->$name($cart);\nnew $type();\ntotal($cart);\n',
    [2, 3, 4, 5],
  ],
  [
    'shop.rb',
    'def f\n  cart.send(name)\n  cart.public_send(name)\n  Object.const_get(name)\n  cart.total\nend\n',
    [2, 3, 4],
  ],
  ['shop.sh', 'eval "$code"\ntotal cart\n', [1]],
  ['shop.lua', 'local f = load(code)\nhandlers[name](cart)\ntotal(cart)\n', [1, 2]],
  ['shop.c', 'void f(void) {\n  dlsym(lib, name);\n  total(cart);\n}\n', [2]],
])('%s tells of sites that only a run can resolve %#', async (path, text, lines) => {
  const { dynamic } = await extract(path, text)
  expect(dynamic.map((it) => it.line)).toEqual(lines)
})
