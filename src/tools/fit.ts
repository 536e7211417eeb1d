/** Keeps an answer small enough for any client: the longest lists lose their ends, and the answer says so. */

const CHARACTERS_PER_TOKEN = 4
/** A list is never cut below this many rows; what is still too long then is sent as it is. */
const FEWEST_ROWS = 1
/** Characters kept free for `truncated`. */
const ROOM_FOR_NOTE = 400

/** Longest text of an answer that is too long. */
const LONGEST_TEXT = 2000

interface List {
  name: string
  rows: unknown[]
  /** Length of each row's JSON. */
  sizes: number[]
  size: number
  total: number
}

/**
 * The answer, its lists shortened until its JSON takes at most `maxTokens`. `truncated` then holds the row counts of
 * the list that lost most and says how to get the rest; `canRaise` says whether the caller can set the size. Rows are taken from the list that takes most room.
 */
export function fitAnswer(
  answer: Record<string, unknown>,
  maxTokens: number,
  canRaise = true,
): Record<string, unknown> {
  const limit = maxTokens * CHARACTERS_PER_TOKEN
  let size = JSON.stringify(answer).length
  if (size <= limit) return answer

  // a question or a task that is given back is known to who asked
  const copy = Object.fromEntries(Object.entries(structuredClone(answer)).map(([name, it]) => [name, clipped(it)]))
  size = JSON.stringify(copy).length
  if (size <= limit) return copy
  const lists = listsIn(copy, '')
  const room = limit - ROOM_FOR_NOTE
  while (size > room) {
    const longest = lists.filter((it) => it.rows.length > FEWEST_ROWS).sort((a, b) => b.size - a.size)[0]
    if (longest === undefined) break
    // a tenth at a time, so that a long list takes few rounds
    for (let n = Math.ceil(longest.rows.length / 10); n > 0 && size > room && longest.rows.length > FEWEST_ROWS; n--) {
      longest.rows.pop()
      const cut = (longest.sizes.pop() ?? 0) + 1
      longest.size -= cut
      size -= cut
    }
  }

  const shortened = lists.filter((it) => it.rows.length < it.total)
  if (shortened.length === 0) return copy
  const most = shortened.reduce((a, b) => (b.total - b.rows.length > a.total - a.rows.length ? b : a))
  const total = totalBefore(answer.truncated, most.total)
  const counts = shortened.slice(0, 4).map((it) => `${it.name}: ${it.rows.length} of ${it.total}`)
  const how = `Cut to about ${maxTokens} tokens (${counts.join(', ')}). Ask for fewer rows or a narrower question${canRaise ? ', or raise max_tokens' : ''}.`
  return { ...copy, truncated: { shown: most.rows.length, total, how } }
}

/** A text of the answer itself, not of its rows. */
function clipped(value: unknown): unknown {
  return typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT - 1)}…` : value
}

/** The list may have been cut before, from more rows than it had when it came here. */
function totalBefore(truncated: unknown, rows: number): number {
  if (typeof truncated !== 'object' || truncated === null || !('shown' in truncated) || !('total' in truncated))
    return rows
  return truncated.shown === rows && typeof truncated.total === 'number' ? truncated.total : rows
}

/** The lists of an answer and of the objects in it, but not those inside of rows. */
function listsIn(value: object, within: string): List[] {
  return Object.entries(value).flatMap(([name, it]) => {
    const path = within === '' ? name : `${within}.${name}`
    if (Array.isArray(it)) return [measure(path, it)]
    return typeof it === 'object' && it !== null ? listsIn(it, path) : []
  })
}

function measure(name: string, rows: unknown[]): List {
  const sizes = rows.map((it) => JSON.stringify(it)?.length ?? 4)
  const size = sizes.reduce((sum, it) => sum + it + 1, 0)
  return { name, rows, sizes, size, total: rows.length }
}
