/** From a SCIP index and the sources that it was made from to what the compiler says. */

import type { Said } from '../truth.ts'
import { descriptorsOf, type Document, type Occurrence } from './scip.ts'

interface Definition {
  id: string
  kind: string
  start: number
  end: number
  parent?: string
}

const CONTAINERS = new Set(['class', 'interface', 'enum', 'namespace', 'type'])

/** `sources` holds the text of every file that counts; references into other files are left out. */
export function saidByIndex(
  documents: readonly Document[],
  sources: ReadonlyMap<string, string>,
  language: 'python' | 'typescript',
): Said {
  const said: Said = {
    files: [...sources.keys()].sort(),
    definitions: [],
    references: [],
    dependencies: [],
    inherits: [],
    dispatch: [],
    unknown: [],
  }
  const kept = documents.filter((it) => sources.has(it.path))
  /** Definitions by symbol; symbols named `local` are those of one file. */
  const ids = new Map<string, string>()
  const byFile = new Map<string, Definition[]>()
  for (const document of kept) {
    const lines = (sources.get(document.path) ?? '').split('\n')
    byFile.set(document.path, definitionsOf(document, lines, said, ids))
  }
  const moduleFiles = new Map<string, string>()
  for (const { path, occurrences } of kept) {
    const own = occurrences.find((it) => it.isDefinition && it.line === 0 && it.start === 0 && it.end === 0)
    if (own !== undefined) moduleFiles.set(own.symbol, path)
  }
  for (const document of kept) {
    const { path } = document
    const text = sources.get(path) ?? ''
    const lines = text.split('\n')
    const definitions = byFile.get(path) ?? []
    const known = new Set<string>()
    for (const it of document.occurrences) {
      known.add(`${it.line}:${it.start}`)
      // a second definition of the same name, a setter, is written as a reference
      if (it.isDefinition || /\b(?:def|class)\s+$/.test(lines[it.line].slice(0, it.start))) continue
      const from = innermost(definitions, it.line)
      const file = moduleFiles.get(it.symbol)
      if (file !== undefined) said.dependencies.push({ from: path, to: file })
      const to = ids.get(symbolIn(path, it.symbol))
      if (to === undefined) continue
      const kind = kindOf(lines, it, path)
      const decorated = kind === 'decorator' ? definitions.find((one) => one.start === it.line + 1) : undefined
      const scope = decorated === undefined ? from?.id : decorated.id
      if (kind === 'import') {
        said.references.push({ file: path, to, kind, line: it.line + 1 })
        continue
      }
      const member = /\.\s*$/.test(lines[it.line].slice(0, it.start))
      said.references.push({
        ...(scope !== undefined && { from: scope }),
        file: path,
        to,
        kind,
        line: it.line + 1,
        member,
      })
      if (from !== undefined && isHeritage(lines, from, it, language)) said.inherits.push({ from: from.id, to })
    }
    for (const it of namesOf(text, language)) {
      if (known.has(`${it.line}:${it.start}`)) continue
      const from = innermost(definitions, it.line)
      said.unknown.push({ ...(from !== undefined && { from: from.id }), file: path, name: it.name })
    }
    for (const { symbol, base } of document.implements) {
      const from = ids.get(symbolIn(path, symbol))
      const to = ids.get(symbolIn(path, base))
      if (from === undefined || to === undefined) continue
      // bases of bases are told as well, so the bases themselves are read from the head of the type
      if (descriptorsOf(symbol).at(-1)?.kind !== 'type') said.dispatch.push({ declared: to, implementing: from })
    }
  }
  if (language === 'python') {
    said.dependencies.push(...pythonImports(sources))
    // functions within functions are local names, whose uses the index does not always tie to them
    const used = new Set(said.references.map((it) => it.to))
    for (const { id, file, name, nested, parent } of said.definitions)
      if (nested === true && parent !== undefined && !used.has(id)) said.unknown.push({ from: parent, file, name })
    said.unwritten = '^__(?!init__$)\\w+__$'
    for (const [path, text] of sources) said.unknown.push(...ownClassCalls(path, text, byFile.get(path) ?? [], said))
  }
  return said
}

function symbolIn(path: string, symbol: string): string {
  return symbol.startsWith('local ') ? `${path} ${symbol}` : symbol
}

function definitionsOf(
  { path, occurrences }: Document,
  lines: readonly string[],
  said: Said,
  ids: Map<string, string>,
): Definition[] {
  const found: Definition[] = []
  const stack: (Definition & { qualified: string })[] = []
  const sorted = occurrences
    .filter((it) => it.isDefinition && it.end > it.start && (it.extent !== null || !it.symbol.startsWith('local ')))
    .sort((a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a) || a.start - b.start)
  for (const it of sorted) {
    const kind = definitionKind(it, lines)
    if (kind === '') continue
    const name = lines[it.line].slice(it.start, it.end).replace(/^["'[]|["'\]]$/g, '')
    const start = startOf(it) + 1
    const end = endOf(it) + 1
    while (stack.length > 0 && stack[stack.length - 1].end < end) stack.pop()
    const parent = stack.at(-1)
    const id = `${path}:${it.line}:${it.start}`
    const qualified = parent === undefined ? name : `${parent.qualified}.${name}`
    const isMethod = kind === 'function' && parent?.kind === 'class'
    const nested = stack.some((one) => one.kind === 'function' || one.kind === 'method')
    const own = { id, kind: isMethod ? 'method' : kind, start, end, ...(parent !== undefined && { parent: parent.id }) }
    const symbol = symbolIn(path, it.symbol)
    if (!ids.has(symbol)) ids.set(symbol, id)
    said.definitions.push({
      ...own,
      file: path,
      name,
      qualified,
      line: it.line + 1,
      required:
        kind !== 'property' &&
        kind !== 'variable' &&
        kind !== 'namespace' &&
        (kind !== 'method' || parent?.kind === 'class'),
      nested,
    })
    found.push(own)
    if (own.kind !== 'property' && own.kind !== 'variable') stack.push({ ...own, qualified })
  }
  return found
}

/** The line on which a definition begins, with its decorators and keywords. */
function startOf({ extent, line }: Occurrence): number {
  return extent === null ? line : Math.min(extent.start, line)
}

function endOf({ extent, line }: Occurrence): number {
  return extent === null ? line : Math.max(extent.end, line)
}

function definitionKind(it: Occurrence, lines: readonly string[]): string {
  const before = lines[it.line].slice(0, it.start)
  if (/\bclass\s+$/.test(before)) return 'class'
  if (/\binterface\s+$/.test(before)) return 'interface'
  if (/\benum\s+$/.test(before)) return 'enum'
  if (/\btype\s+$/.test(before)) return 'type'
  if (/\b(?:namespace|module)\s+$/.test(before)) return 'namespace'
  if (/\b(?:def|function\s*\*?)\s*$/.test(before)) return 'function'
  const last = descriptorsOf(it.symbol).at(-1)
  if (last === undefined || last.kind === 'other' || last.kind === 'namespace') return ''
  if (last.kind === 'method') return 'method'
  if (it.extent !== null && last.kind === 'term') {
    const value = lines[it.extent.start].slice(it.extent.startCharacter)
    if (/^(?:async\b\s*)?(?:function\b|\(|<|[\w$]+\s*=>)/.test(value)) return 'function'
  }
  return descriptorsOf(it.symbol).filter((one) => one.kind === 'type').length > 0 ? 'property' : 'variable'
}

function innermost(definitions: readonly Definition[], line: number): Definition | undefined {
  let best: Definition | undefined
  for (const it of definitions) {
    if (it.kind === 'property' || it.kind === 'variable') continue
    if (
      it.start <= line + 1 &&
      line + 1 <= it.end &&
      (best === undefined || it.end - it.start <= best.end - best.start)
    )
      best = it
  }
  return best
}

function kindOf(lines: readonly string[], { line, start, end }: Occurrence, path: string): string {
  const before = lines[line].slice(0, start)
  const after = lines[line].slice(end)
  if (path.endsWith('.py')) {
    if (isPythonImport(lines, line)) return 'import'
    if (/^\s*@[\w.]*$/.test(before)) return 'decorator'
    if (/^\s*\(/.test(after)) return 'call'
    return /(?:->|:)\s*[\w."'[\], |]*$/.test(before) && !/\?|=\s*[^,]*$|\blambda\b/.test(before) ? 'type' : 'value'
  }
  if (/^\s*(?:import|export)\b.*\bfrom\b|^\s*import\b/.test(lines[line]) || isImportList(lines, line)) return 'import'
  if (before.endsWith('@')) return 'decorator'
  if (/\bnew\s+[\w.]*$/.test(before)) return 'new'
  if (
    path.endsWith('x') &&
    /<\/?$/.test(before) &&
    /^(?:\s|\/|>|$)/.test(after) &&
    /^[A-Z]/.test(lines[line].slice(start, end))
  )
    return 'jsx'
  const following = [after, ...lines.slice(line + 1, line + 4)].join('\n')
  return isCalled(following.replace(/^\s*(?:\?\.)?\s*/, '')) ? 'call' : 'value'
}

/** Arguments follow, or type arguments and then arguments. */
function isCalled(rest: string): boolean {
  if (!rest.startsWith('<')) return /^[(`]/.test(rest)
  let depth = 0
  for (let i = 0; i < rest.length && rest[i] !== ';'; i++) {
    if (rest[i] === '<') depth++
    else if (rest[i] === '>' && rest[i - 1] !== '=' && --depth === 0) return /^\s*[(`]/.test(rest.slice(i + 1))
  }
  return false
}

/** Within the braces of an import or export over several lines. */
function isImportList(lines: readonly string[], line: number): boolean {
  for (let at = line; at >= Math.max(0, line - 60); at--) {
    if (/^\s*(?:import|export)\s+(?:type\s+)?\{[^}]*$/.test(lines[at])) return true
    if (
      at < line
        ? /[;}]|\bfrom\b|[=(]/.test(lines[at])
        : !/^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*$/.test(lines[at])
    )
      return false
  }
  return false
}

function isPythonImport(lines: readonly string[], line: number): boolean {
  if (/^\s*(?:from\s+[\w.]+\s+import|import)\b/.test(lines[line])) return true
  for (let at = line; at >= Math.max(0, line - 60); at--) {
    if (/^\s*from\s+[\w.]+\s+import\s+\([^)]*$/.test(lines[at])) return true
    if (!/^[\w\s,]*(?:#.*)?$/.test(lines[at])) return false
  }
  return false
}

/** Lines that the head of a class takes at most. */
const LONGEST_HEAD = 20

/** True when the name stands among the bases of the class around it. */
function isHeritage(
  lines: readonly string[],
  { kind, start }: Definition,
  it: Occurrence,
  language: 'python' | 'typescript',
): boolean {
  if (!CONTAINERS.has(kind) || it.line - start > LONGEST_HEAD) return false
  const before = [...lines.slice(start - 1, it.line), lines[it.line].slice(0, it.start)].join('\n')
  // a name among the type arguments is no base
  const plain = before.replaceAll('=>', '')
  if (language === 'typescript' && plain.split('<').length !== plain.split('>').length) return false
  return language === 'python'
    ? /\bclass\s+\w+\s*\((?:[\w.\s,]|\[[^\]]*\])*$/.test(before)
    : /\b(?:class|interface)\b[^{]*\b(?:extends|implements)\s(?:[\w.\s,$]|<[^<>{}]*>)*$/.test(before)
}

/** Names that are called or taken from something, outside of comments and strings. */
function namesOf(text: string, language: 'python' | 'typescript'): { line: number; start: number; name: string }[] {
  const plain = text.replace(
    language === 'python'
      ? /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*/g
      : /\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/.*/g,
    (it) => it.replace(/[^\n]/g, ' '),
  )
  const found: { line: number; start: number; name: string }[] = []
  plain.split('\n').forEach((content, line) => {
    for (const it of content.matchAll(/(?<=\.\s*)[A-Za-z_$][\w$]*|[A-Za-z_$][\w$]*(?=\s*\()/g))
      found.push({ line, start: it.index, name: it[0] })
  })
  return found
}

/** Classes that their own methods call as `cls` or by the class of `self`: their names are not written there. */
function ownClassCalls(path: string, text: string, definitions: readonly Definition[], said: Said): Said['unknown'] {
  const byId = new Map(said.definitions.map((it) => [it.id, it]))
  return text.split('\n').flatMap((content, line) => {
    if (!/\bcls\s*\(|\b__class__\s*\(|\btype\(self\)\s*\(/.test(content)) return []
    const from = innermost(definitions, line)
    let around = from === undefined ? undefined : byId.get(from.id)
    while (around !== undefined && around.kind !== 'class') around = byId.get(around.parent ?? '')
    return around === undefined || from === undefined ? [] : [{ from: from.id, file: path, name: around.name }]
  })
}

/** Folders that Python's imports start from: those that hold packages or modules and are no packages themselves. */
export function pythonRoots(sources: { has(path: string): boolean; keys(): Iterable<string> }): Set<string> {
  const roots = new Set([''])
  for (const path of sources.keys()) {
    let folder = path.slice(0, path.lastIndexOf('/') + 1)
    while (folder !== '' && sources.has(`${folder}__init__.py`))
      folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
    roots.add(folder)
  }
  return roots
}

/** Pairs of files by the import statements of Python. */
function pythonImports(sources: ReadonlyMap<string, string>): Said['dependencies'] {
  const roots = pythonRoots(sources)
  const find = (base: string) => [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`].find((it) => sources.has(it))
  const found: Said['dependencies'] = []
  for (const [path, text] of sources) {
    const add = (dotted: string) => {
      const dots = /^\.*/.exec(dotted)?.[0].length ?? 0
      const rest = dotted.slice(dots).replaceAll('.', '/')
      const parts = path.split('/').slice(0, dots === 0 ? undefined : -dots)
      const bases =
        dots > 0 ? [[...parts, ...(rest === '' ? [] : [rest])].join('/')] : [...roots].map((it) => it + rest)
      for (const base of bases) {
        const file = find(base)
        if (file !== undefined && file !== path) {
          found.push({ from: path, to: file })
          return
        }
      }
    }
    for (const [, module, list] of text.matchAll(/^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)/gm)) {
      add(module)
      for (const it of list.matchAll(/(\w+)(?:\s+as\s+\w+)?/g))
        add(`${module}${module.endsWith('.') ? '' : '.'}${it[1]}`)
    }
    for (const [, list] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm))
      for (const it of list.split(',')) add(it.trim().split(/\s/)[0])
  }
  return found
}
