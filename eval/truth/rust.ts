/** From the SCIP index of rust-analyzer and the sources to what the compiler says. */

import type { Said } from '../truth.ts'
import { descriptorsOf, type Document, type Occurrence } from './scip.ts'

interface Definition {
  id: string
  kind: string
  start: number
  end: number
}

/** Lines that the head of an implementation or trait takes at most. */
const LONGEST_HEAD = 30

export function saidByRustAnalyzer(documents: readonly Document[], sources: ReadonlyMap<string, string>): Said {
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
  /** Definitions by symbol, and traits by name, as implementations write it. */
  const ids = new Map<string, string>()
  const kinds = new Map<string, string>()
  const traits = new Map<string, string[]>()
  const moduleFiles = new Map<string, string>()
  const byFile = new Map<string, Definition[]>()
  /** Symbols by definition. */
  const symbols = new Map<string, string>()
  for (const document of kept)
    for (const { symbol, line, start, end, isDefinition } of document.occurrences)
      if (isDefinition && line === 0 && start === 0 && end === 0) moduleFiles.set(symbol, document.path)
  for (const document of kept) byFile.set(document.path, define(document))
  for (const it of said.definitions) {
    kinds.set(it.id, it.kind)
    if (it.kind !== 'trait') continue
    traits.set(it.name, [...(traits.get(it.name) ?? []), it.id])
  }
  for (const it of said.definitions) it.parent ??= ownerOf(it.id)
  for (const document of kept) refer(document)
  dispatch()
  return said

  function define({ path, occurrences }: Document): Definition[] {
    const lines = (sources.get(path) ?? '').split('\n')
    const found: Definition[] = []
    const stack: { id: string; end: number; kind: string; qualified: string }[] = []
    const sorted = occurrences
      .filter((it) => it.isDefinition && it.end > it.start && it.extent !== null && !it.symbol.startsWith('local '))
      .sort((a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a) || a.start - b.start)
    for (const it of sorted) {
      const before = lines[it.line].slice(0, it.start)
      const kind = kindOfDefinition(it, before)
      if (kind === '') continue
      const name = lines[it.line].slice(it.start, it.end).replace(/^r#/, '')
      const end = endOf(it) + 1
      while (stack.length > 0 && stack[stack.length - 1].end < end) stack.pop()
      const parent = stack.at(-1)
      const id = `${path}:${it.line}:${it.start}`
      const inside = /impl#\[(.*?)\](?!\[)/.exec(it.symbol)?.[0] ?? ''
      const qualified = `${parent === undefined ? '' : `${parent.qualified}.`}${inside}${name}`
      said.definitions.push({
        id,
        file: path,
        kind: kind === 'function' && (inside !== '' || parent?.kind === 'trait') ? 'method' : kind,
        name,
        qualified,
        start: startOf(it) + 1,
        end,
        line: it.line + 1,
        required: /^(?:function|struct|enum|trait|type)$/.test(kind) && !(kind === 'type' && inside !== ''),
        nested: stack.some((one) => one.kind === 'function'),
        ...(parent !== undefined && { parent: parent.id }),
      })
      if (!ids.has(it.symbol)) ids.set(it.symbol, id)
      // programs of one package have symbols in common
      ids.set(`${path} ${it.symbol}`, id)
      symbols.set(id, it.symbol)
      found.push({ id, kind, start: startOf(it) + 1, end })
      if (kind !== 'property' && kind !== 'const') stack.push({ id, end, kind, qualified })
    }
    return found
  }

  /** The type that a method is implemented for, when it is declared in the same module. */
  function ownerOf(id: string): string | undefined {
    const symbol = symbols.get(id) ?? ''
    const at = symbol.indexOf('impl#[')
    if (at < 0) return undefined
    const name = /^impl#\[`?&?(?:mut )?([\w]+)/.exec(symbol.slice(at))?.[1] ?? ''
    return ids.get(`${symbol.slice(0, at)}${name}#`)
  }

  function refer({ path, occurrences }: Document): void {
    const plain = withoutText(sources.get(path) ?? '')
    const lines = plain.split('\n')
    const uses = importRanges(plain)
    const definitions = byFile.get(path) ?? []
    const owners = heads(lines, occurrences)
    const known = new Set(occurrences.map((it) => `${it.line}:${it.start}`))
    for (const it of occurrences) {
      if (it.isDefinition) continue
      const after = lines[it.line].slice(it.end)
      const file = moduleFiles.get(it.symbol)
      if (file !== undefined) said.dependencies.push({ from: path, to: file, optional: /^\s*::/.test(after) })
      const to = ids.get(`${path} ${it.symbol}`) ?? ids.get(it.symbol)
      if (to === undefined) continue
      const isImport = uses.some(([start, end]) => it.line >= start && it.line <= end)
      const around = isImport ? undefined : innermost(definitions, it.line)?.id
      const from = around ?? owners.get(it.line)
      const before = lines[it.line].slice(0, it.start)
      const kind = isImport ? 'import' : isCalled(after) ? 'call' : isConstructed(before, after) ? 'construct' : 'value'
      said.references.push({
        ...(from !== undefined && { from }),
        file: path,
        to,
        kind,
        line: it.line + 1,
        member: /\.\s*$/.test(before),
      })
    }
    lines.forEach((content, line) => {
      for (const it of content.matchAll(/(?<=[.:]\s*)[A-Za-z_]\w*|[A-Za-z_]\w*(?=\s*!?\s*[({<:])/g)) {
        if (known.has(`${line}:${it.index}`)) continue
        const from = innermost(definitions, line)
        said.unknown.push({ ...(from !== undefined && { from: from.id }), file: path, name: it[0] })
      }
    })
  }

  /** Traits that types implement, and traits that traits require; gives the types of the heads of implementations by line. */
  function heads(lines: readonly string[], occurrences: readonly Occurrence[]): Map<number, string> {
    const owners = new Map<number, string>()
    lines.forEach((content, line) => {
      const keyword = /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:unsafe\s+)?(?:auto\s+)?(impl|trait)\b/.exec(
        content,
      )
      if (keyword === null) return
      const bases: string[] = []
      let isAfterFor = false
      let own: string | undefined
      let depth = 0
      let isBound = false
      let isBehind = false
      for (let at = line; at < Math.min(lines.length, line + LONGEST_HEAD); at++) {
        for (const { 0: sign, index } of lines[at].matchAll(
          /->|[<>([{;)\]]|\bfor\b(?!\s*<)|\bwhere\b|:(?!:)|[A-Za-z_]\w*/g,
        )) {
          if (sign === '->') continue
          if (sign === '{' || sign === ';') return finish(at)
          if (isBehind) continue
          if (sign === 'where') {
            isBehind = true
            continue
          }
          if ('<(['.includes(sign)) depth++
          else if ('>)]'.includes(sign)) depth--
          else if (depth > 0) continue
          else if (sign === 'for') isAfterFor = true
          else if (sign === ':') isBound = true
          else {
            const to = occurrences.find((it) => it.line === at && it.start === index)
            const id = to === undefined ? undefined : ids.get(to.symbol)
            if (keyword[1] === 'trait') {
              if (to?.isDefinition === true) own ??= id
              else if (isBound && id !== undefined) bases.push(id)
            } else if (isAfterFor) own = id ?? own
            else if (id !== undefined) bases.push(id)
          }
        }
      }
      function finish(end: number): void {
        if (own === undefined) return
        if (keyword?.[1] === 'impl') for (let at = line; at <= end; at++) owners.set(at, own)
        if (keyword?.[1] === 'impl' && !isAfterFor) return
        for (const to of bases) if (kinds.get(to) === 'trait') said.inherits.push({ from: own, to })
      }
    })
    return owners
  }

  /** Methods of implementations, by the name of the trait that they are for. */
  function dispatch(): void {
    for (const it of said.definitions) {
      const trait = /impl#\[.*\]\[`?(\w+).*\]/.exec(symbols.get(it.id) ?? '')?.[1]
      const [declaring, ...others] = traits.get(trait ?? '') ?? []
      if (declaring === undefined || others.length > 0) continue
      const own = `${symbols.get(declaring)}${it.name}`
      const declared = ids.get(`${own}().`) ?? ids.get(`${own}#`)
      if (declared !== undefined) said.dispatch.push({ declared, implementing: it.id })
    }
  }
}

function startOf({ extent, line }: Occurrence): number {
  return extent === null ? line : Math.min(extent.start, line)
}

function endOf({ extent, line }: Occurrence): number {
  return extent === null ? line : Math.max(extent.end, line)
}

function kindOfDefinition({ symbol }: Occurrence, before: string): string {
  const word = /\b(fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?$/.exec(
    before,
  )?.[1]
  if (word === 'fn' || word === 'macro_rules!') return 'function'
  if (word === 'union') return 'struct'
  if (word === 'mod') return 'namespace'
  if (word === 'const' || word === 'static') return 'const'
  if (word !== undefined) return word
  const last = descriptorsOf(symbol).at(-1)
  return last?.kind === 'term' || last?.kind === 'type' ? 'property' : ''
}

function innermost(definitions: readonly Definition[], line: number): Definition | undefined {
  let best: Definition | undefined
  for (const it of definitions)
    if (
      it.kind !== 'property' &&
      it.kind !== 'const' &&
      it.kind !== 'namespace' &&
      it.start <= line + 1 &&
      line + 1 <= it.end &&
      (best === undefined || it.end - it.start <= best.end - best.start)
    )
      best = it
  return best
}

function isCalled(after: string): boolean {
  const rest = after.replace(/^\s*!?\s*(?:::\s*)?/, '')
  if (!rest.startsWith('<')) return rest.startsWith('(') || /^\s*!\s*[[({]/.test(after)
  let depth = 0
  for (let i = 0; i < rest.length; i++) {
    if (rest[i] === '<') depth++
    else if (rest[i] === '>' && rest[i - 1] !== '-' && --depth === 0) return rest[i + 1] === '('
  }
  return false
}

/** `Cart { total }`, where no block can stand. */
function isConstructed(before: string, after: string): boolean {
  return (
    /^\s*\{/.test(after) &&
    !/(?:\b(?:impl|for|in|if|while|match|where|mod)\b[^;{}]*|->\s*[^;{}]*|(?<!:):\s*)$/.test(before)
  )
}

/** First and last lines of `use` declarations. */
function importRanges(plain: string): [number, number][] {
  const lineAt = (offset: number) => plain.slice(0, offset).split('\n').length - 1
  return [...plain.matchAll(/^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s[^;]*;/gm)].map(({ 0: whole, index }) => [
    lineAt(index),
    lineAt(index + whole.length),
  ])
}

/** Blanks where comments and strings were, so that places stay. */
function withoutText(text: string): string {
  return text.replace(
    /\/\/.*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'/g,
    (it) => it.replace(/[^\n]/g, ' '),
  )
}
