import type { StoreName } from './schema.ts'
import type { Steps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** The value under a key; `undefined` when it can't be read. */
export interface KeyedValue {
  readonly key: IDBValidKey
  readonly value: unknown
}

/**
 * Reads all values of a range with their keys. One unreadable value fails a call for all of them. Then each is read by
 * itself.
 */
export function readValues(
  steps: Steps,
  name: StoreName,
  range: IDBKeyRange | undefined,
  use: (found: readonly KeyedValue[]) => void,
): void {
  const store = steps.store(name)
  steps.read(store.getAllKeys(range), (keys) => {
    const singly = (): void => {
      const found: KeyedValue[] = []
      if (keys.length === 0) use(found)
      const take = (key: IDBValidKey, value: unknown): void => {
        found.push({ key, value })
        if (found.length === keys.length) use(found)
      }
      for (const key of keys)
        steps.attempt<unknown>(
          store.get(key),
          (value) => take(key, value),
          unlessLost(() => take(key, undefined)),
        )
    }
    steps.attempt<unknown[]>(
      store.getAll(range),
      (values) => use(values.map((value, i) => ({ key: keys[i]!, value }))),
      unlessLost(singly),
    )
  })
}
