/** What to do next in a perspective, from its routes and the steps taken so far. */

export interface Option {
  route_id: string
  target: string
  family: string
  score: number
  coherence: number
}

export interface Step {
  action: 'follow' | 'back'
  family: string
}

export interface Suggestion {
  action: 'follow' | 'back' | 'close'
  /** '' unless it is `follow`. */
  route_id: string
  confidence: number
  reason: string
}

export interface Suggested {
  /** Best first; never empty. */
  options: Suggestion[]
  basedOn: 'navigation_history' | 'initial_ranking' | 'exhaustion_recovery'
}

const MOST_CONFIDENCE = 0.85
/** A family that was followed each time gains this share, one that was taken back each time loses it. */
const HABIT = 0.2
/** A route without a path counts half. */
const WITHOUT_PATH = 0.5

/**
 * The unvisited routes by score · (0.5 + 0.5 · coherence of their path), at most 0.85, those of families that were
 * followed before and not taken back a little higher. When all were visited, or there are none: back, or close.
 */
export function suggest(
  routes: readonly Option[],
  steps: readonly Step[],
  {
    isVisited,
    canGoBack,
    nameOf,
  }: { isVisited: (target: string) => boolean; canGoBack: boolean; nameOf: (target: string) => string },
): Suggested {
  const habits = habitsOf(steps)
  const open = routes
    .filter((it) => !isVisited(it.target))
    .map((it): Suggestion => {
      const habit = habits.get(it.family) ?? 0
      const plain = it.score * (WITHOUT_PATH + (1 - WITHOUT_PATH) * it.coherence)
      const how = habit > 0 ? ', a kind that was followed before' : habit < 0 ? ', a kind that was taken back' : ''
      return {
        action: 'follow',
        route_id: it.route_id,
        confidence: Math.min(MOST_CONFIDENCE, plain * (1 + HABIT * habit)),
        reason: `best unvisited ${it.family}: ${nameOf(it.target)}${how}`,
      }
    })
    .sort((a, b) => b.confidence - a.confidence || (a.route_id < b.route_id ? -1 : 1))
  if (open.length > 0) return { options: open, basedOn: habits.size > 0 ? 'navigation_history' : 'initial_ranking' }

  const why = routes.length > 0 ? 'all routes from here were visited' : 'nothing leads on from here'
  const close: Suggestion = { action: 'close', route_id: '', confidence: canGoBack ? 0.3 : 0.6, reason: why }
  const goBack: Suggestion = { action: 'back', route_id: '', confidence: 0.6, reason: why }
  return { options: canGoBack ? [goBack, close] : [close], basedOn: 'exhaustion_recovery' }
}

/** Per family how often it was followed less how often that was taken back, over all of its steps: -1..1. */
function habitsOf(steps: readonly Step[]): Map<string, number> {
  const counts = new Map<string, { kept: number; all: number }>()
  for (const { action, family } of steps) {
    if (family === '') continue
    const { kept, all } = counts.get(family) ?? { kept: 0, all: 0 }
    counts.set(family, { kept: kept + (action === 'follow' ? 1 : -2), all: all + (action === 'follow' ? 1 : 0) })
  }
  return new Map([...counts].map(([family, { kept, all }]) => [family, Math.max(-1, kept / Math.max(1, all))]))
}
