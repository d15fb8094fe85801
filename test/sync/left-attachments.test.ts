import { expect, it, vi } from 'vitest'
import { Doc, encodeStateAsUpdate } from 'yjs'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import type { SyncMemory } from '../../src/sync/sync-memory.ts'
import { createHub, type Hub } from './hub.ts'
import { newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }

/** The memory of one device over its runs, which an earlier one left an attachment in. */
function memoryWith(hash: string, keyId?: string): SyncMemory {
  let kept = {
    index: encodeStateAsUpdate(new Doc()),
    blobs: [hash] as readonly string[],
    ...(keyId === undefined ? {} : { keyId }),
  }
  return { load: async () => kept, save: async (state) => void (kept = { blobs: [], ...state }) }
}

function withBlobs(hub: Hub): { readonly transport: SyncTransport; readonly sent: string[] } {
  const sent: string[] = []
  const blobs = {
    putBlob: async (_: string, hash: string) => void sent.push(hash),
    hasBlob: async () => false,
    getBlob: async () => undefined,
  }
  return { transport: { ...hub.transport(), blobs }, sent }
}

it('sends no attachment of an earlier run before it is known that the key is the right one', async () => {
  const hub = createHub()
  const keys = await openSyncKeys(drawRootKey(), 'me')
  const other = newDevice()
  await other.store.addMessage('s', 'user', 'sealed')
  await (await other.sync({ transport: hub.transport(), keys })).syncNow()
  const a = newDevice()
  const hash = await a.store.putBlob(new Blob(['secret picture']))
  const { transport, sent } = withBlobs(hub)
  const sync = await a.sync({ transport, memory: memoryWith(hash, keys.id) })
  await expect(sync.syncNow()).rejects.toMatchObject({ name: 'WrongPassphrase' })
  await vi.waitFor(() => expect(sync.status().state).toBe('wrongKey'), soon)
  expect(sent).toEqual([])
  expect(await sync.unsent()).toMatchObject({ attachments: 1 })
})

it('keeps an attachment of an earlier run over a run that never gets online', async () => {
  const hub = createHub()
  const a = newDevice()
  const hash = await a.store.putBlob(new Blob(['picture']))
  const memory = memoryWith(hash)
  hub.down()
  const offline = await a.sync({ transport: hub.transport(), memory })
  expect(await offline.unsent()).toMatchObject({ attachments: 1 })
  await offline.close()
  hub.up()
  const { transport, sent } = withBlobs(hub)
  const sync = await a.sync({ transport, memory })
  await sync.syncNow()
  await vi.waitFor(() => expect(sent).toEqual([hash]), soon)
})

it('keeps an attachment of an earlier run over a change of the key', async () => {
  const hub = createHub()
  const [before, after] = await Promise.all([openSyncKeys(drawRootKey(), 'me'), openSyncKeys(drawRootKey(), 'me')])
  const a = newDevice()
  const hash = await a.store.putBlob(new Blob(['picture']))
  const { transport, sent } = withBlobs(hub)
  const first = await a.sync({ transport: hub.transport(), keys: before })
  await first.syncNow()
  await first.close()
  const sync = await a.sync({ transport, paused: true, keys: before, memory: memoryWith(hash, before.id) })
  await sync.changeKeys(after)
  expect(await sync.unsent()).toMatchObject({ attachments: 1 })
  sync.resume()
  await vi.waitFor(() => expect(sent).toHaveLength(1), soon)
})

it('keeps nobody waiting for a plan once the connection was closed by a pause', async () => {
  const hub = createHub()
  hub.down()
  const sync = await newDevice().sync({ transport: hub.transport() })
  const asked = expect(sync.plan()).rejects.toMatchObject({ name: 'Aborted' })
  await vi.waitFor(() => expect(sync.status().state).toBe('offline'), soon)
  await sync.pause()
  await asked
  hub.up()
  expect(await sync.plan()).toMatchObject({ upload: [] })
})
