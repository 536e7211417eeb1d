/** How the server is, and how much of the code it could read. */

import { ShareBar } from '../parts/bar.tsx'
import { Answered, Progress } from '../parts/states.tsx'
import { ago, bytes, count, duration, percent } from '../state/format.ts'
import { type HealthAnswer, useHealth, useSelf } from '../state/project.ts'
import type { View } from '../views.ts'

function Ask() {
  const answer = useSelf()
  return (
    <Answered answer={answer} loading="Asking the server">
      {({ instance, graph_state: graph, queries_processed, last_persist_secs_ago: saved }) => (
        <dl class="facts">
          <dt>Process</dt>
          <dd>
            {instance.pid}, {instance.mode.replace('_', ' ')}, {instance.status}
          </dd>
          <dt>Running</dt>
          <dd>{duration((instance.last_heartbeat_ms - instance.started_at_ms) / 1000)}</dd>
          <dt>Read</dt>
          <dd>{graph.ingest_roots.join(', ') || 'nothing yet'}</dd>
          <dt>Graph</dt>
          <dd>
            generation {count(graph.graph_generation)}, weights {count(graph.plasticity_generation)}
          </dd>
          <dt>State</dt>
          <dd>{graph.runtime_root ?? 'in memory only'}</dd>
          <dt>Saved</dt>
          <dd>{saved === null ? 'not in this run' : ago(Date.now() - saved * 1000)}</dd>
          <dt>Queries</dt>
          <dd>{count(queries_processed)}</dd>
        </dl>
      )}
    </Answered>
  )
}

function Main() {
  const answer = useHealth()
  return (
    <div class="page-text">
      <h1>Health</h1>
      <Progress />
      <Answered answer={answer} loading="Counting what was read">
        {(health) => (
          <>
            <Coverage {...health} />
            <Tiers tiers={health.edges_by_tier} />
          </>
        )}
      </Answered>
    </div>
  )
}

function Coverage({ coverage }: HealthAnswer) {
  const { files_parsed, files_partial, files_skipped, resolved_percent } = coverage
  const files = files_parsed + files_partial + files_skipped
  const rows = [
    ['read whole', files_parsed],
    ['read in part', files_partial],
    ['skipped', files_skipped],
  ] as const
  return (
    <section>
      <h2>Files</h2>
      <ShareTable caption="Files by how they were read" rows={rows} total={files} />
      <h2>References</h2>
      <p>
        {resolved_percent === null
          ? 'No reference means something in the project.'
          : `${resolved_percent} % of those that mean something in the project are known for sure.`}
      </p>
      <ShareTable
        caption="References by what is known"
        total={coverage.references_resolved + coverage.references_ambiguous + coverage.references_unresolved}
        rows={[
          ['resolved', coverage.references_resolved],
          ['ambiguous', coverage.references_ambiguous],
          ['unresolved', coverage.references_unresolved],
        ]}
      />
    </section>
  )
}

function Tiers({ tiers }: { tiers: Readonly<Record<string, number>> }) {
  const rows = Object.entries(tiers)
  return (
    <section>
      <h2>Edges by certainty</h2>
      <ShareTable caption="Edges by certainty" rows={rows} total={rows.reduce((sum, [, n]) => sum + n, 0)} />
    </section>
  )
}

interface ShareTableProps {
  caption: string
  rows: readonly (readonly [string, number])[]
  total: number
}

function ShareTable({ caption, rows, total }: ShareTableProps) {
  return (
    <table class="figures">
      <caption class="unseen">{caption}</caption>
      <tbody>
        {rows.map(([name, n]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{count(n)}</td>
            <td class="wide">
              <ShareBar share={total === 0 ? 0 : n / total} label={percent(total === 0 ? 0 : n / total)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Meaning() {
  const answer = useHealth()
  return (
    <Answered answer={answer} loading="Looking for warnings">
      {({ warnings, features_off, memory_usage_bytes, version, checker, watcher }) => (
        <>
          <h2>Notes</h2>
          <ul class="notes">
            {warnings.map((it) => (
              <li key={it} class="failed-text">
                {it}
              </li>
            ))}
            {features_off.map((it) => (
              <li key={it}>Off: {it}</li>
            ))}
            <li>
              Files on disk: {watcher.state} {watcher.message}
            </li>
            <li>
              TypeScript's checker: {checker.state} {checker.message}
            </li>
            <li>Memory: {bytes(memory_usage_bytes)}</li>
            <li>Version {version}</li>
          </ul>
        </>
      )}
    </Answered>
  )
}

export default { Ask, Main, Meaning } satisfies View
