import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'
import { xmlFault } from '#ingest/xml'

async function problemsOf(files: Record<string, string>): Promise<string[]> {
  const { result } = await resolveSources(files)
  return result.problems.map((it) => `${it.path}:${it.line} ${it.message}`)
}

const POM = (artifact: string, rest = '') =>
  `<?xml version="1.0"?>\n<!-- <module>no</module> -->\n<project>\n<groupId>shop</groupId>\n<artifactId>${artifact}</artifactId>\n${rest}</project>\n`

describe('a manifest that cannot be read is named, whatever code is there', () => {
  test.each([
    ['package.json', '{\n "name": "shop"\n "main": 1 }', 3, 'no valid JSON'],
    ['package.json', '["shop"]', 1, 'no JSON object'],
    ['composer.json', '{ "autoload": ', 1, 'no valid JSON'],
    ['Cargo.toml', '[package]\nname = = 1\n', 2, 'no valid TOML'],
    ['pyproject.toml', '[project]\nname "shop"\n', 2, 'no valid TOML'],
    ['Pipfile', '[packages\n', 1, 'no valid TOML'],
    ['setup.cfg', 'name = shop\n', 1, 'an entry in front of any section'],
    ['pom.xml', '<project>\n<artifactId>shop</project>', 2, 'no valid XML'],
    ['shop.csproj', '<Project>\n<ItemGroup>\n</Project>', 3, 'no valid XML'],
    ['build.gradle', "plugins { id 'java' }\ndependencies { api 'x:y:1 }\n", 2, 'a string does not end'],
    ['build.gradle', 'dependencies {\n  api "x"\n', 1, 'the { is not closed'],
    ['settings.gradle', 'rootProject.name = ("x"))\n', 1, 'a ) too many'],
    ['pnpm-workspace.yaml', 'packages: [ "libs/*\n', 1, 'No workspace pattern can be read'],
    ['go.mod', 'module example.com/shop\nrequire (\n', 2, 'The brackets of the file do not match'],
    ['go.mod', 'go 1.24\n', 1, 'There is no module line'],
  ])('%s %j', async (path, text, line, message) => {
    const found = await problemsOf({
      [path]: text,
      'a.go': 'package a',
      'a.ts': 'let a = 1',
      'a.rs': '',
      'a.py': '',
      'A.java': '',
    })
    expect(found.filter((it) => it.startsWith(`${path}:${line} `) && it.includes(message))).toHaveLength(1)
    expect(found).toHaveLength(1)
  })

  test('and one that can be is not', async () => {
    const gradle = [
      'plugins { id "java" } // it\'s fine (',
      "def pattern = ~/it's [a-z]/",
      'task("x") { doLast { println "a ${b("c")} )" } }',
      '/* ( */ def long = """\n ( " \n"""',
    ]
    expect(
      await problemsOf({
        'build.gradle': gradle.join('\n'),
        'pom.xml': POM('shop', '<!-- </a> --><a b="<">x &amp; y<![CDATA[ <b> ]]></a><c/>'),
        'pnpm-workspace.yaml': 'packages: ["libs/*"]\n',
        'libs/a/package.json': '{ "name": "a" }',
        'old/pnpm-workspace.yaml': 'packages: []\noverrides:\n  a: 1\n',
        'go.mod': 'module example.com/shop // (\nrequire (\n\tx.org/y v1.0.0\n)\n',
        'a.go': 'package a',
      }),
    ).toEqual([])
  })
})

describe('what a manifest names in vain', () => {
  test('modules of Maven', async () => {
    const modules = '<modules><module>core</module>\n<module>gone</module><module>${p}</module></modules>'
    expect(
      await problemsOf({ 'pom.xml': POM('all', modules), 'core/pom.xml': POM('core'), 'core/A.java': 'class A {}' }),
    ).toEqual(['pom.xml:7 The module gone has no pom.xml.'])
  })

  test('projects of Gradle', async () => {
    expect(
      await problemsOf({
        'settings.gradle': 'include ":app",\n  ":gone"\ninclude("lib:core")\n',
        'app/A.java': '',
        'lib/core/B.java': '',
      }),
    ).toEqual(['settings.gradle:2 The project gone has no folder.'])
  })

  test('projects of .NET', async () => {
    const refer = (to: string) => `<Project><ItemGroup><ProjectReference Include="${to}" /></ItemGroup></Project>`
    expect(
      await problemsOf({ 'a/a.csproj': refer('..\\b\\b.csproj'), 'b/b.csproj': refer('../c/c.csproj'), 'b/B.cs': '' }),
    ).toEqual(['b/b.csproj:1 The project ../c/c.csproj that is referred to is not there.'])
  })

  test('dependencies and members of Cargo', async () => {
    expect(
      await problemsOf({
        'Cargo.toml': '[workspace]\nmembers = ["a", "gone"]\n',
        'a/Cargo.toml': '[package]\nname = "a"\n[dependencies]\nnext-door = { path = "../next" }\n"odd(" = "1"\n',
        'a/src/lib.rs': '',
      }),
    ).toEqual([
      'Cargo.toml:2 The workspace member gone matches no package.',
      'a/Cargo.toml:4 The dependency next-door is said to be in next, where no Cargo.toml is.',
    ])
  })
})

describe('one name for two', () => {
  test('packages of Maven and Python, but not those of fixtures', async () => {
    const project = '[project]\nname = "shop"\n'
    expect(
      await problemsOf({
        'a/pyproject.toml': project,
        'b/pyproject.toml': project,
        'tests/c/pyproject.toml': project,
        'x/pom.xml': POM('till'),
        'y/pom.xml': POM('till'),
      }),
    ).toEqual([
      'b/pyproject.toml:1 The package shop is also declared in a/pyproject.toml.',
      'y/pom.xml:1 The package shop:till is also declared in x/pom.xml.',
    ])
  })

  test.each(['py', 'go', 'rs', 'java', 'kt', 'scala', 'swift', 'rb', 'php', 'c', 'cs', 'lua', 'sh', 'ts', 'md'])(
    'files that differ in case alone: .%s',
    async (extension) => {
      expect(await problemsOf({ [`lib/Till.${extension}`]: '', [`lib/till.${extension}`]: '' })).toContain(
        `lib/till.${extension}:1 The name differs from lib/Till.${extension} in case alone; some systems keep only one of them.`,
      )
    },
  )

  test('folders that differ in case alone are named once', async () => {
    expect(await problemsOf({ 'Lib/a.lua': '', 'lib/a.lua': '', 'lib/b.lua': '', 'other/A.lua': '' })).toEqual([
      'lib/:1 The name differs from Lib in case alone; some systems keep only one of them.',
    ])
  })
})

describe('whether a text is XML', () => {
  test.each([
    ['<a/>', undefined],
    ['<!DOCTYPE a [ <!ENTITY b "c"> ]>\n<a b=\'>\'>1 > 0</a>', undefined],
    ['', 'there is no element'],
    ['<a></b>', '</b> stands where </a> should'],
    ['</a>', '</a> closes nothing'],
    ['<a/><b/>', 'there is more than one root'],
    ['<a><!-- ', 'a comment or section does not end'],
    ['<a>1 < 2</a>', 'a < that begins no tag'],
    ['<a b="1', 'the tag <a> does not end'],
  ])('%j', (text, message) => {
    expect(xmlFault(text)?.message).toBe(message)
  })

  test('in time that grows with the text alone', () => {
    const began = performance.now()
    for (const it of ['<', '<a ', '<a b="', '<!--', '<a b=\'"', ' '])
      xmlFault(`<r>${it.repeat(Math.floor(200_000 / it.length))}`)
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
