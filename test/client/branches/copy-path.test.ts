import { expect, it } from 'vitest'
import type { EntryRef } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { numbered } from '../../../src/testing/helpers.ts'
import { copyPath } from '../../../src/whole-log/copy-path.ts'

const texts = numbered(5000)

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
  expect(sizes).toEqual([2048, 2048, 905])
  expect(await copied(store)).toEqual(texts)
  expect((await store.getMeta('copy'))?.custom).toEqual({ parentSession: 'k' })
})

it('leaves nothing of a copy that is cancelled, or refused, between two steps', async () => {
  const { store, leaf } = await openLong()
  const ending = new AbortController()
  const merge: SessionStore['merge'] = async (...given) => {
    const result = await store.merge(...given)
    ending.abort()
    return result
  }
  const copying = copyPath(store, 'k', leaf, 'copy', { target: { ...store, merge }, signal: ending.signal })
  await expect(copying).rejects.toMatchObject({ name: 'Aborted' })
  expect(await store.getMeta('copy')).toBeUndefined()
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
  expect(await copied(store)).toHaveLength(2047)
  await copyPath(store, 'k', leaf, 'copy')
  expect(await copied(store)).toEqual(texts)
})
