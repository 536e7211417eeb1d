/** The variables of one body: what is in sight, what each is called in facts, and what its value is. */

import type { Binding } from '#ingest/facts'
import type { Cursor } from '#ingest/languages/rust-tokens'
import type { Named } from '#ingest/languages/rust-types'
import type { FactsBuilder } from '#ingest/source'

/** Paths longer than this get a name, so that text does not grow with the length of a chain. */
const LONGEST_ARGUMENT = 60
export const LONGEST_RECEIVER = 160
/** What an expression is that never gives a value. */
export const NEVER = '!'

const NO_CALLS = new Set(['self', 'Self', 'Some', 'Ok', 'Err'])
/** Names that stand for no symbol of the project. */
const KNOWN = new Set(
  'self Self Some None Ok Err str bool char usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 Option Vec Box String'.split(
    ' ',
  ),
)
/** Values that say nothing yet of what they will hold. */
const HOLLOW =
  /^(?:(?:[\w.]+\.)?(?:Vec|VecDeque|BinaryHeap|HashSet|BTreeSet|HashMap|BTreeMap|IndexMap|IndexSet|FxHashMap|AHashMap|SmallVec|ArrayVec)\.(?:new|with_capacity|default)\(.*\)|@Vec\(\)|None)$/

/** How often a variable of a name was bound, by definition. */
export type NameCounts = Map<number, Map<string, number>>

export class Names {
  readonly cursor: Cursor
  readonly facts: FactsBuilder
  readonly scope: number
  readonly #counts: Map<string, number>
  /** Variables in sight, innermost last: plain names beside the names in facts. */
  readonly plain: string[] = []
  readonly bound: string[] = []
  /** Variables whose value is hollow so far. */
  readonly #hollow = new Map<string, Binding>()

  constructor(cursor: Cursor, facts: FactsBuilder, scope: number, counts: NameCounts) {
    this.cursor = cursor
    this.facts = facts
    this.scope = scope
    let own = counts.get(scope)
    if (own === undefined) {
      own = new Map()
      counts.set(scope, own)
    }
    this.#counts = own
  }

  readonly typeNamed: Named = (path, offset) => this.refer('references', path, offset)

  bind(name: string, kind: 'local' | 'parameter', type: string, value: string, offset: number): string {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    const unique = count === 1 ? `${name}#` : `${name}#${count}`
    this.plain.push(name)
    this.bound.push(unique)
    this.#tell(unique, kind, type, value, offset)
    return unique
  }

  #tell(name: string, kind: 'local' | 'parameter', type: string, value: string, offset: number): void {
    const binding: Binding = {
      scope: this.scope,
      name,
      kind,
      type,
      value: value === NEVER ? '' : value,
      line: this.facts.source.lineAt(offset),
    }
    this.facts.bind(binding)
    if (kind === 'local' && type === '' && (value === '' || HOLLOW.test(value))) this.#hollow.set(name, binding)
  }

  local(name: string): string | undefined {
    for (let i = this.plain.length - 1; i >= 0; i--) if (this.plain[i] === name) return this.bound[i]
    return undefined
  }

  /** Forgets the variables bound since there were `count`. */
  leave(count: number): void {
    this.plain.length = count
    this.bound.length = count
  }

  /** A path short enough to stand within others. */
  short(value: string, longest = LONGEST_ARGUMENT): string {
    if (value === '' || value === NEVER) return '_'
    if (value.length <= longest) return value
    const name = `%${this.#counts.get('%') ?? 0}`
    this.#counts.set('%', (this.#counts.get('%') ?? 0) + 1)
    this.facts.bind({
      scope: this.scope,
      name,
      kind: 'local',
      type: '',
      value,
      line: this.facts.source.lineAt(this.cursor.start),
    })
    return name
  }

  refer(relation: 'calls' | 'references', path: string, offset: number, args?: number): void {
    if (path === '' || (relation === 'calls' ? NO_CALLS : KNOWN).has(path)) return
    const line = this.facts.source.lineAt(offset)
    this.facts.reference(this.scope, relation, path, line, args === undefined ? undefined : { args })
  }

  /** A variable that was hollow holds what it is set to. */
  assigned(target: string, value: string): void {
    const binding = this.#hollow.get(target)
    if (binding === undefined || value === '' || value === NEVER || value === 'None') return
    binding.value = value
    this.#hollow.delete(target)
  }

  /** What is put into a collection says what it holds. */
  fill(receiver: string, name: string, args: { values: string[] }): void {
    const binding = this.#hollow.get(receiver)
    if (binding === undefined) return
    const { values } = args
    const known = (it: string | undefined): it is string => it !== undefined && it !== '' && it !== '_'
    const { value } = binding
    const fill = (...held: string[]): string =>
      `@fill(${this.short(value)},${held.map((it) => this.short(it)).join(',')})`
    const isSet = /Set\b/.test(value)
    if (/^push(?:_back|_front)?$/.test(name) && known(values[0])) binding.value = fill(values[0])
    else if (name === 'insert' && isSet && known(values[0])) binding.value = fill(values[0])
    else if (name === 'insert' && known(values[1])) binding.value = fill(values[0] ?? '', values[1])
    else if (name === 'entry' && known(values[0])) binding.value = fill(values[0], '')
    else if (name === 'extend' && known(values[0]))
      binding.value = fill(`${this.short(values[0])}.into_iter().next().?`)
    else return
    this.#hollow.delete(receiver)
  }
}
