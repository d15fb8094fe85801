import { expect, it } from 'vitest'
import type { EntryRef } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { numbered } from '../../../src/testing/helpers.ts'
import { copyPath } from '../../../src/whole-log/copy-path.ts'

const texts = numbered(20_000)

/** A session that is too long to be stored at once, and its last entry. */
async function openLong(): Promise<{ readonly store: SessionStore; readonly leaf: EntryRef }> {
  const store = createSessionStore(createMemoryBackend())
  const inputs = texts.map((content) => ({ type: 'message', message: { role: 'user', content } }) as const)
  const { entries } = await store.append('k', inputs)
  return { store, leaf: entries.at(-1)! }
}

const copied = async (store: SessionStore): Promise<readonly unknown[]> =>
  (await store.getHistory('copy')).map(({ content }) => content)

it('copies a session that is too long to be stored at once', async () => {
  const { store, leaf } = await openLong()
  const sizes: number[] = []
  const merge: SessionStore['merge'] = (key, entries, options) => {
    sizes.push(entries.length)
    return store.merge(key, entries, options)
  }
  await copyPath(store, 'k', leaf, 'copy', { target: { ...store, merge } })
  expect(sizes).toEqual([16_384, 3617])
  expect(await copied(store)).toEqual(texts)
  expect((await store.getMeta('copy'))?.custom).toEqual({ parentSession: 'k' })
})

/** Cancels a copy once its first part is stored. @param meanwhile - what others do then */
async function cancelBetween(isDrawn: boolean, meanwhile: (store: SessionStore) => Promise<unknown>) {
  const { store, leaf } = await openLong()
  const ending = new AbortController()
  const merge: SessionStore['merge'] = async (...given) => {
    const result = await store.merge(...given)
    await meanwhile(store)
    ending.abort()
    return result
  }
  const copying = copyPath(store, 'k', leaf, 'copy', { target: { ...store, merge }, isDrawn, signal: ending.signal })
  await expect(copying).rejects.toMatchObject({ name: 'Aborted' })
  return { store, leaf }
}

it('leaves nothing of a cancelled copy under a key that was drawn for it', async () => {
  const { store } = await cancelBetween(true, async () => undefined)
  expect(await store.getMeta('copy')).toBeUndefined()
})

it('erases nothing that others wrote to a copy before it was cancelled', async () => {
  const { store } = await cancelBetween(true, (store) => store.addMessage('copy', 'user', 'mine'))
  expect((await copied(store)).at(-1)).toBe('mine')
})

it('keeps the part of a cancelled copy under a key that the app chose, and completes it', async () => {
  const { store, leaf } = await cancelBetween(false, async () => undefined)
  expect(await copied(store)).toHaveLength(16_383)
  await copyPath(store, 'k', leaf, 'copy')
  expect(await copied(store)).toEqual(texts)
})

it('stores nothing under a key that another session got while the path was read', async () => {
  const { store, leaf } = await openLong()
  const changes: SessionStore['changes'] = async (...given) => {
    await store.addMessage('copy', 'user', 'mine')
    return store.changes(...given)
  }
  const copying = copyPath({ ...store, changes }, 'k', leaf, 'copy', { target: store })
  await expect(copying).rejects.toMatchObject({ name: 'InvalidInput' })
  expect(new Set(await copied(store))).toEqual(new Set(['mine']))
})

it('completes a copy that was cut off by the end of the browser', async () => {
  const { store, leaf } = await openLong()
  let calls = 0
  const merge: SessionStore['merge'] = async (...given) => {
    if (++calls === 2) throw new Error('The browser is gone.')
    return store.merge(...given)
  }
  const purge = async () => undefined
  await expect(copyPath(store, 'k', leaf, 'copy', { target: { ...store, merge, purge } })).rejects.toThrow('gone')
  expect(await copied(store)).toHaveLength(16_383)
  await copyPath(store, 'k', leaf, 'copy')
  expect(await copied(store)).toEqual(texts)
})
