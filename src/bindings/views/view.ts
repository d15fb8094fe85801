/** A state that components show. It is kept current as long as somebody subscribes to it. */
export interface View<State> {
  /** Calls back after every change; the same function is called once. Returns a function that unsubscribes. */
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
 * @param start - begins to show changes of the state; returns a function that stops it, and that may show
 *   what is left. What is shown later than that is ignored
 */
export function createView<State extends object>(
  initial: State,
  start: (show: (change: Partial<State>) => void) => () => void,
): View<State> {
  const listeners = new Set<() => void>()
  let state = initial
  let stop: (() => void) | undefined

  function settle(): void {
    if (listeners.size === 0) {
      stop?.()
      stop = undefined
    } else if (stop === undefined) {
      let isOver = false
      const end = start((change) => {
        if (isOver) return
        state = { ...state, ...change }
        for (const listener of [...listeners]) call(listener)
      })
      stop = () => {
        end()
        isOver = true
      }
    }
  }

  return {
    subscribe: (onChange) => {
      listeners.add(onChange)
      queueMicrotask(settle)
      return () => {
        listeners.delete(onChange)
        queueMicrotask(settle)
      }
    },
    getSnapshot: () => state,
    getServerSnapshot: () => initial,
  }
}

/** Calls a subscriber. Its error is reported, and must neither affect the others nor end the view. */
function call(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    setTimeout(() => {
      throw error
    })
  }
}
