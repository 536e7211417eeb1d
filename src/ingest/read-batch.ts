/** Reads a few files and extracts their facts; the work of one worker, or of the caller itself. */

import { extract, languageOf } from '#ingest/extract'
import { emptyFacts, type Facts } from '#ingest/facts'
import { packFacts, type Packed } from '#ingest/pack'
import { readSource, type TextLimits } from '#ingest/text'

export interface Job {
  path: string
  /** Absolute, spelled as on disk. */
  file: string
  size: number
  /** Hash of the content whose facts are already known, else ''. */
  hash: string
  /** The repository says that the file is generated: it is kept without content. */
  generated: boolean
}

/**
 * `text`: facts were extracted. `bare`: a file without content. `unchanged`: the hash is that of the job.
 * `binary`, `encoding`: nothing to read. `unreadable`: it could not be opened. `failed`: no facts could be
 * extracted. For the last two `message` says why.
 */
export interface Outcome {
  kind: 'text' | 'bare' | 'unchanged' | 'binary' | 'encoding' | 'unreadable' | 'failed'
  hash: string
  /** The hash with line endings as git stores them, '' when that is the same. */
  normalisedHash: string
  message: string
}

export interface BatchResult {
  /** One per job. */
  outcomes: Outcome[]
  /** Facts of the outcomes of kind `text` and `bare`, in order. */
  packed: Packed
  /** The parser of this thread broke down; a fresh thread must go on. */
  spent?: boolean
}

/** `starting` is told the position of each file before it is read. */
export async function readBatch(
  jobs: readonly Job[],
  limits: TextLimits,
  starting: (job: number) => void,
): Promise<BatchResult> {
  const outcomes: Outcome[] = []
  const found: Facts[] = []
  for (let i = 0; i < jobs.length; i++) {
    starting(i)
    const { outcome, facts } = await readOne(jobs[i], limits)
    outcomes.push(outcome)
    if (facts !== null) found.push(facts)
  }
  return { outcomes, packed: packFacts(found) }
}

async function readOne(
  { path, file, hash: known, generated }: Job,
  limits: TextLimits,
): Promise<{ outcome: Outcome; facts: Facts | null }> {
  const source = readSource(file, path, limits)
  const none = { hash: '', normalisedHash: '', message: '' }
  if (source.kind === 'failed')
    return { outcome: { ...none, kind: 'unreadable', message: source.message }, facts: null }
  if (source.hash !== '' && source.hash === known)
    return { outcome: { ...none, kind: 'unchanged', hash: known }, facts: null }
  if (source.kind === 'skipped') return { outcome: { ...none, kind: source.reason, hash: source.hash }, facts: null }
  const { hash, normalisedHash } = source
  if (source.kind === 'bare' || generated) {
    const facts = emptyFacts(languageOf(path))
    facts.tags.push(source.kind === 'bare' ? source.tag : 'generated')
    return { outcome: { kind: 'bare', hash, normalisedHash, message: '' }, facts }
  }
  try {
    const facts = await extract(path, source.text)
    for (const tag of source.tags) if (!facts.tags.includes(tag)) facts.tags.push(tag)
    if (source.lossy)
      facts.problems.push({ line: 0, message: 'The encoding is unknown; the file was read as Latin-1.' })
    return { outcome: { kind: 'text', hash, normalisedHash, message: '' }, facts }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: { ...none, kind: 'failed', message: `Its facts could not be extracted: ${reason}` }, facts: null }
  }
}
