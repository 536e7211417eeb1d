/**
 * Facts: what one file says by itself, a pure function of its text and language. They hold names and
 * expressions as written; `resolve` turns them into edges once the facts of all files are known.
 *
 * **Expression paths.** Receivers, callees and values are written as one dotted text in every language:
 * segments joined by `.`; `()` after a segment is the result of calling it, `[]` an element of it.
 * `self.pool.acquire`, `pkg.F`, `super.close`, `Foo().bar`, `get_pool().items[].name`.
 * `::` and `->` are written `.`, `this` and `self` stay as written, `new Foo(x)` is `Foo()`, arguments,
 * generics, `await`, `?.` and `!` are dropped. A leading `..`/`crate`/`super`/`self` of Rust paths stays a segment.
 * Paths of Rust say more, since its types follow from it: arguments stand in the brackets (`|` begins a function by
 * what it gives, `:` type arguments, `_` is unknown), `.await` and `.?` are steps, `f.|1.0` is what `f` calls its
 * second argument with, a variable is `name#` or `name#2`. Heads with `@`: `@match(value,Pattern)`, `@as(:Type)`,
 * `@any(a,b)` one of several values, `@Vec(item)` and the like a value of a type of the library.
 * Values may also be `a | b` (one of several), `{add:addItem,...:base}` (an object), `<Map<string,User>>` (something of
 * a type), `pair[0]` (a position of a tuple) and `app.get{1}{0}`: what the function is handed first that `app.get`
 * takes second.
 *
 * **Types** are written as a name path with its arguments in angle brackets: `User`, `models.User`,
 * `List<User>`, `Map<str,User>`. References, pointers, optionality and futures are dropped (`Promise<User>`,
 * `User | None`, `*User`, `&mut User`, `Optional[User]`, `Box<User>` are all `User`). TypeScript adds unions `A | B`,
 * intersections `A & B`, functions `(Context,...Array<Next> : Response)`, tuples `[A,B]`, objects `{id:A}`, `typeof a.b`.
 */

export interface Facts {
  /** Name of the language module, `python`. */
  language: string
  /** In source order; a parent precedes its children. */
  definitions: Definition[]
  imports: Import[]
  exports: Export[]
  bindings: Binding[]
  references: Reference[]
  /** Package, namespace or module that the file says it belongs to; '' when the language has none. */
  package: string
  /** Role and language tags of the file: `test`, `entrypoint`, `generated`, … */
  tags: string[]
  /** First sentence of the file's own comment or docstring, at most 200 characters. */
  excerpt: string
  /** Number of lines. */
  lines: number
  /** Words of the file for search, see `Words`. */
  words: Words
  /** What strings and settings may name, in source order; what comments embed and words at the end. */
  named: Named[]
  /** Sites whose target only exists at run time: `eval`, computed imports, reflection. */
  dynamic: { line: number; text: string }[]
  /** Places at which rules of `#graph/patterns` hold, in source order. */
  patterns: { rule: string; line: number; text: string; remedy: string }[]
  problems: { line: number; message: string }[]
  /** True when the grammar could not read part of the file. */
  partial: boolean
}

export type DefinitionKind =
  | 'class'
  | 'struct'
  | 'enum'
  | 'interface'
  | 'trait'
  | 'type'
  | 'fn'
  | 'mod'
  | 'variant'
  | 'const'
  | 'route'
  | 'table'
  | 'section'

export interface Definition {
  name: string
  kind: DefinitionKind
  /** Index of the enclosing definition, -1 when the file itself. */
  parent: number
  /** 1-based, whole extent including decorators and attributes. */
  line: number
  endLine: number
  /** Line of the name itself. */
  nameLine: number
  tags: string[]
  /** First sentence of docstring or comment, else the signature; at most 200 characters. */
  excerpt: string
  /**
   * The type that a method belongs to when it stands outside of that type's body: Rust impl target, Go
   * receiver, C++ `S::m`, extension functions. A type as written.
   */
  owner?: string
  /** Type of the value: result of a function, type of a constant or field. '' when not written or inferable. */
  type?: string
  /** Of methods of Go, and what aliases stand for: types as written, without names, `(*Order,[]byte)(int,error)`. */
  signature?: string
  /** Declared parameter count, for overloads; -1 when variadic. */
  arity?: number
  /** Declared parameter types in order, where the language has overloads or callbacks; `...` in front of a rest parameter. */
  parameters?: string[]
  /** True when other files can name it. */
  exported?: boolean
}

/**
 * One imported name. `import os` → module `os`, name '', alias `os`. `from a import b as c` → module `a`,
 * name `b`, alias `c`. `import a.b` → module `a.b`, name '', alias `a.b`, used in full. `import * as ns` → name '', alias `ns`. `import D from` → name `default`.
 * `import "x"` → name '', alias ''. `from a import *`, `use a::*` → name `*`, alias ''.
 */
export interface Import {
  /** `comment`: a comment names types of another module; that is no dependence. */
  kind: 'import' | 'type' | 'reexport' | 'require' | 'dynamic' | 'include' | 'module' | 'comment'
  /** As written, with leading dots; segments as the language separates them. */
  module: string
  name: string
  alias: string
  /** Definition in which it stands, -1 = the file. */
  scope: number
  line: number
  /** Stands in a branch that may not run, or in a `try`. */
  conditional?: boolean
  /** The condition on which it is built at all, `windows`, without quotes and white space. */
  condition?: string
}

/** `export { local as name }`, `export default expression`, `exports.name = local`, `module.exports = local` (name `default`), `__all__`. */
export interface Export {
  name: string
  /** Expression path of what is exported, within this file. */
  local: string
  line: number
}

/**
 * A name bound in a scope to something that is not a definition: parameter, local, field. It tells types,
 * and that the name hides an outer one. Fields are bound in the scope of their class.
 */
export interface Binding {
  /**
   * Definition in whose scope it holds, -1 = the file. For a field, its class. The name `return` in the scope of a
   * function stands for what it returns, where no type is written; the name `()` in that of a type for a way to call it.
   */
  scope: number
  name: string
  kind: 'parameter' | 'local' | 'field'
  /** Declared type, '' when not written. */
  type: string
  /** Expression path of the value it is bound to, '' when none or no path. `x = Foo()` → `Foo()`. */
  value: string
  /** Definition in whose scope `value` is read, when that is another than `scope` (a field set in a method). */
  valueScope?: number
  line: number
}

export interface Reference {
  /** Innermost definition in which it stands, -1 = the file. */
  from: number
  /** `calls`, `references`, `implements`, `registers`, … as stored. `decorates` is stored as `references` of weight 0.4. */
  relation: string
  /** Expression path of what is named. */
  path: string
  line: number
  /** Number of arguments of a call, -1 unknown. */
  args?: number
  /**
   * Of a call, per argument the type of a literal (`String`, `int`; `null` and `=>` for none and a function), else
   * its expression path, '' unknown. Of `implements`, the type arguments of the base.
   */
  argTypes?: string[]
  /** Of `implements`: the type that has the base, where the reference stands apart from its definition. As written. */
  owner?: string
  /** Stands in code that cannot run. */
  unreachable?: boolean
}

/** A text that has the shape of a name or a path and nothing else, where no import says so. */
export interface Named {
  /** Innermost definition in which it stands, -1 = the file. */
  from: number
  line: number
  /**
   * `name`: of a definition or module, with dots whatever the language writes. `path`: of a file, from a folder that is
   * not said; `beside`: from that of this file. `word`: perhaps a folder beside this file, in which bare names of files
   * may lie.
   */
  form: 'name' | 'path' | 'beside' | 'word'
  text: string
}

/**
 * Search terms of one file: for the file (owner -1) and for each definition, which terms occur in which
 * field and how often. Parallel arrays; `terms` lists the distinct terms of the file.
 */
export interface Words {
  terms: string[]
  /** Per posting: index into `definitions`, or -1 for text outside of any definition. */
  owner: Int32Array
  term: Uint32Array
  /** Code of `FIELDS`. */
  field: Uint8Array
  count: Uint16Array
}

export const FIELDS = ['path', 'name', 'signature', 'doc', 'body', 'literal'] as const

/** Whether a definition is a class without a name: a scope, but nothing that one could ask for. */
export function isAnonymous({ tags }: Definition): boolean {
  return tags.includes('anonymous')
}

/** Kinds of ranges that hold no code. A docstring is a comment. */
export const COMMENT = 0
export const STRING = 1

export function emptyFacts(language: string): Facts {
  return {
    language,
    definitions: [],
    imports: [],
    exports: [],
    bindings: [],
    references: [],
    named: [],
    package: '',
    tags: [],
    excerpt: '',
    lines: 0,
    words: {
      terms: [],
      owner: new Int32Array(0),
      term: new Uint32Array(0),
      field: new Uint8Array(0),
      count: new Uint16Array(0),
    },
    dynamic: [],
    patterns: [],
    problems: [],
    partial: false,
  }
}
