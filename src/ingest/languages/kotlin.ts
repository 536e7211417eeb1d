/** Kotlin. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Language } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set(['Deferred', 'Lazy', 'Result', 'Optional', 'Mono', 'WeakReference']),
}

const QUERY = `
(package_header (identifier) @name) @package
(import_header) @import
(class_declaration (type_identifier) @name [(class_body) (enum_class_body)]? @body) @class
(object_declaration (type_identifier) @name (class_body)? @body) @class
(companion_object (type_identifier)? @name (class_body) @body) @companion
(enum_entry (simple_identifier) @name (class_body)? @body) @variant
(object_literal (class_body) @body) @anonymous
(type_alias (type_identifier) @name) @type
(function_declaration (simple_identifier) @name (function_body)? @body) @fn
(secondary_constructor) @fn
(property_declaration (variable_declaration (simple_identifier) @name (_)? @type) . (_)? @value) @var
(property_declaration (multi_variable_declaration) @name) @var
(for_statement (variable_declaration (simple_identifier) @name) . (_) @value) @each
(for_statement (multi_variable_declaration) @name . (_) @value) @each
(catch_block (simple_identifier) @name (user_type) @type) @caught
(lambda_literal (lambda_parameters) @params) @lambda
(call_expression . (_) @callee (call_suffix) @args) @call
(annotation (user_type) @name) @annotation
(annotation (constructor_invocation (user_type) @name)) @annotation
(type_parameter (type_identifier) @name) @generic
(user_type (type_identifier) @typename)
(line_comment) @comment
(multiline_comment) @comment
(string_literal) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'kotlin',
  syntax,
  tests: /(?:^|\/)(?:src\/\w*[tT]est\w*|tests?)\/|Tests?\.kt$/,
  selfNames: ['this'],
  keywords: new Set(
    'as break class continue do else false for fun if in interface is null object package return super this throw true try typealias val var when while by catch constructor finally import init it field abstract actual annotation companion const crossinline data enum expect external final infix inline inner internal lateinit noinline open operator out override private protected public reified Unit sealed suspend tailrec value vararg where'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set('Int Long Short Byte Char Float Double Boolean String Unit Any Nothing'.split(' ')),
  kindOf: (header, kind) =>
    /(?:^|\s)(?:fun\s+)?interface\s/.test(header) ? 'interface' : /\benum\s+class\b/.test(header) ? 'enum' : kind,
  bases(rest) {
    const list = /^\s*(?:<[^{(]*?>)?\s*(?:where[^:]*)?:\s*([\s\S]*)$/.exec(rest)?.[1]
    return list === undefined ? [] : splitTopLevel(list, ',', syntax).map((it) => it.split(/\sby\s/)[0])
  },
  parameter(text) {
    const plain = text.replace(/^(?:@[\w.:]+(?:\([^)]*\))?\s*)+/, '')
    const found = /^((?:\w+\s+)*)([\p{L}_`][\p{L}\p{N}_`]*)\s*(?::\s*([\s\S]+))?$/u.exec(
      splitTopLevel(plain, '=', syntax)[0].trim(),
    )
    if (found === null) return null
    return {
      name: found[2].replace(/`/g, ''),
      type: found[3] ?? '',
      variadic: /\bvararg\b/.test(found[1]),
      isField: /\b(?:val|var)\b/.test(found[1]),
    }
  },
  result: (rest) => /^\s*:\s*([^={]+)/.exec(rest)?.[1] ?? '',
  owner(header, name) {
    const receiver = new RegExp(`\\bfun\\s+(?:<[^>]*>\\s*)?([\\w.]+(?:<[^()]*>)?\\??)\\.\`?${name}\\b`).exec(
      header,
    )?.[1]
    return receiver === undefined ? '' : receiver.replace(/[?<].*$/, '')
  },
  import(statement, line, scope, facts) {
    const found = /^import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+))?\s*;?\s*$/.exec(statement.split('\n')[0].trim())
    if (found === null) return
    const path = found[1].replace(/`/g, '')
    const dot = path.lastIndexOf('.')
    if (found[2] !== undefined) facts.import({ kind: 'import', module: path, name: '*', alias: '', scope, line })
    else
      facts.import({
        kind: 'import',
        module: path.slice(0, Math.max(0, dot)),
        name: path.slice(dot + 1),
        alias: found[3] ?? path.slice(dot + 1),
        scope,
        line,
      })
  },
  plain: (expression) => expression.replace(/`/g, ''),
  plainAnnotations: new Set(['JvmStatic', 'JvmField', 'JvmOverloads', 'Suppress', 'Deprecated', 'Throws']),
  handed: (name) => HANDED.get(name),
  dynamic: /(?:^|\.)(?:forName|newInstance|loadClass|getMethod)$/,
}

/** Functions of the standard library that hand their receiver, or what it holds, to a lambda. */
const HANDED = new Map<string, 'this' | 'it' | 'each'>([
  ...['apply', 'run', 'with'].map((it): [string, 'this'] => [it, 'this']),
  ...['let', 'also', 'takeIf', 'takeUnless', 'use'].map((it): [string, 'it'] => [it, 'it']),
  ...'forEach onEach map mapNotNull flatMap filter filterNot find first firstOrNull last lastOrNull single any all none count sumOf sortedBy sortedByDescending groupBy associateBy associateWith associate partition takeWhile dropWhile maxByOrNull minByOrNull maxBy minBy distinctBy removeIf removeAll'
    .split(' ')
    .map((it): [string, 'each'] => [it, 'each']),
])

export const kotlin: Language = {
  name: 'kotlin',
  extensions: ['kt', 'kts'],
  grammar: 'kotlin',
  query: QUERY,
  syntax,
  prepare,
  read: (source, matches, facts) => readDeclared(dialect, source, matches, facts),
}

/** Two forms that the grammar misreads: an interface of one function, and a class body behind `by value`. */
function prepare(text: string): string {
  return text
    .replace(/^(\s*(?:(?:public|private|internal|sealed)\s+)*)fun(?=\s+interface\b)/gm, '$1   ')
    .replace(
      /^([^\n]*(?:\b(?:class|object)\b|^\s*\))[^\n{]*?)(\sby\s+[\w.]+)(?=\s*\{)/gm,
      (_, head: string, by: string) => head + ' '.repeat(by.length),
    )
}
