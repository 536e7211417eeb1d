/** Relations: their default strength as a cause, how influence travels along them, and their inverse names. */

/** How much a change at one end is felt at the other, 0..1, where the extractor says nothing else. */
const CAUSAL = new Map<string, number>(
  Object.entries({
    contains: 0.8,
    implements: 0.7,
    registers: 0.7,
    imports: 0.6,
    calls: 0.5,
    requests: 0.5,
    tests: 0.5,
    references: 0.3,
    names: 0.3,
    sibling: 0,
    co_changes: 0,
  }),
)

export function causalStrength(relation: string): number {
  return CAUSAL.get(relation) ?? 0.4
}

/** Ingest weights of edges that come from source code. */
const WEIGHT = new Map<string, number>(
  Object.entries({
    contains: 1,
    implements: 0.7,
    imports: 0.5,
    calls: 0.4,
    references: 0.3,
    declares_module: 0.7,
    reexports: 0.5,
    belongs_to_type: 0.8,
    implements_trait: 0.85,
    owned_by_impl: 0.85,
    tests: 0.5,
    // a string that names something ties less than code that uses it
    names: 0.15,
    registers: 0.7,
    sibling: 0.1,
  }),
)

export function ingestWeight(relation: string): number {
  return WEIGHT.get(relation) ?? 0.4
}

/**
 * Who may be affected when one end of an edge changes: `reverse`, the source (it depends on the target);
 * `forward`, the target; `both`; or nobody.
 */
export type Influence = 'reverse' | 'forward' | 'both' | 'none'

const DEPENDENCY = new Set([
  'imports',
  'calls',
  'references',
  'implements',
  'inherits',
  'implements_trait',
  'belongs_to_type',
  'owned_by_impl',
  'depends_on',
  'tests',
  // what a string or a setting names whole
  'names',
  // a test and the fixture that its parameter names
  'requests',
  'uses',
  'configures',
  'reexports',
  'declares_module',
  'binds_to',
  'mentions_file',
  'mentions_tool',
  'mentions_symbol',
  'cites',
  'relates_to',
  'calls_api',
  'uses_mcp_tool',
  'shares_package',
  'shares_type',
  'deploys',
])
const CONTAINMENT = new Set([
  'contains',
  'contains_section',
  'subsection_of',
  'contains_block',
  'contains_code',
  'contains_table',
])
const FLOW = new Set([
  'routes_to',
  'sends_to',
  'controls',
  'modulates',
  'monitors',
  'produces',
  'emits',
  'follows',
  'next_binding',
])
const INHIBITORY = new Set(['replaces', 'deprecates', 'supersedes'])

export function influence(relation: string): Influence {
  if (DEPENDENCY.has(relation)) return 'reverse'
  if (CONTAINMENT.has(relation) || relation.startsWith('declares_')) return 'both'
  if (relation === 'registers') return 'both'
  if (FLOW.has(relation)) return 'forward'
  if (relation === 'sibling' || relation === 'co_changes') return 'none'
  return 'forward'
}

export function isContainment(relation: string): boolean {
  return CONTAINMENT.has(relation)
}

/** Relations whose edges suppress instead of excite unless the input says otherwise. */
export function isInhibitory(relation: string): boolean {
  return INHIBITORY.has(relation)
}

const INVERSE = new Map<string, string>(
  Object.entries({
    imports: 'imported_by',
    calls: 'called_by',
    references: 'referenced_by',
    implements: 'implemented_by',
    inherits: 'inherited_by',
    contains: 'contained_in',
    depends_on: 'depended_on_by',
    registers: 'registered_in',
    names: 'named_by',
    requests: 'requested_by',
    tests: 'tested_by',
    co_changes: 'co_changes',
    sibling: 'sibling',
    relates_to: 'relates_to',
    follows: 'followed_by',
    shares_config: 'shares_config',
    shares_type: 'shares_type',
    calls_api: 'api_called_by',
    deploys: 'deployed_by',
    uses_mcp_tool: 'mcp_tool_used_by',
  }),
)

/** The name of a relation read from its target to its source. */
export function inverse(relation: string): string {
  return INVERSE.get(relation) ?? `${relation}_by`
}
