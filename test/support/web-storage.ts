/**
 * A `Storage` over a map, with as much room as is wanted at the moment: the number of UTF-16 units in keys and values,
 * as browsers count.
 */
export function createWebStorage(room: number | (() => number) = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>()
  const used = (): number => [...items].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return {
    get length() {
      return items.size
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      const growth = value.length - (items.get(key)?.length ?? -key.length)
      if (used() + growth > (typeof room === 'number' ? room : room()))
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      items.set(key, String(value))
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  }
}
