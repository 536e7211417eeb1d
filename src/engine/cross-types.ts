/** Kinds of edges between repositories, for those who tell of them. */

export { CROSS_TYPES } from '#ingest/federation'
