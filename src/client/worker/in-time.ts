/**
 * Waits for a promise, and rejects after this many milliseconds. Leaves no timer behind, which would keep a realm busy
 * for nothing.
 */
export function inTime<Result>(something: Promise<Result>, ms: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  return Promise.race([
    something,
    new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('It took too long.')), ms))),
  ]).finally(() => clearTimeout(timer))
}
