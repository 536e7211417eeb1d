/** Rust. */

import {
  expressionPath,
  headOf,
  type Syntax,
  splitTopLevel,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set([
    'Option',
    'Result',
    'Box',
    'Rc',
    'Arc',
    'Pin',
    'Cow',
    'Cell',
    'RefCell',
    'Mutex',
    'RwLock',
    'OnceCell',
    'OnceLock',
    'Lazy',
    'LazyLock',
    'LazyCell',
    'MutexGuard',
    'RwLockReadGuard',
    'RwLockWriteGuard',
    'Ref',
    'RefMut',
    'ManuallyDrop',
    'MaybeUninit',
    'NonNull',
    'AssertUnwindSafe',
    'Weak',
  ]),
}

const QUERY = `
(attribute_item) @attribute
(inner_attribute_item) @inner
(use_declaration) @use
(extern_crate_declaration name: (identifier) @name alias: (identifier)? @alias) @extern
(mod_item name: (identifier) @name body: (_)? @body) @mod
(struct_item name: (type_identifier) @name type_parameters: (_)? @generics) @struct
(union_item name: (type_identifier) @name type_parameters: (_)? @generics) @struct
(enum_item name: (type_identifier) @name type_parameters: (_)? @generics) @enum
(enum_variant name: (identifier) @name) @variant
(trait_item name: (type_identifier) @name type_parameters: (_)? @generics bounds: (_)? @bounds) @trait
(associated_type name: (type_identifier) @name) @alias
(type_item name: (type_identifier) @name type_parameters: (_)? @generics type: (_) @type) @alias
(impl_item type_parameters: (_)? @generics trait: (_)? @trait type: (_) @type) @impl
(function_item name: (identifier) @name type_parameters: (_)? @generics parameters: (parameters) @params return_type: (_)? @result) @fn
(function_signature_item name: (identifier) @name type_parameters: (_)? @generics parameters: (parameters) @params return_type: (_)? @result) @fn
(const_item name: (identifier) @name type: (_) @type) @const
(static_item name: (identifier) @name type: (_) @type) @const
(macro_definition name: (identifier) @name) @macro
(field_declaration name: (field_identifier) @name type: (_) @type) @field
(let_declaration pattern: (_) @pattern type: (_)? @type value: (_)? @value) @let
(let_condition pattern: (_) @pattern value: (_) @value) @let
(for_expression pattern: (_) @pattern value: (_) @value) @for
(match_expression value: (_) @value) @match
(match_arm pattern: (match_pattern) @pattern) @arm
(closure_expression parameters: (closure_parameters) @params) @closure
(call_expression function: (_) @callee arguments: (arguments) @args) @call
(macro_invocation macro: (_) @callee) @invoke
(token_tree (identifier) @callee . (token_tree) @args) @tokens
(struct_expression name: (_) @name) @construct
(type_identifier) @typename
(scoped_type_identifier) @typename
(line_comment) @comment
(block_comment) @comment
(string_literal) @string
(raw_string_literal) @string
(char_literal) @string
(ERROR) @error
`

export const rust: Language = { name: 'rust', extensions: ['rs'], grammar: 'rust', query: QUERY, syntax, read }

const TYPES_WITHOUT_NODE = new Set(
  'Self String Vec Option Result Box Arc Rc HashMap HashSet BTreeMap Some None Ok Err Default Debug Clone Send Sync Sized Copy Display From Into str bool char usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 Fn FnMut FnOnce'.split(
    ' ',
  ),
)
const STD_MACROS = new Set(
  'println print eprintln eprint format write writeln panic assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne vec todo unimplemented unreachable matches concat stringify include include_str include_bytes env option_env line column file module_path cfg compile_error dbg thread_local macro_rules format_args'.split(
    ' ',
  ),
)
const STD_CALLS = new Set(['Some', 'Ok', 'Err', 'drop', 'None'])
const PLAIN_ATTRIBUTES = new Set(
  'derive cfg cfg_attr test allow warn deny forbid inline doc must_use repr path non_exhaustive macro_use macro_export deprecated ignore should_panic automatically_derived cold track_caller no_mangle link export_name global_allocator target_feature feature expect default serde clap arg command error from source'.split(
    ' ',
  ),
)
/** Calls that hand on what they are called on, or what it wraps. */
const SAME =
  /\.(?:unwrap|expect|unwrap_or_default|unwrap_or_else|unwrap_or|as_ref|as_mut|as_deref|as_deref_mut|clone|cloned|to_owned|borrow|borrow_mut|lock|by_ref|iter|iter_mut|into_iter|into_inner)\(\)(?=\.|\[|$)/g

interface Impl {
  end: number
  /** The type as written, without generics, `.` between segments. */
  owner: string
  /** Its definition in this file or -1. */
  definition: number
  trait: string
  /** The trait is told from the first method when the type stands in another file. */
  told: boolean
  generics: string
  /** Names in `generics`. */
  parameters: ReadonlySet<string>
  line: number
}

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  let attributes: Match[] = []
  const impls: Impl[] = []
  const arms: { value: string; end: number }[] = []
  facts.facts.tags.push('rust')
  if (/(?:^|\/)(?:tests|benches)\//.test(source.path)) facts.facts.tags.push('test')
  if (/(?:^|\/)(?:main|build)\.rs$|(?:^|\/)src\/bin\//.test(source.path)) facts.facts.tags.push('entrypoint')
  const inner = /^\s*((?:\/\/![^\n]*\n?)+)/.exec(text)
  if (inner !== null) facts.facts.excerpt = firstSentence(inner[1].replace(/^\s*\/\/!/gm, ''))

  const implAt = (offset: number): Impl | undefined => {
    while (impls.length > 0 && impls[impls.length - 1].end <= offset) impls.pop()
    return impls.at(-1)
  }
  /** Writes `Self` as the type that it stands for. */
  const own = (path: string, offset: number, scope: number): string => {
    if (!/^Self\b/.test(path)) return path
    const impl = implAt(offset)
    if (impl !== undefined) return impl.owner + path.slice(4)
    const owner = facts.classOf(scope)
    return owner < 0 ? path : facts.facts.definitions[owner].name + path.slice(4)
  }
  const valueOf = (value: string, offset: number, scope: number): string => {
    // what a wrapper is made of, and what a macro makes
    const inner = /^\s*(?:(?:Box|Rc|Arc|Cell|RefCell|Mutex|RwLock|Pin)::new|Some|Ok)\(([\s\S]*)\)$/.exec(value)
    if (inner !== null) return valueOf(inner[1], offset, scope)
    if (/^\s*(?:match\b|[\w:]+!)/.test(value)) return ''
    const path = expressionPath(value, syntax)
    return own(path, offset, scope).replace(SAME, '')
  }
  /** Owner and parent of what stands in an implementation. */
  const inImpl = (offset: number, scope: number): { owner?: string; parent?: number } => {
    const impl = implAt(offset)
    if (impl === undefined || (scope >= 0 && facts.ends[scope] < impl.end)) return {}
    return { owner: impl.owner, ...(impl.definition >= 0 ? { parent: impl.definition } : {}) }
  }
  const define = (match: Match, definition: Parameters<FactsBuilder['define']>[0], nameStart: number): number => {
    const start = attributes.length > 0 ? attributes[0].start : match.start
    const tags = [...(definition.tags ?? [])]
    for (const it of attributes) tags.push(...attributeTags(source.slice(it)))
    if (text.startsWith('pub', match.start)) tags.push('public')
    const comment = facts.commentBefore(start)
    const index = facts.define(
      {
        ...definition,
        tags: [...new Set(tags)],
        excerpt:
          comment === ''
            ? cut(text.slice(match.start, Math.min(match.end, match.start + 300)).split(/[{;]/)[0])
            : firstSentence(comment),
        exported: text.startsWith('pub', match.start),
      },
      { start, end: match.end, nameStart },
    )
    for (const it of attributes) {
      const path = /^#\[\s*([\w:]+)/.exec(source.slice(it))?.[1].replace(/::/g, '.') ?? ''
      if (path !== '' && !PLAIN_ATTRIBUTES.has(path) && !path.startsWith('rustfmt') && !path.startsWith('clippy'))
        facts.reference(index, 'decorates', path, it.line)
    }
    attributes = []
    return index
  }

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    const name = source.part(match, 'name')
    switch (match.kind) {
      case 'attribute':
        if (
          attributes.length > 0 &&
          /\S/.test(withoutComments(text.slice(attributes[attributes.length - 1].end, match.start)))
        )
          attributes = []
        attributes.push(match)
        break

      case 'use':
        attributes = []
        facts.toldRanges.push(match.start, match.end)
        readUse(source.slice(match), match.line, scope, facts)
        break

      case 'extern':
        attributes = []
        facts.toldRanges.push(match.start, match.end)
        facts.import({
          kind: 'import',
          module: source.partText(match, 'name'),
          name: '',
          alias: source.partText(match, 'alias') || source.partText(match, 'name'),
          scope,
          line: match.line,
        })
        break

      case 'mod': {
        if (name === undefined) break
        if (source.part(match, 'body') !== undefined) {
          define(match, { name: source.slice(name), kind: 'mod' }, name.start)
          break
        }
        const path = attributes
          .map((it) => /^#\[\s*path\s*=\s*"([^"]+)"/.exec(source.slice(it))?.[1])
          .find((it) => it !== undefined)
        attributes = []
        facts.told.add(name.start)
        facts.import({
          kind: 'module',
          module: path === undefined ? source.slice(name) : `./${path}`,
          name: '',
          alias: source.slice(name),
          scope,
          line: match.line,
        })
        break
      }

      case 'struct':
      case 'enum':
      case 'trait':
      case 'alias': {
        if (name === undefined) break
        const kind =
          match.kind === 'alias' ? 'type' : match.kind === 'struct' || match.kind === 'enum' ? match.kind : 'trait'
        const type = match.kind === 'alias' ? typePath(source.partText(match, 'type'), syntax) : ''
        const index = define(
          match,
          {
            name: source.slice(name),
            kind,
            type,
            tags: kind === 'trait' ? ['interface'] : [],
            ...(match.kind === 'alias' ? inImpl(match.start, scope) : {}),
          },
          name.start,
        )
        const bounds = source.part(match, 'bounds')
        if (bounds !== undefined) facts.tellHeads(bounds)
        bindGenerics(source.partText(match, 'generics'), index, match.line, facts)
        for (const bound of splitTopLevel(source.partText(match, 'bounds').replace(/^\s*:/, ''), '+', syntax)) {
          const base = typePath(bound, syntax)
          if (!TYPES_WITHOUT_NODE.has(headOf(base))) facts.inherit(index, base, match.line)
        }
        break
      }

      case 'variant':
        if (name === undefined) break
        attributes = attributes.filter((it) => it.start >= match.start)
        facts.define(
          { name: source.slice(name), kind: 'variant', tags: ['variant'], excerpt: cut(source.slice(match)) },
          { start: match.start, end: match.end, nameStart: name.start, isScope: false },
        )
        break

      case 'impl': {
        attributes = []
        const type = source.part(match, 'type')
        const trait = source.part(match, 'trait')
        if (type === undefined) break
        const owner = headOf(typePath(source.slice(type), syntax))
        const label = owner.slice(owner.lastIndexOf('.') + 1)
        const definition = facts.typeNamed(label, scope)
        const base = trait === undefined ? '' : typePath(source.slice(trait), syntax)
        tellPath(source, type, facts)
        if (trait !== undefined) tellPath(source, trait, facts)
        const impl = {
          end: match.end,
          owner,
          definition,
          trait: base,
          told: false,
          generics: source.partText(match, 'generics'),
          parameters: new Set(parametersOf(source.partText(match, 'generics')).map((it) => it.name)),
          line: match.line,
        }
        if (base !== '' && definition >= 0) {
          facts.inherit(definition, base, match.line)
          impl.told = true
        }
        impls.push(impl)
        break
      }

      case 'fn': {
        if (name === undefined) break
        const impl = implAt(match.start)
        const parameters = readParameters(source.partText(match, 'params'))
        const result = source.partText(match, 'result')
        const inside = impl !== undefined && (scope < 0 || facts.ends[scope] >= impl.end)
        const resultPath = typePath(result, syntax)
        const label = source.slice(name)
        const tags: string[] = []
        if (inside || (scope >= 0 && facts.facts.definitions[scope].kind === 'trait')) tags.push('method')
        if (inside && impl.trait !== '') tags.push('impl_method')
        if (/\basync\b/.test(text.slice(match.start, name.start))) tags.push('async')
        if (label === 'main' && scope < 0) tags.push('entrypoint')
        const index = define(
          match,
          {
            name: label,
            kind: 'fn',
            tags,
            type:
              inside && /^Self\b/.test(resultPath)
                ? impl.owner + resultPath.slice(4)
                : own(resultPath, match.start, scope),
            arity: parameters.filter((it) => it.name !== 'self').length,
            ...inImpl(match.start, scope),
          },
          name.start,
        )
        if (inside) {
          bindGenerics(impl.generics, index, match.line, facts)
          if (impl.trait !== '' && !impl.told) {
            facts.inherit(index, impl.trait, impl.line)
            impl.told = true
          }
        }
        bindGenerics(source.partText(match, 'generics'), index, match.line, facts)
        for (const it of parameters) {
          if (it.name !== 'self')
            bindPattern(
              it.name,
              '',
              own(typePath(it.type, syntax), match.start, index),
              index,
              'parameter',
              match.line,
              facts,
            )
        }
        break
      }

      case 'const':
        if (name === undefined) break
        attributes = attributes.filter((it) => it.end <= match.start)
        if (scope >= 0 && facts.facts.definitions[scope].kind === 'fn') {
          facts.told.add(name.start)
          facts.bind({
            scope,
            name: source.slice(name),
            kind: 'local',
            type: typePath(source.partText(match, 'type'), syntax),
            value: '',
            line: match.line,
          })
          break
        }
        readConst(source, match, name.start, implAt(match.start), attributes, facts)
        attributes = []
        break

      case 'macro':
        if (name !== undefined) define(match, { name: source.slice(name), kind: 'fn', tags: ['macro'] }, name.start)
        break

      case 'field': {
        attributes = []
        if (name === undefined || scope < 0) break
        facts.told.add(name.start)
        facts.bind({
          scope,
          name: source.slice(name),
          kind: 'field',
          type: own(typePath(source.partText(match, 'type'), syntax), match.start, scope),
          value: '',
          line: match.line,
        })
        break
      }

      case 'let': {
        const type = own(typePath(source.partText(match, 'type'), syntax), match.start, scope)
        bindPattern(
          source.partText(match, 'pattern'),
          valueOf(source.partText(match, 'value'), match.start, scope),
          type,
          scope,
          'local',
          match.line,
          facts,
        )
        break
      }

      case 'for': {
        const value = valueOf(source.partText(match, 'value'), match.start, scope)
        bindPattern(
          source.partText(match, 'pattern'),
          value === '' ? '' : `${value}[]`,
          '',
          scope,
          'local',
          match.line,
          facts,
        )
        break
      }

      case 'match':
        arms.push({ value: valueOf(source.partText(match, 'value'), match.start, scope), end: match.end })
        break

      case 'arm': {
        while (arms.length > 0 && arms[arms.length - 1].end <= match.start) arms.pop()
        bindPattern(
          source.partText(match, 'pattern').split(/\sif\s/)[0],
          arms.at(-1)?.value ?? '',
          '',
          scope,
          'local',
          match.line,
          facts,
        )
        break
      }

      case 'closure':
        for (const it of splitTopLevel(source.partText(match, 'params').replace(/^\||\|$/g, ''), ',', syntax)) {
          const [pattern, type] = splitTopLevel(it, ':', syntax)
          const called =
            /([\w.]+)((?:\([^()]*\))?)\.(?:map|for_each|filter|any|all|find|filter_map|flat_map|and_then|map_or|position|inspect)\(\s*(?:move\s*)?$/.exec(
              text.slice(Math.max(0, match.start - 120), match.start),
            )
          const element =
            called === null
              ? ''
              : `${called[1].replace(/\.(?:iter|iter_mut|into_iter)$/, '')}${/\.(?:iter|iter_mut|into_iter)$/.test(called[1]) ? '[]' : ''}`
          bindPattern(
            pattern,
            called === null || called[2] === '' ? '' : element,
            typePath(type ?? '', syntax),
            scope,
            'parameter',
            match.line,
            facts,
          )
        }
        break

      case 'call': {
        const callee = source.part(match, 'callee')
        const args = source.part(match, 'args')
        if (callee === undefined || args === undefined) break
        facts.told.add(callee.start)
        tellPath(source, callee, facts)
        const path = own(expressionPath(source.slice(callee), syntax), match.start, scope)
        if (path === '' || STD_CALLS.has(path)) break
        facts.reference(scope, 'calls', withoutWrappers(path), source.lineAt(callee.end - 1), {
          args: splitTopLevel(text.slice(args.start + 1, args.end - 1), ',', syntax).filter((it) => it.trim() !== '')
            .length,
        })
        break
      }

      case 'invoke': {
        const callee = source.part(match, 'callee')
        if (callee === undefined) break
        facts.told.add(callee.start)
        const path = source.slice(callee).replace(/::/g, '.').replace(/\s/g, '')
        if (!STD_MACROS.has(path)) facts.reference(scope, 'calls', path, match.line)
        break
      }

      case 'tokens': {
        const callee = source.part(match, 'callee')
        const args = source.part(match, 'args')
        if (callee === undefined || args === undefined || text[args.start] !== '(') break
        const before =
          /(?:[\p{L}_][\p{L}\p{N}_]*(?:\s*\([^()]*\))?\s*(?:::|\.)\s*)+$/u.exec(
            text.slice(Math.max(0, callee.start - 160), callee.start),
          )?.[0] ?? ''
        const path = own(expressionPath(before + source.slice(callee), syntax), callee.start, scope)
        facts.told.add(callee.start - before.length)
        if (path !== '' && !STD_CALLS.has(path)) facts.reference(scope, 'calls', withoutWrappers(path), callee.line)
        break
      }

      case 'construct': {
        if (name === undefined) break
        tellPath(source, name, facts)
        const path = own(headOf(typePath(source.slice(name), syntax)), match.start, scope)
        facts.reference(scope, 'calls', path, match.line)
        break
      }

      case 'typename': {
        if (facts.told.has(match.start)) break
        tellPath(source, match, facts)
        const path = own(headOf(typePath(source.slice(match), syntax)), match.start, scope)
        // the head of an implementation belongs to its type
        const impl = implAt(match.start)
        const isHead = impl !== undefined && (scope < 0 || facts.ends[scope] >= impl.end)
        if (path === '' || TYPES_WITHOUT_NODE.has(path) || (isHead && impl.parameters.has(path))) break
        facts.reference(isHead && impl.definition >= 0 ? impl.definition : scope, 'references', path, match.line)
        break
      }
    }
  }
  facts.mentions(['self'], (offset) => dottedAt(text, offset, isKey))
}

/** A field name in a literal or pattern, or a name being assigned. */
function isKey(text: string, end: number): boolean {
  return /^\s*(?::(?!:)|=(?![=>]))/.test(text.slice(end, end + 20))
}

function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
}

function withoutWrappers(path: string): string {
  const dot = path.lastIndexOf('.')
  return dot < 0 ? path : path.slice(0, dot).replace(SAME, '') + path.slice(dot)
}

/** Marks every segment of a path as told. */
function tellPath(source: Source, span: { start: number; end: number }, facts: FactsBuilder): void {
  const text = source.slice(span)
  if (text.length > 200) return
  facts.told.add(span.start)
  for (const part of text.split('<')[0].matchAll(/::\s*/g)) facts.told.add(span.start + part.index + part[0].length)
}

function attributeTags(attribute: string): string[] {
  const derive = /^#\[\s*derive\s*\(([\s\S]*)\)\s*\]$/.exec(attribute)
  if (derive !== null)
    return derive[1]
      .split(',')
      .map((it) => `derive:${it.trim().replace(/^.*::/, '').toLowerCase()}`)
      .filter((it) => it !== 'derive:')
  if (/^#\[\s*(?:[\w:]+::)?test\b/.test(attribute) || /^#\[\s*cfg\s*\(\s*test\s*\)/.test(attribute)) return ['test']
  const cfg = /^#\[\s*cfg\s*\(\s*([\w\s="-]+)\)/.exec(attribute)
  if (cfg !== null) return [`cfg:${cfg[1].replace(/[\s"]/g, '').toLowerCase()}`]
  return /^#\[\s*deprecated/.test(attribute) ? ['deprecated'] : []
}

/** `<'a, T: Bound, const N: usize>` without lifetimes. */
function parametersOf(generics: string): { name: string; bound: string }[] {
  const parameters: { name: string; bound: string }[] = []
  if (generics === '') return parameters
  for (const part of splitTopLevel(generics.slice(1, -1), ',', syntax)) {
    const found = /^\s*(?:const\s+)?([A-Za-z_]\w*)\s*(?::\s*([^=]+))?/.exec(part)
    if (found !== null) parameters.push({ name: found[1], bound: found[2] ?? '' })
  }
  return parameters
}

function bindGenerics(generics: string, scope: number, line: number, facts: FactsBuilder): void {
  for (const { name, bound } of parametersOf(generics)) facts.bindType(scope, name, typePath(bound, syntax), line)
}

function readParameters(list: string): { name: string; type: string }[] {
  const parameters: { name: string; type: string }[] = []
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax)
      .replace(/^(?:#\[[^\]]*\]\s*)+/, '')
      .trim()
    if (plain === '') continue
    if (/^&?\s*(?:'\w+\s+)?(?:mut\s+)?self\b/.test(plain)) {
      parameters.push({ name: 'self', type: '' })
      continue
    }
    const colon = /^((?:[^:]|::)*?):(?!:)([\s\S]*)$/.exec(plain)
    if (colon !== null) parameters.push({ name: colon[1].trim(), type: colon[2] })
  }
  return parameters
}

/** Names of a pattern. `Some(x)` and `Ok(x)` are what they are matched against, since wrappers stand for their content. */
function bindPattern(
  pattern: string,
  value: string,
  type: string,
  scope: number,
  kind: 'local' | 'parameter',
  line: number,
  facts: FactsBuilder,
): void {
  const plain = pattern.trim().replace(/^(?:&\s*|ref\s+|mut\s+|box\s+)+/, '')
  if (/^[a-z_][\w]*$/.test(plain)) {
    facts.bind({ scope, name: plain, kind, type, value, line })
    return
  }
  const wrapped = /^(?:Some|Ok)\s*\(([\s\S]*)\)$/.exec(plain)
  if (wrapped !== null) {
    bindPattern(wrapped[1], value, type, scope, kind, line, facts)
    return
  }
  const struct = /^([\w:]+)\s*\{([\s\S]*)\}$/.exec(plain)
  if (struct !== null) {
    const owner = struct[1].replace(/::/g, '.')
    for (const part of splitTopLevel(struct[2], ',', syntax)) {
      const field = /^\s*(?:ref\s+|mut\s+)*([a-z_]\w*)\s*(?::\s*([\s\S]+))?$/.exec(part)
      if (field !== null) bindPattern(field[2] ?? field[1], `${owner}().${field[1]}`, '', scope, kind, line, facts)
    }
    return
  }
  for (const name of plain.replace(/[\w:]+\s*[({]/g, ' ').matchAll(/(?<![\w:.'"])([a-z_]\w*)(?!\s*(?:::|\(|:|"))/g)) {
    if (!/^(?:ref|mut|if|in|true|false|self|_)$/.test(name[1]))
      facts.bind({ scope, name: name[1], kind, type: '', value: '', line })
  }
}

function readConst(
  source: Source,
  match: Match,
  nameStart: number,
  impl: Impl | undefined,
  attributes: readonly Match[],
  facts: FactsBuilder,
): void {
  const name = source.partText(match, 'name')
  const type = typePath(source.partText(match, 'type'), syntax)
  const start = attributes.length > 0 ? attributes[0].start : match.start
  const comment = facts.commentBefore(start)
  const scope = facts.scopeAt(match.start)
  facts.define(
    {
      name,
      kind: 'const',
      tags: source.text.startsWith('pub', match.start) ? ['public'] : [],
      excerpt: comment === '' ? cut(source.slice(match)) : firstSentence(comment),
      type,
      exported: source.text.startsWith('pub', match.start),
      ...(impl === undefined
        ? {}
        : { owner: impl.owner, ...(impl.definition >= 0 ? { parent: impl.definition } : {}) }),
    },
    { start, end: match.end, nameStart, isScope: false },
  )
  if (impl === undefined) facts.bind({ scope, name, kind: 'local', type, value: '', line: match.line })
}

function readUse(statement: string, line: number, scope: number, facts: FactsBuilder): void {
  const plain = withoutComments(statement).replace(/\s+/g, ' ').trim().replace(/;$/, '')
  const found = /^(pub(?:\s*\([^)]*\))?\s+)?use\s+([\s\S]+)$/.exec(plain)
  if (found === null) return
  const kind = found[1] === undefined ? 'import' : 'reexport'
  const leaf = (prefix: string, tree: string): void => {
    const text = tree.trim()
    const open = text.indexOf('{')
    if (open >= 0) {
      const head = text
        .slice(0, open)
        .replace(/::\s*$/, '')
        .trim()
      const base = [prefix, head].filter((it) => it !== '').join('::')
      for (const part of splitTopLevel(text.slice(open + 1, text.lastIndexOf('}')), ',', syntax))
        if (part.trim() !== '') leaf(base, part)
      return
    }
    const [path, alias] = text.split(/\s+as\s+/)
    let full = [prefix, path.trim()]
      .filter((it) => it !== '')
      .join('::')
      .replace(/^::/, '')
    if (full.endsWith('::self')) full = full.slice(0, -6)
    const cutAt = full.lastIndexOf('::')
    const module = cutAt < 0 ? full : full.slice(0, cutAt)
    const name = cutAt < 0 ? '' : full.slice(cutAt + 2)
    if (name === '*') facts.import({ kind, module, name: '*', alias: '', scope, line })
    else
      facts.import({
        kind,
        module,
        name,
        alias: alias?.trim() === '_' ? '' : (alias?.trim() ?? (name === '' ? module : name)),
        scope,
        line,
      })
  }
  leaf('', found[2])
}
