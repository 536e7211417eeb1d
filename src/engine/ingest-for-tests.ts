/** An ingest as tests ask for it. */

import type { Engine, IngestReport, IngestRequest } from '#engine/brain'

/** Reads a folder whole, as code, in place of what was there; `over` says what is different. */
export function ingestFolder(
  engine: Engine,
  path: string,
  over: Partial<IngestRequest> = {},
  watch: Partial<Parameters<Engine['ingest']>[1]> = {},
): Promise<IngestReport> {
  const request: IngestRequest = {
    path,
    adapter: 'code',
    mode: 'replace',
    incremental: false,
    namespace: '',
    includeDotfiles: false,
    dotfilePatterns: [],
    ...over,
  }
  return engine.ingest(request, { signal: new AbortController().signal, progress: () => {}, ...watch })
}
