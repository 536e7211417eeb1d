import { describe, expect, test } from 'vitest'
import { contractsIn, normalRoute } from '#ingest/contracts'

function said(path: string, text: string): string[] {
  return contractsIn(path, text).map(({ kind, method, name }) => [kind, method, name].filter(Boolean).join(' '))
}

test.each([
  '/API/Users/{id}/',
  '/api/users/:userId',
  '/api/users/${id}',
  'https://shop.example/api/users/<int:id>?x=1',
  '${BASE}/api/users/%s',
])('the route %s is /api/users/_', (route) => {
  expect(normalRoute(route)).toBe('/api/users/_')
})

describe('contractsIn', () => {
  test.each([
    ['a.ts', "app.get('/users/:id', show)", 'serves GET /users/_'],
    ['a.ts', "router.post('/users', async (req, res) => {", 'serves POST /users'],
    ['a.ts', "await fetch(`${API}/users/${id}`, { method: 'DELETE' })", 'requests DELETE /users/_'],
    ['a.ts', "axios.get('/users/' + id)", 'requests GET /users/_'],
    ['a.ts', "api.get('/users').then(show)", 'requests GET /users'],
    ['a.ts', "app.use('/api', router)", 'mounts /api'],
    ['a.ts', "@Get('/users')", 'serves GET /users'],
    ['a.py', "@app.route('/users', methods=['POST'])", 'serves POST /users'],
    ['a.py', "@router.get('/users/{id}')", 'serves GET /users/_'],
    ['a.py', "path('users/<int:id>/', views.show),", 'serves /users/_'],
    ['a.py', 'requests.get(f"{BASE}/users/{id}")', 'requests GET /users/_'],
    ['a.py', "bp = Blueprint('x', __name__, url_prefix='/api')", 'mounts /api'],
    ['a.go', 'r.Get("/users/{id}", show)', 'serves GET /users/_'],
    ['a.go', 'http.HandleFunc("/users", list)', 'serves /users'],
    ['a.go', 'http.NewRequest("PUT", base+x, nil); http.Get("http://bank/users")', 'requests GET /users'],
    ['a.go', 'http.NewRequest(http.MethodPut, "http://bank/users", nil)', 'requests PUT /users'],
    ['a.rs', '.route("/users", get(list))', 'serves GET /users'],
    ['a.rs', '#[get("/users")]', 'serves GET /users'],
    ['A.java', '@PostMapping("/users")', 'serves POST /users'],
    ['A.java', '@RequestMapping("/api")', 'mounts /api'],
    ['a.ts', 'const key = process.env.BANK_API_KEY', 'config BANK_API_KEY'],
    ['a.py', 'os.environ.get("BANK_API_KEY")', 'config BANK_API_KEY'],
    ['a.go', 'os.Getenv("BANK_API_KEY")', 'config BANK_API_KEY'],
    ['docker-compose.yml', 'services:\n  bank:\n    image: shop/vault:1.2\n', 'deploys bank|deploys vault'],
    ['a.ts', "// mcp\nserver.registerTool('pay_bill', {}, run)", 'provides pay_bill'],
    ['a.py', 'from mcp import x\n@mcp.tool()\nasync def pay_bill(a):', 'imports mcp|provides pay_bill'],
    ['.mcp.json', '{"mcpServers": {"bank": {"command": "x"}}}', 'uses bank'],
  ])('%s: %s', (path, text, wanted) => {
    expect(said(path, text).sort()).toEqual(wanted.split('|').sort())
  })

  test.each([
    ['a.ts', "map.get('/users')"],
    ['a.ts', "const text = 'app.get is documented at /users'"],
    ['a.ts', "app.get('users')"],
    ['a.ts', "path.join('/users', x)"],
    ['a.ts', 'process.env.NODE_ENV'],
    ['README.md', "app.get('/users', show)"],
    ['a.json', '{"mcpServers": '],
  ])('nothing is read into %s: %s', (path, text) => {
    expect(said(path, text).filter((it) => !it.startsWith('imports'))).toEqual([])
  })

  test('imports come with the names that are used', () => {
    expect(
      contractsIn('a.py', 'from bank.vault import (Door as D,\n  Key)\nimport shelf.books\n').map((it) => [
        it.name,
        it.symbols,
      ]),
    ).toEqual([
      ['bank.vault', ['Door', 'Key']],
      ['shelf.books', []],
    ])
    expect(
      contractsIn('a.ts', "import D, { Door, type Key as K } from '@shop/bank/vault'\nimport x from './x'\n"),
    ).toMatchObject([{ name: '@shop/bank/vault', symbols: ['D', 'Door', 'Key'] }])
    expect(
      contractsIn('a.go', 'import (\n\t"shop.example/bank/v2"\n)\nfunc x() { bank.Open(bank.Key) }\n'),
    ).toMatchObject([{ name: 'shop.example/bank/v2', symbols: ['Open', 'Key'], line: 2 }])
    expect(contractsIn('a.rs', 'use bank::vault::{Door, Key as K};\n')).toMatchObject([
      { name: 'bank', symbols: ['vault', 'Door', 'Key'] },
    ])
  })

  test('long lines and much of the same take no time', () => {
    const began = performance.now()
    for (const text of [
      `import ${'a,'.repeat(100_000)}`,
      `get(${'"/x'.repeat(50_000)}`,
      `${'x.'.repeat(100_000)}get("/a")`,
      `from a import (${'b,'.repeat(90_000)}`,
      'x = require('.repeat(20_000),
    ])
      for (const path of ['a.ts', 'a.py', 'a.go', 'a.rs']) contractsIn(path, text)
    expect(performance.now() - began).toBeLessThan(4000)
  })
})
