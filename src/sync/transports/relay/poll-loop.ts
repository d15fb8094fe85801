export interface PollLoopOptions {
  /** Wait between two looks, in milliseconds. */
  readonly everyMs: number
  readonly look: () => Promise<void>
  /** A look failed: there is no other. */
  readonly onError: (error: unknown) => void
}

/** Looks again and again, one look at a time. */
export interface PollLoop {
  start(): void
  /** Polls at once, or right after the current poll. */
  hurry(): void
  /** Another look follows the current one without a wait. */
  again(): void
  /** Whether another look follows without a wait. */
  isHurried(): boolean
  stop(): void
}

export function createPollLoop({ everyMs, look, onError }: PollLoopOptions): PollLoop {
  let isHurried = false
  let isStopped = false
  let wake: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const run = async (): Promise<void> => {
    while (!isStopped) {
      isHurried = false
      await look()
      if (isStopped || isHurried) continue
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, everyMs)
      })
      clearTimeout(timer)
      wake = undefined
    }
  }
  return {
    start: () => void run().catch(onError),
    hurry: () => {
      isHurried = true
      wake?.()
    },
    again: () => {
      isHurried = true
    },
    isHurried: () => isHurried,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      wake?.()
    },
  }
}
