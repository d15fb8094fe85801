export interface RetryOptions {
  /** Wait before the first retry, in milliseconds. It doubles with each retry, up to `longest`. */
  readonly first: number
  readonly longest: number
  /** 0 to 1, for the jitter: devices that lost one server must not come back at the same instant. */
  readonly random: () => number
}

/** How long to wait after so many failures in a row, in milliseconds. */
export function retryWait(failures: number, { first, longest, random }: RetryOptions): number {
  const wait = Math.min(longest, first * 2 ** failures)
  return wait / 2 + (wait / 2) * random()
}
