/** C#. */

import { type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Language } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set([
    'Task',
    'ValueTask',
    'Nullable',
    'Lazy',
    'IOptions',
    'WeakReference',
    'AsyncLocal',
    'ThreadLocal',
  ]),
}

const QUERY = `
(file_scoped_namespace_declaration name: (_) @name) @package
(namespace_declaration name: (_) @name body: (_) @body) @mod
(using_directive) @import
(class_declaration name: (identifier) @name body: (_)? @body) @class
(struct_declaration name: (identifier) @name body: (_)? @body) @struct
(record_declaration name: (identifier) @name body: (_)? @body) @class
(interface_declaration name: (identifier) @name body: (_)? @body) @interface
(enum_declaration name: (identifier) @name body: (_)? @body) @enum
(enum_member_declaration name: (identifier) @name) @variant
(delegate_declaration name: (identifier) @name) @type
(method_declaration returns: (_) @result name: (identifier) @name body: (_)? @body) @fn
(constructor_declaration name: (identifier) @name body: (_)? @body) @fn
(local_function_statement type: (_) @result name: (identifier) @name body: (_)? @body) @fn
(property_declaration type: (_) @type name: (identifier) @name value: (_)? @value) @var
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @name (_)? @value)) @var
(declaration_pattern type: (_) @type name: (identifier) @name) @var
(foreach_statement type: (_) @type left: (identifier) @name right: (_) @value) @each
(catch_declaration type: (_) @type name: (identifier)? @name) @caught
(lambda_expression parameters: (_) @params) @lambda
(invocation_expression function: (_) @callee arguments: (argument_list) @args) @call
(object_creation_expression type: (_) @type arguments: (argument_list)? @args) @new
(attribute name: (_) @name) @annotation
(destructor_declaration name: (identifier) @name) @capture
(type_parameter name: (identifier) @name) @generic
(parameter type: (_) @typename)
(type_argument_list (identifier) @typename)
(method_declaration returns: (identifier) @typename)
(method_declaration returns: (generic_name (identifier) @typename))
(property_declaration type: (identifier) @typename)
(variable_declaration type: (identifier) @typename)
(variable_declaration type: (generic_name (identifier) @typename))
(typeof_expression (_) @typename)
(cast_expression type: (_) @typename)
(comment) @comment
(string_literal) @string
(verbatim_string_literal) @string
(interpolated_string_expression) @string
(raw_string_literal) @string
(character_literal) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'csharp',
  syntax,
  tests: /(?:^|\/)[\w.]*[Tt]ests?\/|Tests?\.cs$/,
  selfNames: ['this'],
  keywords: new Set(
    'abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while var dynamic async await when where yield get set init value nameof not and or with global record'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set(
    'void int long short byte sbyte uint ulong ushort char float double decimal bool string object var dynamic String Object Task'.split(
      ' ',
    ),
  ),
  isRecord: (header) => /\brecord\b/.test(header),
  kindOf: (header, kind) => (/\brecord\s+struct\b/.test(header) ? 'struct' : kind),
  bases(rest) {
    const list = /^\s*(?:<[^{]*?>)?\s*:\s*([\s\S]*?)(?:\bwhere\b[\s\S]*)?$/.exec(rest)?.[1]
    return list === undefined ? [] : splitTopLevel(list, ',', syntax)
  },
  parameter(text) {
    const plain = text
      .replace(/^(?:\[[^\]]*\]\s*)+/, '')
      .split(/=(?![=>])/)[0]
      .trim()
    const found = /^((?:(?:this|ref|out|in|params|scoped|readonly)\s+)*)([\s\S]+?)\s+@?([\p{L}_][\p{L}\p{N}_]*)$/u.exec(
      plain,
    )
    if (found !== null) return { name: found[3], type: found[2], variadic: /\bparams\b/.test(found[1]), isField: false }
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(plain) ? { name: plain, type: '', variadic: false, isField: false } : null
  },
  import(statement, line, scope, facts) {
    const found = /^(global\s+)?using\s+(static\s+)?(?:(\w+)\s*=\s*)?([\w.\s:]+)(?:<[\s\S]*>)?\s*;/.exec(statement)
    if (found === null) return
    const path = found[4].replace(/\s|global::/g, '')
    const dot = path.lastIndexOf('.')
    // what all files use is handed on
    const kind = found[1] === undefined ? 'import' : 'reexport'
    if (found[3] !== undefined)
      facts.import({
        kind: 'import',
        module: path.slice(0, Math.max(0, dot)),
        name: path.slice(dot + 1),
        alias: found[3],
        scope,
        line,
      })
    else facts.import({ kind, module: path, name: '*', alias: '', scope, line })
  },
  plain: (expression) => expression.replace(/^\s*base(?=\.)/, 'super'),
  dynamic: /(?:^|\.)(?:CreateInstance|GetMethod|GetType|InvokeMember|LoadFrom)$/,
}

export const csharp: Language = {
  name: 'csharp',
  extensions: ['cs', 'csx'],
  grammar: 'c_sharp',
  query: QUERY,
  syntax,
  read: (source, matches, facts) => readDeclared(dialect, source, matches, facts),
}
