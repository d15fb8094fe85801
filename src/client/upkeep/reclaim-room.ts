import type { ChangeFeed } from '../session/change-feed.ts'

/** The object stores with the largest rows. Keys of session rows begin with a number: `[session, lane, order]`. */
const stores = ['bodies', 'entries'] as const
/** How many keys of each store are remembered; only the space of rows with these keys can be returned. */
const keysKept = 20_000
/** Reads in one round: LevelDB compacts a file after about 130 reads that searched it in vain. */
const readsInRound = 300
const roundMs = 100
/** When the attempt ends, even without success. */
const patienceMs = 5000

export interface RoomToReclaim {
  readonly name: string
  readonly feed: Pick<ChangeFeed, 'subscribe'>
  readonly indexedDB?: IDBFactory
  /** The browser's count of bytes for this origin; `undefined` if it reports none. */
  readonly usage?: () => Promise<number | undefined>
}

interface Place {
  readonly store: (typeof stores)[number]
  readonly key: readonly [number, number, string]
}

/** The state when a write found no room. */
interface Full {
  readonly places: readonly Place[]
  readonly usage: number | undefined
}

/**
 * After a write found no room, makes the browser return the space of what is purged then. Chromium does not do so by
 * itself: its LevelDB only marks rows as deleted, which takes space, and drops them when later writes make it compact
 * its files. But while every write is refused there are no later writes, and the quota is only recounted when something
 * is stored. So this makes it flush files (by creating and deleting a small database), compact them (by reads that
 * search two files in vain), and recount (by a deletion, which is never refused). Stored data does not change, and a
 * failed attempt has no effect.
 */
export function reclaimRoom({ name, feed, indexedDB = globalThis.indexedDB, usage = askBrowser }: RoomToReclaim): void {
  let full: Promise<Full | undefined> | undefined
  let running: Promise<unknown> = Promise.resolve()

  feed.subscribe((change) => {
    if (change.type === 'notice') {
      if (change.name === 'spaceLow' && change.space?.neededBytes !== undefined) full = look().catch(() => undefined)
      return
    }
    const isErasure = change.type === 'session' && (change.erased || (change.reload && change.listing === undefined))
    if (!isErasure || full === undefined) return
    const known = full
    // Best effort: if it fails, the next writes are refused as before.
    running = running.then(async () => reclaim(await known)).catch(() => undefined)
  })

  async function look(): Promise<Full> {
    return { usage: await usage(), places: await withDatabase(readPlaces) }
  }

  async function reclaim(before: Full | undefined): Promise<void> {
    if (before?.usage === undefined) return
    await withDatabase(async (database) => {
      const left = new Set((await readPlaces(database)).map(textOf))
      const gone = before.places.filter((place) => !left.has(textOf(place)))
      await count(database)
      let least = (await usage()) ?? 0
      // Other browsers have returned the space by now.
      if (gone.length === 0 || least < before.usage!) return
      await settle(indexedDB.open(`${name}/room`)).then((made) => made.close())
      await settle(indexedDB.deleteDatabase(`${name}/room`))
      const until = performance.now() + patienceMs
      for (let vain = 0; vain < 5 && performance.now() < until; vain++) {
        await readNeighbours(database, gone)
        await new Promise((resolve) => setTimeout(resolve, roundMs))
        await count(database)
        const now = (await usage()) ?? 0
        if (now < least) vain = 0
        least = Math.min(least, now)
      }
    })
  }

  async function withDatabase<T>(use: (database: IDBDatabase) => Promise<T>): Promise<T> {
    const database = await settle(indexedDB.open(name))
    // An upgrade or deletion by another tab must not wait for this connection.
    database.onversionchange = () => database.close()
    try {
      return await use(database)
    } finally {
      database.close()
    }
  }
}

async function readPlaces(database: IDBDatabase): Promise<readonly Place[]> {
  const transaction = database.transaction(stores, 'readonly')
  const lists = await Promise.all(
    stores.map((store) => settle(transaction.objectStore(store).getAllKeys(undefined, keysKept))),
  )
  return lists.flatMap((keys, i) => keys.map((key) => ({ store: stores[i]!, key: key as unknown as Place['key'] })))
}

/** Reads keys that never existed, right after those of the deleted rows. */
async function readNeighbours(database: IDBDatabase, gone: readonly Place[]): Promise<void> {
  const transaction = database.transaction(stores, 'readonly')
  const asked = Array.from({ length: readsInRound }, (_, i) => {
    const { store, key } = gone[Math.floor((i * gone.length) / readsInRound + i) % gone.length]!
    return settle(transaction.objectStore(store).get([key[0], key[1], `${key[2]}~`]))
  })
  await Promise.all(asked)
}

/** Stores nothing: deletes a key that does not exist. */
function count(database: IDBDatabase): Promise<void> {
  const transaction = database.transaction('aside', 'readwrite')
  transaction.objectStore('aside').delete('')
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('The transaction was aborted.'))
  })
}

const textOf = ({ store, key }: Place): string => `${store} ${key.join(' ')}`

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The request failed.'))
    if ('onblocked' in request) request.onblocked = () => reject(new Error('Another tab has it open.'))
  })
}

async function askBrowser(): Promise<number | undefined> {
  return (
    await (
      (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined
    )?.estimate?.()
  )?.usage
}
