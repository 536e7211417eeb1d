/** The type that an expression is written with, as a name, also where the type is no part of the project. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import {
  bindingAt,
  ENTRY_BINDING,
  ENTRY_IMPORT,
  type Entry,
  fileOfScope,
  importAt,
  isClass,
  type Program,
} from '#ingest/resolve/program'
import { DEFINITION, INSTANCE, PARAMETER, type Value } from '#ingest/resolve/value'

/** A type as written, and the scope in which its names are read. */
export interface StaticType {
  text: string
  scope: number
}

/** Steps along values of variables without a written type. */
const MAX_STEPS = 8

const RESULTS = new Map<string, string>(
  Object.entries({
    String:
      'toString getName getSimpleName getMessage getCanonicalName trim strip substring toLowerCase toUpperCase concat repeat name readLine getTypeName getPath toHexString format join lineSeparator getProperty getenv',
    int: 'length size hashCode indexOf lastIndexOf intValue compareTo compare ordinal nextInt parseInt bitCount availableProcessors getModifiers identityHashCode signum getNumericValue codePointAt',
    long: 'longValue currentTimeMillis nanoTime nextLong parseLong getTime toMillis toNanos count',
    double: 'doubleValue nextDouble parseDouble sqrt random pow floor ceil',
    float: 'floatValue nextFloat parseFloat',
    boolean:
      'equals isEmpty contains startsWith endsWith hasNext containsKey containsValue isPresent matches equalsIgnoreCase isInterface isArray isInstance isAssignableFrom isPrimitive isEnum isAnnotation booleanValue nextBoolean parseBoolean isDigit isLetter isWhitespace isUpperCase isLowerCase isBlank anyMatch allMatch noneMatch',
    char: 'charAt charValue toChars',
    byte: 'byteValue',
    short: 'shortValue',
    Class: 'getClass forName getComponentType getDeclaringClass getSuperclass getEnclosingClass',
    'Array<char>': 'toCharArray',
    'Array<byte>': 'getBytes toByteArray',
    'Array<String>': 'split',
    Iterator: 'iterator',
    Stream: 'stream',
    List: 'asList emptyList singletonList unmodifiableList synchronizedList nCopies toList subList',
    Set: 'emptySet singleton unmodifiableSet keySet entrySet',
    Map: 'emptyMap singletonMap unmodifiableMap',
    Collection: 'unmodifiableCollection values',
    Object: 'invoke newInstance clone',
  }).flatMap(([type, names]) => names.split(' ').map((name): [string, string] => [name, type])),
)

/** Methods of strings and builders of strings that give another one of the same type. */
const OF_TEXT = new Set(
  'replace replaceAll replaceFirst intern formatted stripLeading stripTrailing append insert deleteCharAt delete reverse'.split(
    ' ',
  ),
)
/** Static methods that give an instance of the class they are called on. */
const MAKERS = new Set(
  'valueOf of copyOf getInstance now ofNullable noneOf allOf range getDefault ofMillis ofSeconds'.split(' '),
)

export class StaticTypes {
  readonly #program: Program
  readonly #evaluator: Evaluator
  readonly #known = new Map<string, StaticType | undefined>()

  constructor(program: Program, evaluator: Evaluator) {
    this.#program = program
    this.#evaluator = evaluator
  }

  /** undefined when nothing written says it. */
  of(scope: number, path: string, steps = 0): StaticType | undefined {
    const key = `${scope} ${path}`
    const before = this.#known.get(key)
    if (before !== undefined || this.#known.has(key) || steps > MAX_STEPS) return before
    this.#known.set(key, undefined)
    const type = this.#find(scope, path, steps)
    this.#known.set(key, type)
    return type
  }

  #find(scope: number, path: string, steps: number): StaticType | undefined {
    if (path === '' || path.includes('?')) return undefined
    if (path.endsWith('()')) return this.#called(scope, path.slice(0, -2), steps)
    if (path.endsWith('[]')) {
      const whole = this.of(scope, path.slice(0, -2), steps + 1)
      const element = whole === undefined ? undefined : /^Array<(.*)>$/.exec(whole.text)?.[1]
      if (whole !== undefined && element !== undefined) return { text: element, scope: whole.scope }
    } else if (path.endsWith('.class')) return { text: 'Class', scope }
    else {
      const dot = path.lastIndexOf('.')
      if (path === 'this' || path === 'self') {
        const extended = this.#extended(scope)
        if (extended !== undefined) return extended
      }
      const written = dot < 0 ? this.#variable(scope, path, steps) : this.#field(scope, path, dot, steps)
      if (written !== undefined) return written
    }
    return this.#ofValue(this.#evaluator.evaluate(scope, path))
  }

  /** The type that a function around extends. */
  #extended(scope: number): StaticType | undefined {
    const { nDefs, defs, parent } = this.#program
    for (let s = scope; s >= 0 && s < nDefs && !isClass(defs[s]); s = parent[s]) {
      const { owner } = defs[s]
      if (owner) return { text: owner, scope: s }
    }
    return undefined
  }

  /** The type of a value of the project. */
  #ofValue(value: Value | undefined): StaticType | undefined {
    if (value === undefined) return undefined
    const { defs, nDefs, parent } = this.#program
    if (value.kind === INSTANCE) return this.#named(value.id)
    if (value.kind === DEFINITION && value.id < nDefs && defs[value.id].kind === 'variant')
      return parent[value.id] < 0 ? undefined : this.#named(parent[value.id])
    return undefined
  }

  #named(id: number): StaticType | undefined {
    const { defs } = this.#program
    return isClass(defs[id]) ? { text: defs[id].name, scope: id } : undefined
  }

  #called(scope: number, callee: string, steps: number): StaticType | undefined {
    const evaluator = this.#evaluator
    const value = evaluator.callee(scope, callee) ?? evaluator.evaluate(scope, callee)
    const name = callee.slice(callee.lastIndexOf('.') + 1)
    if (value?.kind === DEFINITION) {
      const { defs } = this.#program
      const id = value.ids.find((it) => isClass(defs[it]))
      if (id !== undefined) return this.#named(id)
      const types = new Set(value.ids.map((it) => defs[it].type ?? ''))
      const [text] = types
      if (types.size > 1 || text === '') return undefined
      return this.#open(value.id, text) ? this.#ofValue(evaluator.call(value)) : { text, scope: value.id }
    }
    // a cast to a type of the language, or an instance of a library's class
    if (PRIMITIVE.has(callee) || (/^[A-Z]/.test(name) && !callee.includes('('))) return { text: name, scope }
    const told = RESULTS.get(name)
    if (told !== undefined) return { text: told, scope }
    const receiver = callee.slice(0, Math.max(0, callee.length - name.length - 1))
    if (MAKERS.has(name) && /^[A-Z]\w*$/.test(receiver)) return { text: receiver, scope }
    if (!OF_TEXT.has(name) || receiver === '') return undefined
    const own = this.of(scope, receiver, steps + 1)
    return own !== undefined && /^String(?:Builder|Buffer)?$/.test(own.text) ? own : undefined
  }

  /** Whether a type is a type parameter. */
  #open(scope: number, text: string): boolean {
    const value = this.#evaluator.type(scope, text)
    if (value.kind === PARAMETER) return true
    const { nDefs, parent, scopes } = this.#program
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const head = scopes.at(s)?.get(text)
      if (
        head !== undefined &&
        head.kind === ENTRY_BINDING &&
        bindingAt(this.#program, s, head.index).kind === 'parameter'
      )
        return true
    }
    return false
  }

  #variable(scope: number, name: string, steps: number): StaticType | undefined {
    const { nDefs, parent, fileOf, scopes } = this.#program
    for (let s = scope; ; s = parent[s] < 0 ? nDefs + fileOf[s] : parent[s]) {
      const found =
        this.#bound(scopes.at(s)?.get(name), s, steps) ?? (s < nDefs ? this.#ofOwner(s, name, steps) : undefined)
      if (found !== undefined) return found
      if (s >= nDefs) return this.#starred(s, name, steps)
    }
  }

  /** A field of the class that a scope is the body of, or of the one that it extends. */
  #ofOwner(id: number, name: string, steps: number): StaticType | undefined {
    if (isClass(this.#program.defs[id])) return this.#inherited(id, name, steps)
    const owner = this.#evaluator.classes.owners[id]
    return owner >= 0 ? this.#member(owner, name, steps) : undefined
  }

  #starred(scope: number, name: string, steps: number): StaticType | undefined {
    for (const index of this.#program.stars.get(scope) ?? []) {
      const found = this.#imported(scope, index, steps, name)
      if (found !== undefined) return found
    }
    return undefined
  }

  #bound(head: Entry | undefined, scope: number, steps: number): StaticType | undefined {
    for (let it = head; it !== undefined; it = it.next) {
      if (it.kind === ENTRY_IMPORT) return this.#imported(scope, it.index, steps)
      if (it.kind !== ENTRY_BINDING) continue
      const { type, value } = bindingAt(this.#program, scope, it.index)
      if (type !== '') return { text: type, scope }
      if (value !== '') return this.of(scope, value, steps + 1)
    }
    return undefined
  }

  /** The type of a static field that an import names. */
  #imported(scope: number, index: number, steps: number, name?: string): StaticType | undefined {
    const item = importAt(this.#program, scope, index)
    const file = fileOfScope(this.#program, scope)
    const owner = this.#evaluator.ecosystems[file].module(file, item, scope)
    return owner.kind === DEFINITION && isClass(this.#program.defs[owner.id])
      ? this.#member(owner.id, name ?? item.name, steps)
      : undefined
  }

  #member(id: number, name: string, steps: number): StaticType | undefined {
    return this.#bound(this.#program.scopes.at(id)?.get(name), id, steps) ?? this.#inherited(id, name, steps)
  }

  #inherited(id: number, name: string, steps: number): StaticType | undefined {
    if (steps > MAX_STEPS) return undefined
    for (const base of this.#evaluator.classes.bases(id).ids) {
      const found = this.#member(base, name, steps + 1)
      if (found !== undefined) return found
    }
    return undefined
  }

  #field(scope: number, path: string, dot: number, steps: number): StaticType | undefined {
    const name = path.slice(dot + 1)
    const receiver = path.slice(0, dot)
    const value = this.#evaluator.evaluate(scope, receiver)
    if (value?.kind === INSTANCE || (value?.kind === DEFINITION && isClass(this.#program.defs[value.id])))
      return this.#member(value.id, name, steps)
    if (name === 'length' && this.of(scope, receiver, steps + 1)?.text.startsWith('Array<'))
      return { text: 'int', scope }
    if (receiver === 'Boolean' && /^(?:TRUE|FALSE)$/.test(name)) return { text: 'Boolean', scope }
    return name === 'MAX_VALUE' || name === 'MIN_VALUE' ? CONSTANTS.get(receiver) : undefined
  }
}

const PRIMITIVE = new Set(['int', 'long', 'short', 'byte', 'char', 'float', 'double', 'boolean'])
const CONSTANTS = new Map<string, StaticType>(
  Object.entries({
    Integer: 'int',
    Long: 'long',
    Short: 'short',
    Byte: 'byte',
    Double: 'double',
    Float: 'float',
    Character: 'char',
  }).map(([name, text]) => [name, { text, scope: -1 }]),
)
