import { expect, it, vi } from 'vitest'
import { sha256 } from '../../src/domain/sha256.ts'
import { blobsOnDemand } from '../../src/sync/blobs-on-demand.ts'
import * as exchange from '../../src/sync/create-blob-exchange.ts'
import { createDevice } from './synced-device.ts'

it('hands on what was named while its code was not to be had, and counts it as missing until then', async () => {
  const device = createDevice()
  const { store } = device
  const hash = await store.putBlob(new Blob(['a picture']))
  expect(hash).toBe(sha256(['a picture']))
  await store.addMessage('s', 'user', `see blob:${hash}`)
  const { entries } = await store.changes('s', {})
  const put: string[] = []
  let isHere = false
  const onChange = vi.fn()
  const blobs = blobsOnDemand(
    {
      store,
      namespace: 'me',
      onChange,
      blobs: {
        putBlob: async (_, name) => void put.push(name),
        hasBlob: async () => false,
        getBlob: async () => undefined,
      },
    },
    async () => {
      if (!isHere) throw new Error('the network is gone')
      return exchange
    },
  )

  await blobs.send(entries)
  expect([put, blobs.open(), blobs.counts().missing, onChange.mock.calls.length]).toEqual([[], [hash], 1, 1])
  isHere = true
  blobs.retry()
  await vi.waitFor(() => expect(blobs.counts()).toEqual({ sent: 1, received: 0, missing: 0 }), { timeout: 20_000 })
  expect([put, blobs.open()]).toEqual([[hash], []])
  blobs.close()
  await device.close()
})

it('loads nothing for entries that name none', async () => {
  const device = createDevice()
  await device.store.addMessage('s', 'user', 'hello')
  const { entries } = await device.store.changes('s', {})
  const load = vi.fn(async () => exchange)
  const blobs = blobsOnDemand(
    { store: device.store, namespace: 'me', onChange: () => undefined, blobs: undefined },
    load,
  )
  await blobs.send(entries)
  blobs.fetch(entries)
  blobs.retry()
  expect([load.mock.calls.length, blobs.open(), blobs.counts().missing]).toEqual([0, [], 0])
  await device.close()
})
