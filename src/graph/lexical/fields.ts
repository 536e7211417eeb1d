/** The fields of a text and what they weigh. */

export const FIELD_NAMES = ['path', 'name', 'signature', 'doc', 'body', 'literal'] as const
export const PATH = 0
export const NAME = 1
export const DOC = 3
export const LITERAL = 5
/** Weight of one occurrence in each field; a name says more about a file than a line of its body. */
export const FIELD_WEIGHTS = [4, 5, 1.5, 1.2, 1, 0.8]
/** How much the length of a field counts, 0 (not at all) to 1. */
export const LENGTH_WEIGHTS = [0.9, 0.75, 0.75, 0.75, 0.75, 0.75]
/** A frequency of this size gives half of the most that a term can give. */
export const SATURATION = 2

export const N_FIELDS = FIELD_NAMES.length
