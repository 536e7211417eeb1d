import { describe, expect, test } from 'vitest'
import { FILE } from '#graph/graph'
import type { NodeInput } from '#graph/input'
import { type ExternalUse, isConfigFile, packages as packagesOf, readManifests } from '#ingest/manifests'

function packages(
  configFiles: Record<string, string>,
  files: string[] = [],
  externals: ExternalUse[] = [],
  externalPackages = true,
) {
  const nodes: NodeInput[] = files.map((it) => ({ key: `file::${it}`, label: it, type: FILE }))
  const input = {
    files: files.map((path) => ({ path })),
    fileNodes: Uint32Array.from(files, (_, i) => i),
    configFiles: new Map(Object.entries(configFiles)),
    eachUse: (visit: (use: ExternalUse) => void) => externals.forEach(visit),
    externalPackages,
  }
  const found = packagesOf(input, nodes.length)
  nodes.push(...found.nodes)
  const edges = found.edgesFrom(() => true)
  const lines = edges.map(
    (it) => `${nodes[it.source].key} ${it.relation} ${nodes[it.target].key} ${it.weight}/${it.causal}`,
  )
  return { nodes, edges, lines, keys: nodes.slice(files.length).map((it) => it.key) }
}

describe('Cargo', () => {
  const workspace = {
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
    'crates/cart/Cargo.toml':
      '[package]\nname = "shop-cart"\ndescription = "Carts."\n[dependencies]\nshop-tax = { path = "../tax" }\nserde = "1"\n',
    'crates/tax/Cargo.toml':
      '[package]\nname = "shop-tax"\n[dev-dependencies]\nquick = { package = "quickcheck", version = "1" }\n',
  }

  test('workspaces contain crates, crates their files and depend on each other and on others', () => {
    const { keys, lines } = packages(workspace, ['crates/cart/src/lib.rs', 'crates/tax/src/lib.rs', 'README.md'])

    expect(keys).toEqual([
      'cargo::crate::crates/cart/Cargo.toml::shop-cart',
      'cargo::crate::crates/tax/Cargo.toml::shop-tax',
      'cargo::workspace::Cargo.toml',
      'cargo::dep::serde',
      'cargo::dep::quickcheck',
    ])
    expect(lines).toEqual([
      'cargo::workspace::Cargo.toml contains cargo::crate::crates/cart/Cargo.toml::shop-cart 1/0.85',
      'cargo::workspace::Cargo.toml contains cargo::crate::crates/tax/Cargo.toml::shop-tax 1/0.85',
      'cargo::crate::crates/cart/Cargo.toml::shop-cart contains file::crates/cart/src/lib.rs 0.3/0.8',
      'cargo::crate::crates/tax/Cargo.toml::shop-tax contains file::crates/tax/src/lib.rs 0.3/0.8',
      'cargo::crate::crates/cart/Cargo.toml::shop-cart depends_on cargo::dep::serde 0.55/0.55',
      'cargo::crate::crates/cart/Cargo.toml::shop-cart depends_on cargo::crate::crates/tax/Cargo.toml::shop-tax 0.75/0.7',
      'cargo::crate::crates/tax/Cargo.toml::shop-tax depends_on cargo::dep::quickcheck 0.55/0.55',
    ])
  })

  test('an imported crate is the one that the manifest names, whatever the dash', () => {
    const { lines } = packages(
      { 'Cargo.toml': '[package]\nname = "shop"\n[dependencies]\ntokio-util = "1"\n' },
      ['src/lib.rs'],
      [{ node: 0, package: 'cargo::tokio_util', relation: 'imports', line: 3 }],
    )

    expect(lines.slice(1)).toEqual([
      'cargo::crate::Cargo.toml::shop depends_on cargo::dep::tokio_util 0.55/0.55',
      'file::src/lib.rs imports cargo::dep::tokio_util 0.5/0.6',
    ])
  })
})

describe('npm', () => {
  test('packages of a workspace depend on each other, files belong to the innermost one', () => {
    const { lines } = packages(
      {
        'package.json': '{"name": "shop", "devDependencies": {"vitest": "4"}}',
        'packages/cart/package.json': '{"name": "@shop/cart", "dependencies": {"@shop/tax": "workspace:*"}}',
        'packages/tax/package.json': '{"name": "@shop/tax"}',
        'broken/package.json': '{',
      },
      ['packages/cart/a.ts', 'b.ts'],
    )

    expect(lines).toEqual([
      'pkg::npm::@shop/cart contains file::packages/cart/a.ts 0.3/0.8',
      'pkg::npm::shop contains file::b.ts 0.3/0.8',
      'pkg::npm::shop depends_on pkg::npm::vitest 0.55/0.55',
      'pkg::npm::@shop/cart depends_on pkg::npm::@shop/tax 0.75/0.7',
    ])
  })

  test('two packages of one name keep two keys', () => {
    const { keys } = packages({ 'a/package.json': '{"name": "demo"}', 'b/package.json': '{"name": "demo"}' })

    expect(keys).toEqual(['pkg::npm::demo', 'pkg::npm::demo#2'])
  })
})

test('Python projects are read from pyproject and requirements, names in one spelling', () => {
  const { lines } = packages(
    {
      'pyproject.toml':
        '[project]\nname = "Shop"\ndependencies = ["Typing_Extensions>=4", "requests[socks] ; python_version > \'3\'"]\n[project.optional-dependencies]\ndev = ["pytest"]\n',
      'requirements-dev.txt': '# tools\n-r base.txt\nruff==0.1\n\n',
    },
    ['shop.py'],
    [{ node: 0, package: 'pypi::typing_extensions', relation: 'imports', line: 1 }],
  )

  expect(lines).toEqual([
    'pkg::pypi::Shop contains file::shop.py 0.3/0.8',
    'pkg::pypi::Shop depends_on pkg::pypi::typing-extensions 0.55/0.55',
    'pkg::pypi::Shop depends_on pkg::pypi::pytest 0.55/0.55',
    'pkg::pypi::Shop depends_on pkg::pypi::requests 0.55/0.55',
    'pkg::pypi::Shop depends_on pkg::pypi::ruff 0.55/0.55',
    'file::shop.py imports pkg::pypi::typing-extensions 0.5/0.6',
  ])
})

test('Go packages belong to the longest module that begins their path', () => {
  const { lines } = packages(
    {
      'go.mod':
        'module example.org/shop\n\nrequire (\n\texample.org/tax v1.2.0\n\texample.org/tax/v2 v2.0.0 // indirect\n)\nrequire example.com/x v0.1.0\n',
    },
    ['main.go'],
    [
      { node: 0, package: 'go::example.org/tax/v2/rates', relation: 'imports', line: 4 },
      { node: 0, package: 'go::fmt', relation: 'imports', line: 5 },
    ],
  )

  expect(lines).toEqual([
    'pkg::go::example.org/shop contains file::main.go 0.3/0.8',
    'pkg::go::example.org/shop depends_on pkg::go::example.com/x 0.55/0.55',
    'pkg::go::example.org/shop depends_on pkg::go::example.org/tax 0.55/0.55',
    'pkg::go::example.org/shop depends_on pkg::go::example.org/tax/v2 0.55/0.55',
    'file::main.go imports pkg::go::example.org/tax/v2 0.5/0.6',
    'file::main.go imports pkg::go::fmt 0.5/0.6',
  ])
})

test('Maven modules take the group of their parent', () => {
  const [cart] = readManifests(
    new Map([
      [
        'cart/pom.xml',
        `<project><!-- <artifactId>no</artifactId> --><parent><groupId>org.shop</groupId><artifactId>all</artifactId></parent>
  <artifactId>cart</artifactId>
  <dependencies>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>tax</artifactId></dependency>
    <dependency><groupId>com.x</groupId><artifactId>y</artifactId></dependency>
  </dependencies></project>`,
      ],
    ]),
  )

  expect(cart).toMatchObject({ name: 'org.shop:cart', folder: 'cart/', dependencies: ['org.shop:tax', 'com.x:y'] })
})

test('hostile manifests are read in little time', () => {
  const began = performance.now()
  readManifests(
    new Map([
      ['a/pom.xml', '<artifactId>x</artifactId>' + '<dependency>'.repeat(50_000) + '<!--'.repeat(50_000)],
      ['b/go.mod', `module x\n${'\n'.repeat(200_000)}`],
      ['c/package.json', `{"name":${'['.repeat(100_000)}`],
    ]),
  )

  expect(performance.now() - began).toBeLessThan(20_000)
})

test('without external packages only own ones become nodes', () => {
  const { keys, lines } = packages(
    { 'package.json': '{"name": "shop", "dependencies": {"react": "1"}}' },
    ['a.ts'],
    [{ node: 0, package: 'npm::react', relation: 'imports', line: 1 }],
    false,
  )

  expect(keys).toEqual(['pkg::npm::shop'])
  expect(lines).toEqual(['pkg::npm::shop contains file::a.ts 0.3/0.8'])
})

test('external packages need no manifest', () => {
  const { nodes } = packages({}, ['a.py'], [{ node: 0, package: 'pypi::requests', relation: 'imports', line: 1 }])

  expect(nodes[1]).toMatchObject({
    key: 'pkg::pypi::requests',
    label: 'requests',
    tags: ['package', 'external', 'pypi'],
  })
})

test('isConfigFile knows the files that say how names are looked up', () => {
  const names = [
    'package.json',
    'a/tsconfig.base.json',
    'go.mod',
    'vite.config.ts',
    'requirements/dev.txt',
    'x.csproj',
    'src/config.ts',
    'package.json.bak',
  ]

  expect(names.filter(isConfigFile)).toEqual([
    'package.json',
    'a/tsconfig.base.json',
    'go.mod',
    'vite.config.ts',
    'x.csproj',
  ])
})
