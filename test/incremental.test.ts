/**
 * Bringing a graph up to date gives what reading everything gives, whatever was edited in between. Trees are made of
 * the golden cases of the languages; edits work on lines and words, so that they also break what they touch.
 * `M1ND_EDITS=500 npx vitest run test/incremental.test.ts` goes on longer, `M1ND_SEED=7` elsewhere.
 */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { BrainBuilder } from '#engine/build-brain'
import { type Image, toImage, fromImage, takeLate } from '#engine/image'
import { defaults } from '#engine/settings'
import { keyOf } from '#graph/graph'
import { LANGUAGES } from '#ingest/languages'
import { Random } from '#std/random'

const GOLDEN = fileURLToPath(new URL('golden/languages', import.meta.url))
const EDITS = Number(process.env.M1ND_EDITS ?? 12)
const SEED = Number(process.env.M1ND_SEED ?? 1)
/** Edits between two looks at the graph, at most. */
const MOST_AT_ONCE = 3
/** Languages that may mean each other's names share a tree. */
const TREES: readonly (readonly string[])[] = [
  ['python'],
  ['typescript', 'tsx', 'javascript'],
  ['go'],
  ['rust'],
  ['java', 'kotlin', 'scala'],
  ['c', 'cpp'],
  ['csharp'],
  ['ruby'],
  ['php'],
  ['swift'],
  ['bash', 'lua', 'generic'],
]
const CONFIGS: Record<string, readonly string[]> = {
  'package.json': ['{"name": "shop", "dependencies": {"zod": "1"}}', '{"name": "till", "type": "module"}', 'no json'],
  'tsconfig.json': ['{"compilerOptions": {"paths": {"@/*": ["./*"]}}}', '{}'],
  'go.mod': ['module example.com/shop\n', 'module example.com/till\n\nrequire example.org/dep v1.0.0\n'],
  'Cargo.toml': ['[package]\nname = "shop"\n', '[package]\nname = "till"\n[dependencies]\nserde = "1"\n'],
  'pyproject.toml': ['[project]\nname = "shop"\n', '[project]\nname = "till"\ndependencies = ["requests"]\n'],
  'pom.xml': ['<project><groupId>org.shop</groupId><artifactId>till</artifactId></project>', ''],
}

const folders: string[] = []
afterAll(() => {
  for (const it of folders) rmSync(it, { recursive: true, force: true })
})

/** Files of the golden cases by path, some of them in folders of their own. */
function sourcesOf(languages: readonly string[]): Map<string, string> {
  const sources = new Map<string, string>()
  for (const name of languages) {
    const extension = LANGUAGES.find((it) => it.name === name)?.extensions[0] ?? 'text'
    readdirSync(join(GOLDEN, name)).forEach((file, i) => {
      const text = readFileSync(join(GOLDEN, name, file), 'utf8')
      const source = text.slice(0, text.lastIndexOf('\n---\n') + 1)
      const named = /^@ (\S+)\n/.exec(source)
      const folder = ['', 'shop/', 'shop/till/'][i % 3]
      const path =
        named === null ? `${folder}${file.replace(/\.txt$/, '').replaceAll('-', '_')}.${extension}` : named[1]
      sources.set(path, named === null ? source : source.slice(named[0].length))
    })
  }
  return sources
}

const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu

/** A folder that is edited at random. */
class EditedTree {
  readonly root: string
  readonly trace: string[] = []
  private readonly files: Map<string, string>
  private readonly originals: ReadonlyMap<string, string>
  private readonly random: Random
  private made = 0

  constructor(sources: ReadonlyMap<string, string>, random: Random) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'edited-')))
    folders.push(this.root)
    this.originals = sources
    this.files = new Map()
    this.random = random
    for (const [path, text] of sources) this.write(path, text)
  }

  /** Mostly one change of text, sometimes several things at once. */
  step(): number {
    const n = this.random.below(4) > 0 ? 1 : 1 + this.random.below(MOST_AT_ONCE)
    const texts = [() => this.changeLines(), () => this.changeWord(), () => this.changeWord(), () => this.copyLines()]
    const others = [
      () => this.restore(),
      () => this.addFile(),
      () => this.removeFile(),
      () => this.moveFile(),
      () => this.changeConfig(),
      () => this.spoil(),
    ]
    for (let i = 0; i < n; i++) this.pick(n === 1 && this.random.below(8) > 0 ? texts : others.concat(texts))()
    return n
  }

  private changeLines(): void {
    const [path, lines] = this.pickLines()
    const at = this.random.below(lines.length)
    const other = this.random.below(lines.length)
    const how = this.random.below(3)
    if (how === 0) lines.splice(at, 0, lines[other])
    else if (how === 1) lines.splice(at, 1)
    else [lines[at], lines[other]] = [lines[other], lines[at]]
    this.write(path, lines.join('\n'), `${['repeat', 'drop', 'swap'][how]} line ${at + 1}`)
  }

  /** Gives something another name: a new one, or one that is used elsewhere. */
  private changeWord(): void {
    const [path, lines] = this.pickLines()
    const text = lines.join('\n')
    const words = text.match(WORD) ?? ['shop']
    const elsewhere = this.files.get(this.pick([...this.files.keys()]))?.match(WORD) ?? ['till']
    const from = this.pick(words)
    const to = this.random.below(3) === 0 ? `fresh${this.made++}` : this.pick(elsewhere)
    const all = this.random.below(2) === 0
    let taken = 0
    const only = this.random.below(words.filter((it) => it === from).length || 1)
    const changed = text.replace(WORD, (it) => (it === from && (all || taken++ === only) ? to : it))
    this.write(path, changed, `${from} → ${to}${all ? ' everywhere' : ''}`)
  }

  private copyLines(): void {
    const [path, lines] = this.pickLines()
    const [from, others] = this.pickLines()
    const start = this.random.below(others.length)
    const some = others.slice(start, start + 1 + this.random.below(8))
    lines.splice(this.random.below(2) === 0 ? lines.length : this.random.below(lines.length), 0, ...some)
    this.write(path, lines.join('\n'), `${some.length} lines of ${from} from ${start + 1}`)
  }

  private restore(): void {
    const path = this.pick([...this.originals.keys()])
    this.write(path, this.originals.get(path) ?? '', 'restore')
  }

  private addFile(): void {
    const [path, lines] = this.pickLines()
    const dot = path.lastIndexOf('.')
    this.write(`${path.slice(0, dot)}_more${this.made++}${path.slice(dot)}`, lines.join('\n'), `copy of ${path}`)
  }

  private removeFile(): void {
    if (this.files.size < 3) return
    const path = this.pick([...this.files.keys()])
    rmSync(join(this.root, path))
    this.files.delete(path)
    this.trace.push(`${path}: remove`)
  }

  private moveFile(): void {
    const [path, lines] = this.pickLines()
    const slash = path.lastIndexOf('/') + 1
    const name = path.slice(slash)
    const other = name[0].toUpperCase() === name[0] ? name.toLowerCase() : name[0].toUpperCase() + name.slice(1)
    const to = this.random.below(2) === 0 ? path.slice(0, slash) + other : `moved/${name}`
    if (to === path || this.files.has(to)) return
    mkdirSync(dirname(join(this.root, to)), { recursive: true })
    renameSync(join(this.root, path), join(this.root, to))
    this.files.delete(path)
    this.files.set(to, lines.join('\n'))
    this.trace.push(`${path}: move to ${to}`)
  }

  private changeConfig(): void {
    const path = this.pick(Object.keys(CONFIGS))
    this.write(path, this.pick(CONFIGS[path]), 'configure')
  }

  /** Makes a file one of those that are not read, or only its time another. */
  private spoil(): void {
    const [path, lines] = this.pickLines()
    const how = this.random.below(4)
    if (how === 0) this.write(path, `${lines.join('\n')}\0`, 'binary')
    else if (how === 1) this.write(path, 'x'.repeat(30_000), 'one long line')
    else if (how === 2) this.write('.m1ndignore', this.random.below(2) === 0 ? `${path}\n` : '', `ignore ${path}`)
    else {
      const time = 1_700_000_000 + this.random.below(1000)
      utimesSync(join(this.root, path), time, time)
      this.trace.push(`${path}: touch`)
    }
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)]
  }

  private pickLines(): [path: string, lines: string[]] {
    const path = this.pick([...this.files.keys()])
    return [path, (this.files.get(path) ?? '').split('\n')]
  }

  private write(path: string, text: string, what = ''): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
    this.files.set(path, text)
    if (what !== '') this.trace.push(`${path}: ${what}`)
  }
}

/** A builder that always has the graph in place that it made last. */
class Reader {
  private readonly builder = new BrainBuilder()
  private readonly root: string
  private base = 0

  constructor(root: string) {
    this.root = root
  }

  async read(facts: Image | null = null): Promise<Image> {
    const path = this.root
    const request = { path, adapter: 'code', namespace: '', includeDotfiles: false, dotfilePatterns: [] }
    const { number, image, late } = await this.builder.build(
      {
        request: { ...request, mode: 'merge', incremental: true },
        settings: { ...defaults(), maxLineBytes: 20_000 },
        roots: [{ path, prefix: '', adapter: 'code', base: path }],
        facts,
        base: this.base,
      },
      { signal: new AbortController().signal, progress: () => {} },
    )
    this.base = number
    if (late === null) return image
    const brain = fromImage(image)
    takeLate(brain, await late)
    return toImage(brain.graph, brain.indexes)
  }

  facts(): Promise<Image | null> {
    return this.builder.facts()
  }
}

/** Nodes and edges as lines, to see what differs. */
function linesOf(image: Image): string[] {
  const { graph } = fromImage(image)
  const lines: string[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    lines.push(`${keyOf(graph, v)} ${graph.lineStart[v]}-${graph.lineEnd[v]}`)
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++)
      lines.push(
        `${keyOf(graph, v)} ${graph.strings.get(graph.relations[e])} ${keyOf(graph, graph.out.targets[e])} ${graph.tiers[e]} ${graph.weights[e]} line ${graph.lines[e]}`,
      )
  }
  return lines
}

function expectSame(updated: Image, whole: Image, trace: readonly string[]): void {
  const names = Object.keys(whole.columns)
  const different = names.filter((it) => !isSame(updated.columns[it], whole.columns[it]))
  const told = `after ${trace.join(', ')}`
  if (different.length > 0) expect(linesOf(updated), told).toEqual(linesOf(whole))
  expect(different, told).toEqual([])
  expect(withoutTime(updated), told).toEqual(withoutTime(whole))
}

function isSame(a: ArrayBufferView | undefined, b: ArrayBufferView): boolean {
  return (
    a !== undefined &&
    Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength))
  )
}

function withoutTime({ header }: Image): unknown {
  return JSON.parse(JSON.stringify(header, (key, value) => (key === 'ingested_at' ? 0 : value)))
}

describe('an updated graph is the graph of the whole tree', () => {
  test.each(TREES.map((it) => ({ languages: it })))(
    'in $languages',
    async ({ languages }) => {
      const random = new Random(SEED)
      const tree = new EditedTree(sourcesOf(languages), random)
      const updated = new Reader(tree.root)
      await updated.read()
      for (let edits = 0; edits < EDITS; ) {
        edits += tree.step()
        const image = await updated.read()
        // facts are those of single files, so that taking them over is no part of what is to be shown here
        const whole = await new Reader(tree.root).read(await updated.facts())
        expectSame(image, whole, tree.trace)
      }
      expectSame(await updated.read(), await new Reader(tree.root).read(), tree.trace)
    },
    60_000 + EDITS * 2000,
  )
})
