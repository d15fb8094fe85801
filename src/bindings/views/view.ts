/** A state that components show. It is kept current as long as somebody subscribes to it. */
export interface View<State> {
  /** Calls back after every change. Returns a function that unsubscribes. */
  subscribe(onChange: () => void): () => void
  /** The newest state. It keeps its identity until it changes. */
  getSnapshot(): State
  /** The state before the first subscriber: what a server renders, and what a page is hydrated with. */
  getServerSnapshot(): State
}

/**
 * Creates a view. It starts a moment after its first subscriber has come and stops a moment after the last one has left:
 * a component that is mounted, unmounted and mounted again at once (React's StrictMode) starts it once, and one that is
 * rendered on a server never does.
 *
 * @param start - begins to show changes of the state; returns a function that stops it. What is shown later than that is
 *   ignored
 */
export function createView<State extends object>(
  initial: State,
  start: (show: (change: Partial<State>) => void) => () => void,
): View<State> {
  const listeners = new Set<() => void>()
  let state = initial
  let stop: (() => void) | undefined

  function begin(): () => void {
    let isOver = false
    const end = start((change) => {
      if (isOver) return
      state = { ...state, ...change }
      for (const listener of [...listeners]) listener()
    })
    return () => {
      isOver = true
      end()
    }
  }
  const settle = (): void => {
    if (listeners.size > 0) stop ??= begin()
    else {
      stop?.()
      stop = undefined
    }
  }

  return {
    subscribe: (onChange) => {
      // A function of its own for each subscriber: two of them may pass the same one.
      const listener = (): void => onChange()
      listeners.add(listener)
      queueMicrotask(settle)
      return () => {
        listeners.delete(listener)
        queueMicrotask(settle)
      }
    },
    getSnapshot: () => state,
    getServerSnapshot: () => initial,
  }
}
