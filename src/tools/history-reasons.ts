/** That nothing is known of a project's past, for answers that would ask it. */

import type { Indexes } from '#engine/brain'

const NONE_KNOWN = 'no commit of the project is known, so history says nothing'

/** One reason for a completeness where no commit was read: no repository, no git, or a domain without history. */
export function historyReasons({ messages, cochange }: Pick<Indexes, 'messages' | 'cochange'>): string[] {
  return messages.times.length > 0 || cochange.commits.some((it) => it > 0) ? [] : [NONE_KNOWN]
}
