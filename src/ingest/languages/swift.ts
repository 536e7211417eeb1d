/** Swift. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Match } from '#ingest/parse'
import type { Language, Source } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set(['Optional', 'Published', 'State', 'Binding', 'Result', 'Task']),
}

const QUERY = `
(import_declaration) @import
(class_declaration name: (_) @name body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body) @interface
(typealias_declaration name: (type_identifier) @name) @type
(enum_entry name: (simple_identifier) @name) @variant
(function_declaration name: (simple_identifier) @name body: (_)? @body) @fn
(protocol_function_declaration name: (simple_identifier) @name) @fn
(init_declaration body: (_)? @body) @fn
(property_declaration name: (pattern) @name (type_annotation)? @type value: (_)? @value) @var
(protocol_property_declaration name: (pattern) @name (type_annotation)? @type) @var
(if_statement bound_identifier: (simple_identifier) @name) @optional
(guard_statement bound_identifier: (simple_identifier) @name) @optional
(while_statement bound_identifier: (simple_identifier) @name) @optional
(pattern (value_binding_pattern) . (simple_identifier) @name) @capture
(deinit_declaration body: (_)? @body) @fn
(associatedtype_declaration name: (type_identifier) @name) @type
(for_statement item: (pattern) @name collection: (_) @value) @each
(lambda_literal type: (lambda_function_type (lambda_function_type_parameters) @params)) @lambda
(call_expression . (_) @callee (call_suffix) @args) @call
(attribute (user_type) @name) @annotation
(type_parameter . (type_identifier) @name) @generic
(user_type (type_identifier) @typename)
(comment) @comment
(multiline_comment) @comment
(line_string_literal) @string
(multi_line_string_literal) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'swift',
  syntax,
  tests: /(?:^|\/)\w*Tests?\/|Tests?\.swift$/,
  selfNames: ['self'],
  keywords: new Set(
    'as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough get newValue oldValue set willSet didSet convenience final static class consuming borrowing false fileprivate for func guard if import in init inout internal is lazy let mutating nil open operator override private protocol public repeat rethrows return self Self some any static struct subscript super switch throw throws true try typealias var weak where while unowned'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set(
    'Int Double Float Bool String Character Void Any AnyObject Self UInt Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64'.split(
      ' ',
    ),
  ),
  kindOf: (header, kind) =>
    /(?:^|\s)struct\s/.test(header)
      ? 'struct'
      : /(?:^|\s)enum\s/.test(header)
        ? 'enum'
        : kind === 'interface'
          ? 'interface'
          : kind,
  isExtension: (header) => /(?:^|\s)extension\s/.test(header),
  bases(rest) {
    const list = /^\s*(?:<[^{]*?>)?\s*:\s*([\s\S]*?)(?:\bwhere\b[\s\S]*)?$/.exec(rest)?.[1]
    return list === undefined ? [] : splitTopLevel(list, ',', syntax)
  },
  parameter(text) {
    const found = /^(?:@\w+\s+)*(?:[\p{L}_][\p{L}\p{N}_]*\s+)?([\p{L}_][\p{L}\p{N}_]*)\s*(?::\s*([\s\S]+))?$/u.exec(
      splitTopLevel(text, '=', syntax)[0].trim(),
    )
    if (found === null) return null
    const type = (found[2] ?? '').replace(/^(?:(?:@\w+|inout|borrowing|consuming)\s+)+/, '')
    return { name: found[1], type: type.replace(/\.\.\.\s*$/, ''), variadic: /\.\.\.\s*$/.test(type), isField: false }
  },
  result: (rest) => /->\s*([\s\S]+?)(?:\bwhere\b[\s\S]*)?$/.exec(rest)?.[1] ?? '',
  import(statement, line, scope, facts) {
    const found = /^(?:@\w+\s+)*import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?([\w.]+)/.exec(
      statement,
    )
    if (found !== null) facts.import({ kind: 'import', module: found[1], name: '*', alias: '', scope, line })
  },
  plain: (expression) =>
    expression
      .replace(/^\s*try[?!]?\s+/, '')
      .replace(/^\s*await\s+/, '')
      .replace(/\$(\d)/g, 'arg$1'),
  isLabel: (text, end) => /^\s+[\p{L}_][\p{L}\p{N}_]*\s*:/u.test(text.slice(end, end + 80)),
  plainAnnotations: new Set(
    'testable objc objcMembers available escaping autoclosure discardableResult inlinable usableFromInline frozen main MainActor Published State Binding IBOutlet IBAction Sendable preconcurrency nonobjc unknown'.split(
      ' ',
    ),
  ),
  dynamic: /^(?:NSClassFromString|NSSelectorFromString)$|\.perform$/,
}

export const swift: Language = {
  name: 'swift',
  extensions: ['swift'],
  grammar: 'swift',
  query: QUERY,
  syntax,
  prepare,
  read: (source, matches, facts) =>
    readDeclared(
      dialect,
      source,
      matches.flatMap((it) => (it.kind === 'optional' ? unwrapped(source, it) : [it])),
      facts,
    ),
}

/** `if let name = value, …` as a variable; without a value the name keeps its meaning. */
function unwrapped(source: Source, match: Match): Match[] {
  const name = source.part(match, 'name')
  if (name === undefined) return []
  const text = source.text.slice(name.end, Math.min(match.end, name.end + 2000))
  const assigned = /^\s*(?::[^=,{]+)?=\s*/.exec(text)
  if (assigned === null) return []
  const rest = text.slice(assigned[0].length)
  const end = /^(?:[^,{}()[\]]|\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])*?(?=,|\{|\selse\b|$)/.exec(rest)?.[0].length ?? 0
  const start = name.end + assigned[0].length
  return [
    { ...match, kind: 'var', parts: [name, { name: 'value', start, end: start + end, line: source.lineAt(start) }] },
  ]
}

/** Strings in raw form, which the grammar does not know. */
function prepare(text: string): string {
  if (!text.includes('#"')) return text
  return text.replace(/#+"([^\n]*?)"#+/g, (whole, inner: string) => {
    const marks = whole.indexOf('"')
    return `${' '.repeat(marks)}"${inner.replace(/["\\]/g, ' ')}"${' '.repeat(marks)}`
  })
}
