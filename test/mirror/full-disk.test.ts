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
