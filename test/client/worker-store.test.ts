import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import type { WorkerLike } from '../../src/client/worker/connect-worker.ts'
import { createWorkerStore } from '../../src/client/worker/create-worker-store.ts'
import { openWorkerStore } from '../../src/client/worker/worker-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { createPortWorker } from './support/port-worker.ts'

/** A worker that says that its store is open, that it lost its database, and last a notice. It answers nothing. */
const createLosingWorker = (asked: unknown[]): WorkerLike => ({
  postMessage: (_: unknown, ports: unknown) => {
    const [port] = ports as readonly [MessagePort]
    port.onmessage = ({ data }) => asked.push(data)
    port.postMessage({ keepsession: 'ready', protocol: 1 })
    port.postMessage({ keepsession: 'lost', reason: 'The database is gone.' })
    port.postMessage({ keepsession: 'changes', changes: [{ type: 'notice', name: 'degraded', message: 'said all' }] })
  },
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  terminate: () => undefined,
})

it('replaces a worker that is lost while the code of its store is still being loaded', async () => {
  const asked: unknown[] = []
  const second = createPortWorker(async () => ({ store: createSessionStore(createMemoryBackend()) }))
  const workers: WorkerLike[] = [createLosingWorker(asked), second]
  const feed = createChangeFeed()
  const saidAll = new Promise<void>((resolve) => feed.subscribe(() => resolve()))
  const opened = await openWorkerStore(
    { name: 'losing', timeoutMs: 4000, feed, mirror: false, encryption: undefined, owner: undefined },
    () => workers.shift()!,
    false,
    async () => {
      await saidAll
      return createWorkerStore
    },
  )
  await opened.store.append('k', [{ type: 'message', message: { role: 'user', content: 'a' } }])
  expect(await opened.store.getHistory('k')).toMatchObject([{ content: 'a' }])
  expect(opened.restarts!()).toBe(1)
  expect(asked).toEqual([])
  await opened.store.close()
  feed.close()
})
