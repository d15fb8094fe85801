import { expect } from 'vitest'
import { sha256 } from '../../domain/sha256.ts'
import { allChanges, history, numbered, refuses, say, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

/** When a checkpoint can be restored, and how that is known (L21). */
export const restoreLaws: Laws = {
  'L21: has the SHA-256 of the ids of the messages it saw': async ({ store }) => {
    const empty = await store.checkpoint('s')
    expect(empty).toMatchObject({
      messages: 0,
      checksum: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    })
    const entries = await say(store, 's', numbered(3))
    await store.append('s', [{ type: 'custom', data: { n: 1 } }])
    const full = await store.checkpoint('s')
    expect(full).toMatchObject({ messages: 3, checksum: sha256(entries.map(({ id }) => id)) })
    await store.truncateHistory('s', 1)
    expect(await store.checkpoint('s')).toMatchObject({ messages: 1, checksum: sha256([entries[2]!.id]) })
    expect((await store.listCheckpoints('s')).slice(0, 2)).toEqual([empty, full])
  },

  'L21: has the hash also when the head moves at the same moment': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first!, head: false })
    await Promise.all([store.switchBranch('s', branch.id), store.checkpoint('s')])
    expect(await store.listCheckpoints('s')).toMatchObject([
      { branch: branch.id, messages: 1, checksum: sha256([first!.id]) },
    ])
  },

  'L21: is restored whatever is merged in later': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', ['q1'])
    await other.merge('s', await allChanges(store, 's'))
    await say(other, 's', ['earlier than the checkpoint'])
    await other.truncateHistory('s', 0)
    await say(store, 's', ['q2'])
    const { id } = await store.checkpoint('s')
    await store.merge('s', await allChanges(other, 's'))
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(['q1', 'q2'])
  },

  'L21: is restored on another device that has all it saw, and on none that has not': async ({
    store,
    openElsewhere,
  }) => {
    const [other, third] = [await openElsewhere(), await openElsewhere()]
    await say(store, 's', ['a'])
    const older = await allChanges(store, 's')
    await other.merge('s', older)
    await say(other, 's', ['b'])
    const { id } = await other.checkpoint('s')
    await third.merge(
      's',
      (await allChanges(other, 's')).filter(({ w }) => w !== older[0]!.w),
    )
    expect((await third.listCheckpoints('s')).map((one) => one.id)).toEqual([id])
    await refuses(third.restoreCheckpoint('s', id), 'ChecksumMismatch')
    await third.merge('s', older)
    await third.restoreCheckpoint('s', id)
    expect(await history(third, 's')).toEqual(['a', 'b'])
  },

  'L21: is restored although messages it saw were edited, removed, brought back or erased since': async ({ store }) => {
    const entries = await say(store, 's', numbered(5))
    await store.remove('s', entries[0]!)
    await store.remove('s', entries[1]!)
    const { id } = await store.checkpoint('s')
    await store.edit('s', entries[1]!, user('brought back'))
    await store.edit('s', entries[2]!, user('edited'))
    await store.remove('s', entries[3]!)
    for (const erase of [false, true]) {
      if (erase) await store.reclaim('s')
      await store.restoreCheckpoint('s', id)
      expect(await history(store, 's')).toEqual(['brought back', 'edited', 'm4'])
    }
  },

  'L21: keeps what it saw from being erased with what was cut since': async ({ store }) => {
    await say(store, 's', numbered(3))
    const { id } = await store.checkpoint('s')
    await say(store, 's', ['later'])
    await store.truncateHistory('s', 0)
    expect(await store.reclaim('s')).toBe(1)
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(numbered(3))
  },

  'L21: is refused while a message it saw is missing, and restored once another device has given it back': needs(
    ['damage', 'newestOnly'],
    async ({ store, damage, openElsewhere }) => {
      const other = await openElsewhere()
      await say(store, 's', numbered(3))
      const { id } = await store.checkpoint('s')
      await other.merge('s', await allChanges(store, 's'))
      await damage('s')
      const before = await store.listBranches('s')
      await refuses(store.restoreCheckpoint('s', id), 'ChecksumMismatch')
      expect(await store.listBranches('s')).toEqual(before)
      await store.repair('s')
      await refuses(store.restoreCheckpoint('s', id), 'ChecksumMismatch')
      await store.merge('s', await allChanges(other, 's'))
      await store.restoreCheckpoint('s', id)
      expect(await history(store, 's')).toEqual(numbered(3))
    },
  ),
}
