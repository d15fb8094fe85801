import { messageOf } from '../message.ts'
import type { CameIn } from './our-many-sessions.ts'

export interface BareRowsOptions {
  readonly name: string
  readonly sessions: number
  readonly messages: number
  /** Messages of a row. */
  readonly packed: number
}

/**
 * Stores as many messages as an account has, which are here already, in a transaction for each session, and nothing
 * else: what the database alone takes for them.
 */
export async function storeBareRows({
  name,
  sessions,
  messages,
  packed,
}: BareRowsOptions): Promise<Pick<CameIn, 'all'>> {
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('messages')
  const database = await new Promise<IDBDatabase>((resolve, reject) =>
    Object.assign(opening, { onsuccess: () => resolve(opening.result), onerror: () => reject(opening.error) }),
  )
  const said = Array.from({ length: messages }, (_, j) => messageOf(j))
  const start = performance.now()
  for (let i = 0; i < sessions; i++) {
    const transaction = database.transaction('messages', 'readwrite', {
      durability: i === sessions - 1 ? 'strict' : 'relaxed',
    })
    for (let j = 0; j < messages; j += packed)
      transaction.objectStore('messages').put(packed === 1 ? said[j] : said.slice(j, j + packed), [i, j])
    await new Promise<void>((resolve, reject) =>
      Object.assign(transaction, { oncomplete: () => resolve(), onabort: () => reject(transaction.error) }),
    )
  }
  const all = performance.now() - start
  database.close()
  return { all }
}
