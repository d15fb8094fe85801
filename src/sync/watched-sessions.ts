export interface WatchedSessionsOptions {
  /** A session began to be watched and has to be connected, or is not watched any more. */
  readonly onChange: (key: string, isWatched: boolean) => void
}

/** Sessions that are watched: they stay connected. */
export interface WatchedSessions {
  /** @returns how to stop; a session with several watchers is watched until the last one has stopped */
  watch(key: string): () => void
  has(key: string): boolean
  keys(): readonly string[]
  close(): void
}

export function createWatchedSessions({ onChange }: WatchedSessionsOptions): WatchedSessions {
  /** How many watchers each session has. */
  const all = new Map<string, { count: number }>()

  return {
    watch: (key) => {
      const one = all.get(key) ?? { count: 0 }
      all.set(key, one)
      one.count += 1
      if (one.count === 1) onChange(key, true)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        one.count -= 1
        if (one.count > 0 || all.get(key) !== one) return
        all.delete(key)
        onChange(key, false)
      }
    },
    has: (key) => all.has(key),
    keys: () => [...all.keys()],
    close: () => all.clear(),
  }
}
