/** Looks again and again, one look at a time. */
export interface PollLoop {
  /** Resolves when it is stopped. @param look - one look; if it fails, there is no other. @throws what it throws */
  run(look: () => Promise<void>): Promise<void>
  /** Polls at once, or right after the current poll. */
  hurry(): void
  /** Another look follows the current one without a wait. */
  again(): void
  /** Whether another look follows without a wait. */
  isHurried(): boolean
  stop(): void
}

/** @param everyMs - wait between two looks, in milliseconds */
export function createPollLoop(everyMs: number): PollLoop {
  let isHurried = false
  let isStopped = false
  let wake: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    run: async (look) => {
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
    },
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
