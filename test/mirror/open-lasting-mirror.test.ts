import { expect, it } from 'vitest'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say, texts } from './support/talk.ts'

it('mirrors again once there is room, and what it missed follows', async () => {
  const device = createMirroredDevice()
  const { store, mirror } = device.boot(true)
  await say(store, 'a', 'before')
  device.folder.room = 0
  await say(store, 'a', 'missed')
  await say(store, 'b', 'missed, too')
  expect(device.stopped).toEqual(['There is no room for the mirror.'])
  expect(mirror.isOn()).toBe(false)
  const begun = device.begun()
  device.folder.room = Number.POSITIVE_INFINITY
  await begun
  expect(mirror.isOn()).toBe(true)
  await say(store, 'a', 'after')
  expect(await device.keep()).toMatchObject({ left: [] })
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['before', 'missed', 'after'])
  expect(await texts(device.bare(), 'b')).toEqual(['missed, too'])
  expect(device.stopped).toHaveLength(1)
})

it('leaves the file that was full to whoever holds the database against its mirror', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot(true)
  await say(store, 'a', 'before')
  device.folder.room = 0
  await say(store, 'a', 'missed')
  const begun = device.begun()
  device.folder.room = Number.POSITIVE_INFINITY
  await begun
  await Promise.resolve()
  expect(await device.keep()).toMatchObject({ copied: 1 })
})

it('takes back in the file that was full what was begun there and is refused after another one began', async () => {
  const device = createMirroredDevice()
  const { store, mirror } = device.boot(true)
  await say(store, 'a', 'one')
  device.failNext()
  const begun = device.begun()
  const refused = mirror.begin(['["a",1,[[1,2]]]'])
  device.folder.room = 0
  mirror.begin(['[]']).undone()
  device.folder.room = Number.POSITIVE_INFINITY
  await begun
  refused.undone()
  const full = [...device.folder.files.entries()].map(([, bytes]) => new TextDecoder().decode(bytes)).join('')
  expect(full).not.toContain('[[1,2]]')
  await mirror.close()
})

it('leaves no files behind while there is no room, and ends with its store', async () => {
  const device = createMirroredDevice()
  const { store, mirror } = device.boot(true)
  await say(store, 'a', 'before')
  device.folder.room = 0
  await say(store, 'a', 'missed')
  await new Promise((resolve) => setTimeout(resolve, 30))
  await mirror.close()
  expect([...device.folder.files.keys()].filter((name) => name.endsWith('.log'))).toHaveLength(1)
})
