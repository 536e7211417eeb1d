/** Lua. A table that holds functions is their owner; what a file returns is what requiring it gives. */

import { expressionPath, type Syntax, splitTopLevel } from '#ingest/expression'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = { lineComment: '--', generics: '<', transparent: new Set() }

const QUERY = `
(function_declaration name: (_) @name parameters: (parameters) @params) @fn
(assignment_statement (variable_list) @left (expression_list) @right) @assign
(function_definition parameters: (parameters) @params) @function
(field name: (identifier) @name value: (function_definition) @value) @field
(function_call name: (_) @callee arguments: (_) @args) @call
(for_generic_clause (variable_list) @left (expression_list) @right) @for
(return_statement (expression_list) @value) @return
(comment) @comment
(string) @string
(ERROR) @error
`

export const lua: Language = {
  name: 'lua',
  extensions: ['lua'],
  interpreters: ['lua', 'luajit'],
  grammar: 'lua',
  query: QUERY,
  syntax,
  read,
}

const BUILTINS = new Set(
  'assert collectgarbage error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset require select setmetatable tonumber tostring type unpack xpcall'.split(
    ' ',
  ),
)

function pathOf(text: string): string {
  return expressionPath(text.replace(/(\w|\)):(?=[A-Za-z_])/g, '$1.'), syntax)
}

/** A table with a metatable is an instance of it. */
function valueOf(text: string): string {
  const made = /^setmetatable\s*\([\s\S]*,\s*([\w.]+)\s*\)$/.exec(text.trim())?.[1]
  return made === undefined ? pathOf(text) : `${made}()`
}

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  const named = new Map<number, number>()
  facts.facts.tags.push('lua')
  if (/(?:^|\/)(?:tests?|specs?)\/|_spec\.lua$|_test\.lua$/.test(source.path)) facts.facts.tags.push('test')

  const define = (match: Match, path: string, nameStart: number, isMethod: boolean): number => {
    const dot = path.lastIndexOf('.')
    const comment = facts.commentBefore(
      source.lineStarts[match.line - 1] +
        (/^\s*/.exec(text.slice(source.lineStarts[match.line - 1], match.start))?.[0].length ?? 0),
    )
    return facts.define(
      {
        name: path.slice(dot + 1),
        kind: 'fn',
        tags: isMethod ? ['method'] : [],
        exported: !/^\s*local\b/.test(source.slice(match)),
        excerpt: comment === '' ? cut(source.slice(match).split('\n')[0]) : firstSentence(comment),
        ...(dot < 0 ? {} : { owner: path.slice(0, dot) }),
      },
      { start: match.start, end: match.end, nameStart },
    )
  }
  const bindParameters = (params: string, scope: number, line: number) => {
    for (const name of params.replace(/[()]/g, '').split(','))
      facts.bind({ scope, name: name.trim().replace(/^\.\.\.$/, ''), kind: 'parameter', type: '', value: '', line })
  }

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    switch (match.kind) {
      case 'fn': {
        const name = source.part(match, 'name')
        if (name === undefined) break
        const label = source.slice(name).replace(/\s/g, '')
        const path = label.replace(':', '.')
        facts.tellHeads(name)
        const index = define(match, path, name.start, label.includes(':'))
        bindParameters(source.partText(match, 'params'), index, match.line)
        break
      }

      case 'assign': {
        const left = source.part(match, 'left')
        const right = source.part(match, 'right')
        if (left === undefined || right === undefined) break
        const targets = splitTopLevel(source.slice(left), ',', syntax)
        const values = splitTopLevel(source.slice(right), ',', syntax)
        targets.forEach((target, i) => {
          const name = target.trim()
          const value = (values[i] ?? '').trim()
          const required = /^require\s*\(?\s*(['"])([^'"]+)\1\s*\)?(?:\.(\w+))?$/.exec(value)
          if (required !== null) {
            if (/^\w+$/.test(name))
              facts.import({
                kind: 'require',
                module: required[2],
                name: required[3] ?? '',
                alias: name,
                scope,
                line: match.line,
              })
            return
          }
          const path = pathOf(name)
          if (/^function\b/.test(value) && path !== '' && targets.length === 1) {
            named.set(right.start, define(match, path, left.start, false))
            return
          }
          facts.told.add(left.start)
          const own = /^self\.(\w+)$/.exec(path)
          const base = /^setmetatable\s*\(\s*\{[\s\S]*?__index\s*=\s*([\w.]+)/.exec(value)?.[1]
          const table = (value.startsWith('{') || base !== undefined) && scope < 0 && /^\w+$/.test(path)
          if (table && !facts.facts.definitions.some((it) => it.name === path && it.parent < 0)) {
            const index = facts.define(
              { name: path, kind: 'const', excerpt: cut(source.slice(match)), exported: true },
              { start: match.start, end: match.end, nameStart: left.start },
            )
            if (base !== undefined) facts.inherit(index, base, match.line)
          }
          const from = valueOf(value)
          if (own !== null && scope >= 0) {
            const owner = facts.facts.definitions[scope].owner
            const holder = facts.facts.definitions.findIndex((it) => it.kind === 'const' && it.name === owner)
            if (holder >= 0)
              facts.bind({
                scope: holder,
                name: own[1],
                kind: 'field',
                type: '',
                value: from,
                valueScope: scope,
                line: match.line,
              })
          } else if (/^\w+$/.test(path))
            facts.bind({ scope, name: path, kind: 'local', type: '', value: table ? '' : from, line: match.line })
        })
        break
      }

      case 'field': {
        const name = source.part(match, 'name')
        const value = source.part(match, 'value')
        if (name === undefined || value === undefined || scope < 0 || facts.facts.definitions[scope].kind !== 'const')
          break
        named.set(
          value.start,
          facts.define(
            { name: source.slice(name), kind: 'fn', excerpt: cut(source.slice(match).split('\n')[0]), exported: true },
            { start: match.start, end: match.end, nameStart: name.start },
          ),
        )
        break
      }

      case 'function':
        bindParameters(source.partText(match, 'params'), named.get(match.start) ?? scope, match.line)
        break

      case 'for':
        for (const name of source.partText(match, 'left').split(','))
          facts.bind({ scope, name: name.trim(), kind: 'local', type: '', value: '', line: match.line })
        break

      case 'return':
        if (scope < 0)
          facts.export({ name: 'default', local: pathOf(source.partText(match, 'value')), line: match.line })
        else
          facts.bind({
            scope,
            name: 'return',
            kind: 'local',
            type: '',
            value: valueOf(source.partText(match, 'value')),
            line: match.line,
          })
        break

      case 'call': {
        const callee = source.part(match, 'callee')
        if (callee === undefined) break
        facts.told.add(callee.start)
        const path = pathOf(source.slice(callee))
        if (path === 'require' || path === 'dofile' || path === 'loadfile') {
          const specifier = /(['"])([^'"]+)\1/.exec(source.partText(match, 'args'))?.[2]
          if (specifier === undefined) facts.dynamic(match.line, source.slice(match))
          else if (!facts.facts.imports.some((it) => it.line === match.line && it.module === specifier))
            facts.import({
              kind: path === 'require' ? 'require' : 'include',
              module: specifier,
              name: '',
              alias: '',
              scope,
              line: match.line,
            })
          break
        }
        if (path === 'load' || path === 'loadstring') facts.dynamic(match.line, source.slice(match))
        if (path !== '' && !BUILTINS.has(path)) facts.reference(scope, 'calls', path, source.lineAt(callee.end - 1))
        break
      }
    }
  }
  facts.mentions(['self'], (offset) =>
    text[offset - 1] === ':'
      ? ''
      : dottedAt(text, offset, (whole, end) => /^\s*=(?!=)/.test(whole.slice(end, end + 12))),
  )
}
