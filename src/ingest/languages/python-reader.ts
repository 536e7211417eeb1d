/** What the parts of the Python reader share: the text, the facts so far, and what is known of the place. */

import type { Binding } from '#ingest/facts'
import { Flow } from '#ingest/languages/python-flow'
import { argumentsAt } from '#ingest/languages/python-syntax'
import type { FactsBuilder, Source } from '#ingest/source'

export interface LazyName {
  name: string
  module: string
  /** Its name within the module. */
  original: string
  line: number
}

export class PythonReader {
  readonly source: Source
  readonly facts: FactsBuilder
  readonly flow: Flow
  /** Tables of names and modules at the top of the file, by the name of the table. */
  readonly lazy = new Map<string, LazyName[]>()

  constructor(source: Source, facts: FactsBuilder) {
    this.source = source
    this.facts = facts
    this.flow = new Flow(source, facts)
  }

  /** Adds a binding whose value is written at `at`. */
  bind(binding: Binding, at: number): void {
    if (binding.name === '' || binding.name === '_') return
    this.facts.bind(binding)
    this.flow.valueAt(at)
  }

  /** Adds a reference that is written at `at`. */
  refer(
    scope: number,
    relation: string,
    path: string,
    at: number,
    line: number,
    more?: { unreachable?: boolean },
  ): void {
    const { references } = this.facts.facts
    const before = references.length
    this.facts.reference(scope, relation, path, line, more)
    if (references.length > before) this.flow.referenceAt(at)
  }

  /** The module that a call of `import_module` or `__import__` names; '' when the text is none, or names none. */
  importedModule(text: string): string {
    const call = /^(?:[\w.]+\.)?(?:import_module|__import__)\s*\(/.exec(text)
    if (call === null) return ''
    const args = argumentsAt(text, call[0].length - 1)
    const module = textIn(args[0])
    if (!module.startsWith('.')) return /^[\w.]+$/.test(module) ? module : ''
    const around = (args[1] ?? '').replace(/^\s*package\s*=/, '').trim()
    if (around === '__package__' || around === '__name__') return module
    const folder = textIn(around)
    return folder === '' || module.startsWith('..') ? '' : folder + module
  }
}

/** The text of a string literal, '' for anything else. */
function textIn(argument: string | undefined): string {
  return /^\s*["']([\w.]+)["']\s*$/.exec(argument ?? '')?.[1] ?? ''
}
