import { describe, expect, it, vi } from 'vitest'
import { Doc, encodeStateAsUpdate } from 'yjs'
import type { SyncTransport } from '../../src/sync/link.ts'
import { createHub } from './hub.ts'
import { newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
/** As long as it takes to tell, and more. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

describe('sync that is paused', () => {
  it('tells nobody what is purged, though it was asked for its plan, until it goes on', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'one')
    await (await a.sync({ transport: hub.transport() })).syncNow()
    const two = await b.sync({ transport: hub.transport() })
    await two.syncNow()
    await two.pause()
    await two.plan()
    await b.store.purge('s')
    await aWhile()
    expect([two.status().state, await a.store.getMeta('s')]).toMatchObject(['paused', { key: 's' }])
    two.resume()
    await vi.waitFor(
      async () => expect([two.status().state, await a.store.getMeta('s')]).toEqual(['synced', undefined]),
      soon,
    )
  })

  it('keeps nobody waiting who asked for everything to be exchanged', async () => {
    const hub = createHub()
    hub.down()
    const sync = await newDevice().sync({ transport: hub.transport() })
    const asked = expect(sync.syncNow()).rejects.toMatchObject({
      name: 'Aborted',
      message: 'Sync was paused meanwhile: resume it, and try again.',
    })
    await vi.waitFor(() => expect(sync.status().state).toBe('offline'), soon)
    await sync.pause()
    await asked
  })

  it('sends no attachment of an earlier run, though it was asked for its plan, until it goes on', async () => {
    const a = newDevice()
    const hash = await a.store.putBlob(new Blob(['private for now']))
    const sent: string[] = []
    const transport: SyncTransport = {
      ...createHub().transport(),
      blobs: {
        putBlob: async (_, one) => void sent.push(one),
        hasBlob: async () => false,
        getBlob: async () => undefined,
      },
    }
    const sync = await a.sync({
      transport,
      paused: true,
      memory: {
        load: async () => ({ index: encodeStateAsUpdate(new Doc()), blobs: [hash] }),
        save: async () => undefined,
      },
    })
    await sync.plan()
    await aWhile()
    expect([sync.status().state, sent]).toEqual(['paused', []])
    sync.resume()
    await vi.waitFor(() => expect(sent).toEqual([hash]), soon)
  })
})
