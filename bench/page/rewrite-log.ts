import type { Message } from '../../src/contract/message.ts'
import type { Durability } from '../../src/contract/store/write-options.ts'
import { ask, openNative } from './native.ts'
import { peerMeta } from './peer-meta.ts'

/** Keeps each session as one object, which every new message rewrites. */
export interface RewriteLog {
  /** Appends to what `read` gave last. */
  append(message: Message, durability: Durability): Promise<void>
  replace(session: string, messages: readonly Message[]): Promise<void>
  read(session: string): Promise<readonly Message[]>
  close(): void
}

export async function openRewriteLog(name: string): Promise<RewriteLog> {
  const database = await openNative(name, (db) => {
    db.createObjectStore('sessions', { keyPath: 'id' })
    db.createObjectStore('metas', { keyPath: 'id' })
  })
  let current: { id: string; messages: Message[] } = { id: '', messages: [] }
  const put = (durability: Durability): Promise<void> =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(['sessions', 'metas'], 'readwrite', { durability })
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
      transaction.objectStore('sessions').put(current)
      transaction.objectStore('metas').put(peerMeta(current.id, current.messages.length))
      transaction.commit()
    })
  return {
    append: (message, durability) => {
      current.messages.push(message)
      return put(durability)
    },
    replace: (id, messages) => {
      current = { id, messages: [...messages] }
      return put('relaxed')
    },
    read: async (session) => {
      current = await ask(database.transaction('sessions').objectStore('sessions').get(session))
      return current.messages
    },
    close: () => database.close(),
  }
}
