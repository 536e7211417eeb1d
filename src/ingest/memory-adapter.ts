/** Notes as a graph: documents, headings, items, and the files they mention, which lead to the code. */

import { basename, relative, sep } from 'node:path'
import { FILE, NODE_TYPES, REFERENCE } from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import type { LexicalFile } from '#graph/lexical'
import { emptyMeta } from '#graph/meta'
import { type Note, readNote, slug } from '#ingest/notes'
import { emptyReport, IngestError, type IngestReport, throwIfAborted } from '#ingest/report'
import { cut } from '#ingest/source'
import { readSource, TEXT_LIMITS } from '#ingest/text'
import { type WalkOptions, walk } from '#ingest/walk'
import { collectWords } from '#ingest/words'

const CONCEPT = NODE_TYPES.indexOf('concept')
const PROCESS = NODE_TYPES.indexOf('process')
const NOTES = /\.(?:md|markdown|txt)$/i
const EXCERPT = 220
const FREQUENCY = { document: 0.6, section: 0.45, entry: 0.5, reference: 0.35 }
/** Between mentions and the code they mean, added when both are there. */
export const MENTIONED = { relation: 'relates_to', weight: 0.8, causal: 0.3 }

export interface NotesOptions extends Omit<WalkOptions, 'isSource'> {
  namespace: string
  now: number
}

/** Key of a mention begins so; its label is the path as it was written. */
export function isMention(key: string): boolean {
  return /^memory::[^:]+::reference::/.test(key)
}

/** Throws an `IngestError` when there is nothing to read. */
export async function ingestNotes(
  path: string,
  { namespace, now, ...rules }: NotesOptions,
  signal: AbortSignal,
): Promise<{ input: GraphInput; words: LexicalFile[]; report: IngestReport }> {
  const began = performance.now()
  const walked = await walk(path, rules, signal)
  throwIfAborted(signal)
  const prefix = walked.base === walked.root ? '' : `${relative(walked.base, walked.root).split(sep).join('/')}/`
  const graph = new Notes(namespace === '' ? 'memory' : slug(namespace))
  const report = { ...emptyReport(), files_scanned: walked.files.length, warnings: walked.warnings }
  for (const file of walked.files) {
    const source = NOTES.test(file.path) ? readSource(file.file, file.path, TEXT_LIMITS) : null
    if (source?.kind === 'text') {
      graph.add(file.path, prefix + file.path, source.text, Math.floor(file.mtimeMs / 1000))
      report.files_parsed++
    } else if (source?.kind === 'failed') {
      report.files_failed++
      report.problems.push({ path: file.path, line: 0, message: source.message })
    } else report.files_skipped++
  }
  if (report.files_parsed === 0)
    throw new IngestError(
      'ingest_refused',
      `${path} holds no notes: no .md, .markdown or .txt file that can be read.`,
      'Give the folder of the notes, or leave adapter out to read code.',
    )
  const { nodes, edges, words } = graph
  Object.assign(report, {
    nodes_created: nodes.length,
    edges_created: edges.length,
    node_count: nodes.length,
    edge_count: edges.length,
    problems_total: report.problems.length,
    languages: { markdown: report.files_parsed },
    phase_ms: { extract: Math.round(performance.now() - began) },
  })
  const root = { path: walked.given, prefix: `memory::${graph.namespace}::`, adapter: 'memory', base: walked.base }
  return {
    input: { nodes, edges, meta: { ...emptyMeta(), domain: 'memory', ingestedAt: now, roots: [root] } },
    words,
    report,
  }
}

class Notes {
  readonly namespace: string
  readonly nodes: NodeInput[] = []
  readonly edges: EdgeInput[] = []
  readonly words: LexicalFile[] = []
  readonly #numbers = new Map<string, number>()

  constructor(namespace: string) {
    this.namespace = namespace
  }

  add(path: string, sourcePath: string, text: string, lastModified: number): void {
    const note = readNote(text)
    const id = this.#free('file', slug(path))
    const lines = text.split('\n').length
    const place = { path: sourcePath, lastModified, namespace: this.namespace }
    const document = this.#node('file', id, {
      ...place,
      label: basename(path),
      type: FILE,
      tags: ['memory', `kind:${kindOf(path)}`],
      changeFrequency: FREQUENCY.document,
      lineStart: 1,
      lineEnd: lines,
      excerpt: excerpt(note.entries[0]?.text ?? ''),
      canonical: isCanonical(path),
    })
    const sections = this.#sections(note, id, document, place)
    const entries = this.#entries(note, id, { document, sections }, place)
    const definitions = [
      ...note.sections.map((it, i) => ({ ...it, name: it.title, nameLine: it.line, node: sections[i] })),
      ...note.entries.map((it, i) => ({ ...it, name: it.text, nameLine: it.line, node: entries[i] })),
    ].sort((a, b) => a.line - b.line || b.endLine - a.endLine)
    this.words.push({
      node: document,
      definitionNodes: Uint32Array.from(definitions, ({ node }) => node),
      words: collectWords(sourcePath, text, definitions),
    })
  }

  #sections({ sections, entries }: Note, id: string, document: number, place: Partial<NodeInput>): number[] {
    const seen = new Map<string, number>()
    const nodes: number[] = []
    sections.forEach(({ title, line, endLine, parent }, i) => {
      const name = slug(title)
      const occurrence = (seen.get(name) ?? 0) + 1
      seen.set(name, occurrence)
      const above = parent < 0 ? document : nodes[parent]
      const node = this.#node('section', `${id}::${name}-${occurrence}`, {
        ...place,
        label: title || '(untitled)',
        type: CONCEPT,
        tags: ['memory', 'memory:section'],
        changeFrequency: FREQUENCY.section,
        lineStart: line,
        lineEnd: endLine,
        excerpt: excerpt(entries.find((it) => it.section === i)?.text ?? ''),
        parent: above,
      })
      this.#connect(above, node, 'contains', 1, 0.8)
      nodes.push(node)
    })
    return nodes
  }

  #entries(
    { entries }: Note,
    id: string,
    { document, sections }: { document: number; sections: readonly number[] },
    place: Partial<NodeInput>,
  ): number[] {
    const last = new Map<number, number>()
    return entries.map(({ text, line, endLine, section, kind, isDone, mentions }) => {
      const above = section < 0 ? document : sections[section]
      const node = this.#node('entry', this.#free('entry', `${id}::${line}::${slug(text)}`), {
        ...place,
        label: text,
        type: PROCESS,
        tags: ['memory', 'memory:item', `memory:${kind}`, ...(isDone ? ['done'] : [])],
        changeFrequency: FREQUENCY.entry,
        lineStart: line,
        lineEnd: endLine,
        excerpt: excerpt(text),
        parent: above,
      })
      this.#connect(above, node, 'contains', 0.85, 0.55)
      const before = last.get(section)
      if (before !== undefined) this.#connect(before, node, 'follows', 0.5, 0.4)
      last.set(section, node)
      for (const path of mentions) this.#connect(node, this.#mention(path), 'references', 0.7, 0.3, line)
      return node
    })
  }

  /** One for all notes of the corpus. */
  #mention(path: string): number {
    const key = `memory::${this.namespace}::reference::${slug(path)}`
    const known = this.#numbers.get(key)
    // two paths with one slug are two mentions
    if (known !== undefined && this.nodes[known].label === path) return known
    return this.#node('reference', this.#free('reference', slug(path)), {
      label: path,
      type: REFERENCE,
      tags: ['memory', 'memory:reference'],
      changeFrequency: FREQUENCY.reference,
      namespace: this.namespace,
    })
  }

  /** An id of this kind that is not taken. */
  #free(kind: string, id: string): string {
    let free = id
    for (let n = 2; this.#numbers.has(`memory::${this.namespace}::${kind}::${free}`); n++) free = `${id}-${n}`
    return free
  }

  #node(kind: string, id: string, node: Omit<NodeInput, 'key'>): number {
    const key = `memory::${this.namespace}::${kind}::${id}`
    const number = this.nodes.push({ ...node, key }) - 1
    this.#numbers.set(key, number)
    return number
  }

  #connect(source: number, target: number, relation: string, weight: number, causal: number, line = 0): void {
    this.edges.push({
      source,
      target,
      relation,
      weight,
      causal,
      line,
      bidirectional: relation === 'contains',
      tier: 'given',
    })
  }
}

function excerpt(text: string): string | undefined {
  return text === '' ? undefined : cut(text).slice(0, EXCERPT)
}

function kindOf(path: string): string {
  const name = basename(path).toLowerCase()
  if (/^\d{4}-\d{2}-\d{2}\.(?:md|markdown|txt)$/.test(name)) return 'daily-note'
  return name === 'memory.md' ? 'long-term-memory' : 'memory-note'
}

function isCanonical(path: string): boolean {
  return kindOf(path) !== 'memory-note' || /(?:-active|-history)\.md$|briefing/i.test(basename(path))
}

/**
 * Edges from mentions in notes to the files of code they mean: the file of that path, else the only one whose path ends
 * so, or as a guess the one of several that is nearest to the top. What several could mean equally well is left open.
 */
export function linkMentions({ nodes, meta }: GraphInput): EdgeInput[] {
  if (!nodes.some((it) => isMention(it.key))) return []
  const byName = new Map<string, { path: string; node: number }[]>()
  nodes.forEach(({ key, type, path }, node) => {
    if (type !== FILE || path === undefined || key.startsWith('memory::')) return
    const name = basename(path).toLowerCase()
    byName.set(name, [...(byName.get(name) ?? []), { path, node }])
  })
  const edges: EdgeInput[] = []
  nodes.forEach(({ key, label }, source) => {
    const found = isMention(key) ? meant(withoutRoot(label, meta), byName) : null
    if (found === null) return
    const tier = found.isGuess ? 'guess' : 'unique'
    const weight = found.isGuess ? MENTIONED.weight / 2 : MENTIONED.weight
    edges.push({ ...MENTIONED, weight, source, target: found.node, bidirectional: true, tier })
  })
  return edges
}

/** An absolute path below a root as paths of files are written. */
function withoutRoot(path: string, { roots }: GraphInput['meta']): string {
  const root = roots.find((it) => path.startsWith(`${it.base}/`))
  return root === undefined ? path.replace(/^\/+/, '') : path.slice(root.base.length + 1)
}

function meant(
  path: string,
  byName: ReadonlyMap<string, { path: string; node: number }[]>,
): { node: number; isGuess: boolean } | null {
  const wanted = path.toLowerCase()
  const candidates = (byName.get(basename(wanted)) ?? []).filter((it) =>
    `/${it.path.toLowerCase()}`.endsWith(`/${wanted}`),
  )
  const depth = (it: { path: string }) => it.path.split('/').length
  const [first, second] = candidates.sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1))
  if (first === undefined || (second !== undefined && depth(second) === depth(first))) return null
  return { node: first.node, isGuess: second !== undefined && first.path.toLowerCase() !== wanted }
}
