/** Waits in milliseconds before a question is asked again: an answer may be lost, or merely take long. */
const firstMs = 2000
const longestMs = 60_000

/** Asks again from time to time until it is stopped. The waits grow: each answer may be a whole document. */
export function keepAsking(ask: () => void): () => void {
  let ms = firstMs
  let timer: ReturnType<typeof setTimeout>
  const wait = (): void => {
    timer = setTimeout(() => {
      ask()
      ms = Math.min(ms * 2, longestMs)
      wait()
    }, ms)
  }
  wait()
  return () => clearTimeout(timer)
}
