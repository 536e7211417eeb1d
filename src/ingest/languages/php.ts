/** PHP. Variables lose their `$`, `parent` is `super`. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Language } from '#ingest/source'

const syntax: Syntax = { lineComment: '//', generics: '<', transparent: new Set() }

const QUERY = `
(namespace_definition name: (_) @name body: (_)? @body) @package
(namespace_use_declaration) @import
(class_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @interface
(trait_declaration name: (name) @name body: (_) @body) @trait
(enum_declaration name: (name) @name body: (_) @body) @enum
(enum_case name: (name) @name) @variant
(use_declaration (_) @name) @mixin
(function_definition name: (name) @name parameters: (_) @params return_type: (_)? @result body: (_)? @body) @fn
(method_declaration name: (name) @name parameters: (_) @params return_type: (_)? @result body: (_)? @body) @fn
(property_declaration type: (_)? @type (property_element name: (variable_name) @name default_value: (_)? @value)) @var
(const_declaration (const_element (name) @name)) @var
(assignment_expression left: (_) @name right: (_) @value) @var
(foreach_statement . (_) @value . (variable_name) @name) @each
(foreach_statement . (_) @value . (pair (_) (variable_name) @name)) @each
(catch_clause type: (_) @type name: (variable_name)? @name) @caught
(anonymous_function parameters: (_) @params) @lambda
(arrow_function parameters: (_) @params) @lambda
((function_call_expression function: (_) @callee arguments: (arguments) @args) @call (#not-match? @callee "^[$][A-Za-z0-9_]+$"))
(function_call_expression function: (variable_name)) @runtime
(member_call_expression name: (variable_name)) @runtime
(scoped_call_expression name: (variable_name)) @runtime
(member_call_expression object: (_) @callee name: (name) @name arguments: (arguments) @args) @call
(nullsafe_member_call_expression object: (_) @callee name: (name) @name arguments: (arguments) @args) @call
(scoped_call_expression scope: (_) @callee name: (name) @name arguments: (arguments) @args) @call
(object_creation_expression . [(name) (qualified_name)] @type (arguments)? @args) @new
(include_expression (_) @args) @require
(require_expression (_) @args) @require
(include_once_expression (_) @args) @require
(require_once_expression (_) @args) @require
(attribute . (_) @name) @annotation
(object_creation_expression . (variable_name) @type) @runtime
(object_creation_expression (anonymous_class body: (_) @body)) @anonymous
(named_type (_) @typename)
(class_constant_access_expression . [(name) (qualified_name)] @typename)
(binary_expression operator: "instanceof" right: (_) @typename)
(text) @string
(comment) @comment
(string) @string
(encapsed_string) @string
(heredoc) @string
(nowdoc) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'php',
  syntax,
  tests: /(?:^|\/)[Tt]ests?\/|Test\.php$/,
  selfNames: ['this'],
  keywords: new Set(
    'abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new null or print private protected public readonly require require_once return self static switch throw trait try unset use var while xor yield true false parent php strict_types int float string bool void mixed object never iterable fn enum readonly this'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set(
    'int float string bool array object mixed void null callable iterable never self static parent false true'.split(
      ' ',
    ),
  ),
  bases(rest) {
    const names: string[] = []
    for (const found of rest.matchAll(/\b(?:extends|implements)\s+([\w\\,\s]+?)(?=\bimplements\b|\bextends\b|$)/g))
      names.push(...found[1].split(','))
    return names
  },
  parameter(text) {
    const found =
      /^((?:#\[[^\]]*\]\s*)?(?:(?:public|private|protected|readonly)\s+)*)([\s\S]*?)&?\s*(\.\.\.)?\s*\$([\p{L}_][\p{L}\p{N}_]*)/u.exec(
        text,
      )
    return found === null
      ? null
      : {
          name: found[4],
          type: found[2].trim(),
          variadic: found[3] !== undefined,
          isField: /\b(?:public|private|protected|readonly)\b/.test(found[1]),
        }
  },
  constants: /^[^$]/,
  sigil: '$',
  import(statement, line, scope, facts) {
    const found = /^use\s+(function\s+|const\s+)?([\s\S]+?);?\s*$/.exec(statement)
    if (found === null) return
    const add = (path: string) => {
      const [full, alias] = path.trim().split(/\s+as\s+/i)
      const dotted = full.replace(/^\\/, '').replace(/\\/g, '.')
      const dot = dotted.lastIndexOf('.')
      facts.import({
        kind: 'import',
        module: dotted.slice(0, Math.max(0, dot)),
        name: dotted.slice(dot + 1),
        alias: alias ?? dotted.slice(dot + 1),
        scope,
        line,
      })
    }
    const group = /^([\w\\]+)\\\{([\s\S]*)\}$/.exec(found[2].trim())
    if (group === null) for (const part of splitTopLevel(found[2], ',', syntax)) add(part)
    else
      for (const part of group[2].split(','))
        if (part.trim() !== '') add(`${group[1]}\\${part.trim().replace(/^(?:function|const)\s+/, '')}`)
  },
  plain: (expression) =>
    expression
      .replace(/\$(?=[\p{L}_])/gu, '')
      .replace(/\?->/g, '->')
      .replace(/^\s*\\/, '')
      .replace(/^\s*parent(?=::)/, 'super')
      .replace(/^\s*static(?=::|\s*$|\()/, 'self')
      .replace(/^\s*clone\s+/, ''),
  dynamic: /^(?:call_user_func|call_user_func_array|eval|create_function)$/,
}

export const php: Language = {
  name: 'php',
  extensions: ['php', 'phtml', 'php5', 'inc'],
  interpreters: ['php'],
  grammar: 'php',
  query: QUERY,
  syntax,
  read(source, matches, facts) {
    for (const match of matches) {
      if (match.kind !== 'require') continue
      const specifier = /(['"])([^'"$]+)\1\s*\)?\s*$/.exec(source.partText(match, 'args'))?.[2]
      if (specifier === undefined) facts.dynamic(match.line, source.slice(match))
      else
        facts.import({
          kind: 'include',
          module: /__DIR__|dirname/.test(source.slice(match))
            ? `.${specifier.startsWith('/') ? '' : '/'}${specifier}`
            : specifier,
          name: '',
          alias: '',
          scope: -1,
          line: match.line,
        })
    }
    readDeclared(dialect, source, matches, facts)
  },
}
