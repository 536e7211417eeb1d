/** Rust: the grammar tells the items and their extents; types and bodies are read from the tokens in them. */

import type { Syntax } from '#ingest/expression'
import { RustItems } from '#ingest/languages/rust-items'
import { withoutWrappers } from '#ingest/languages/rust-macros'
import type { Match } from '#ingest/parse'
import { type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = { lineComment: '//', generics: '<', transparent: new Set() }

const QUERY = `
(attribute_item) @attribute
(inner_attribute_item) @inner
(use_declaration) @use
(extern_crate_declaration name: (identifier) @name alias: (identifier)? @alias) @extern
(mod_item name: (identifier) @name body: (_)? @body) @mod
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @variant
(trait_item name: (type_identifier) @name) @trait
(associated_type name: (type_identifier) @name) @alias
(type_item name: (type_identifier) @name) @alias
(impl_item) @impl
(function_item name: (identifier) @name) @fn
(function_signature_item name: (identifier) @name) @fn
(const_item name: (identifier) @name) @const
(static_item name: (identifier) @name) @const
(macro_definition name: (identifier) @name) @macro
(macro_invocation macro: (_) @callee) @invoke
(line_comment) @comment
(block_comment) @comment
(string_literal) @string
(raw_string_literal) @string
(char_literal) @string
(ERROR) @error
`

export const rust: Language = {
  name: 'rust',
  extensions: ['rs'],
  grammar: 'rust',
  query: QUERY,
  syntax,
  prepare: withoutWrappers,
  read,
}

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { tags } = facts.facts
  tags.push('rust')
  if (/(?:^|\/)(?:tests|benches)\//.test(source.path)) tags.push('test')
  if (/(?:^|\/)(?:main|build)\.rs$|(?:^|\/)src\/bin\//.test(source.path)) tags.push('entrypoint')
  const inner = /^\s*((?:\/\/![^\n]*\n?)+)/.exec(source.text)
  if (inner !== null) facts.facts.excerpt = firstSentence(inner[1].replace(/^\s*\/\/!/gm, ''))
  new RustItems(source, facts).read(matches)
}
