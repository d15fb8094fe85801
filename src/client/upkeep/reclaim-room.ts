import type { ChangeFeed } from '../session/change-feed.ts'

/** Stores whose rows take the room. Sessions' rows have keys that begin with a number, `[session, lane, order]`. */
const stores = ['bodies', 'entries'] as const
/** Keys of each that are looked at: more rows are given back as far as these reach. */
const keysKept = 20_000
/** Reads in one round: LevelDB tidies a file that about 130 of them went through in vain. */
const readsInRound = 300
const roundMs = 100
/** When it is left, whatever came of it. */
const patienceMs = 5000

export interface RoomToReclaim {
  readonly name: string
  readonly feed: Pick<ChangeFeed, 'subscribe'>
  readonly indexedDB?: IDBFactory
  /** What the browser counts for this origin, in bytes; `undefined` where it does not say. */
  readonly usage?: () => Promise<number | undefined>
}

interface Place {
  readonly store: (typeof stores)[number]
  readonly key: readonly [number, number, string]
}

/** What lay where when a write found no room. */
interface Full {
  readonly places: readonly Place[]
  readonly usage: number | undefined
}

/**
 * After a write that found no room, has the browser give back what is purged then. Chromium does not by itself: its
 * LevelDB marks rows as deleted, which takes room, and drops them when later writes make it tidy its files; while every
 * write is refused there are none, and what it counts is only counted anew when something is stored. So files are
 * written out (a small database comes and goes), tidied (reads that go through two files for nothing), and counted (a
 * deletion, which is never refused). Of what is stored nothing is changed, and where it does not help nothing is worse.
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
    // Best effort: without it the next writes are refused as before, and say so.
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
      // Other browsers have given it back by now.
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
    // Nobody who upgrades or deletes it is to wait for this.
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

/** Asks for rows that never were, beside those that are gone. */
async function readNeighbours(database: IDBDatabase, gone: readonly Place[]): Promise<void> {
  const transaction = database.transaction(stores, 'readonly')
  const asked = Array.from({ length: readsInRound }, (_, i) => {
    const { store, key } = gone[Math.floor((i * gone.length) / readsInRound + i) % gone.length]!
    return settle(transaction.objectStore(store).get([key[0], key[1], `${key[2]}~`]))
  })
  await Promise.all(asked)
}

/** Stores nothing: a deletion of what is not there. */
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
    if ('onblocked' in request) request.onblocked = () => reject(new Error('Another tab holds it.'))
  })
}

async function askBrowser(): Promise<number | undefined> {
  return (
    await (
      (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined
    )?.estimate?.()
  )?.usage
}
