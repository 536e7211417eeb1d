export interface Hole {
  /** `inactive`: a quiet node among active ones. `gap`: a member without what its siblings have. `bridge`: a single point that holds the region together. */
  kind: 'inactive' | 'gap' | 'bridge'
  type: 'structural_hole' | 'fragile_bridge'
  /** The node at the hole: the quiet node, the lacking member, the bridge. */
  node: number
  /** Key of the node, or `structural_hole_<i>` for a gap. */
  id: string
  label: string
  reason: string
  /** Mean activation of the neighbours or siblings that make it a hole. */
  siblingAverage: number
  /** How many there are. */
  adjacent: number
}
