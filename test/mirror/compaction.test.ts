import { expect, it } from 'vitest'
import { createMirroredDevice, type MirroredDevice } from './support/mirrored-device.ts'
import { say, texts } from './support/talk.ts'

const everything = ({ folder }: MirroredDevice): string =>
  [...folder.files.values()].map((content) => new TextDecoder().decode(content)).join('')

/**
 * What is said, of which the first two messages are secrets that are edited, taken back and reclaimed, and the third one
 * was a secret, too.
 */
async function reclaim(device: MirroredDevice, by: 'the same worker' | 'another' | 'a page'): Promise<void> {
  const { store } = device.boot()
  const { entries } = await say(store, 'a', 'a secret', 'ä sécret', 'first', 'also kept')
  const one = by === 'the same worker' ? store : by === 'another' ? device.boot().store : device.bare()
  for (const [i, entry] of entries.slice(0, 3).entries()) {
    await one.edit('a', entry, { role: 'user', content: `secret edit ${i}` })
    if (i < 2) await one.remove('a', entry)
  }
  await one.edit('a', entries[2]!, { role: 'user', content: 'kept' })
  // The two messages with two edits each, and the replaced edit of the third one.
  expect(await one.reclaim('a')).toBe(7)
}

it.each(['the same worker', 'another', 'a page'] as const)(
  "keeps nothing of what was compacted by %s, once its file is nobody's",
  async (by) => {
    const device = createMirroredDevice()
    await reclaim(device, by)
    if (by === 'the same worker') expect(everything(device)).not.toMatch(/secret|sécret/)
    device.crash()
    await device.keep()
    expect(everything(device)).not.toMatch(/secret|sécret/)
    expect(everything(device)).toContain('also kept')
  },
)

it.each(['the same worker', 'another', 'a page'] as const)(
  'brings back what is left beside it, and nothing of it, when %s compacted',
  async (by) => {
    const device = createMirroredDevice()
    await reclaim(device, by)
    device.crash()
    await device.keep()
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['kept', 'also kept'])
    expect(
      (await device.bare().changes('a', {})).entries.some(({ data }) => /secret|sécret/.test(JSON.stringify(data))),
    ).toBe(false)
    expect((await device.bare().verify()).problems).toEqual([])
  },
)

it('takes it out of the file of a worker that lives, when that one hears of it', async () => {
  const device = createMirroredDevice()
  const first = device.boot()
  const { entries } = await say(first.store, 'a', 'a secret', 'kept')
  const { store } = device.boot()
  await store.remove('a', entries[0]!)
  await store.reclaim('a')
  expect(everything(device)).toContain('secret')
  first.mirror.forgetEntries('a', await device.purgedOf('a'))
  await first.mirror.close()
  expect(everything(device)).not.toContain('secret')
  device.wipe()
  await device.keep()
  expect(await texts(device.bare(), 'a')).toEqual(['kept'])
})

it('goes on mirroring a session whose compaction could not be stored', async () => {
  const device = createMirroredDevice()
  const { store } = device.boot()
  const { entries } = await say(store, 'a', 'taken back', 'kept')
  await store.remove('a', entries[0]!)
  device.failNext()
  await expect(store.reclaim('a')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  expect(everything(device)).toContain('taken back')
})

it('joins files without the room of what was compacted', async () => {
  const device = createMirroredDevice()
  const { entries } = await say(device.boot().store, 'a', 'x'.repeat(50_000), 'kept')
  for (let i = 0; i < 9; i++) {
    device.crash()
    await say(device.boot().store, 'b', `m${i}`)
  }
  device.crash()
  const { store } = device.boot()
  await store.remove('a', entries[0]!)
  await store.reclaim('a')
  device.crash()
  await device.keep()
  expect(everything(device).length).toBeLessThan(20_000)
  device.wipe()
  await device.keep()
  expect([await texts(device.bare(), 'a'), (await texts(device.bare(), 'b')).length]).toEqual([['kept'], 9])
})
