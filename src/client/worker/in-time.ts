/**
 * What is waited for, and no longer than so many milliseconds: then it rejects. Leaves no timer behind, which would
 * keep a realm busy for nothing.
 */
export function inTime<Result>(something: Promise<Result>, ms: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  return Promise.race([
    something,
    new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('Not in time.')), ms))),
  ]).finally(() => clearTimeout(timer))
}
