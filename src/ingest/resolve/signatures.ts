/**
 * Overloads by the types of their parameters, as the compilers of Java and its kin choose them: those that take
 * the arguments as they are, else with boxing, else with a variable number of them; of these the most specific one.
 */

import { FUNCTION_ARGUMENT, NULL_ARGUMENT } from '#ingest/arguments'
import type { Evaluator } from '#ingest/resolve/evaluate'
import { bindingAt, ENTRY_BINDING, isClass, type Program } from '#ingest/resolve/program'
import type { StaticType, StaticTypes } from '#ingest/resolve/static-types'
import { INSTANCE } from '#ingest/resolve/value'

/** How a parameter takes an argument; lower is closer. */
const EXACT = 0
const WIDER = 1
/** Nothing is known that speaks for or against it. */
const OPEN = 2
const BOXED = 3
const NEVER = 9

const WIDENING = new Map<string, readonly string[]>([
  ['byte', ['short', 'int', 'long', 'float', 'double']],
  ['short', ['int', 'long', 'float', 'double']],
  ['char', ['int', 'long', 'float', 'double']],
  ['int', ['long', 'float', 'double']],
  ['long', ['float', 'double']],
  ['float', ['double']],
  ['double', []],
  ['boolean', []],
])
const BOXES = new Map([
  ['byte', 'Byte'],
  ['short', 'Short'],
  ['char', 'Character'],
  ['int', 'Integer'],
  ['long', 'Long'],
  ['float', 'Float'],
  ['double', 'Double'],
  ['boolean', 'Boolean'],
])
const UNBOXES = new Map([...BOXES].map(([primitive, box]) => [box, primitive]))

/** What well-known types of the library are derived from, `Object` left out. */
const LIBRARY = new Map<string, readonly string[]>(
  Object.entries({
    String: 'CharSequence Comparable Serializable Constable',
    StringBuilder: 'CharSequence Appendable Serializable Comparable AbstractStringBuilder',
    StringBuffer: 'CharSequence Appendable Serializable Comparable AbstractStringBuilder',
    CharSequence: '',
    Integer: 'Number Comparable Serializable',
    Long: 'Number Comparable Serializable',
    Short: 'Number Comparable Serializable',
    Byte: 'Number Comparable Serializable',
    Double: 'Number Comparable Serializable',
    Float: 'Number Comparable Serializable',
    Character: 'Comparable Serializable',
    Boolean: 'Comparable Serializable',
    BigDecimal: 'Number Comparable Serializable',
    BigInteger: 'Number Comparable Serializable',
    Number: 'Serializable',
    Class: 'Type Serializable GenericDeclaration AnnotatedElement',
    AbstractCollection: 'Collection Iterable',
    AbstractList: 'AbstractCollection List SequencedCollection Collection Iterable',
    AbstractSequentialList: 'AbstractList AbstractCollection List SequencedCollection Collection Iterable',
    AbstractSet: 'AbstractCollection Set Collection Iterable',
    AbstractQueue: 'AbstractCollection Queue Collection Iterable',
    AbstractMap: 'Map',
    NavigableSet: 'SortedSet Set Collection Iterable',
    NavigableMap: 'SortedMap Map',
    SortedMap: 'Map',
    ConcurrentMap: 'Map',
    ConcurrentHashMap: 'AbstractMap ConcurrentMap Map Serializable',
    EnumMap: 'AbstractMap Map Serializable Cloneable',
    EnumSet: 'AbstractSet AbstractCollection Set Collection Iterable Serializable Cloneable',
    Runnable: '',
    Callable: '',
    Comparator: '',
    ArrayList:
      'AbstractCollection AbstractList List SequencedCollection Collection Iterable RandomAccess Serializable Cloneable',
    LinkedList: 'AbstractList List Deque Queue SequencedCollection Collection Iterable Serializable Cloneable',
    List: 'SequencedCollection Collection Iterable',
    HashSet: 'AbstractSet Set Collection Iterable Serializable Cloneable',
    LinkedHashSet: 'HashSet AbstractSet Set SequencedSet Collection Iterable Serializable Cloneable',
    TreeSet: 'AbstractSet NavigableSet SortedSet Set Collection Iterable Serializable Cloneable',
    SortedSet: 'Set Collection Iterable',
    Set: 'Collection Iterable',
    Queue: 'Collection Iterable',
    Deque: 'Queue Collection Iterable',
    Collection: 'Iterable',
    Iterable: '',
    Iterator: '',
    Stream: 'BaseStream AutoCloseable',
    Optional: '',
    HashMap: 'AbstractMap Map Serializable Cloneable',
    LinkedHashMap: 'HashMap AbstractMap Map Serializable Cloneable',
    TreeMap: 'AbstractMap NavigableMap SortedMap Map Serializable Cloneable',
    Map: '',
    Object: '',
    Method: 'Executable AccessibleObject Member AnnotatedElement GenericDeclaration',
    Field: 'AccessibleObject Member AnnotatedElement',
    Constructor: 'Executable AccessibleObject Member AnnotatedElement GenericDeclaration',
    ParameterizedType: 'Type',
    GenericArrayType: 'Type',
    WildcardType: 'Type',
    TypeVariable: 'Type',
    Type: '',
    File: 'Serializable Comparable',
    Path: 'Comparable Iterable Watchable',
    URL: 'Serializable',
    URI: 'Comparable Serializable',
    Date: 'Serializable Comparable Cloneable',
    Calendar: 'Serializable Comparable Cloneable',
    Locale: 'Serializable Cloneable',
    TimeZone: 'Serializable Cloneable',
    Thread: 'Runnable',
    Random: 'Serializable RandomGenerator',
    InputStream: 'Closeable AutoCloseable',
    OutputStream: 'Closeable Flushable AutoCloseable',
    Reader: 'Readable Closeable AutoCloseable',
    Writer: 'Appendable Closeable Flushable AutoCloseable',
    StringWriter: 'Writer Appendable Closeable Flushable AutoCloseable',
    StringReader: 'Reader Readable Closeable AutoCloseable',
    Throwable: 'Serializable',
    Exception: 'Throwable Serializable',
    RuntimeException: 'Exception Throwable Serializable',
    Error: 'Throwable Serializable',
  }).map(([name, above]) => [name, above.split(' ').filter((it) => it !== '')]),
)
/** Types above that a lambda may be. */
const FUNCTIONS = new Set([
  'Runnable',
  'Callable',
  'Comparator',
  'Iterable',
  'Comparable',
  'AutoCloseable',
  'Closeable',
])
/** Types of the library that no lambda can be. */
const NO_FUNCTION =
  /^(?:Object|Class|Number|Array|Throwable|Exception|\w+Exception|Error|Date|Locale|URL|URI|File|Path)$/

/** Types of the language itself that other languages spell in another way. */
const SPELLINGS = new Map([
  ['Int', 'int'],
  ['Unit', 'void'],
  ['bool', 'boolean'],
  ['Bool', 'boolean'],
  ['string', 'String'],
  ['object', 'Object'],
  ['Any', 'Object'],
  ['AnyRef', 'Object'],
])

const NUMBERS = new Set(
  'Byte Short Long Float Double UInt ULong long short byte float double decimal Int64 CGFloat'.split(' '),
)

export interface Choice {
  id: number
  /** False when others would do as well, as far as is known. */
  sure: boolean
}

export class Signatures {
  readonly #program: Program
  readonly #evaluator: Evaluator
  readonly #types: StaticTypes

  constructor(program: Program, evaluator: Evaluator, types: StaticTypes) {
    this.#program = program
    this.#evaluator = evaluator
    this.#types = types
  }

  /** The one of several methods of a name that a call in `scope` with these arguments means. */
  choose(ids: readonly number[], scope: number, args: readonly string[]): Choice {
    const given = args.map((it) => this.#argument(scope, it))
    let best: number[] = []
    let phase = NEVER
    for (const id of ids) {
      const needs = this.#phaseOf(id, args, given)
      if (needs < phase) {
        phase = needs
        best = []
      }
      if (needs === phase && phase < NEVER) best.push(id)
    }
    if (best.length === 0) return { id: ids[0], sure: ids.length === 1 }
    if (best.length === 1) return { id: best[0], sure: true }
    const known = args.map((_, i) => i).filter((i) => args[i] === NULL_ARGUMENT || given[i] !== undefined)
    const first =
      best.find((id) => best.every((other) => other === id || this.#isCloser(id, other, known, args, given))) ?? best[0]
    // the types of the other arguments might speak for another one
    const sure = best.every(
      (it) =>
        it === first ||
        known.some((i) => this.#parameter(it, i) !== this.#parameter(first, i)) ||
        this.#sameSignature(it, first),
    )
    return { id: first, sure }
  }

  /** Whether some of them can take the arguments of a call. */
  takes(
    ids: readonly number[],
    { args, argTypes, scope }: { args: number; argTypes: readonly string[]; scope: number },
  ): boolean {
    if (args < 0) return true
    const texts = argTypes.length === args ? argTypes : Array.from({ length: args }, () => '')
    const given = texts.map((it) => this.#argument(scope, it))
    return ids.some((it) => !isTyped(this.#program, it) || this.#phaseOf(it, texts, given) < NEVER)
  }

  /** Those that extend the type of a value, and whether that is known or only possible. */
  extensionsOf(ids: readonly number[], scope: number, path: string): { ids: number[]; known: boolean } {
    const given = this.#types.of(scope, path)
    const fits = ids.map((id) => {
      const { owner, parameters = [] } = this.#program.defs[id]
      return this.#fit(id, owner || (parameters[0] ?? ''), path, given)
    })
    const best = Math.min(...fits)
    return { ids: best >= NEVER ? [] : ids.filter((_, i) => fits[i] === best), known: best !== OPEN }
  }

  #sameSignature(id: number, other: number): boolean {
    const own = this.#program.defs[id].parameters ?? []
    const theirs = this.#program.defs[other].parameters ?? []
    return own.length === theirs.length && own.every((it, i) => it === theirs[i])
  }

  #argument(scope: number, text: string): StaticType | undefined {
    if (text === '' || text === NULL_ARGUMENT || text === FUNCTION_ARGUMENT) return undefined
    if (BOXES.has(text) || LIBRARY.has(text) || text.startsWith('Array<')) return { text, scope }
    return this.#types.of(scope, text)
  }

  #parameter(id: number, i: number, spread = this.#program.defs[id].arity === -1): string {
    const parameters = this.#program.defs[id].parameters ?? []
    const last = parameters.length - 1
    return spread && i >= last ? elementOf(parameters[last] ?? '') : (parameters[i] ?? '')
  }

  /** 1 as they are, 2 with boxing, 3 as a list of variable length, 4 with defaults, `NEVER` not at all. */
  #phaseOf(id: number, args: readonly string[], given: readonly (StaticType | undefined)[]): number {
    const { arity, parameters = [], tags } = this.#program.defs[id]
    const variadic = arity === -1
    const all = (spread: boolean): number => {
      let worst = EXACT
      for (let i = 0; i < args.length; i++)
        worst = Math.max(worst, this.#fit(id, this.#parameter(id, i, spread), args[i], given[i]))
      return worst
    }
    if (parameters.length === args.length) {
      const worst = all(false)
      if (worst < BOXED) return 1
      if (worst < NEVER) return 2
    }
    // the receiver is its first parameter
    if (parameters.length === args.length + 1 && tags.includes('extension')) return 1
    if (variadic && args.length >= parameters.length - 1 && all(true) < NEVER) return 3
    // those that are left out have defaults
    if (parameters.length > args.length && this.#hasDefaults(id) && all(false) < NEVER) return 4
    return NEVER
  }

  #hasDefaults(id: number): boolean {
    return this.#program.facts[this.#program.fileOf[id]].language !== 'java'
  }

  #fit(id: number, parameter: string, argument: string, given: StaticType | undefined): number {
    const name = headOf(parameter)
    const isPrimitive = BOXES.has(name)
    if (argument === NULL_ARGUMENT) return isPrimitive ? NEVER : WIDER
    if (argument === FUNCTION_ARGUMENT) {
      if (isPrimitive || (LIBRARY.has(name) && !FUNCTIONS.has(name)) || NO_FUNCTION.test(name)) return NEVER
      const value = this.#evaluator.type(id, parameter)
      return value.kind === INSTANCE && this.#program.defs[value.id].kind !== 'interface' ? NEVER : WIDER
    }
    if (given === undefined || parameter === '') return OPEN
    const type = headOf(given.text)
    if (type === name) return type === 'Array' ? this.#arrays(id, parameter, given) : EXACT
    // literals of Kotlin and its kin take the type that is wanted
    if (argument === 'int' && this.#hasDefaults(id) && NUMBERS.has(name)) return WIDER
    if (isPrimitive) {
      const own = UNBOXES.get(type) ?? type
      if (own === name) return BOXED
      if (WIDENING.get(own)?.includes(name)) return own === type ? WIDER : BOXED
      return NEVER
    }
    const box = BOXES.get(type)
    if (box !== undefined) {
      if (box === name || name === 'Object' || LIBRARY.get(box)?.includes(name) || this.#isTypeParameter(id, name))
        return BOXED
      return NEVER
    }
    if (name === 'Object' || this.#isTypeParameter(id, name)) return WIDER
    if (type === 'Object' || type === 'Array' || name === 'Array') return NEVER
    if (this.#isTypeParameter(given.scope, type)) return OPEN
    return this.#references(id, parameter, name, given, type)
  }

  #references(id: number, parameter: string, name: string, given: StaticType, type: string): number {
    const evaluator = this.#evaluator
    const wanted = evaluator.type(id, parameter)
    const own = evaluator.type(given.scope < 0 ? id : given.scope, given.text)
    if (own.kind === INSTANCE) {
      if (wanted.kind === INSTANCE) {
        if (wanted.id === own.id) return EXACT
        return evaluator.classes.descends(own.id, wanted.id) ? WIDER : NEVER
      }
      return this.#below(own.id, name, new Set())
    }
    if (wanted.kind === INSTANCE) return LIBRARY.has(type) ? NEVER : OPEN
    const above = LIBRARY.get(type)
    if (above !== undefined) return above.includes(name) ? WIDER : NEVER
    return UNBOXES.has(name) ? NEVER : OPEN
  }

  /** How a class of the project goes with a type of a library: by the names of its bases, near or far. */
  #below(id: number, name: string, seen: Set<number>): number {
    if (seen.has(id)) return NEVER
    seen.add(id)
    let fit = NEVER
    for (const { reference } of this.#program.heritage.get(id) ?? []) {
      const base = reference.path.slice(reference.path.lastIndexOf('.') + 1)
      const above = LIBRARY.get(base)
      if (base === name || above?.includes(name)) return WIDER
      if (above === undefined) fit = OPEN
    }
    if (this.#program.defs[id].kind === 'enum' && /^(?:Enum|Comparable|Serializable)$/.test(name)) return WIDER
    const { ids, open } = this.#evaluator.classes.bases(id)
    if (!open) fit = NEVER
    for (const base of ids) fit = Math.min(fit, this.#below(base, name, seen))
    return fit
  }

  #arrays(id: number, parameter: string, given: StaticType): number {
    const wanted = elementOf(parameter)
    const own = elementOf(given.text)
    if (wanted === own) return EXACT
    if (BOXES.has(headOf(wanted)) || BOXES.has(headOf(own))) return NEVER
    return this.#fit(id, wanted, own, { text: own, scope: given.scope })
  }

  #isTypeParameter(scope: number, name: string): boolean {
    const { nDefs, parent, scopes } = this.#program
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const head = scopes.at(s)?.get(name)
      if (head === undefined) continue
      return head.kind === ENTRY_BINDING && bindingAt(this.#program, s, head.index).kind === 'parameter'
    }
    return false
  }

  /** Whether one method takes nothing at the known positions that the other one does not take as well. */
  #isCloser(
    id: number,
    other: number,
    positions: readonly number[],
    args: readonly string[],
    given: readonly (StaticType | undefined)[],
  ): boolean {
    for (const i of positions) {
      const own = this.#parameter(id, i)
      const theirs = this.#parameter(other, i)
      if (own === theirs) continue
      const fits = this.#fit(id, own, args[i], given[i])
      const theirFit = this.#fit(other, theirs, args[i], given[i])
      if (fits === EXACT && theirFit !== EXACT) continue
      if (theirFit === EXACT && fits !== EXACT) return false
      if (this.#fit(other, theirs, own, { text: own, scope: id }) > WIDER) return false
    }
    return true
  }
}

/** The name of a type as Java spells it, without what qualifies it. */
function headOf(type: string): string {
  const angle = type.indexOf('<')
  const head = angle < 0 ? type : type.slice(0, angle)
  const name = head.slice(head.lastIndexOf('.') + 1)
  return SPELLINGS.get(name) ?? name
}

function elementOf(type: string): string {
  return type.startsWith('Array<') ? type.slice(6, -1) : type
}

/** Whether overloads of a definition can be told apart by the types of parameters. */
export function isTyped(program: Program, id: number): boolean {
  const { arity, parameters } = program.defs[id]
  return !isClass(program.defs[id]) && arity !== undefined && (parameters !== undefined || arity === 0)
}
