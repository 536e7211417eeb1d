/**
 * What `GET` over REST answers beside the tools: shapes that handlers fill, that the description of the interface
 * shows, and whose types the page imports. Times are epoch milliseconds, energies, shares and heats 0..1, lines
 * count from 1 with 0 for none, paths are as in `source_path`; ids are external ids of nodes.
 */

import * as z from 'zod'
import { Completeness, Freshness, Truncated } from '#tools/shapes'

const Brain = z.object({ project_root: z.string().nullable(), display_name: z.string().nullable() })

/** A node in a list. */
export const NodeBrief = z.object({
  id: z.string(),
  label: z.string(),
  node_type: z.string(),
  path: z.string().nullable(),
  line: z.int(),
  pagerank: z.number(),
  /** Ids of the map's items around it, the outermost first, without itself. */
  within: z.array(z.string()),
})
export type NodeBrief = z.infer<typeof NodeBrief>

// GET /api/graph/map

export const MapItem = z.object({
  /** A node's external id; `community:<path>:<name>` for a part of a flat folder. */
  id: z.string(),
  /** `group`: a folder or a part of one. `node`: a file, a definition, anything else. */
  kind: z.enum(['group', 'node']),
  name: z.string(),
  /** The open item around it, null at the top. */
  parent: z.string().nullable(),
  x: z.number(),
  y: z.number(),
  r: z.number(),
  /** Living nodes in it, itself included when it is one. */
  nodes: z.int(),
  /** Items directly in it; above 0 it can be opened. */
  children: z.int(),
  /** Its children are among the items; it is drawn as their frame. */
  open: z.boolean(),
  node_type: z.string(),
  path: z.string().nullable(),
  line: z.int(),
  community: z.int(),
  /** 1: changed last of all, 0: long ago or without a history. */
  recency: z.number(),
  /** Of a group the sum. */
  pagerank: z.number(),
})
export type MapItem = z.infer<typeof MapItem>

export const MapEdge = z.object({
  source: z.string(),
  target: z.string(),
  /** Sum of present weights. */
  weight: z.number(),
  /** Edges of the graph behind it. */
  count: z.int(),
  /** Of which so many are guesses. */
  guesses: z.int(),
  /** The relation with most weight. */
  relation: z.string(),
})
export type MapEdge = z.infer<typeof MapEdge>

export const MapAnswer = z.object({
  generation: z.int(),
  /** Of all items: the layout never depends on what is open. */
  bounds: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  items: z.array(MapItem),
  edges: z.array(MapEdge),
  /** Edges between the shown items before the cut. */
  edges_total: z.int(),
  communities: z.array(z.object({ id: z.int(), name: z.string(), nodes: z.int() })),
  /** Nodes that stand in closed items, and these items. */
  aggregated: z.object({ nodes: z.int(), groups: z.int() }),
  /** What was asked to be opened and is not in the graph, or holds nothing. */
  unknown: z.array(z.string()),
  /** Set when not all could be opened. */
  truncated: Truncated,
  served_brain: Brain,
})
export type MapAnswer = z.infer<typeof MapAnswer>

// GET /api/graph/neighbours

export const Neighbour = NodeBrief.extend({
  relation: z.string(),
  weight: z.number(),
  ingest_weight: z.number(),
  /** exact, typed, unique, guess, observed … */
  confidence: z.string(),
  /** Where the reference stands, in the file of the edge's source. */
  site_line: z.int(),
})
export type Neighbour = z.infer<typeof Neighbour>

export const NeighboursAnswer = z.object({
  node: NodeBrief,
  /** Edges that come from others, the strongest first. */
  incoming: z.array(Neighbour),
  outgoing: z.array(Neighbour),
  /** All edges by relation, whether shown or not. */
  relations: z.array(z.object({ relation: z.string(), incoming: z.int(), outgoing: z.int(), guesses: z.int() })),
  total_incoming: z.int(),
  total_outgoing: z.int(),
  /** How sure it is that nothing else refers to the node. */
  completeness: Completeness,
  truncated: Truncated,
  freshness: Freshness,
  served_brain: Brain,
})
export type NeighboursAnswer = z.infer<typeof NeighboursAnswer>

// GET /api/graph/impact

export const Reached = NodeBrief.omit({ within: true }).extend({
  line_end: z.int(),
  /** 0..1, what arrives of a change. */
  signal: z.number(),
  hop: z.int(),
  /** The node that it came from, among `affected`, `between`, or the source. */
  from: z.string(),
  /** As read from there to here: `called_by`. */
  relation: z.string(),
  confidence: z.string(),
  /** Where the code says so; null when no line does. */
  site: z.object({ path: z.string(), line: z.int() }).nullable(),
})
export type Reached = z.infer<typeof Reached>

export const ImpactAnswer = z.object({
  source: NodeBrief.omit({ within: true }).extend({ line_end: z.int() }),
  /** How many nodes are inside of the source; what uses them uses it. */
  parts: z.int(),
  direction: z.enum(['forward', 'reverse', 'both']),
  depth: z.int(),
  total_affected: z.int(),
  files_affected: z.int(),
  /** Of all that is affected, also of what is cut; a file counts where it is reached first. */
  hops: z.array(z.object({ hop: z.int(), nodes: z.int(), files: z.int() })),
  /** The strongest signal first. */
  affected: z.array(Reached),
  /** Parts and wholes of the source that are on the way to them. */
  between: z.array(Reached),
  /** Why nothing is affected; null when something is. */
  reason: z.string().nullable(),
  completeness: Completeness,
  truncated: Truncated,
  freshness: Freshness,
  served_brain: Brain,
})
export type ImpactAnswer = z.infer<typeof ImpactAnswer>

// GET /api/graph/activation

const Dimensions = z.object({ structural: z.number(), semantic: z.number(), temporal: z.number(), causal: z.number() })

export const ActivationRow = NodeBrief.extend({
  line_end: z.int(),
  activation: z.number(),
  reason: z.string(),
  /** Energy in each dimension, before its weight. */
  dimensions: Dimensions,
  /** What each dimension adds to the activation before bonus and boosts. */
  contributions: Dimensions,
  tags: z.array(z.string()),
})
export type ActivationRow = z.infer<typeof ActivationRow>

export const Arrival = z.object({
  id: z.string(),
  /** What the node holds after this hop. */
  energy: z.number(),
  /** The node that gave most, and over which relation. */
  from: z.string(),
  relation: z.string(),
  /** The energy went against the direction of the edge. */
  against: z.boolean(),
})
export type Arrival = z.infer<typeof Arrival>

export const ActivationAnswer = z.object({
  query: z.string(),
  generation: z.int(),
  /** Hop 0. */
  seeds: z.array(z.object({ id: z.string(), label: z.string(), relevance: z.number() })),
  total_seeds: z.int(),
  /** Which energy travels: the causal one where structure is switched off, none where both are. */
  travels: z.enum(['structural', 'causal', 'none']),
  /** Before the noise filter; from hop 1, within a hop the strongest first. */
  hops: z.array(z.object({ hop: z.int(), arrivals: z.array(Arrival), total: z.int() })),
  /** Every node that seeds, arrivals, rows and ghost edges name. */
  nodes: z.array(NodeBrief),
  /** With the noise filter, or without it when `xlr=off`. */
  rows: z.array(ActivationRow),
  total_active: z.int(),
  /** Rows without the noise filter when `xlr=both`, else null. */
  without_xlr: z.object({ rows: z.array(ActivationRow), total_active: z.int() }).nullable(),
  ghost_edges: z.array(
    z.object({ source: z.string(), target: z.string(), shared_dimensions: z.array(z.string()), strength: z.number() }),
  ),
  /** Share of each dimension in the blend; those that are switched off give theirs to the others. */
  weights: Dimensions,
  xlr: z.object({ used: z.boolean(), fallback: z.boolean(), truncated: z.boolean() }),
  /** What there is to say about the answer; on an empty one: why. */
  note: z.string(),
  truncated: Truncated,
  elapsed_ms: z.number(),
  served_brain: Brain,
})
export type ActivationAnswer = z.infer<typeof ActivationAnswer>

// GET /api/coverage

const Site = z.object({ path: z.string(), line: z.int(), text: z.string() })

export const CoverageAnswer = z.object({
  ingested_at_ms: z.number().nullable(),
  commit: z.string().nullable(),
  files: z.object({ parsed: z.int(), partly: z.int(), name_only: z.int(), skipped: z.int() }),
  /** Why files are not read whole: `parse_partial`, `oversize`, `minified`, `binary`, …; `not_kept`: nobody wrote it down. */
  reasons: z.array(z.object({ reason: z.string(), files: z.int(), sample: z.array(z.string()) })),
  languages: z.array(
    z.object({
      language: z.string(),
      files: z.int(),
      partly: z.int(),
      nodes: z.int(),
      resolved: z.int(),
      ambiguous: z.int(),
      unresolved: z.int(),
      external: z.int(),
      /** Of the references that mean something in the project; null when there is none. */
      resolved_percent: z.number().nullable(),
    }),
  ),
  /** Reference sites by outcome. */
  references: z.object({ resolved: z.int(), ambiguous: z.int(), unresolved: z.int(), external: z.int() }),
  /** Edges of relation `calls`, and all edges, by how sure they are. */
  calls_by_tier: z.record(z.string(), z.int()),
  edges_by_tier: z.record(z.string(), z.int()),
  edges_by_relation: z.record(z.string(), z.int()),
  nodes_by_type: z.record(z.string(), z.int()),
  unresolved: z.object({ total: z.int(), sample: z.array(Site) }),
  /** Sites whose target exists only at run time. */
  run_time: z.object({ total: z.int(), sample: z.array(Site) }),
  /** Files with the lowest share of known references first. */
  weakest_files: z.array(z.object({ path: z.string(), resolved_percent: z.number(), unresolved: z.int() })),
  /** Of the last ingest of this process, ms; empty when the graph was loaded. */
  phase_ms: z.record(z.string(), z.number()),
  sizes: z.object({
    node_count: z.int(),
    edge_count: z.int(),
    graph_bytes: z.int(),
    indexes_bytes: z.int(),
    process_bytes: z.int(),
    /** Files of the state folder. */
    stored: z.array(z.object({ name: z.string(), bytes: z.int() })),
  }),
  stale: z.object({ files: z.int(), looked_at: z.int(), sample: z.array(z.string()) }),
  checker: z.object({ state: z.string(), done: z.int(), total: z.int(), message: z.string() }),
  watcher: z.object({ state: z.string(), handles: z.int(), message: z.string() }),
  /** Why the last ingest stopped before the last file, '' when it did not. */
  stopped_by: z.string(),
  warnings: z.array(z.string()),
  served_brain: Brain,
})
export type CoverageAnswer = z.infer<typeof CoverageAnswer>

// GET /api/learning

export const LearnedEdge = z.object({
  source: NodeBrief,
  target: NodeBrief,
  relation: z.string(),
  weight: z.number(),
  ingest_weight: z.number(),
  /** weight − ingest_weight */
  change: z.number(),
  /** How often feedback and use raised it, and lowered it. */
  times_strengthened: z.int(),
  times_weakened: z.int(),
  /** Agents whose feedback changed it, as far as the journal goes back; the last one first. */
  taught_by: z.array(z.string()),
})
export type LearnedEdge = z.infer<typeof LearnedEdge>

export const Lesson = z.object({
  at_ms: z.number(),
  agent: z.string(),
  query: z.string(),
  feedback: z.enum(['correct', 'wrong', 'partial', 'reset']),
  /** 0..1, how much of the strength was given; null where it was not kept. */
  grade: z.number().nullable(),
  /** The first ones. */
  nodes: z.array(z.object({ id: z.string(), label: z.string(), exists: z.boolean() })),
  nodes_total: z.int(),
  /** Weights that it changed and that nobody took back. */
  edges: z.int(),
  /** Sum of what it added to weights (negative: took away). */
  change: z.number(),
})
export type Lesson = z.infer<typeof Lesson>

export const LearningAnswer = z.object({
  policy: z.enum(['default', 'literal']),
  plasticity_generation: z.int(),
  queries_learned: z.int(),
  strengthened: z.array(LearnedEdge),
  total_strengthened: z.int(),
  weakened: z.array(LearnedEdge),
  total_weakened: z.int(),
  /** The newest first, from `offset`. */
  taught: z.array(Lesson),
  total_taught: z.int(),
  offset: z.int(),
  agents: z.array(z.object({ agent: z.string(), lessons: z.int(), queries: z.int(), last_ms: z.number() })),
  /** Of the list of edges. */
  truncated: Truncated,
  served_brain: Brain,
})
export type LearningAnswer = z.infer<typeof LearningAnswer>

// GET /api/agents

export const AgentSession = z.object({
  agent_id: z.string(),
  first_seen_ms: z.number(),
  last_seen_ms: z.number(),
  query_count: z.int(),
  perspectives: z.int(),
  locks: z.int(),
  trails: z.int(),
})
export type AgentSession = z.infer<typeof AgentSession>

export const PerspectiveBrief = z.object({
  perspective_id: z.string(),
  agent_id: z.string(),
  query: z.string(),
  anchor: z.string().nullable(),
  focus: z.string().nullable(),
  mode: z.string(),
  visited: z.array(z.string()),
  routes: z.int(),
  /** Structure or feedback changed since its routes were made. */
  stale: z.boolean(),
  branch_of: z.string().nullable(),
  branch_name: z.string(),
  branches: z.array(z.string()),
  created_at_ms: z.number(),
  accessed_at_ms: z.number(),
})
export type PerspectiveBrief = z.infer<typeof PerspectiveBrief>

export const LockBrief = z.object({
  lock_id: z.string(),
  agent_id: z.string(),
  scope: z.string(),
  roots: z.array(z.string()),
  radius: z.int(),
  query: z.string(),
  /** Nodes of the region when the baseline was taken. */
  nodes: z.int(),
  edges: z.int(),
  strategy: z.string().nullable(),
  perspective_id: z.string().nullable(),
  /** Calls that touched the region and that its agent has not looked at. */
  touched: z.array(z.object({ kind: z.string(), agent_id: z.string(), at_ms: z.number() })),
  created_at_ms: z.number(),
  taken_at_ms: z.number(),
})
export type LockBrief = z.infer<typeof LockBrief>

export const TrailBrief = z.object({
  trail_id: z.string(),
  agent_id: z.string(),
  label: z.string(),
  status: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  visited: z.array(z.object({ node: z.string(), annotation: z.string(), relevance: z.number() })),
  hypotheses: z.array(z.object({ statement: z.string(), confidence: z.number(), status: z.string() })),
  conclusions: z.array(z.object({ statement: z.string(), confidence: z.number() })),
  open_questions: z.array(z.string()),
  created_at_ms: z.number(),
  last_modified_ms: z.number(),
})
export type TrailBrief = z.infer<typeof TrailBrief>

export const AgentsAnswer = z.object({
  /** Those seen last first. */
  sessions: z.array(AgentSession),
  perspectives: z.array(PerspectiveBrief),
  locks: z.array(LockBrief),
  trails: z.array(TrailBrief),
  totals: z.object({ sessions: z.int(), perspectives: z.int(), locks: z.int(), trails: z.int() }),
  /** Set when one of the lists was cut. */
  truncated: Truncated,
  served_brain: Brain,
})
export type AgentsAnswer = z.infer<typeof AgentsAnswer>

// GET /api/tree

export const TreeEntry = z.object({
  id: z.string(),
  name: z.string(),
  /** Of a definition the path of its file. */
  path: z.string(),
  line: z.int(),
  /** `directory`, `file`, `function`, … */
  node_type: z.string(),
  /** Files in it, 1 for a file, 0 for a definition. */
  files: z.int(),
  /** Living nodes in it, itself included. */
  nodes: z.int(),
  /** Entries below it; 0: a leaf. */
  children: z.int(),
  heat: z.object({
    /** How recently and often it changes, against the hottest entry of the project; 0 for definitions: history is kept by file. */
    change: z.number(),
    /** How far its edges are from what ingest gave them, against the hottest entry of the project. */
    learning: z.number(),
  }),
  /** Epoch ms of the last commit in it, null without one. */
  last_changed_ms: z.number().nullable(),
})
export type TreeEntry = z.infer<typeof TreeEntry>

export const TreeAnswer = z.object({
  /** '' is the top. */
  path: z.string(),
  node_type: z.string(),
  breadcrumbs: z.array(z.object({ name: z.string(), path: z.string() })),
  /** Folders first, then by name; definitions by line. */
  entries: z.array(TreeEntry),
  total: z.int(),
  truncated: Truncated,
  served_brain: Brain,
})
export type TreeAnswer = z.infer<typeof TreeAnswer>

// GET /api/history

export const HistoryCommit = z.object({
  hash: z.string(),
  at_ms: z.number(),
  subject: z.string(),
  added: z.int(),
  removed: z.int(),
  /** Files changed in it besides this one. */
  others: z.int(),
})
export type HistoryCommit = z.infer<typeof HistoryCommit>

export const HistoryPartner = z.object({
  id: z.string(),
  path: z.string(),
  /** Commits that changed both. */
  together: z.int(),
  /** 0..1, as `predict` weighs it. */
  strength: z.number(),
  /** One imports the other, or refers to something in it. */
  imported: z.boolean(),
  /** Both are code, change together, and nothing in one refers to the other. */
  hidden: z.boolean(),
})
export type HistoryPartner = z.infer<typeof HistoryPartner>

export const HistoryAnswer = z.object({
  path: z.string(),
  id: z.string(),
  /** The newest first. */
  commits: z.array(HistoryCommit),
  total_commits: z.int(),
  authors: z.int(),
  first_ms: z.number().nullable(),
  last_ms: z.number().nullable(),
  /** Commits under its present name, among which those of partners are counted. */
  counted_commits: z.int(),
  partners: z.array(HistoryPartner),
  total_partners: z.int(),
  hidden_partners: z.int(),
  /** Why there is no history, '' when there is one. */
  note: z.string(),
  truncated: Truncated,
  served_brain: Brain,
})
export type HistoryAnswer = z.infer<typeof HistoryAnswer>
