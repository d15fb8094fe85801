import { createMergeableStore } from 'tinybase'
import { createIndexedDbPersister } from 'tinybase/persisters/persister-indexed-db'
import { createWsSynchronizer } from 'tinybase/synchronizers/synchronizer-ws-client'
import { messageOf, ulid } from '../message.ts'
import type { PageDevice, PageDeviceOptions } from './page-device.ts'

/**
 * A row for each message. It is saved once, at the end: saved after every change, as it offers to, it writes all of it
 * each time.
 */
export async function openTinybase({ name, url }: PageDeviceOptions): Promise<PageDevice> {
  const store = createMergeableStore()
  const persister = createIndexedDbPersister(store, name)
  let synchronizer: { destroy(): Promise<unknown> } | undefined
  return {
    say: async (count) => {
      store.transaction(() => {
        for (let i = 0; i < count; i++) store.setRow('messages', ulid(), { ...messageOf(i) })
      })
      await persister.save()
    },
    exchange: async (count) => {
      const complete = new Promise<void>((resolve) => {
        const listener = store.addRowCountListener('messages', (_, __, rows) => {
          if (rows < count) return
          store.delListener(listener)
          resolve()
        })
      })
      const created = await createWsSynchronizer(store, new WebSocket(`${url}/bench`))
      synchronizer = created
      await created.startSync()
      await complete
      await persister.save()
    },
    texts: async () =>
      [...store.getRowIds('messages')].sort().map((id) => String(store.getCell('messages', id, 'content'))),
    close: async () => {
      await synchronizer?.destroy()
      await persister.destroy()
    },
  }
}
