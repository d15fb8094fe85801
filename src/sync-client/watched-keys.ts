/** Roll calls that a tab may leave unanswered: it was closed without a word, or is frozen, so that nobody looks at it. */
const patience = 2

/** What the tabs of a device look at. */
export interface WatchedKeys {
  /** This tab looks at one; returns how to stop. */
  watch(key: string): () => void
  own(): readonly string[]
  /** Another tab says what it looks at. */
  hear(tab: string, keys: readonly string[]): void
  /** Of all tabs. */
  all(): readonly string[]
  /** The other tabs are asked once more. @returns whether there are any that look at something */
  callRoll(): boolean
}

/** @param onChange - told what this tab looks at changed */
export function createWatchedKeys(onChange: () => void): WatchedKeys {
  const counts = new Map<string, number>()
  const tabs = new Map<string, { readonly keys: readonly string[]; missed: number }>()
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
    hear: (tab, keys) => {
      if (keys.length === 0) tabs.delete(tab)
      else tabs.set(tab, { keys, missed: 0 })
    },
    all: () => [...new Set([...counts.keys(), ...[...tabs.values()].flatMap(({ keys }) => keys)])],
    callRoll: () => {
      for (const [tab, one] of tabs) if (one.missed++ >= patience) tabs.delete(tab)
      return tabs.size > 0
    },
  }
}
