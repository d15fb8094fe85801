/** Lets so many through at once. */
export interface Turns {
  /** Resolves with how to give the turn back, once there is one. */
  take(): Promise<() => void>
}

export function createTurns(most: number): Turns {
  let taken = 0
  const waiting: (() => void)[] = []
  return {
    take: async () => {
      if (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken += 1
      let isBack = false
      return () => {
        if (isBack) return
        isBack = true
        const next = waiting.shift()
        if (next === undefined) taken -= 1
        else next()
      }
    },
  }
}
