/** What differs between languages when names are looked up. One object per family of languages. */

import type { Import } from '#ingest/facts'
import type { RustLibrary } from '#ingest/resolve/rust-library'
import type { Value } from '#ingest/resolve/value'

export interface Ecosystem {
  /** Prefix of package names: `npm`, `pypi`. */
  name: string
  /** What the module of an import stands for, without the imported name. */
  module(file: number, item: Import, scope: number): Value
  /** What an import binds, where that is more than the member of its module. */
  imported?(file: number, item: Import, scope: number): Value | undefined
  /** A name seen from the outside of the file: what it exports. undefined = no such name. */
  exported(file: number, name: string): Value | undefined
  /** The names that `import *` brings in; without it, `exported` decides. */
  starred?(file: number, name: string): Value | undefined
  /** Names that a file sees after its own: package, prelude. undefined = no such name. */
  ambient(file: number, name: string, scope: number): Value | undefined
  /** Names that stand for the own instance, the own class, the bases. */
  selfNames: ReadonlySet<string>
  ownClassNames: ReadonlySet<string>
  superNames: ReadonlySet<string>
  /** The names of `ambient` hide those that `*` imports bring in. */
  packageFirst?: boolean
  /** A method and a variable of one name do not hide each other. */
  methodsApart?: boolean
  /** The body of a class is run like a block, and sees the fields that it has set. */
  bodySeesFields?: boolean
  /** Methods of the bases are overloads of one's own of the same name. */
  inheritsOverloads?: boolean
  /** `Optional<T>` and the like have their own members only, never those of what they hold. */
  keepsWrappers?: boolean
  /** Bare names reach members of the enclosing classes, inherited ones too. */
  implicitThis: boolean
  /** The names of members are seen through a value only, not even within their own type. */
  membersApart?: boolean
  /** A scope chain ends at the innermost module instead of going on outwards. */
  modulesAreClosed: boolean
  /** A macro by its path, where macros have names of their own: those that end with `!`. */
  macro?(file: number, scope: number, path: string): Value | undefined
  /** True when an import of a re-exported name leads back to itself. */
  isCircular?(file: number, item: Import): boolean
  /** Whether what is built on a condition counts where others have its name. */
  isActive?(file: number, condition: string): boolean
  /** Values that only the library, the syntax or the generics of the language give. */
  library?: RustLibrary
  /** A name bound several times in one scope may stand for each of the values; the first known one, otherwise. */
  unites?: boolean
  /** Members of several bases are found in the order of C3 linearisation; depth first, otherwise. */
  linearises?: boolean
  /** A step of an expression path that only this language has; its name begins with `@`. */
  step?(value: Value, name: string): Value | undefined
  /** What other code puts into a class or module by assignment. */
  added?(owner: Value, name: string): Value | undefined
  /** The file that binds an imported name, where the name stands for no definition; -1 when none does. */
  origin?(file: number, item: Import): number
  /** Looks for faults that show only across files, once all edges are known; those of files not asked may be left out. */
  check?(isAsked: (file: number) => boolean): void
  /** Of several definitions that a name stands for those that a file means. */
  nearest?(file: number, value: Value): Value
  /** Functions of that name that a file sees and that extend types which are not the project's. */
  extensions?(scope: number, name: string): readonly number[]
  /**
   * What a text names by its full path of names: definitions, or files as scopes; none when there are none or several to
   * choose from.
   */
  named?(file: number, segments: readonly string[], scope: number): readonly number[]
  /** Such a path counts from where it stands, so that settings have none. */
  namesByScope?: boolean
  /** A name found nowhere is a global of the language or of a library, never a symbol of another file. */
  closedWorld: boolean
}
