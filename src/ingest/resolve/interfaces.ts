/** Go types that satisfy an interface without naming it: their methods are a superset of its methods. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import { ENTRY_DEFINITION, type Entry, isClass, type Program } from '#ingest/resolve/program'

/** Methods of interfaces of the standard library that project interfaces like to embed. */
const KNOWN_EXTERNAL = new Map<string, string[]>([
  ['io.Reader', ['Read']],
  ['io.Writer', ['Write']],
  ['io.Closer', ['Close']],
  ['io.ReadCloser', ['Read', 'Close']],
  ['io.WriteCloser', ['Write', 'Close']],
  ['io.ReadWriter', ['Read', 'Write']],
  ['io.ReaderFrom', ['ReadFrom']],
  ['error', ['Error']],
  ['fmt.Stringer', ['String']],
  ['http.Handler', ['ServeHTTP']],
  ['http.ResponseWriter', ['Header', 'Write', 'WriteHeader']],
  ['http.Flusher', ['Flush']],
  ['http.Hijacker', ['Hijack']],
  ['http.Pusher', ['Push']],
  ['sort.Interface', ['Len', 'Less', 'Swap']],
])
/** An interface that more types than this satisfy says nothing about any of them. */
const MAX_IMPLEMENTATIONS = 500

interface Method {
  id: number
  arity: number
  result: string
}

export function implicitInterfaces(program: Program, evaluator: Evaluator): { from: number; to: number }[] {
  const { defs, fileOf, facts, nDefs } = program
  const interfaces: number[] = []
  const byMethod = new Map<string, number[]>()
  const methodsOf = new Map<number, Map<string, Method | null>>()

  for (let id = 0; id < nDefs; id++) {
    if (facts[fileOf[id]].language !== 'go' || !isClass(defs[id])) continue
    const isInterface = defs[id].kind === 'interface' || defs[id].tags.includes('interface')
    if (isInterface) interfaces.push(id)
    else {
      evaluator.memo.settle()
      const methods = collect(id)
      for (const name of methods.keys()) {
        const list = byMethod.get(name)
        if (list) list.push(id)
        else byMethod.set(name, [id])
      }
    }
  }

  const found: { from: number; to: number }[] = []
  for (const id of interfaces) {
    evaluator.memo.settle()
    const wanted = collect(id)
    if (wanted.size === 0) continue
    // an embedded interface of unknown methods leaves too much open for a small set to prove anything
    if (hasUnknownBase(id) && wanted.size < 3) continue
    let rarest: number[] | undefined
    for (const name of wanted.keys()) {
      const list = byMethod.get(name) ?? []
      if (rarest === undefined || list.length < rarest.length) rarest = list
    }
    if (rarest === undefined || rarest.length > MAX_IMPLEMENTATIONS) continue
    for (const type of rarest) if (satisfies(collect(type), wanted)) found.push({ from: type, to: id })
  }
  return found

  /** Own, attached and promoted methods by name; null for a method of which only the name is known. */
  function collect(id: number): Map<string, Method | null> {
    const known = methodsOf.get(id)
    if (known !== undefined) return known
    const methods = new Map<string, Method | null>()
    methodsOf.set(id, methods)
    for (const head of program.scopes[id]?.values() ?? []) {
      for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
        if (it.kind === ENTRY_DEFINITION && defs[it.index].kind === 'fn') add(methods, it.index)
      }
    }
    for (const [, ids] of evaluator.classes.attachedTo(id) ?? []) for (const method of ids) add(methods, method)
    for (const base of evaluator.classes.bases(id).ids) {
      for (const [name, method] of collect(base)) if (!methods.has(name)) methods.set(name, method)
    }
    for (const { reference } of program.heritage.get(id) ?? []) {
      for (const name of KNOWN_EXTERNAL.get(reference.path) ?? []) if (!methods.has(name)) methods.set(name, null)
    }
    return methods
  }

  function add(methods: Map<string, Method | null>, id: number): void {
    const { name, arity, type } = defs[id]
    methods.set(name, { id, arity: arity ?? -1, result: (type ?? '').replace(/^.*\./, '') })
  }

  function hasUnknownBase(id: number): boolean {
    return (
      evaluator.classes.bases(id).open &&
      (program.heritage.get(id) ?? []).some(
        ({ reference }) =>
          !KNOWN_EXTERNAL.has(reference.path) &&
          evaluator.classes.asClass(
            evaluator.evaluate(evaluator.classes.heritageScope(fileOf[id], reference), reference.path),
          ) < 0,
      )
    )
  }

  function satisfies(has: Map<string, Method | null>, wanted: Map<string, Method | null>): boolean {
    for (const [name, method] of wanted) {
      const own = has.get(name)
      if (own === undefined) return false
      if (own === null || method === null) continue
      if (own.arity !== method.arity || own.result !== method.result) return false
    }
    return true
  }
}
