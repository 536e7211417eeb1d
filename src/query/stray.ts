import { thing } from '#graph/graph'

export const copy = thing
