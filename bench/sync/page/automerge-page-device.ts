import type { StorageAdapterInterface } from '@automerge/automerge-repo'
import { openChat, SocketAdapter } from '../automerge-peer.ts'
import { messageOf, ulid } from '../message.ts'
import type { PageDevice, PageDeviceOptions } from './page-device.ts'

/** A list in a document, stored as its repository does it. */
export async function openAutomerge({ name, url }: PageDeviceOptions): Promise<PageDevice> {
  const { repo, handle } = await openChat(name, await openStorage(name))
  let socket: WebSocket | undefined
  return {
    say: async (count) => {
      for (let i = 0; i < count; i++)
        handle.change((doc) => void doc.messages.push({ id: ulid(), ...messageOf(i) } as never))
      await repo.flush()
    },
    exchange: async (count) => {
      const complete = new Promise<void>((resolve) => {
        const look = (): void => {
          if (handle.doc().messages.length < count) return
          handle.off('change', look)
          resolve()
        }
        handle.on('change', look)
      })
      const opened = (socket = new WebSocket(url))
      await new Promise((resolve) => (opened.onopen = resolve))
      repo.networkSubsystem.addNetworkAdapter(new SocketAdapter(opened))
      await complete
      await repo.flush()
    },
    texts: async () => handle.doc().messages.map(({ content }) => content),
    close: async () => {
      socket?.close()
      await repo.shutdown()
    },
  }
}

/** Keys and values of one object store, as Automerge's own adapter for IndexedDB keeps them. */
async function openStorage(name: string): Promise<StorageAdapterInterface> {
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('documents')
  const database = await resultOf(opening)
  const store = (mode: IDBTransactionMode): IDBObjectStore =>
    database.transaction('documents', mode).objectStore('documents')
  const done = (at: IDBObjectStore): Promise<void> =>
    new Promise((resolve, reject) =>
      Object.assign(at.transaction, { oncomplete: () => resolve(), onabort: () => reject(at.transaction.error) }),
    )
  const rangeOf = (prefix: readonly string[]): IDBKeyRange => IDBKeyRange.bound(prefix, [...prefix, '\uffff'])
  return {
    load: (key) => resultOf(store('readonly').get(key) as IDBRequest<Uint8Array | undefined>),
    save: (key, data) => {
      const at = store('readwrite')
      at.put(data, key)
      return done(at)
    },
    remove: (key) => {
      const at = store('readwrite')
      at.delete(key)
      return done(at)
    },
    loadRange: async (prefix) => {
      const at = store('readonly')
      const [keys, values] = await Promise.all([
        resultOf(at.getAllKeys(rangeOf(prefix))),
        resultOf(at.getAll(rangeOf(prefix)) as IDBRequest<Uint8Array[]>),
      ])
      return keys.map((key, i) => ({ key: key as string[], data: values[i] }))
    },
    removeRange: (prefix) => {
      const at = store('readwrite')
      at.delete(rangeOf(prefix))
      return done(at)
    },
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
