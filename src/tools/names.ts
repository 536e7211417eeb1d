/** How tools may be called: every spelling that a client or a script has used for a name. */

/** `m1nd.lock.create`, `m1nd_lock_create` and `lock.create` are all `lock_create`. */
export function normaliseName(name: string): string {
  return name
    .trim()
    .replace(/^m1nd[._]/, '')
    .replaceAll('.', '_')
}

/** The names that take the fewest changes to reach, at most `n`; none that differ in more than half of their letters. */
export function nearestNames(name: string, names: readonly string[], n: number): string[] {
  return names
    .map((it) => ({ it, distance: it.includes(name) || name.includes(it) ? 1 : editDistance(name, it) }))
    .filter(({ it, distance }) => distance <= Math.max(it.length, name.length) / 2)
    .sort((a, b) => a.distance - b.distance || (a.it < b.it ? -1 : 1))
    .slice(0, n)
    .map(({ it }) => it)
}

/** Letters to insert, delete, replace or swap with their neighbour (Damerau and Levenshtein, restricted form). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}
