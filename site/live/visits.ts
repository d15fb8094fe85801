import { deleteSessionStore } from '../../src/index.ts'

/** What the names of all that one visit stores begin with. A search index names its store behind its own word. */
const names = /^(?:keepsession-search:)?(keepsession-(?:bench|playground)-[0-9a-f]{8})/
const lockOf = (visit: string): string => `${visit}:visit`

/**
 * Draws a name for what a visit stores. Until `job` settles, or its tab is gone, no other visit takes that for a
 * leftover.
 */
export function visit<T>(kind: 'bench' | 'playground', job: (name: string) => Promise<T>): Promise<T> {
  const name = `keepsession-${kind}-${crypto.randomUUID().slice(0, 8)}`
  return navigator.locks.request(lockOf(name), () => job(name))
}

/** Deletes what visits stored whose tab crashed, or was closed before it could do so. */
export async function deleteLeftovers(): Promise<void> {
  // First what there is: its visit had the lock before it stored anything, and still has it unless it is over.
  const databases = (await indexedDB.databases()).flatMap(({ name }) => name ?? [])
  const root = await navigator.storage.getDirectory().catch(() => undefined)
  const files: string[] = []
  for await (const name of root?.keys() ?? []) files.push(name)
  const { held = [] } = await navigator.locks.query()
  const open = new Set(held.map(({ name }) => name))
  const isLeft = (name: string): boolean => {
    const of = names.exec(name)?.[1]
    return of !== undefined && !open.has(lockOf(of))
  }
  const stores = new Set(databases.filter(isLeft).map((name) => name.replace(/^keepsession-search:/, '')))
  for (const store of stores) await deleteSessionStore(store)
  for (const file of files.filter(isLeft)) await root!.removeEntry(file)
}
