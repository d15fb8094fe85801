/** Runs something at once, and when it is asked for again soon, once more when the time is over. */
export function atMostEvery(ms: number, run: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  function now(): void {
    timer = undefined
    last = performance.now()
    run()
  }

  return () => {
    if (timer !== undefined) return
    const wait = last + ms - performance.now()
    if (wait <= 0) now()
    else timer = setTimeout(now, wait)
  }
}
