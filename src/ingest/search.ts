/**
 * Code of a given shape: a piece of code in which `$X` stands for any one part and `...` for any number of them is
 * parsed by each language's grammar and compared with the syntax trees of the files that have its words.
 */

import { join } from 'node:path'
import { type Node, Query } from 'web-tree-sitter'
import type { PatternSite } from '#graph/patterns'
import { languageOf } from '#ingest/extract'
import { LANGUAGES } from '#ingest/languages'
import { type Grammar, loadGrammar, parse } from '#ingest/parse'
import { patternQuery } from '#ingest/patterns'
import { breathe } from '#ingest/report'
import { cut, type Language } from '#ingest/source'
import { ContainedFiles } from '#ingest/upgrade/contained'

export interface SearchedFile {
  /** As in `source_path`. */
  path: string
  /** Absolute real path of the root's base. */
  base: string
}

export interface CodeSearch {
  sites: PatternSite[]
  /** Why the pattern is none, '' when it is one. */
  problem: string
  /** Why there may be more. */
  reasons: string[]
}

/** So much text is parsed; about two seconds of work. */
const MAX_CHARS = 10_000_000
const MAX_FILE_CHARS = 1_000_000
const MAX_SITES = 5000

/** Stand for a part and for any number of parts; no code has such names. */
const PART = 'M1NDPART'
const ANY = 'M1NDANY'

/** What a statement stands in, where it cannot stand by itself. */
const AROUND: Readonly<Record<string, readonly [string, string]>> = {
  java: ['class A { void f() { ', '; } }'],
  csharp: ['class A { void f() { ', '; } }'],
  go: ['package a\nfunc f() {\n', '\n}'],
  rust: ['fn f() { ', '; }'],
  c: ['void f() { ', '; }'],
  cpp: ['void f() { ', '; }'],
  kotlin: ['fun f() { ', ' }'],
  scala: ['object A { def f = { ', ' } }'],
  swift: ['func f() { ', ' }'],
  php: ['<?php ', ';'],
}

/** Searches files, in order of path; those outside of their base are not read. */
export async function searchCode(
  written: string,
  files: readonly SearchedFile[],
  signal: AbortSignal,
): Promise<CodeSearch> {
  const words = wordsOf(written)
  const readers = new Map<string, ContainedFiles>()
  const shapes = new Map<string, Shape | null>()
  const sites: PatternSite[] = []
  const reasons: string[] = []
  let chars = 0
  let unread = 0
  for (const { path, base } of files) {
    const language = languageNamed(languageOf(path))
    if (language === undefined || shapes.get(language.name) === null) continue
    const reader = readers.get(base) ?? new ContainedFiles([base])
    readers.set(base, reader)
    const text = reader.text(join(base, path))
    if (text === undefined || text.length > MAX_FILE_CHARS) {
      unread++
      continue
    }
    if (!words.every((it) => text.includes(it))) continue
    let shape = shapes.get(language.name)
    if (shape === undefined) {
      shape = await shapeOf(written, language)
      shapes.set(language.name, shape)
    }
    if (shape === null) continue
    const code = language.prepare?.(text) ?? text
    if (!shape.leaves.every((it) => code.includes(it))) continue
    chars += text.length
    if (chars > MAX_CHARS || sites.length >= MAX_SITES) {
      reasons.push(`the search ended at ${path}: too many files have the words of the pattern`)
      break
    }
    findIn({ path, text, code }, language, shape, sites)
    await breathe()
    if (signal.aborted) break
  }
  if (unread > 0) reasons.push(`${unread} files could not be read`)
  return { sites, problem: await problemOf(written, files, shapes), reasons }
}

/** When no file has its words the pattern may still be none at all. */
async function problemOf(
  written: string,
  files: readonly SearchedFile[],
  shapes: Map<string, Shape | null>,
): Promise<string> {
  const known = [...shapes.values()]
  if (known.some((it) => it !== null)) return ''
  const names = new Set(files.map((it) => languageOf(it.path)))
  const left = LANGUAGES.filter((it) => names.has(it.name) && it.grammar !== '' && !shapes.has(it.name))
  for (const language of left) {
    const shape = await shapeOf(written, language)
    shapes.set(language.name, shape)
    if (shape !== null) return ''
  }
  if (shapes.size === 0) return ''
  return `${JSON.stringify(written)} is no code of ${[...shapes.keys()].join(', ')}`
}

function languageNamed(name: string): Language | undefined {
  return LANGUAGES.find((it) => it.name === name && it.grammar !== '')
}

/** Names and numbers of the pattern that must stand in a file that has it. */
function wordsOf(written: string): string[] {
  return [...new Set(written.replace(/\$[A-Z_][A-Z0-9_]*/g, ' ').match(/[\p{L}\p{N}_]{2,}/gu) ?? [])]
}

// ---- shapes

interface Shape {
  grammar: Grammar
  root: Part
  /** Texts that every place of this shape holds. */
  leaves: string[]
  /** Nodes that may be one. */
  candidates: Query
}

interface Part {
  type: string
  /** Text of a leaf, without quotes; '' of inner nodes. */
  text: string
  /** Name of what stands for any part, '' when it stands for itself. */
  name: string
  isAny: boolean
  children: Part[]
}

async function shapeOf(written: string, language: Language): Promise<Shape | null> {
  const grammar = await loadGrammar(language.grammar, language.query + patternQuery(language.name))
  const isPhp = language.name === 'php'
  const code = written
    .trim()
    .replace(/;$/, '')
    .replace(/\$([A-Z_][A-Z0-9_]*)(?![\w])/g, (_, name: string) => (isPhp ? `$${PART}${name}` : `${PART}${name}`))
    .replace(/\.\.\.(?![\p{L}_$])/gu, isPhp ? `$${ANY}` : ANY)
  const [before, after] = AROUND[language.name] ?? ['', '']
  const parsed = parse(grammar, `${before}${code}${after}\n`)
  if ('problem' in parsed) return null
  const { tree } = parsed
  try {
    const node = tree.rootNode.namedDescendantForIndex(before.length, before.length + code.length)
    if (
      node === null ||
      node.hasError ||
      node.startIndex !== before.length ||
      node.endIndex < before.length + code.length
    )
      return null
    const root = partOf(node)
    // of a pattern that is one name alone every use would be one
    return root.name !== '' || root.isAny
      ? null
      : {
          grammar,
          root,
          leaves: [...new Set(leavesOf(root))],
          candidates: new Query(grammar.language, `(${node.type}) @it`),
        }
  } finally {
    tree.delete()
  }
}

function partOf(node: Node): Part {
  const text = node.text
  const name = new RegExp(`^\\$?${PART}(\\w+)$`).exec(text)?.[1] ?? ''
  const isAny = new RegExp(`^\\$?${ANY};?$`).test(text)
  const part: Part = { type: node.type, text: '', name, isAny, children: [] }
  if (name !== '' || isAny) return part
  const children = significant(node)
  if (children.length === 0) part.text = plain(text)
  else part.children = children.map(partOf)
  return part
}

function leavesOf({ text, children }: Part): string[] {
  return text === '' ? children.flatMap(leavesOf) : [text]
}

const STRINGS = /string/

/** Strings are leaves; commas, semicolons and comments do not count. */
function significant(node: Node): Node[] {
  if (STRINGS.test(node.type)) return []
  return node.children.flatMap((it) => (it === null || /^[,;]$|comment|^\n$/.test(it.type) ? [] : [it]))
}

/** A string without the quotes, which may be of either kind. */
function plain(text: string): string {
  return text.replace(/^(["'`])([\s\S]*)\1$/, '$2')
}

// ---- comparing

function findIn(
  { path, text, code }: { path: string; text: string; code: string },
  language: Language,
  { grammar, root, candidates }: Shape,
  sites: PatternSite[],
): void {
  const parsed = parse(grammar, code, language.maxAngles)
  if ('problem' in parsed) return
  const { tree } = parsed
  try {
    const lines = text.split('\n')
    for (const { node } of candidates.captures(tree.rootNode)) {
      if (!matches(root, node, new Map())) continue
      const line = node.startPosition.row + 1
      if (sites.at(-1)?.line === line && sites.at(-1)?.path === path) continue
      sites.push({ rule: 'custom', path, line, text: cut(lines[line - 1] ?? ''), remedy: '' })
    }
  } finally {
    tree.delete()
  }
}

/** Whether a node has the shape; the same name must stand for the same text everywhere. */
function matches(part: Part, node: Node, bound: Map<string, string>): boolean {
  if (part.isAny) return true
  if (part.name !== '') {
    const known = bound.get(part.name)
    if (known !== undefined) return part.name === '_' || known === node.text
    bound.set(part.name, node.text)
    return true
  }
  if (part.type !== node.type) return false
  if (part.children.length === 0) return part.text === plain(node.text)
  return matchAll(part.children, 0, significant(node), 0, bound)
}

function matchAll(
  parts: readonly Part[],
  i: number,
  nodes: readonly Node[],
  j: number,
  bound: Map<string, string>,
): boolean {
  if (i === parts.length) return j === nodes.length
  if (parts[i].isAny || isOnlyAny(parts[i])) {
    for (let next = j; next <= nodes.length; next++)
      if (matchAll(parts, i + 1, nodes, next, new Map(bound))) return true
    return false
  }
  if (j === nodes.length) return false
  const tried = new Map(bound)
  if (!matches(parts[i], nodes[j], tried) || !matchAll(parts, i + 1, nodes, j + 1, tried)) return false
  for (const [name, text] of tried) bound.set(name, text)
  return true
}

/** A statement or argument that consists of `...` alone. */
function isOnlyAny({ children }: Part): boolean {
  return children.length === 1 && (children[0].isAny || isOnlyAny(children[0]))
}
