/** How long a review waits for what else changes where one was made just now, in milliseconds: each goes through all sessions. */
const gatherMs = 10

/** Reviews of all sessions: at once after a time of quiet, gathered where they are asked for again and again. */
export interface GatheredReviews {
  /** @param again - sessions to be tried once more: held until a review gets through */
  ask(again?: readonly string[]): void
  /** Whether one is still to be made. */
  isDue(): boolean
  close(): void
}

/**
 * @param review - tells whether it got through
 * @param onReviewed - one was made that had waited
 */
export function createGatheredReviews(review: (again: readonly string[]) => boolean, onReviewed: () => void): GatheredReviews {
  const held = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  const rest = (): void => {
    timer = undefined
    if (!isDue) return
    now()
    onReviewed()
  }
  const now = (): void => {
    isDue = false
    timer = setTimeout(rest, gatherMs)
    const keys = [...held]
    if (review(keys)) return keys.forEach((key) => held.delete(key))
    // It has cost nothing.
    if (isDue) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    ask: (again = []) => {
      for (const key of again) held.add(key)
      if (timer === undefined) now()
      else isDue = true
    },
    isDue: () => isDue,
    close: () => {
      isDue = false
      clearTimeout(timer)
    },
  }
}
