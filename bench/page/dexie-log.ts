import Dexie, { type Table } from 'dexie'
import type { Message } from '../../src/contract/message.ts'
import type { Durability } from '../../src/contract/store/write-options.ts'
import { type PeerMeta, peerMeta } from './peer-meta.ts'

type Row = Message & { readonly session: string; readonly seq: number }

/** Dexie as its documentation shows it: a table with a compound primary key, and one of sessions. */
export interface DexieLog {
  /** A row and the session's meta in one transaction. */
  append(session: string, at: number, message: Message): Promise<void>
  /** A put of its own, without a meta. */
  put(session: string, at: number, message: Message): Promise<void>
  bulkPut(session: string, from: number, messages: readonly Message[]): Promise<void>
  last(session: string, count: number): Promise<readonly Message[]>
  all(session: string): Promise<readonly Message[]>
  putMetas(metas: readonly PeerMeta[]): Promise<void>
  newestMetas(limit?: number): Promise<PeerMeta[]>
  close(): void
}

export async function openDexieLog(name: string, durability: Durability): Promise<DexieLog> {
  const database = new Dexie(name, { chromeTransactionDurability: durability })
  database.version(1).stores({ messages: '[session+seq]', sessions: 'id, updatedAt' })
  const messages: Table<Row> = database.table('messages')
  const sessions: Table<PeerMeta> = database.table('sessions')
  await database.open()
  const row = (session: string, seq: number, message: Message): Row => ({ ...message, session, seq })
  const allOf = (session: string) =>
    messages.where('[session+seq]').between([session, Dexie.minKey], [session, Dexie.maxKey])

  return {
    append: (session, at, message) =>
      database.transaction('rw', messages, sessions, async () => {
        await messages.put(row(session, at, message))
        await sessions.put(peerMeta(session, at + 1))
      }),
    put: async (session, at, message) => void (await messages.put(row(session, at, message))),
    bulkPut: async (session, from, added) => {
      await messages.bulkPut(added.map((message, i) => row(session, from + i, message)))
      await sessions.put(peerMeta(session, from + added.length))
    },
    last: async (session, count) => (await allOf(session).reverse().limit(count).toArray()).reverse(),
    all: (session) => allOf(session).toArray(),
    putMetas: async (metas) => void (await sessions.bulkPut(metas)),
    newestMetas: (limit) =>
      limit === undefined
        ? sessions.orderBy('updatedAt').reverse().toArray()
        : sessions.orderBy('updatedAt').reverse().limit(limit).toArray(),
    close: () => database.close(),
  }
}
