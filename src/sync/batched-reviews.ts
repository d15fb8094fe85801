/**
 * How long a review waits for other changes if another one was just made, in milliseconds. Each review goes through all
 * sessions.
 */
const gatherMs = 10

/** Reviews of all sessions: at once after a quiet time, batched where many are requested. */
export interface BatchedReviews {
  /** @param again - sessions to retry, which are held until a review succeeds */
  request(again?: readonly string[]): void
  /** Whether a review is still pending. */
  isPending(): boolean
  close(): void
}

/**
 * @param review - returns whether it could be made
 * @param onReviewed - called after a batched review
 */
export function createBatchedReviews(
  review: (again: readonly string[]) => boolean,
  onReviewed: () => void,
): BatchedReviews {
  const held = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPending = false

  const now = (): void => {
    isPending = false
    timer = setTimeout(() => {
      timer = undefined
      if (!isPending) return
      now()
      onReviewed()
    }, gatherMs)
    const keys = [...held]
    if (review(keys)) return keys.forEach((key) => held.delete(key))
    // A review that could not be made has cost nothing.
    if (isPending) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    request: (again = []) => {
      for (const key of again) held.add(key)
      if (timer === undefined) now()
      else isPending = true
    },
    isPending: () => isPending,
    close: () => {
      isPending = false
      clearTimeout(timer)
    },
  }
}
