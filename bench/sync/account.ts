import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { messageOf } from './message.ts'
import { ourDevice } from './our-device.ts'
import { withServer } from './with-server.ts'

/** What another device has put on a server of ours. */
export interface Account {
  readonly url: string
  /** Says one more thing in so many sessions. */
  change(sessions: number): Promise<void>
  close(): Promise<void>
}

/** Makes it when it is first asked for: to upload a hundred megabytes takes a while. */
export function lazyAccount(sessions: number, messages: number): { get(): Promise<Account>; close(): Promise<void> } {
  let account: Promise<Account> | undefined
  return { get: () => (account ??= openAccount(sessions, messages)), close: async () => (await account)?.close() }
}

function openAccount(sessions: number, messages: number): Promise<Account> {
  return new Promise((resolve, reject) => {
    let end!: () => void
    const over = new Promise<void>((done) => (end = done))
    const serving = withServer(async (url) => {
      const store = createSessionStore(createMemoryBackend())
      const say = (key: string, count: number): Promise<unknown> =>
        store.append(
          key,
          Array.from({ length: count }, (_, i) => ({ type: 'message', message: messageOf(i) })) as never,
        )
      const upload = async (): Promise<void> => {
        const { sync, close } = await device.start()
        const { state, message } = await sync.syncNow()
        await close()
        if (state !== 'synced') throw new Error(`The sessions could not be uploaded: ${state} ${message ?? ''}`)
      }
      const device = ourDevice(store, () => () => undefined, url)
      for (let i = 0; i < sessions; i++) await say(`s${i}`, messages)
      await upload()
      resolve({
        url,
        change: async (count) => {
          for (let i = 0; i < count; i++) await say(`s${Math.floor((i * sessions) / count)}`, 1)
          await upload()
        },
        close: async () => {
          end()
          await serving
        },
      })
      await over
      await store.close()
    })
    serving.catch(reject)
  })
}
