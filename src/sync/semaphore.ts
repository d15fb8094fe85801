/** Lets a limited number of tasks run at once. */
export interface Semaphore {
  /** Resolves once there is room, with what gives it back. */
  acquire(): Promise<() => void>
}

export function createSemaphore(most: number): Semaphore {
  let taken = 0
  const waiting: (() => void)[] = []
  return {
    acquire: async () => {
      if (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken += 1
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        const next = waiting.shift()
        if (next === undefined) taken -= 1
        else next()
      }
    },
  }
}
