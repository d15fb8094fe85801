/** What is waited for, or `undefined` after so many milliseconds. Leaves no timer behind: it would keep a realm busy for nothing. */
export async function orAfter<Result>(something: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  return Promise.race([something, late]).finally(() => clearTimeout(timer))
}
