import type { Message } from '../../src/contract/message.ts'
import type { Durability } from '../../src/contract/store/write-options.ts'
import { ask, openNative } from './native.ts'
import { type PeerMeta, peerMeta } from './peer-meta.ts'

/** The plain IndexedDB one would write by hand: a row for each message, and one for the session, in one transaction. */
export interface RawLog {
  append(session: string, at: number, message: Message, durability: Durability): Promise<void>
  /** All messages in one transaction with a put for each. */
  appendAll(session: string, from: number, messages: readonly Message[], durability: Durability): Promise<void>
  /** Messages of a session from one place to another, by key range. */
  read(session: string, from: number, to: number): Promise<Message[]>
  putMetas(metas: readonly PeerMeta[]): Promise<void>
  newestMetas(): Promise<PeerMeta[]>
  close(): void
}

export async function openRawLog(name: string): Promise<RawLog> {
  const database = await openNative(name, (db) => {
    db.createObjectStore('messages')
    db.createObjectStore('sessions', { keyPath: 'id' })
  })

  const write = (
    durability: Durability,
    act: (messages: IDBObjectStore, sessions: IDBObjectStore) => void,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(['messages', 'sessions'], 'readwrite', { durability })
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
      act(transaction.objectStore('messages'), transaction.objectStore('sessions'))
      transaction.commit()
    })
  const appendAll: RawLog['appendAll'] = (session, from, messages, durability) =>
    write(durability, (rows, sessions) => {
      messages.forEach((message, i) => rows.put(message, [session, from + i]))
      sessions.put(peerMeta(session, from + messages.length))
    })

  return {
    append: (session, at, message, durability) => appendAll(session, at, [message], durability),
    appendAll,
    read: (session, from, to) =>
      ask(
        database
          .transaction('messages')
          .objectStore('messages')
          .getAll(IDBKeyRange.bound([session, from], [session, to], false, true)),
      ),
    putMetas: (metas) => write('relaxed', (_, sessions) => metas.forEach((meta) => sessions.put(meta))),
    newestMetas: async () => {
      const metas: PeerMeta[] = await ask(database.transaction('sessions').objectStore('sessions').getAll())
      return metas.sort((a, b) => b.updatedAt - a.updatedAt)
    },
    close: () => database.close(),
  }
}
