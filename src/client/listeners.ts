/** Those who are told of something. */
export interface Listeners<Told> {
  /** Returns the unsubscriber. */
  add(listener: (told: Told) => void): () => void
  /** Tells all. Never throws. */
  tell(told: Told): void
  clear(): void
}

export function createListeners<Told>(): Listeners<Told> {
  const listeners = new Set<(told: Told) => void>()
  return {
    add: (listener) => {
      // One of its own for each subscription, so that one function can subscribe twice.
      const own = (told: Told): void => listener(told)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell: (told) => {
      for (const listener of [...listeners]) {
        try {
          listener(told)
        } catch (error) {
          // One listener's mistake is its own: it is reported, and neither the others nor who tells them feel it.
          setTimeout(() => {
            throw error
          })
        }
      }
    },
    clear: () => listeners.clear(),
  }
}
