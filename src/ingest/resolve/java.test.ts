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
})
