/** Those of the app that are told of each change. */
export interface SnapshotListeners {
  /** Returns the unsubscriber. */
  add(onChange: () => void): () => void
  tell(): void
  clear(): void
}

export function createSnapshotListeners(): SnapshotListeners {
  const listeners = new Set<() => void>()
  return {
    add: (onChange) => {
      // One of its own for each subscription, so that one function can subscribe twice.
      const own = (): void => onChange()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell: () => {
      for (const listener of [...listeners]) {
        try {
          listener()
        } catch (error) {
          // One listener's mistake is its own: it is reported, and neither the others nor sync feel it.
          setTimeout(() => {
            throw error
          })
        }
      }
    },
    clear: () => listeners.clear(),
  }
}
