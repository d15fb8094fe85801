import type { IndexEntry } from './index-entry.ts'
import type { KeyScope } from './key-scope.ts'

/**
 * Sessions that were exchanged in this connection, in their current state here and in the list: what was refused then
 * would be refused again.
 */
export interface SettledSessions {
  /** What the list says about it. */
  entryOf(key: string): IndexEntry | undefined
  has(key: string): boolean
  add(key: string): void
  delete(key: string): void
  clear(): void
}

export function createSettledSessions(our: () => Pick<KeyScope, 'index' | 'locals'>): SettledSessions {
  const settled = new Map<string, string>()
  /** Ids of sessions that are not here, by key: they are looked up for every session in each review. */
  let remote: { readonly of: ReadonlyMap<string, IndexEntry>; readonly ids: ReadonlyMap<string, string> } | undefined

  const idOf = (key: string): string | undefined => {
    const of = our().index.entries()
    if (remote?.of !== of) remote = { of, ids: new Map([...of].map(([id, entry]) => [entry.key, id])) }
    return our().locals.all.get(key)?.id ?? remote.ids.get(key)
  }
  const entryOf = (key: string): IndexEntry | undefined =>
    our()
      .index.entries()
      .get(idOf(key) ?? '')
  const pairOf = (key: string): string => {
    const { hash = '', life = 0, purged = {} } = entryOf(key) ?? {}
    // What was purged of a life only grows.
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
