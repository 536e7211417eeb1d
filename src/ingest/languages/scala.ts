/** Scala. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Language } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '//',
  generics: '[',
  transparent: new Set(['Option', 'Some', 'Future', 'Try', 'IO', 'Task', 'Eval']),
}

const QUERY = `
(package_clause name: (_) @name body: (_)? @body) @package
(import_declaration) @import
(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body) @trait
(enum_definition name: (_) @name body: (_)? @body) @enum
(simple_enum_case name: (_) @name) @variant
(full_enum_case name: (_) @name) @variant
(type_definition name: (_) @name) @type
(function_definition name: (_) @name body: (_)? @body) @fn
(function_declaration name: (_) @name) @fn
(val_definition pattern: (_) @name type: (_)? @type value: (_) @value) @var
(var_definition pattern: (_) @name type: (_)? @type value: (_) @value) @var
(val_declaration name: (_) @name type: (_) @type) @var
(enumerator . (_) @name (_) @value) @each
(typed_pattern pattern: (_) @name type: (_) @type) @var
(lambda_expression parameters: (_) @params) @lambda
(call_expression function: (_) @callee arguments: (_) @args) @call
(instance_expression . (_) @type (arguments)? @args) @new
(annotation name: (_) @name) @annotation
(type_parameters name: (identifier) @name) @generic
(case_class_pattern pattern: (identifier) @name) @capture
(capture_pattern name: (identifier) @name) @capture
(extension_definition parameters: (parameters) @params) @extends
(type_identifier) @typename
(comment) @comment
(block_comment) @comment
(string) @string
(interpolated_string_expression) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'scala',
  syntax,
  tests: /(?:^|\/)src\/test\/|(?:Test|Spec|Suite)\.scala$/,
  selfNames: ['this'],
  keywords: new Set(
    'abstract case catch class def do else enum extends extension false final finally for forSome given if implicit import lazy match new null object override package private protected return sealed super then this throw trait true try type using val var while with yield'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set(
    'Int Long Short Byte Char Float Double Boolean String Unit Any AnyRef AnyVal Nothing Null'.split(' '),
  ),
  bases(rest) {
    const list = /\bextends\s+([\s\S]*)$/.exec(rest)?.[1] ?? /^\s*with\s+([\s\S]*)$/.exec(rest)?.[1]
    return list === undefined ? [] : list.split(/\bwith\b|\bderives\b[\s\S]*$|,(?![^([]*[)\]])/)
  },
  parameter(text) {
    const found =
      /^((?:@\w+\s+|(?:implicit|using|val|var|private|protected|override|final|inline)\s+)*)([\p{L}_][\p{L}\p{N}_]*)\s*(?::\s*([\s\S]+))?$/u.exec(
        splitTopLevel(text, '=', syntax)[0].trim(),
      )
    if (found === null) return null
    const type = (found[3] ?? '').replace(/^=>\s*/, '')
    return { name: found[2], type: type.replace(/\*\s*$/, ''), variadic: /\*\s*$/.test(type), isField: true }
  },
  // type arguments of calls are dropped, a cast is the type that it casts to
  expression: (text) =>
    text.replace(/^[\s\S]*?\.asInstanceOf\[([\w.]+)(?:\[[^\]]*\])?\]/, '$1()').replace(/\[[^[\]]*\]/g, ''),
  result: (rest) => /^(?:\s*\([^)]*\))*\s*:\s*([^={]+)/.exec(rest)?.[1] ?? '',
  import(statement, line, scope, facts) {
    for (const part of splitTopLevel(statement.replace(/^import\s+/, ''), ',', syntax)) {
      const found = /^\s*([\w.]+?)\.(?:\{([\s\S]*)\}|([\w*]+)(?:\s+as\s+(\w+))?)\s*$/.exec(part.trim())
      if (found === null) continue
      const selectors =
        found[2] === undefined
          ? [found[4] === undefined ? found[3] : `${found[3]} as ${found[4]}`]
          : found[2].split(',')
      for (const selector of selectors) {
        const [name, alias] = selector.trim().split(/\s*=>\s*|\s+as\s+/)
        if (name === '_' || name === '*' || name === 'given')
          facts.import({ kind: 'import', module: found[1], name: '*', alias: '', scope, line })
        else if (alias !== '_')
          facts.import({ kind: 'import', module: found[1], name, alias: alias ?? name, scope, line })
      }
    }
  },
}

export const scala: Language = {
  name: 'scala',
  extensions: ['scala', 'sc', 'sbt'],
  grammar: 'scala',
  query: QUERY,
  syntax,
  read: (source, matches, facts) => readDeclared(dialect, source, matches, facts),
}
