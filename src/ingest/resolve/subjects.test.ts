import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

async function subjects(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { tiers } = await resolveSources(files)
  return tiers.filter((it) => it.includes(' tests ')).sort()
}

const FUNCTION = 'package shop\n\nfunc Pay() {}\n'

describe('a test is about', () => {
  test('the file of its name in the same folder, in a mirrored one, or below the part that its folder of tests is for', async () => {
    expect(
      await subjects({
        'shop/till.go': FUNCTION,
        'shop/till_test.go': 'package shop\n',
        'src/main/java/shop/Desk.java': 'package shop;\nclass Desk {}\n',
        'src/test/java/shop/DeskTest.java': 'package shop;\nclass DeskTest {}\n',
        'src/shop/price.py': 'def price(): pass\n',
        'tests/test_price.py': '',
      }),
    ).toEqual([
      'shop/till_test.go tests shop/till.go (unique)',
      'src/test/java/shop/DeskTest.java tests src/main/java/shop/Desk.java (unique)',
      'tests/test_price.py tests src/shop/price.py (unique)',
    ])
  })

  test('the nearest one of its name', async () => {
    expect(
      await subjects({
        'src/cart/price.ts': 'export const price = 1\n',
        'src/bank/price.ts': 'export const price = 2\n',
        'tests/bank/price.test.ts': '',
      }),
    ).toEqual(['tests/bank/price.test.ts tests src/bank/price.ts (unique)'])
  })

  test('one of its name elsewhere when it imports from there; a name alone is a guess', async () => {
    const files = {
      'web/helpers/mocks.go': 'package helpers\n\nfunc Mock() {}\n',
      'shop/till.go': FUNCTION,
      'bank/codec.ts': 'export const code = 1\n',
    }
    expect(
      await subjects({
        ...files,
        'shop/mocks_test.go': 'package shop\n',
        'desk/codec.test.ts': "import { code } from '../bank/codec'\n",
      }),
    ).toEqual([
      'desk/codec.test.ts tests bank/codec.ts (unique)',
      'shop/mocks_test.go tests web/helpers/mocks.go (guess)',
    ])
  })

  test('one of two only as a guess when it stands in neither part', async () => {
    expect(
      await subjects({
        'src/cart/price.ts': 'export const price = 1\n',
        'src/bank/price.ts': 'export const price = 2\n',
        'tests/price.test.ts': '',
      }),
    ).toEqual(['tests/price.test.ts tests src/bank/price.ts (guess)'])
  })

  test('the only module that it imports', async () => {
    expect(
      await subjects({
        'shop/till.py': 'def pay(): pass\n',
        'tests/test_flow.py': 'from shop.till import pay\n',
      }),
    ).toEqual(['tests/test_flow.py tests shop/till.py (unique)'])
  })

  test('no helper that it imports where it sees its own package without', async () => {
    const files = {
      'go.mod': 'module example.org/shop\n',
      'port/port.go': 'package port\n\nfunc Free() int { return 1 }\n',
      'flow/flow_test.go': 'package flow\n\nimport "example.org/shop/port"\n\nfunc TestAll() { port.Free() }\n',
    }
    expect(await subjects(files)).toEqual(['flow/flow_test.go tests port/port.go (unique)'])
    expect(await subjects({ ...files, 'flow/steps.go': 'package flow\n\nfunc Step() {}\n' })).toEqual([])
  })
})
