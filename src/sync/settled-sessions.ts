import type { IndexEntry } from './index-entry.ts'
import type { UnderKey } from './under-key.ts'

/** Sessions that were exchanged in this connection, as they are here and as the list has them: what was refused then is refused again. */
export interface SettledSessions {
  /** What the list says of it. */
  entryOf(key: string): IndexEntry | undefined
  has(key: string): boolean
  add(key: string): void
  delete(key: string): void
  clear(): void
}

export function createSettledSessions(our: () => Pick<UnderKey, 'index' | 'locals'>): SettledSessions {
  const settled = new Map<string, string>()
  /** Ids of what is not here, by key: looked up for every session in each review. */
  let remote: { readonly of: ReadonlyMap<string, IndexEntry>; readonly ids: ReadonlyMap<string, string> } | undefined

  const idOf = (key: string): string | undefined => {
    const of = our().index.entries()
    if (remote?.of !== of) remote = { of, ids: new Map([...of].map(([id, entry]) => [entry.key, id])) }
    return our().locals.all.get(key)?.id ?? remote.ids.get(key)
  }
  const entryOf = (key: string): IndexEntry | undefined => our().index.entries().get(idOf(key) ?? '')
  const pairOf = (key: string): string => {
    const { hash = '', life = 0, purged = {} } = entryOf(key) ?? {}
    // What was purged of a life only ever grows.
    return [our().locals.all.get(key)?.hash ?? '', hash, life, ...Object.values(purged)].join(' ')
  }

  return {
    entryOf,
    has: (key) => settled.get(key) === pairOf(key),
    add: (key) => void settled.set(key, pairOf(key)),
    delete: (key) => void settled.delete(key),
    clear: () => settled.clear(),
  }
}
