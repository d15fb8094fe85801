/** The longest a timer can wait. Asked for more, it would fire at once. */
const longestMs = 2 ** 31 - 1

/**
 * Does something after so many milliseconds; never, when that is longer than a timer can wait. Returns how to stop it.
 */
export function startTimer(act: () => void, ms: number): () => void {
  if (ms > longestMs) return () => undefined
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}
