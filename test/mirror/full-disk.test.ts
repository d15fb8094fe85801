import { expect, it } from 'vitest'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say, texts } from './support/talk.ts'

it('does not bring back what was refused when there was no room to say so', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  await say(store, 'a', 'one')
  device.failNext(() => void (device.folder.room = 0))
  await expect(say(store, 'a', 'refused')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  device.crash()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['one'])
})

it('does not count as mirrored what there was no room for', async () => {
  const device = createMirroredDevice()
  await say(device.bare(), 'a', 'one')
  await say(device.bare(), 'a', 'two')
  device.folder.room = 300
  await device.keep()
  expect(device.stopped).toHaveLength(1)
  device.folder.room = Number.POSITIVE_INFINITY
  await device.keep()
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
})

it('says what it put back where there is no room to join its files', async () => {
  const device = createMirroredDevice()
  for (let i = 0; i < 8; i++) {
    await say(device.boot().store, 'a', `${i}`)
    device.crash()
  }
  device.wipe()
  device.folder.room = 700
  expect(await device.keep()).toMatchObject({ refilled: ['a'] })
})

it('does not bring back what was purged when there was no more room in the mirror', async () => {
  const device = createMirroredDevice()
  // It is frozen, and nobody else can write to its file.
  const frozen = device.boot()
  const { store } = device.boot()
  for (const key of ['a', 'b']) await say(frozen.store, key, 'a secret')
  device.folder.room = 0
  await say(store, 'c', 'does not fit')
  expect(device.stopped).toHaveLength(1)
  for (const key of ['a', 'b']) await store.purge(key)
  device.crash()
  device.folder.room = Number.POSITIVE_INFINITY
  expect(await device.keep()).toMatchObject({ refilled: [] })
  for (const key of ['a', 'b']) expect(await texts(device.bare(), key)).toEqual([])
})

it('goes on mirroring a session that could not be purged when there was no more room in the mirror', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  await say(store, 'a', 'kept')
  device.folder.room = 0
  await say(store, 'c', 'does not fit')
  // It is tried once more, without what sync would be told of it.
  device.failNext(() => device.failNext())
  await expect(store.purge('a')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  device.folder.room = Number.POSITIVE_INFINITY
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['kept'])
})
