/** How far an answer can be trusted to be whole, in words. */

import type { Completeness, Freshness, Truncated } from '#tools/shapes'
import type * as z from 'zod'
import { count, many } from '../state/format.ts'
import { Path } from './path.tsx'

interface TrustProps {
  completeness: z.infer<typeof Completeness>
  truncated: z.infer<typeof Truncated>
  freshness: z.infer<typeof Freshness>
}

const LEVELS = {
  exact: 'Nothing is known to be missing.',
  lower_bound: 'This is the least there is; there may be more.',
  unknown: 'It cannot be told how much is missing.',
}

export function Trust({ completeness, truncated, freshness }: TrustProps) {
  const { level, reasons, unresolved_sites: sites, unresolved_total: total } = completeness
  return (
    <div class="trust">
      <p>
        <span class={`trust-level ${level}`}>{LEVELS[level]}</span>
        {truncated !== null && ` Shown are ${count(truncated.shown)} of ${count(truncated.total)}. ${truncated.how}`}
        {freshness.stale_files > 0 &&
          ` ${many(freshness.stale_files, 'file')} behind it changed since they were read: ${freshness.stale_sample.join(', ')}.`}
      </p>
      {reasons.length > 0 && (
        <details>
          <summary>{level === 'exact' ? 'Who says so' : many(reasons.length, 'reason')}</summary>
          <ul class="notes">
            {reasons.map((it) => (
              <li key={it}>{it}</li>
            ))}
          </ul>
          {sites.length > 0 && (
            <>
              <p class="quiet">
                Places that may belong to it{total > sites.length && `, the first ${sites.length} of ${count(total)}`}:
              </p>
              <ul class="sites">
                {sites.map((it) => (
                  <li key={`${it.path}:${it.line} ${it.text}`}>
                    <code>{it.text}</code>
                    <Path path={it.path} line={it.line} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </details>
      )}
    </div>
  )
}
