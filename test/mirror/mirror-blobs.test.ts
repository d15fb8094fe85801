import { expect, it } from 'vitest'
import { blobName } from '../../src/mirror/mirror-names.ts'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say } from './support/talk.ts'

it('leaves no part of a blob for which there is no room, and copies it later', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  device.folder.room = 5
  const hash = await store.putBlob(new Blob(['a picture of something']))
  expect(device.stopped).toEqual(['There is no room for the mirror.'])
  expect(device.folder.files.has(blobName(hash))).toBe(false)
  device.folder.room = Number.POSITIVE_INFINITY
  await store.append('a', [{ type: 'message', message: { role: 'user', content: '', media: [`blob:${hash}`] } }])
  await device.keep()
  expect(device.folder.files.get(blobName(hash))?.length).toBe(22)
})

it('writes again a blob of which a worker left only a part when it died', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  const hash = await store.putBlob(new Blob(['a picture of something']))
  await store.append('a', [{ type: 'message', message: { role: 'user', content: '', media: [`blob:${hash}`] } }])
  device.crash()
  device.folder.files.set(blobName(hash), new Uint8Array(3))
  await device.keep()
  expect(device.folder.files.get(blobName(hash))?.length).toBe(22)
  await say(store, 'a', 'more')
})
