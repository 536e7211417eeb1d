/** Syntax colours by the name of a file. Each language is loaded when a file of it is first shown. */

import { createLowlight } from 'lowlight'

type Grammar = Parameters<ReturnType<typeof createLowlight>['register']>[1]
type Load = () => Promise<{ default: Grammar }>

const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  erlang: () => import('highlight.js/lib/languages/erlang'),
  go: () => import('highlight.js/lib/languages/go'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  ocaml: () => import('highlight.js/lib/languages/ocaml'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

const ENDINGS: Readonly<Record<string, string>> = {
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  h: 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  hh: 'cpp',
  cs: 'csharp',
  scss: 'css',
  ex: 'elixir',
  exs: 'elixir',
  erl: 'erlang',
  hs: 'haskell',
  toml: 'ini',
  cfg: 'ini',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  md: 'markdown',
  ml: 'ocaml',
  mli: 'ocaml',
  pl: 'perl',
  pm: 'perl',
  proto: 'protobuf',
  py: 'python',
  pyi: 'python',
  rb: 'ruby',
  rs: 'rust',
  sc: 'scala',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  html: 'xml',
  vue: 'xml',
  svelte: 'xml',
  yml: 'yaml',
}

/** Longer texts stay without colours: they would hold up the page. */
const LONGEST = 300_000

const lowlight = createLowlight()

/** A piece of a line and the classes of its colour. */
export interface Piece {
  text: string
  class: string
}

/** The lines of a text in coloured pieces. A language that is not known gives one piece a line. */
export async function highlight(path: string, content: string): Promise<Piece[][]> {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const language = ENDINGS[ending] ?? ending
  const load = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
  if (load === undefined || content.length > LONGEST) return plain(content)
  if (!lowlight.registered(language)) lowlight.register(language, (await load()).default)
  const lines: Piece[][] = [[]]
  collect(lowlight.highlight(language, content), '', lines)
  return lines
}

function plain(content: string): Piece[][] {
  return content.split('\n').map((text) => [{ text, class: '' }])
}

type Tree = ReturnType<typeof lowlight.highlight>
type Node = Tree['children'][number] | Tree

function collect(node: Node, colour: string, lines: Piece[][]): void {
  if (node.type === 'text') {
    const [first, ...rest] = node.value.split('\n')
    lines.at(-1)?.push({ text: first, class: colour })
    for (const text of rest) lines.push([{ text, class: colour }])
    return
  }
  if (!('children' in node)) return
  const names = node.type === 'element' ? node.properties.className : undefined
  const own = Array.isArray(names) ? names.join(' ') : colour
  for (const it of node.children) collect(it, own, lines)
}
