/**
 * Places at which rules of patterns hold: what is caught and dropped, opened and not closed, changed for all, and
 * so on. Most rules read the calls that the facts tell; the rest have captures of their own in the language's
 * query, whose names begin with `mark.`. What other files say is left to `analysis/scan`.
 */

import { RULED_LANGUAGES } from '#graph/patterns'
import type { Match } from '#ingest/parse'
import { findAccess } from '#ingest/patterns/access'
import { findConcurrency } from '#ingest/patterns/concurrency'
import { findErrors } from '#ingest/patterns/errors'
import { findEnvironment } from '#ingest/patterns/environment'
import { findResources } from '#ingest/patterns/resources'
import { Sightings } from '#ingest/patterns/sightings'
import { findSharedState } from '#ingest/patterns/state'
import { findTests } from '#ingest/patterns/tests'
import type { FactsBuilder } from '#ingest/source'

const ES = `
(catch_clause body: (_) @body) @mark.catch
(assignment_expression left: (identifier) @name) @mark.write
(augmented_assignment_expression left: (identifier) @name) @mark.write
(update_expression argument: (identifier) @name) @mark.write
`
const C = `
(assignment_expression left: (identifier) @name) @mark.write
(update_expression argument: (identifier) @name) @mark.write
`

/** What is added to the query of a language. */
const QUERIES: Readonly<Record<string, string>> = {
  python: `
(except_clause (block) @body) @mark.catch
(default_parameter value: [(list) (dictionary) (set)] @value) @mark.default
(typed_default_parameter value: [(list) (dictionary) (set)] @value) @mark.default
(global_statement) @mark.global
`,
  typescript: ES,
  tsx: ES,
  javascript: ES,
  go: `
(block "{" . "}") @mark.empty
(go_statement) @mark.start
(assignment_statement left: (expression_list . (identifier) @name .)) @mark.write
(inc_statement (identifier) @name) @mark.write
(dec_statement (identifier) @name) @mark.write
`,
  java: `
(catch_clause (catch_formal_parameter) @param body: (block) @body) @mark.catch
(assignment_expression left: [(identifier) (field_access)] @name) @mark.write
(update_expression (identifier) @name) @mark.write
`,
  csharp: `
(catch_clause body: (block) @body) @mark.catch
(assignment_expression left: (identifier) @name) @mark.write
`,
  kotlin: '(catch_block) @mark.catch',
  scala: '(catch_clause) @mark.catch',
  swift: '(catch_block) @mark.catch',
  php: '(catch_clause body: (_) @body) @mark.catch',
  ruby: `
(rescue) @mark.catch
(rescue_modifier handler: (_) @body) @mark.modifier
`,
  c: C,
  cpp: `${C}
(catch_clause parameters: (_) @param body: (_) @body) @mark.catch
`,
}

/** Captures that the rules need beside those of the language. */
export function patternQuery(language: string): string {
  return QUERIES[language] ?? ''
}

/** Fills `facts.patterns`. Pure in the file's text, facts and marks. */
export function findPatterns(builder: FactsBuilder, marks: readonly Match[]): void {
  const { facts } = builder
  if (!RULED_LANGUAGES.has(facts.language)) return
  const sightings = new Sightings(builder, marks)
  findErrors(sightings)
  findResources(sightings)
  findSharedState(sightings)
  findConcurrency(sightings)
  findAccess(sightings)
  findTests(sightings)
  findEnvironment(sightings)
  facts.patterns.sort((a, b) => a.line - b.line)
}
