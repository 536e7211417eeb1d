/**
 * How well a graph agrees with a compiler. Precision: of the edges drawn, how many the compiler knows. Recall:
 * of those that it knows, how many are drawn. *Strict* asks for the innermost source; *lenient* takes an
 * enclosing scope as well, and an implementation where a method of a base is called. Guessed edges are not
 * counted; edges that rest on a name which the compiler could not resolve itself are left out of precision.
 */

import { CALLS, isType, isValue, NONE, type Truth } from './truth.ts'

export interface ScoredGraph {
  nodes: {
    file: string
    label: string
    isFile: boolean
    kind: 'type' | 'function' | 'value'
    start: number
    end: number
    isDefinition: boolean
  }[]
  edges: { source: number; target: number; relation: string; tier: string }[]
}

export interface Rate {
  right: number
  of: number
}

export interface Score {
  files: Rate
  dependencies: Measure
  definitions: Measure
  calls: { strict: Measure; lenient: Measure }
  references: { strict: Measure; lenient: Measure }
  inherits: Measure
  /** Lenient precision of calls and references by tier, guesses too. */
  tiers: Record<string, Rate>
}

export interface Measure {
  precision: Rate
  recall: Rate
}

const CONSTRUCTORS = new Set(['constructor', '__init__', '<init>', '<constructor>'])
const CLASSES: Readonly<Record<string, 'calls' | 'inherits' | 'imports' | 'references'>> = {
  calls: 'calls',
  implements: 'inherits',
  implements_trait: 'inherits',
  imports: 'imports',
  reexports: 'imports',
  declares_module: 'imports',
  references: 'references',
}
/** A scope of truth: a definition, or the file at its top. */
type Scope = number | string

interface Pair {
  from: Scope
  to: number
  relations: Set<string>
  tier: string
  /** Names by which the target may be unknown to the compiler. */
  names: Set<string>
}

export interface Samples {
  wrong: string[]
  missed: string[]
}

/** With `samples`, wrong edges with their tiers and missed calls are added to its lists. */
export function score(truth: Truth, graph: ScoredGraph, samples?: Samples): Score {
  return new Scorer(truth, graph, samples).all()
}

class Scorer {
  readonly #truth: Truth
  readonly #graph: ScoredGraph
  readonly #samples: Samples | undefined
  readonly #files: ReadonlySet<string>
  /** Definition of truth for each node, NONE when there is none. */
  readonly #matches: number[]
  /** Sources of truth by target: as written, and widened. True where it is a call. */
  readonly #exact = new Map<number, Map<Scope, boolean>>()
  readonly #wide = new Map<number, Map<Scope, boolean>>()
  readonly #implementations = new Map<number, number[]>()
  readonly #byFile = new Map<string, number[]>()
  readonly #unknown = new Set<string>()

  constructor(truth: Truth, graph: ScoredGraph, samples?: Samples) {
    this.#samples = samples
    this.#truth = truth
    this.#graph = graph
    this.#files = new Set(truth.files)
    truth.definitions.forEach(({ file }, d) => {
      const own = this.#byFile.get(file)
      if (own === undefined) this.#byFile.set(file, [d])
      else own.push(d)
    })
    this.#matches = this.#match()
    for (const { declared, implementing } of truth.dispatch)
      this.#implementations.set(declared, [...(this.#implementations.get(declared) ?? []), implementing])
    for (const { from, file, to, kinds } of truth.references) {
      const isCall = [...kinds].some((it) => CALLS.has(it))
      const own: Scope = from === NONE ? `f:${file}` : from
      put(this.#exact, this.#canonical(to), own, isCall)
      for (const target of [to, ...(this.#implementations.get(to) ?? [])])
        for (const scope of [`f:${file}`, ...this.#chain(from)]) put(this.#wide, this.#canonical(target), scope, isCall)
    }
    for (const it of truth.unknown) {
      const bar = it.indexOf('|')
      const [scope, name] = [it.slice(0, bar), it.slice(bar + 1)]
      this.#unknown.add(it)
      if (scope.startsWith('f:')) continue
      for (const around of this.#chain(Number(scope))) this.#unknown.add(`${around}|${name}`)
      this.#unknown.add(`f:${truth.definitions[Number(scope)].file}|${name}`)
    }
  }

  all(): Score {
    const pairs = this.#pairs(false)
    const isCall = (it: Pair) => it.relations.has('calls')
    const calls = this.#distinct((it) =>
      [...it.kinds].some((kind) => kind === 'call' || kind === 'new' || kind === 'jsx'),
    )
    const uses = this.#distinct((it) => [...it.kinds].some((kind) => kind !== 'import' && kind !== 'reexport'))
    const isKnownBase = ({ relations, from, to }: Pair) =>
      relations.size === 1 &&
      relations.has('inherits') &&
      this.#truth.inherits.some((it) => it.from === from && it.to === to)
    const seen = new Set(this.#graph.nodes.filter((it) => this.#files.has(it.file)).map((it) => it.file))
    return {
      files: { right: seen.size, of: this.#truth.files.length },
      dependencies: this.#dependencies(),
      definitions: this.#definitions(),
      calls: this.#measure([...pairs.values()].filter(isCall), calls, isCall, true),
      references: this.#measure(
        [...pairs.values()].filter((it) => !isKnownBase(it)),
        uses,
        () => true,
        false,
      ),
      inherits: this.#inherits(pairs),
      tiers: this.#tiers(),
    }
  }

  // ---- nodes

  #match(): number[] {
    const { definitions } = this.#truth
    const byName = new Map<string, number[]>()
    definitions.forEach(({ file, name }, d) => {
      const key = `${file}|${name.replace(/^#/, '')}`
      byName.set(key, [...(byName.get(key) ?? []), d])
    })
    return this.#graph.nodes.map(({ file, label, isFile, kind, start, end }) => {
      if (isFile || !this.#files.has(file)) return NONE
      const simple = label.replace(/[(<[].*$/s, '').replace(/^.*[.#:/]/, '')
      let best = NONE
      let least = Number.POSITIVE_INFINITY
      for (const d of byName.get(`${file}|${simple}`) ?? byName.get(`${file}|${simple.replace(/=$/, '')}`) ?? []) {
        const it = definitions[d]
        let distance = Number.POSITIVE_INFINITY
        for (const range of [...it.ranges, { start: it.line, end: it.line }]) {
          if (start > range.end + 1 || end < range.start - 1) continue
          distance = Math.min(distance, Math.abs(start - range.start), Math.abs(start - it.line))
        }
        const fits =
          kind === (isValue(it.kind) ? 'value' : isType(it.kind) || it.kind === 'namespace' ? 'type' : 'function')
        if (!fits) distance += 0.5
        if (distance < least) {
          least = distance
          best = d
        }
      }
      return best
    })
  }

  /** The innermost definition around a function that the compiler does not list, as those within others. */
  #around({ file, start, end }: ScoredGraph['nodes'][number]): number {
    let best = NONE
    let least = Number.POSITIVE_INFINITY
    for (const d of this.#byFile.get(file) ?? []) {
      for (const range of this.#truth.definitions[d].ranges) {
        const length = range.end - range.start
        if (range.start > start || range.end < end || length >= least) continue
        least = length
        best = d
      }
    }
    return best
  }

  #definitions(): Measure {
    const found = new Set(this.#matches)
    const required = this.#truth.definitions.flatMap((it, d) => (it.required ? [d] : []))
    let right = 0
    let of = 0
    this.#graph.nodes.forEach(({ file, isDefinition }, n) => {
      if (!isDefinition || !this.#files.has(file)) return
      of++
      if (this.#matches[n] !== NONE) right++
    })
    return {
      precision: { right, of },
      recall: { right: required.filter((d) => found.has(d)).length, of: required.length },
    }
  }

  // ---- edges

  /** Edges of the graph between definitions of truth, joined by their ends. */
  #pairs(withGuesses: boolean): Map<string, Pair> {
    const { nodes, edges } = this.#graph
    const { definitions } = this.#truth
    const pairs = new Map<string, Pair>()
    for (const { source, target, relation, tier } of edges) {
      const kind = CLASSES[relation]
      if (kind === undefined || kind === 'imports' || (tier === 'guess' && !withGuesses)) continue
      const to = this.#matches[target]
      if (to === NONE || !this.#files.has(nodes[source].file)) continue
      // a value stands for the scope that it is declared in
      let scope = this.#matches[source]
      if (scope === NONE && !nodes[source].isFile) scope = this.#around(nodes[source])
      while (scope !== NONE && isValue(definitions[scope].kind)) scope = definitions[scope].parent
      const from: Scope = scope === NONE ? `f:${nodes[source].file}` : scope
      const whole = this.#canonical(to)
      if (from === whole || this.#matches[source] === to) continue
      const key = `${from}|${whole}`
      const pair = pairs.get(key) ?? { from, to: whole, relations: new Set(), tier, names: new Set() }
      pair.relations.add(kind)
      pair.names.add(definitions[to].name).add(definitions[whole].name)
      pairs.set(key, pair)
    }
    return pairs
  }

  #measure(
    drawn: readonly Pair[],
    known: readonly Truth['references'][number][],
    counts: (pair: Pair) => boolean,
    onlyCalls: boolean,
  ): { strict: Measure; lenient: Measure } {
    const rates = { strict: 0, lenient: 0, of: 0 }
    for (const it of drawn) {
      const isStrict = has(this.#exact, it.to, it.from, onlyCalls)
      const isRight = isStrict || this.#isLenient(it, onlyCalls)
      if (!isRight && this.#isUnknown(it)) continue
      rates.of++
      if (isStrict) rates.strict++
      if (isRight) rates.lenient++
    }
    const byTarget = new Map<number, Map<Scope, Pair>>()
    for (const it of this.#pairs(false).values()) {
      if (!counts(it)) continue
      const sources = byTarget.get(it.to)
      if (sources === undefined) byTarget.set(it.to, new Map([[it.from, it]]))
      else sources.set(it.from, it)
    }
    const found = { strict: 0, lenient: 0 }
    for (const { from, file, to, line } of known) {
      const own: Scope = from === NONE ? `f:${file}` : from
      if (byTarget.get(this.#canonical(to))?.has(own) === true) {
        found.strict++
        found.lenient++
        continue
      }
      const targets = [to, ...(this.#implementations.get(to) ?? [])].map((it) => this.#canonical(it))
      const around = new Set<Scope>([`f:${file}`, ...this.#chain(from)])
      const isNear = (scope: Scope) =>
        around.has(scope) || (typeof scope === 'number' && from !== NONE && this.#chain(scope).includes(from))
      if (targets.some((it) => [...(byTarget.get(it)?.keys() ?? [])].some(isNear))) found.lenient++
      else if (onlyCalls) this.#samples?.missed.push(`${file}:${line} ${this.#shown(own)} -> ${this.#shown(to)}`)
    }
    const of = known.length
    return {
      strict: { precision: { right: rates.strict, of: rates.of }, recall: { right: found.strict, of } },
      lenient: { precision: { right: rates.lenient, of: rates.of }, recall: { right: found.lenient, of } },
    }
  }

  #tiers(): Record<string, Rate> {
    const tiers: Record<string, Rate> = {}
    for (const pair of this.#pairs(true).values()) {
      if (pair.relations.has('inherits') && pair.relations.size === 1) continue
      const onlyCalls = pair.relations.has('calls')
      const isRight = has(this.#exact, pair.to, pair.from, onlyCalls) || this.#isLenient(pair, onlyCalls)
      if (!isRight && this.#isUnknown(pair)) continue
      const rate = (tiers[pair.tier] ??= { right: 0, of: 0 })
      rate.of++
      if (isRight) rate.right++
      else {
        const relations = [...pair.relations].join(', ')
        this.#samples?.wrong.push(`${pair.tier} ${relations}  ${this.#shown(pair.from)} -> ${this.#shown(pair.to)}`)
      }
    }
    return tiers
  }

  #inherits(pairs: ReadonlyMap<string, Pair>): Measure {
    const known = new Set(this.#truth.inherits.map(({ from, to }) => `${from}|${to}`))
    const drawn = [...pairs].filter(([, it]) => it.relations.has('inherits') && typeof it.from === 'number')
    const right = drawn.filter(([key]) => known.has(key)).length
    const found = new Set(drawn.map(([key]) => key))
    return {
      precision: { right, of: drawn.length },
      recall: { right: [...known].filter((it) => found.has(it)).length, of: known.size },
    }
  }

  #dependencies(): Measure {
    const { nodes, edges } = this.#graph
    const { definitions, dependencies, inherits } = this.#truth
    const permitted = new Set(dependencies.map(({ from, to }) => `${from}\n${to}`))
    // a type that satisfies an interface of another file need not name it
    for (const { from, to } of inherits) permitted.add(`${definitions[from].file}\n${definitions[to].file}`)
    const drawn = new Map<string, { rests: boolean }>()
    for (const { source, target, relation, tier } of edges) {
      const kind = CLASSES[relation]
      if (kind === undefined || tier === 'guess') continue
      const [from, to] = [nodes[source].file, nodes[target].file]
      if (from === to || !this.#files.has(from) || !this.#files.has(to)) continue
      const scope: Scope = this.#matches[source] === NONE ? `f:${from}` : this.#matches[source]
      const match = this.#matches[target]
      const isSure =
        kind === 'imports' ||
        match === NONE ||
        !this.#isUnknown({ from: scope, names: new Set([definitions[match].name]) })
      const key = `${from}\n${to}`
      drawn.set(key, { rests: !isSure && (drawn.get(key)?.rests ?? true) })
    }
    let right = 0
    let of = 0
    for (const [key, { rests }] of drawn) {
      if (permitted.has(key)) right++
      else if (rests) continue
      of++
    }
    const required = dependencies.filter((it) => it.required)
    return {
      precision: { right, of },
      recall: { right: required.filter(({ from, to }) => drawn.has(`${from}\n${to}`)).length, of: required.length },
    }
  }

  // ---- scopes of truth

  #shown(scope: Scope): string {
    if (typeof scope === 'string') return scope.slice(2)
    const { file, name, line } = this.#truth.definitions[scope]
    return `${file}:${line} ${name}`
  }

  /** A constructor, of whatever name, stands for its class. */
  #canonical(d: number): number {
    const { name, parent } = this.#truth.definitions[d]
    if (parent === NONE) return d
    return CONSTRUCTORS.has(name) || name === this.#truth.definitions[parent].name ? parent : d
  }

  /** A definition and those around it. */
  #chain(d: number): number[] {
    const chain: number[] = []
    for (let at = d; at !== NONE; at = this.#truth.definitions[at].parent) chain.push(at)
    return chain
  }

  #isLenient({ from, to }: Pair, onlyCalls: boolean): boolean {
    if (has(this.#wide, to, from, onlyCalls)) return true
    return typeof from === 'number' && this.#chain(from).some((it) => has(this.#exact, to, it, onlyCalls))
  }

  #isUnknown({ from, names }: Pick<Pair, 'from' | 'names'>): boolean {
    const scopes = typeof from === 'number' ? this.#chain(from) : [from]
    if ([...names].some((name) => this.#truth.unwritten?.test(name) === true)) return true
    return scopes.some((scope) => [...names].some((name) => this.#unknown.has(`${scope}|${name}`)))
  }

  /** References of truth to expected definitions, one for each pair of ends. */
  #distinct(wanted: (it: Truth['references'][number]) => boolean): Truth['references'] {
    const seen = new Set<string>()
    return this.#truth.references.filter((it) => {
      if (!wanted(it) || !this.#truth.definitions[it.to].required) return false
      const to = this.#canonical(it.to)
      const key = `${it.from === NONE ? `f:${it.file}` : it.from}|${to}`
      if (seen.has(key) || it.from === to) return false
      seen.add(key)
      return true
    })
  }
}

function put(index: Map<number, Map<Scope, boolean>>, to: number, from: Scope, isCall: boolean): void {
  const sources = index.get(to)
  if (sources === undefined) index.set(to, new Map([[from, isCall]]))
  else sources.set(from, isCall || sources.get(from) === true)
}

function has(
  index: ReadonlyMap<number, ReadonlyMap<Scope, boolean>>,
  to: number,
  from: Scope,
  onlyCalls: boolean,
): boolean {
  const isCall = index.get(to)?.get(from)
  return isCall !== undefined && (isCall || !onlyCalls)
}
