import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as Y from 'yjs'
import { messageOf, ulid } from '../message.ts'
import type { PageDevice, PageDeviceOptions } from './page-device.ts'

/** A map of messages, of which every update is stored as it comes: what y-indexeddb does. */
export async function openYMap({ name, url }: PageDeviceOptions): Promise<PageDevice> {
  const database = await openUpdates(name)
  const document = new Y.Doc()
  const messages = document.getMap<{ readonly content: string }>('messages')
  let stored: Promise<unknown> = Promise.resolve()
  document.on('update', (update: Uint8Array) => (stored = addUpdate(database, update)))
  let provider: HocuspocusProvider | undefined
  const websocketProvider = new HocuspocusProviderWebsocket({ url, autoConnect: false })
  return {
    say: async (count) => {
      for (let i = 0; i < count; i++) messages.set(ulid(), { ...messageOf(i) })
      await stored
    },
    exchange: async (count) => {
      const complete = new Promise<void>((resolve) => {
        const look = (): void => {
          if (messages.size < count) return
          messages.unobserve(look)
          resolve()
        }
        messages.observe(look)
      })
      void websocketProvider.connect()
      provider = new HocuspocusProvider({ websocketProvider, name: 'bench', document, token: 'bench' })
      provider.attach()
      await complete
      await stored
    },
    texts: async () => [...messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { content }]) => content),
    close: async () => {
      provider?.destroy()
      websocketProvider.destroy()
      database.close()
    },
  }
}

function openUpdates(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore('updates', { autoIncrement: true })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function addUpdate(database: IDBDatabase, update: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction('updates', 'readwrite')
    transaction.objectStore('updates').add(update)
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
}
