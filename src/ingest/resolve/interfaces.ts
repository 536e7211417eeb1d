/** Go types that satisfy an interface without naming it: their methods are a superset of its methods. */

import type { Reference } from '#ingest/facts'
import type { Evaluator } from '#ingest/resolve/evaluate'
import { STANDARD_METHODS } from '#ingest/resolve/go-standard'
import { ENTRY_DEFINITION, type Entry, isClass, type Program } from '#ingest/resolve/program'
import { DEFINITION, EXTERNAL, INSTANCE, UNKNOWN, type Value } from '#ingest/resolve/value'

/** An interface that more types than this satisfy says nothing about any of them. */
const MAX_IMPLEMENTATIONS = 500
/** Deepest chain of aliases that is followed. */
const MAX_DEPTH = 20

/** The parameters and results of a method, with names that mean the same in every file. */
type Signature = string

/** By name; a name without a capital has the folder of its package in front of it. */
type Methods = ReadonlyMap<string, Signature>

export function implicitInterfaces(program: Program, evaluator: Evaluator): { from: number; to: number }[] {
  return new Interfaces(program, evaluator).satisfied()
}

class Interfaces {
  readonly #program: Program
  readonly #evaluator: Evaluator
  readonly #methods = new Map<number, Methods>()
  readonly #signatures = new Map<number, Signature>()

  constructor(program: Program, evaluator: Evaluator) {
    this.#program = program
    this.#evaluator = evaluator
  }

  satisfied(): { from: number; to: number }[] {
    const { defs, fileOf, facts, nDefs } = this.#program
    const interfaces: number[] = []
    const byMethod = new Map<string, number[]>()
    for (let id = 0; id < nDefs; id++) {
      const { kind, tags } = defs[id]
      if (facts[fileOf[id]].language !== 'go' || !isClass(defs[id]) || tags.includes('alias')) continue
      if (kind === 'interface') {
        if (!tags.includes('constraint')) interfaces.push(id)
        continue
      }
      for (const name of this.#methodsOf(id).keys()) {
        const list = byMethod.get(name)
        if (list) list.push(id)
        else byMethod.set(name, [id])
      }
    }

    const found: { from: number; to: number }[] = []
    for (const id of interfaces) {
      const wanted = this.#methodsOf(id)
      if (wanted.size === 0) continue
      // an embedded interface of unknown methods leaves too much open for a small set to prove anything
      if (this.#hasUnknownBase(id) && wanted.size < 3) continue
      let rarest: number[] | undefined
      for (const name of wanted.keys()) {
        const list = byMethod.get(name) ?? []
        if (rarest === undefined || list.length < rarest.length) rarest = list
      }
      if (rarest === undefined || rarest.length > MAX_IMPLEMENTATIONS) continue
      for (const type of rarest) if (satisfies(this.#methodsOf(type), wanted)) found.push({ from: type, to: id })
    }
    return found
  }

  /** Own, attached and promoted methods. */
  #methodsOf(id: number): Methods {
    const known = this.#methods.get(id)
    if (known !== undefined) return known
    const methods = new Map<string, Signature>()
    this.#methods.set(id, methods)
    const { scopes, defs, heritage } = this.#program
    const { classes } = this.#evaluator
    for (const head of scopes.at(id)?.values() ?? []) {
      for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
        if (it.kind === ENTRY_DEFINITION && defs[it.index].kind === 'fn') this.#add(methods, it.index)
      }
    }
    for (const ids of classes.attachedTo(id)?.values() ?? []) for (const method of ids) this.#add(methods, method)
    for (const base of classes.bases(id).ids) {
      for (const [name, method] of this.#methodsOf(base)) if (!methods.has(name)) methods.set(name, method)
    }
    for (const { file, reference } of heritage.get(id) ?? []) {
      for (const [name, method] of this.#standard(file, reference)) if (!methods.has(name)) methods.set(name, method)
    }
    return methods
  }

  #add(methods: Map<string, Signature>, id: number): void {
    const { name, exported } = this.#program.defs[id]
    methods.set(exported === true ? name : `${this.#packageOf(id)} ${name}`, this.#signatureOf(id))
  }

  #packageOf(id: number): string {
    const { paths, fileOf, facts } = this.#program
    const path = paths[fileOf[id]]
    return `${path.slice(0, path.lastIndexOf('/') + 1)}${facts[fileOf[id]].package}`
  }

  /** Methods of a type of the standard library that is embedded. */
  #standard(file: number, reference: Reference): ReadonlyMap<string, Signature> {
    const { path } = reference
    const value = this.#evaluator.evaluate(this.#evaluator.classes.heritageScope(file, reference), path)
    if (value !== undefined && value.kind !== EXTERNAL) return NONE
    const short = path.slice(path.lastIndexOf('.') + 1)
    return STANDARD_METHODS.get(value === undefined || value.name === '' ? path : `${value.name}.${short}`) ?? NONE
  }

  #hasUnknownBase(id: number): boolean {
    const { classes } = this.#evaluator
    return (
      classes.bases(id).open &&
      (this.#program.heritage.get(id) ?? []).some(
        ({ file, reference }) =>
          this.#standard(file, reference).size === 0 &&
          classes.asClass(this.#evaluator.evaluate(classes.heritageScope(file, reference), reference.path)) < 0,
      )
    )
  }

  #signatureOf(id: number): Signature {
    let signature = this.#signatures.get(id)
    if (signature === undefined) {
      signature = this.#canonical(id, this.#program.defs[id].signature ?? '', 0)
      this.#signatures.set(id, signature)
    }
    return signature
  }

  /** A text of types with the number of each project type in place of its name, `$` for type parameters. */
  #canonical(scope: number, text: string, depth: number): string {
    return text.replace(NAMES, (name) => {
      if (PLAIN.has(name)) return name
      const value = this.#evaluator.evaluate(scope, name)
      return this.#named(value, name, depth)
    })
  }

  #named(value: Value | undefined, name: string, depth: number): string {
    if (value === undefined || value.kind === UNKNOWN) return ANY_TYPE
    if (value.kind === EXTERNAL) {
      const short = name.slice(name.lastIndexOf('.') + 1)
      return value.name === '' ? ANY_TYPE : `${value.name}.${short}`
    }
    if (value.kind === INSTANCE) return `#${value.id}`
    if (value.kind !== DEFINITION) return ANY_TYPE
    const { defs } = this.#program
    const definition = defs[value.id]
    if (!definition.tags.includes('alias') || !definition.signature || depth > MAX_DEPTH) return `#${value.id}`
    return this.#canonical(this.#evaluator.classes.outerScope(value.id), definition.signature, depth + 1)
  }
}

const NONE: ReadonlyMap<string, Signature> = new Map()
const ANY_TYPE = '$'
const NAMES = /(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)?/gu
const PLAIN = new Set(
  'func map chan struct interface any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr'.split(
    ' ',
  ),
)

function satisfies(has: Methods, wanted: Methods): boolean {
  for (const [name, signature] of wanted) {
    const own = has.get(name)
    if (own === undefined || (own !== signature && !isAlike(own, signature))) return false
  }
  return true
}

/** True when two signatures differ only where one of them has a type parameter. */
function isAlike(a: Signature, b: Signature): boolean {
  if (!a.includes(ANY_TYPE) && !b.includes(ANY_TYPE)) return false
  const first = a.split(/([,()])/)
  const second = b.split(/([,()])/)
  return (
    first.length === second.length &&
    first.every((it, i) => it === second[i] || it.includes(ANY_TYPE) || second[i].includes(ANY_TYPE))
  )
}
