import { expect, test } from 'vitest'
import { placeOfTest } from '#std/test-places'

test.each([
  ['shop/till_test.go', 'shop/till.go', 'beside'],
  ['src/cart/__tests__/cart.ts', 'src/cart/cart.ts', 'mirrored'],
  ['src/test/java/shop/TillTest.java', 'src/main/java/shop/Till.java', 'mirrored'],
  ['tests/unit/cart/test_price.py', 'src/shop/cart/price.py', 'mirrored'],
  ['tests/test_till.py', 'till.py', 'mirrored'],
  ['tests/test_till.py', 'src/shop/till.py', 'under'],
  ['packages/shop/test/till.test.ts', 'packages/shop/src/desk/till.ts', 'under'],
  // a test that stands beside sources is about one of them
  ['shop/mocks_test.go', 'web/helpers/mocks.go', null],
  ['shop/till_test.go', 'shop/desk/till.go', null],
  ['packages/shop/test/till.test.ts', 'packages/bank/src/till.ts', null],
  ['tests/bank/test_till.py', 'src/shop/till.py', null],
])('%s and %s: %s', (path, source, place) => {
  expect(placeOfTest(path, source)).toBe(place)
})
