/** How the server is, how much of the code it could read, and how old that is. */

import './health.css'
import { Fragment } from 'preact'
import type { CoverageAnswer } from '#views/shapes'
import { Ago } from '../parts/ago.tsx'
import { ShareBar } from '../parts/bar.tsx'
import { Path } from '../parts/path.tsx'
import { Answered, Progress } from '../parts/states.tsx'
import { type Answer, useGet } from '../state/answers.ts'
import { bytes, count, duration, many, percent } from '../state/format.ts'
import { working } from '../state/live.ts'
import { useHealth, useSelf } from '../state/project.ts'
import { isReading, lastReading, readingError, readProject } from '../state/reading.ts'
import { link } from '../state/route.ts'
import type { View } from '../views.ts'
import { PartedBar, shareOf } from './health/parted-bar.tsx'

function useCoverage(): Answer<CoverageAnswer> {
  return useGet<CoverageAnswer>('/api/coverage')
}

function Ask() {
  const answer = useSelf()
  return (
    <Answered answer={answer} loading="Asking the server">
      {({ instance, graph_state: graph, active_agent_sessions, queries_processed, last_persist_secs_ago: saved }) => (
        <>
          <h2>Server</h2>
          <dl class="facts">
            <dt>Process</dt>
            <dd>
              {instance.pid}, {instance.mode.replace('_', ' ')}, {instance.status}
            </dd>
            <dt>Address</dt>
            <dd>{instance.port > 0 ? `${instance.bind}:${instance.port}` : 'not known'}</dd>
            <dt>Running</dt>
            <dd>{duration((instance.last_heartbeat_ms - instance.started_at_ms) / 1000)}</dd>
            <dt>Instance</dt>
            <dd>
              <code>{instance.instance_id}</code>
            </dd>
            <dt>Project</dt>
            <dd>{graph.workspace_root ?? 'none'}</dd>
            <dt>Read</dt>
            <dd>{graph.ingest_roots.join(', ') || 'nothing yet'}</dd>
            <dt>Graph</dt>
            <dd>
              generation {count(graph.graph_generation)}, weights {count(graph.plasticity_generation)}
            </dd>
            <dt>State</dt>
            <dd>{graph.runtime_root ?? 'in memory only'}</dd>
            <dt>Saved</dt>
            <dd>{saved === null ? 'not yet' : <Ago ms={instance.last_heartbeat_ms - saved * 1000} />}</dd>
            <dt>Agents</dt>
            <dd>
              <a href={link('agents')}>{count(active_agent_sessions)}</a>
            </dd>
            <dt>Queries</dt>
            <dd>{count(queries_processed)}</dd>
          </dl>
          {instance.conflicts.length > 0 && (
            <p class="failed-text">Another process owns the state of this project; this one only reads it.</p>
          )}
          <Sizes />
        </>
      )}
    </Answered>
  )
}

function Sizes() {
  const answer = useCoverage()
  return (
    <Answered answer={answer} loading="Measuring">
      {({ sizes }) => (
        <>
          <h2>Sizes</h2>
          <dl class="facts">
            <dt>Nodes</dt>
            <dd>{count(sizes.node_count)}</dd>
            <dt>Edges</dt>
            <dd>{count(sizes.edge_count)}</dd>
          </dl>
          <h3>In memory</h3>
          <dl class="facts">
            <dt>Graph</dt>
            <dd>{bytes(sizes.graph_bytes)}</dd>
            <dt>Indexes</dt>
            <dd>{bytes(sizes.indexes_bytes)}</dd>
            <dt>Process</dt>
            <dd>{bytes(sizes.process_bytes)}</dd>
          </dl>
          <h3>Stored</h3>
          {sizes.stored.length === 0 && <p class="quiet">Nothing.</p>}
          <dl class="facts">
            {sizes.stored.map((it) => (
              <Fragment key={it.name}>
                <dt>{it.name}</dt>
                <dd>{bytes(it.bytes)}</dd>
              </Fragment>
            ))}
          </dl>
        </>
      )}
    </Answered>
  )
}

function Main() {
  const answer = useCoverage()
  return (
    <div class="page-text">
      <h1>Health</h1>
      <Answered answer={answer} loading="Counting what was read">
        {(coverage) => (
          <>
            <Age {...coverage} />
            <Files {...coverage} />
            <Calls {...coverage} />
            <Languages {...coverage} />
            <Weakest {...coverage} />
            <Contents {...coverage} />
            <Timings {...coverage} />
          </>
        )}
      </Answered>
    </div>
  )
}

/** How old the graph is, and the button that makes it new. */
function Age({ ingested_at_ms, commit, stale, stopped_by }: CoverageAnswer) {
  const { value: server } = useSelf()
  const root = server?.project_root ?? ''
  const isNew = ingested_at_ms === null
  const result = lastReading.value
  return (
    <section>
      <h2>Age</h2>
      <p>
        {isNew ? (
          'Nothing has been read yet.'
        ) : (
          <>
            Read <Ago ms={ingested_at_ms} />
            {commit !== null && (
              <>
                {' at commit '}
                <code>{commit.slice(0, 10)}</code>
              </>
            )}
            . {staleText(stale)}
          </>
        )}
      </p>
      {stopped_by !== '' && <p class="failed-text">The reading stopped before the last file: {stopped_by}</p>}
      {stale.sample.length > 0 && (
        <ul class="samples" aria-label="Files that changed">
          {stale.sample.map((it) => (
            <li key={it}>
              <Path path={it} />
            </li>
          ))}
          {stale.files > stale.sample.length && (
            <li class="quiet">and {count(stale.files - stale.sample.length)} more</li>
          )}
        </ul>
      )}
      <div class="again">
        <button
          type="button"
          disabled={isReading.value || root === ''}
          onClick={() => void readProject(root, { changesOnly: !isNew })}
        >
          {isReading.value ? 'Reading…' : isNew ? 'Read this project' : 'Read what changed'}
        </button>
        {!isNew && (
          <button type="button" disabled={isReading.value || root === ''} onClick={() => void readProject(root)}>
            Read everything again
          </button>
        )}
        <span role="status" class="quiet">
          {result !== null &&
            `${many(result.files_parsed, 'file')} read, ${count(result.files_unchanged)} unchanged. What was learned is kept.`}
        </span>
      </div>
      {readingError.value !== null && (
        <p class="failed-text" role="alert">
          {readingError.value.message} {readingError.value.hint}
        </p>
      )}
      {working.value !== null && <Progress />}
    </section>
  )
}

function staleText({ files, looked_at }: CoverageAnswer['stale']): string {
  if (looked_at === 0) return 'Whether files changed since then was not looked at.'
  if (files === 0) return `None of ${many(looked_at, 'file')} that were looked at has changed since.`
  return `${many(files, 'file has', 'files have')} changed since, of ${count(looked_at)} that were looked at:`
}

const REASONS: Readonly<Record<string, string>> = {
  parse_partial: 'with parts that the grammar does not know',
  parse_failed: 'that could not be parsed: known by name',
  oversize: 'too large: known by name',
  minified: 'minified: known by name',
  binary: 'that are no text',
  encoding: 'in an encoding that is not read',
  unreadable: 'that could not be opened',
  failed: 'whose reading failed',
  ignored: 'that ignore rules leave out',
}

function Files({ files, reasons }: CoverageAnswer) {
  const total = files.parsed + files.partly + files.name_only + files.skipped
  return (
    <section>
      <h2>Files</h2>
      <PartedBar
        label="Files by how they were read"
        total={total}
        parts={[
          { name: 'read whole', n: files.parsed, look: 'first' },
          { name: 'read in part', n: files.partly, look: 'second' },
          { name: 'known by name', n: files.name_only, look: 'third' },
          { name: 'skipped', n: files.skipped, look: 'last' },
        ]}
      />
      {reasons.map((it) => (
        <details key={it.reason}>
          <summary>
            {count(it.files)} {REASONS[it.reason] ?? it.reason.replaceAll('_', ' ')}
          </summary>
          <ul class="samples">
            {it.sample.map((path) => (
              <li key={path}>
                <Path path={path} />
              </li>
            ))}
            {it.files > it.sample.length && <li class="quiet">and {count(it.files - it.sample.length)} more</li>}
          </ul>
        </details>
      ))}
    </section>
  )
}

/** How sure an edge is, the surest first. */
const TIERS = [
  ['given', 'stated by what was read', 'first'],
  ['exact', 'proved by an import or scope', 'first'],
  ['typed', 'proved by a type', 'second'],
  ['unique', 'the only one of that name', 'third'],
  ['observed', 'seen in the history', 'third'],
  ['guess', 'guesses among several', 'last'],
] as const

function Calls({ calls_by_tier, references, unresolved, run_time }: CoverageAnswer) {
  const parts = TIERS.map(([tier, name, look]) => ({ name, n: calls_by_tier[tier] ?? 0, look })).filter(
    (it) => it.n > 0,
  )
  const meant = references.resolved + references.ambiguous + references.unresolved
  return (
    <section>
      <h2>Calls by how sure they are</h2>
      {parts.length === 0 ? (
        <p class="quiet">No call is known.</p>
      ) : (
        <PartedBar label="Calls by how sure they are" total={parts.reduce((sum, it) => sum + it.n, 0)} parts={parts} />
      )}
      <h2>References</h2>
      <p>
        {meant === 0
          ? 'No reference means something in the project.'
          : `${shareOf(references.resolved, meant)} of the ${count(meant)} that mean something in the project are known for sure.`}{' '}
        {count(references.external)} lead to other packages.
      </p>
      <PartedBar
        label="References by what is known"
        total={meant}
        parts={[
          { name: 'resolved', n: references.resolved, look: 'first' },
          { name: 'ambiguous', n: references.ambiguous, look: 'third' },
          { name: 'unresolved', n: references.unresolved, look: 'last' },
        ]}
      />
      <Sites title="Not resolved" {...unresolved} />
      <Sites title="Decided only when it runs" {...run_time} />
    </section>
  )
}

interface SitesProps {
  title: string
  total: number
  sample: CoverageAnswer['unresolved']['sample']
}

function Sites({ title, total, sample }: SitesProps) {
  if (total === 0) return null
  return (
    <details>
      <summary>
        {title}: {count(total)}
      </summary>
      <ul class="samples">
        {sample.map((it) => (
          <li key={`${it.path}:${it.line} ${it.text}`}>
            <code>{it.text}</code> <FileLink path={it.path} line={it.line} />
          </li>
        ))}
        {total > sample.length && <li class="quiet">and {count(total - sample.length)} more</li>}
      </ul>
    </details>
  )
}

function FileLink({ path, line = 0 }: { path: string; line?: number }) {
  return (
    <a href={link('node', `file::${path}`)}>
      <Path path={path} line={line} />
    </a>
  )
}

function Languages({ languages }: CoverageAnswer) {
  if (languages.length === 0) return null
  return (
    <section>
      <h2>Languages</h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <div class="scrolls" tabIndex={0} role="group" aria-label="Languages">
        <table class="figures">
          <caption class="unseen">What was read by language</caption>
          <thead>
            <tr>
              <th scope="col">Language</th>
              <th scope="col" class="number">
                Files
              </th>
              <th scope="col" class="number">
                In part
              </th>
              <th scope="col" class="number">
                Nodes
              </th>
              <th scope="col" class="number">
                Unresolved
              </th>
              <th scope="col" class="number">
                Known
              </th>
              <th scope="col">
                <span class="unseen">Share that is known</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {languages.map((it) => (
              <tr key={it.language}>
                <th scope="row">{it.language}</th>
                <td class="number">{count(it.files)}</td>
                <td class="number">{count(it.partly)}</td>
                <td class="number">{count(it.nodes)}</td>
                <td class="number">{count(it.unresolved)}</td>
                <td class="number">{it.resolved_percent === null ? '–' : `${it.resolved_percent} %`}</td>
                <td class="wide">
                  {it.resolved_percent !== null && (
                    <ShareBar share={it.resolved_percent / 100} label={`${it.resolved_percent} % known`} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet">Known: the share of references into the project that lead to one place for sure.</p>
    </section>
  )
}

function Weakest({ weakest_files: files }: CoverageAnswer) {
  if (files.length === 0) return null
  return (
    <section>
      <h2>Files that are known least</h2>
      <ul class="samples">
        {files.map((it) => (
          <li key={it.path}>
            <FileLink path={it.path} />{' '}
            <span class="quiet">
              {it.resolved_percent} % known
              {it.unresolved > 0 && `, ${many(it.unresolved, 'reference')} unresolved`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Contents({ nodes_by_type, edges_by_relation, edges_by_tier }: CoverageAnswer) {
  return (
    <section>
      <h2>What is in the graph</h2>
      <CountTable caption="Nodes" counts={nodes_by_type} />
      <CountTable caption="Edges" counts={edges_by_relation} />
      <CountTable caption="Edges by how sure they are" counts={edges_by_tier} />
      <p class="quiet">Here calls are counted between files too, above only between what is in them.</p>
    </section>
  )
}

function CountTable({ caption, counts }: { caption: string; counts: Readonly<Record<string, number>> }) {
  const rows = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
  const total = rows.reduce((sum, [, n]) => sum + n, 0)
  if (rows.length === 0) return null
  return (
    <details>
      <summary>
        {caption}: {count(total)}
      </summary>
      <table class="figures">
        <caption class="unseen">{caption}</caption>
        <tbody>
          {rows.map(([name, n]) => (
            <tr key={name}>
              <th scope="row">{name.replaceAll('_', ' ')}</th>
              <td class="number">{count(n)}</td>
              <td class="wide">
                <ShareBar share={n / total} label={percent(n / total)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Timings({ phase_ms }: CoverageAnswer) {
  const phases = Object.entries(phase_ms)
  const longest = Math.max(...phases.map(([, ms]) => ms), 1)
  return (
    <section>
      <h2>Time of the last reading</h2>
      {phases.length === 0 ? (
        <p class="quiet">Not kept: the graph was read by another version or given as a file.</p>
      ) : (
        <table class="figures">
          <caption class="unseen">Time of the last reading</caption>
          <tbody>
            {phases.map(([name, ms]) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll('_', ' ')}</th>
                <td class="number">{count(Math.round(ms))} ms</td>
                <td class="wide">
                  <ShareBar share={ms / longest} label={`${Math.round(ms)} ms`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Meaning() {
  const answer = useHealth()
  return (
    <Answered answer={answer} loading="Looking for warnings">
      {({ warnings, features_off, version, checker, watcher, checked, mode }) => (
        <>
          <h2>Warnings</h2>
          {warnings.length === 0 ? (
            <p class="quiet">None.</p>
          ) : (
            <ul class="notes">
              {warnings.map((it) => (
                <li key={it} class="failed-text">
                  {it}
                </li>
              ))}
            </ul>
          )}
          {features_off.length > 0 && (
            <>
              <h2>Switched off</h2>
              <ul class="notes">
                {features_off.map((it) => (
                  <li key={it}>{it}</li>
                ))}
              </ul>
            </>
          )}
          <h2>Besides</h2>
          <dl class="facts">
            <dt>Files on disk</dt>
            <dd>
              {watcher.state}
              {watcher.handles > 0 && `, ${many(watcher.handles, 'folder')}`} {watcher.message}
            </dd>
            <dt>Checker</dt>
            <dd>
              {checker.state}
              {checker.state === 'running' && `, ${count(checker.done)} of ${count(checker.total)}`} {checker.message}
            </dd>
            {Object.entries(checked).map(([name, it]) => (
              <Fragment key={name}>
                <dt>By {name}</dt>
                <dd>
                  {many(it.files, 'file')}, {many(it.edges, 'edge')}
                </dd>
              </Fragment>
            ))}
            <dt>State</dt>
            <dd>{mode}</dd>
            <dt>Version</dt>
            <dd>{version}</dd>
          </dl>
          <p class="quiet">
            <code>m1nd doctor</code> looks at the installation too: grammars, file watchers, other processes.
          </p>
        </>
      )}
    </Answered>
  )
}

export default { Ask, Main, Meaning } satisfies View
