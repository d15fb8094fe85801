import { onWorkerGone } from '../client/worker/page-lock.ts'

/**
 * How many roll calls a tab may leave unanswered, because it was closed silently, or is frozen so that nobody looks at
 * it.
 */
const patience = 2

/** The sessions that the tabs of a device look at. */
export interface WatchedKeys {
  /** This tab looks at a session. Returns a function that ends this. */
  watch(key: string): () => void
  own(): readonly string[]
  /**
   * Another tab has reported what it looks at. It is identified by the Web Lock that it holds, so that it is forgotten
   * when it closes or crashes.
   */
  setTabKeys(tab: string, keys: readonly string[]): void
  /** The other tabs have to report again. */
  forgetOthers(): void
  /** The sessions of all tabs. */
  all(): readonly string[]
  /** Counts another roll call. @returns whether any other tab looks at a session */
  callRoll(): boolean
}

interface Tab {
  keys: readonly string[]
  missed: number
  readonly stopWaiting: () => void
}

/** @param onChange - called when this tab looks at something else, or another tab is gone */
export function createWatchedKeys(onChange: () => void, onTabGone = onWorkerGone): WatchedKeys {
  const counts = new Map<string, number>()
  const tabs = new Map<string, Tab>()
  const forget = (name: string): void => {
    tabs.get(name)?.stopWaiting()
    tabs.delete(name)
  }
  const meet = (name: string): Tab => {
    const stopWaiting = onTabGone(name, () => {
      forget(name)
      onChange()
    })
    return { keys: [], missed: 0, stopWaiting }
  }
  return {
    watch: (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      onChange()
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        const left = (counts.get(key) ?? 1) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
        onChange()
      }
    },
    own: () => [...counts.keys()],
    setTabKeys: (tab, keys) => {
      if (keys.length === 0) return forget(tab)
      const known = tabs.get(tab) ?? meet(tab)
      tabs.set(tab, Object.assign(known, { keys, missed: 0 }))
    },
    forgetOthers: () => {
      for (const name of tabs.keys()) forget(name)
    },
    all: () => [...new Set([...counts.keys(), ...[...tabs.values()].flatMap(({ keys }) => keys)])],
    callRoll: () => {
      for (const [name, one] of tabs) if (one.missed++ >= patience) forget(name)
      return tabs.size > 0
    },
  }
}
