import { expect, it } from 'vitest'
import { createMirroredDevice, type MirroredDevice } from './support/mirrored-device.ts'
import { say, texts } from './support/talk.ts'

const everything = ({ folder }: MirroredDevice): string =>
  [...folder.files.values()].map((content) => new TextDecoder().decode(content)).join('')

/** Has a worker purge a session and die in the middle of it. */
async function diePurging(device: MirroredDevice, key: string, isStored: boolean): Promise<void> {
  const { store } = device.boot()
  await store.getHistory(key)
  device.dieWithNext(isStored)
  void store.purge(key)
  await new Promise((resolve) => setTimeout(resolve, 20))
}

it('keeps nothing of a session whose worker died as soon as it was purged', async () => {
  const device = createMirroredDevice()
  await say(device.boot().store, 'a', 'a secret')
  device.crash()
  // Its file is known by now, and would not be read again.
  await device.keep()
  await diePurging(device, 'a', true)
  device.crash()
  expect(await device.keep()).toMatchObject({ refilled: [] })
  expect(await device.bare().getMeta('a')).toBeUndefined()
  expect(everything(device)).not.toContain('secret')
})

it('does not bring back what a worker that lives has just purged, before it came to overwrite it', async () => {
  const device = createMirroredDevice()
  await say(device.boot().store, 'a', 'a secret')
  device.crash()
  await diePurging(device, 'a', true)
  expect(await device.keep()).toMatchObject({ refilled: [] })
  expect(await device.bare().getMeta('a')).toBeUndefined()
})

it('goes on mirroring a session whose worker died before it was purged', async () => {
  const device = createMirroredDevice()
  await say(device.boot().store, 'a', 'kept')
  await diePurging(device, 'a', false)
  device.crash()
  await device.keep()
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['kept'])
})

it('goes on mirroring a session that could not be purged', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  await say(store, 'a', 'kept')
  // Without room it is tried once more, without what sync would be told of it.
  device.failNext(() => device.failNext())
  await expect(store.purge('a')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['kept'])
})

it.each(['the same worker', 'another'])(
  'gives back a session that was purged and then imported again by %s',
  async (by) => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one', 'two')
    const { entries } = await store.changes('a', {})
    await store.purge('a')
    await (by === 'another' ? device.boot().store : store).merge('a', entries)
    device.crash()
    await device.keep()
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
  },
)

it('does not bring back a purged session from the files of a database that was lost before', async () => {
  const device = createMirroredDevice()
  await say(device.boot().store, 'a', 'a secret')
  device.wipe()
  await device.keep()
  await diePurging(device, 'a', true)
  device.wipe()
  expect(await device.keep()).toMatchObject({ refilled: [] })
  expect(everything(device)).not.toContain('secret')
})

it('keeps what a worker wrote under the key of a session that another one purged', async () => {
  const device = createMirroredDevice()
  const [first, second] = [device.boot(), device.boot()]
  await say(second.store, 'a', 'a secret')
  await first.store.purge('a')
  await say(second.store, 'a', 'after')
  const found = (await device.numberOf('a'))!
  second.mirror.forget('a', found, undefined)
  await second.mirror.close()
  expect(everything(device)).not.toContain('secret')
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['after'])
})

/** A file that somebody wrote to after it was opened for reading. */
const changed = (file: Blob): Blob =>
  Object.assign(file, {
    slice: (from?: number, to?: number) => changed(Blob.prototype.slice.call(file, from, to)),
    arrayBuffer: () => Promise.reject(new DOMException('The file has changed.', 'NotReadableError')),
  })

it.each([
  ['for a moment', 1],
  ['at all', Infinity],
])('erases a session from all other files while one of them can not be read %s', async (_, failures) => {
  const device = createMirroredDevice()
  await say(device.boot().store, 'a', 'a secret')
  // It gets another local number.
  device.wipe()
  await device.keep()
  device.crash()
  const [one, busy] = [device.boot(), device.boot()]
  await say(one.store, 'b', 'of one')
  await say(busy.store, 'c', 'of the busy one')
  const { read } = device.folder
  let left = failures
  device.folder.read = async (name) => {
    const file = await read(name)
    return file !== undefined && name.includes(busy.boot) && left-- > 0 ? changed(file) : file
  }
  await one.store.purge('a')
  device.folder.read = read
  expect(everything(device)).not.toContain('secret')
  expect(device.stopped).toEqual([])
  device.crash()
  await device.keep()
  device.wipe()
  await device.keep()
  expect(await device.bare().getMeta('a')).toBeUndefined()
  for (const [key, text] of [
    ['b', 'of one'],
    ['c', 'of the busy one'],
  ] as const)
    expect(await texts(device.bare(), key)).toEqual([text])
})
