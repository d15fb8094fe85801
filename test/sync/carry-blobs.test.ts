import { describe, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { sha256 } from '../../src/domain/sha256.ts'
import type { BlobTransport, SyncTransport } from '../../src/sync/link.ts'
import type { SyncMemory } from '../../src/sync/sync-memory.ts'
import { createHub, type Hub } from './hub.ts'
import { newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
const picture = 'a picture'
const hashOfPicture = sha256([picture])
const showPicture = async (store: SessionStore): Promise<void> => {
  await store.putBlob(new Blob([picture]))
  await store.addMessage('s', 'user', `see ![](blob:${hashOfPicture})`)
}

interface BlobServer extends BlobTransport {
  readonly held: Map<string, Blob>
  /** Each name that was put. */
  readonly puts: string[]
  isDown: boolean
}

function createBlobServer(): BlobServer {
  const server: BlobServer = {
    held: new Map(),
    puts: [],
    isDown: false,
    putBlob: async (_, hash, bytes) => {
      if (server.isDown) throw new Error('down')
      server.puts.push(hash)
      server.held.set(hash, bytes)
    },
    hasBlob: async (_, hash) => {
      if (server.isDown) throw new Error('down')
      return server.held.has(hash)
    },
    getBlob: async (_, hash) => {
      if (server.isDown) throw new Error('down')
      return server.held.get(hash)
    },
  }
  return server
}

const over = (hub: Hub, blobs: BlobTransport): SyncTransport => ({ ...hub.transport(), blobs })

describe('attachments', () => {
  it('are there when the entries that name them are, and are sent once', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const [a, b] = [newDevice(), newDevice()]
    await showPicture(a.store)
    await a.store.addMessage('other', 'user', `again blob:${hashOfPicture}`)
    const one = await a.sync({ transport: over(hub, blobs) })
    expect((await one.syncNow()).report.blobs).toEqual({ sent: 1, received: 0, missing: 0 })
    const two = await b.sync({ transport: over(hub, blobs) })
    await two.syncNow()
    await vi.waitFor(async () => expect(await (await b.store.getBlob(hashOfPicture))?.text()).toBe(picture), soon)
    await vi.waitFor(() => expect(two.status().report.blobs).toEqual({ sent: 0, received: 1, missing: 0 }), soon)
    expect(blobs.puts).toEqual([hashOfPicture])
  })

  it('are not sent again by the next run, also of a session that goes on', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const a = newDevice()
    await showPicture(a.store)
    const one = await a.sync({ transport: over(hub, blobs) })
    await one.syncNow()
    await one.close()
    await a.store.addMessage('s', 'user', 'more')
    const again = await a.sync({ transport: over(hub, blobs) })
    expect((await again.syncNow()).report.blobs).toEqual({ sent: 0, received: 0, missing: 0 })
    expect(again.session('s')).toBe('synced')
    expect(blobs.puts).toEqual([hashOfPicture])
  })

  it('are sent again where the other side has them no more', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const a = newDevice()
    await showPicture(a.store)
    const one = await a.sync({ transport: over(hub, blobs) })
    await one.syncNow()
    await one.close()
    blobs.held.clear()
    await a.store.addMessage('s', 'user', 'more')
    await (await a.sync({ transport: over(hub, blobs) })).syncNow()
    expect([...blobs.held.keys()]).toEqual([hashOfPicture])
  })

  it('are sent again to a server that goes on from an old backup', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const a = newDevice()
    const one = await a.sync({ transport: over(hub, blobs) })
    await one.syncNow()
    const backup = hub.backup()
    await showPicture(a.store)
    await one.syncNow()
    expect([...blobs.held.keys()]).toEqual([hashOfPicture])
    blobs.held.clear()
    hub.restore(backup)
    await vi.waitFor(() => expect([...blobs.held.keys()]).toEqual([hashOfPicture]), soon)
  })

  it('hold up no entries when they can not be carried, and follow with the next connection', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const [a, b] = [newDevice(), newDevice()]
    blobs.isDown = true
    await showPicture(a.store)
    const one = await a.sync({ transport: over(hub, blobs) })
    const two = await b.sync({ transport: over(hub, blobs) })
    expect((await one.syncNow()).state).toBe('synced')
    await vi.waitFor(async () => expect((await b.store.getHistory('s')).length).toBe(1), soon)
    await vi.waitFor(
      () =>
        expect([one.status().report.blobs, two.status().report.blobs]).toEqual([
          { sent: 0, received: 0, missing: 1 },
          { sent: 0, received: 0, missing: 1 },
        ]),
      soon,
    )
    blobs.isDown = false
    hub.down()
    hub.up()
    await vi.waitFor(() => expect(one.status().report.blobs).toEqual({ sent: 1, received: 0, missing: 0 }), soon)
    hub.down()
    hub.up()
    await vi.waitFor(async () => expect(await (await b.store.getBlob(hashOfPicture))?.text()).toBe(picture), soon)
  })

  it('that could not be carried are tried again by who asks for a sync', async () => {
    const blobs = createBlobServer()
    const a = newDevice()
    blobs.isDown = true
    await showPicture(a.store)
    const sync = await a.sync({ transport: over(createHub(), blobs) })
    await sync.syncNow()
    await vi.waitFor(() => expect(sync.status().report.blobs.missing).toBe(1), soon)
    blobs.isDown = false
    await sync.syncNow()
    await vi.waitFor(() => expect(sync.status().report.blobs).toEqual({ sent: 1, received: 0, missing: 0 }), soon)
  })

  it('are fetched by the next run where this one could not', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const [a, b] = [newDevice(), newDevice()]
    await showPicture(a.store)
    await (await a.sync({ transport: over(hub, blobs) })).syncNow()
    let kept: Awaited<ReturnType<SyncMemory['load']>>
    const memory: SyncMemory = { load: async () => kept, save: async (state) => void (kept = state) }
    blobs.isDown = true
    const two = await b.sync({ transport: over(hub, blobs), memory })
    await two.syncNow()
    await vi.waitFor(() => expect(two.status().report.blobs.missing).toBe(1), soon)
    await two.close()
    blobs.isDown = false
    // Nothing differs any more: no session is opened for it.
    const again = await b.sync({ transport: over(hub, blobs), memory })
    await again.syncNow()
    await vi.waitFor(async () => expect(await (await b.store.getBlob(hashOfPicture))?.text()).toBe(picture), soon)
  })

  it('are not believed to be what they are not', async () => {
    const [hub, blobs] = [createHub(), createBlobServer()]
    const [a, b] = [newDevice(), newDevice()]
    await showPicture(a.store)
    await (await a.sync({ transport: over(hub, blobs) })).syncNow()
    blobs.held.set(hashOfPicture, new Blob(['something else']))
    const two = await b.sync({ transport: over(hub, blobs) })
    await two.syncNow()
    await vi.waitFor(() => expect(two.status().report.blobs).toEqual({ sent: 0, received: 0, missing: 1 }), soon)
    expect([await b.store.getBlob(hashOfPicture), await b.store.getBlob(sha256(['something else']))]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('are missing on both sides where the transport carries none', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await showPicture(a.store)
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    expect((await one.syncNow()).report.blobs).toEqual({ sent: 0, received: 0, missing: 1 })
    await vi.waitFor(() => expect(two.status().report.blobs.missing).toBe(1), soon)
    expect((await b.store.getHistory('s')).length).toBe(1)
  })
})
