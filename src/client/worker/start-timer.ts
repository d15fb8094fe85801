/** The longest time that a timer can wait. With a longer one it would fire at once. */
const longestMs = 2 ** 31 - 1

/**
 * Calls a function after this many milliseconds; never, if that is longer than a timer can wait. Returns a function
 * that stops it.
 */
export function startTimer(act: () => void, ms: number): () => void {
  if (ms > longestMs) return () => undefined
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}
