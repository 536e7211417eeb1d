/** One way in which code is called from outside of the project's own code. Rules are data; `#ingest/roots` applies them. */

export interface RootRule {
  /** Who calls it, in plain words joined by `_`; becomes the tag `framework_root:<kind>`. */
  kind: string
  /** Further role tags that it gets. */
  tags?: readonly string[]

  // of the file
  /** Matches a module that the file imports. */
  imports?: RegExp
  path?: RegExp

  // of the definition; all that are given must hold
  of: 'function' | 'type' | 'any'
  name?: RegExp
  /** Matches an annotation, decorator or attribute, as a dotted path without arguments. */
  marker?: RegExp
  /** Matches the last name of a base of its type, or of the type itself. */
  base?: RegExp
  /** Matches the name of the type around it. */
  within?: RegExp
  /** Matches what is written before its name. */
  head?: RegExp
  /** It stands in a type, or in none. */
  member?: boolean
  /** Other files can name it. */
  exported?: boolean
  /** Number of its parameters. */
  arity?: number
}
