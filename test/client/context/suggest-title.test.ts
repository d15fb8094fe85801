import { describe, expect, it } from 'vitest'
import type { TitleFunction, TitleOptions } from '../../../src/client/context/context-types.ts'
import { suggestTitle } from '../../../src/client/context/suggest-title.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { createDevice, say, texts, turns } from './support/stores.ts'

const suggest = (store: SessionStore, make: TitleFunction, options?: TitleOptions) =>
  suggestTitle({ store, key: 's' }, make, options)
const titleOf = async (store: SessionStore) => {
  const { title, titleSource } = (await store.getMeta('s'))!
  return [title, titleSource]
}
async function openTalk({ store }: { readonly store: SessionStore } = createDevice()): Promise<SessionStore> {
  await say(store, turns(0, 5))
  return store
}

describe('a suggested title', () => {
  it('is made of the first messages, and shown in the place of the first', async () => {
    const store = await openTalk()
    const asked: unknown[] = []
    const make: TitleFunction = async (messages, { signal }) => {
      asked.push(texts(messages), signal.aborted)
      return ' A talk '
    }
    expect(await suggest(store, make, { messages: 3 })).toBe('A talk')
    expect(asked).toEqual([['q0', 'a0', 'q1'], false])
    expect(await titleOf(store)).toEqual(['A talk', 'auto'])
  })

  it('has no unpaired calls in what it is made of', async () => {
    const { store } = createDevice()
    await say(store, [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'call', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
    ])
    for (const [count, want] of [
      [2, ['q']],
      [3, ['q', 'call', 'r']],
    ] as const) {
      await suggest(store, (messages) => (expect(texts(messages)).toEqual(want), 'x'), { messages: count })
    }
  })

  it('is not asked for where somebody chose one, or nothing was said', async () => {
    const { store } = createDevice()
    const make = () => expect.unreachable()
    expect(await suggest(store, make)).toBe('')
    expect(await store.getMeta('s')).toBeUndefined()
    await store.updateMeta('s', { custom: {} })
    expect(await suggest(store, make)).toBe('')
    await say(store, turns(0, 1))
    await store.updateMeta('s', { title: 'Mine' })
    expect(await suggest(store, make)).toBe('')
    expect(await titleOf(store)).toEqual(['Mine', 'user'])
  })

  it.each([false, true])(
    'does not bring back a session that is purged meanwhile (begun anew: %s)',
    async (isBegunAnew) => {
      const isOneMillisecond = { now: () => 1_700_000_000_000 }
      const store = await openTalk({ store: createSessionStore(createMemoryBackend(), isOneMillisecond) })
      const make: TitleFunction = async () => {
        await store.purge('s')
        if (isBegunAnew) await say(store, turns(5, 6))
        return 'Made of what was purged'
      }
      expect(await suggest(store, make)).toBe('')
      expect((await store.getMeta('s'))?.title).toBe(isBegunAnew ? 'q5' : undefined)
    },
  )

  it('gives way to one that somebody chooses meanwhile', async () => {
    const store = await openTalk()
    await suggest(store, async () => (await store.updateMeta('s', { title: 'Mine' }), 'A talk'))
    expect(await titleOf(store)).toEqual(['Mine', 'user'])
    await store.updateMeta('s', { title: null })
    expect(await titleOf(store)).toEqual(['A talk', 'auto'])
  })

  it.each([
    ['x'.repeat(2000), 'x'.repeat(1024)],
    [`${'x'.repeat(1023)}😀`, 'x'.repeat(1023)],
    [`${'x'.repeat(1022)}😀😀`, `${'x'.repeat(1022)}😀`],
  ])('is cut to what may be stored, never within a character', async (made, stored) => {
    const store = await openTalk()
    expect(await suggest(store, () => made)).toBe(stored)
    expect((await titleOf(store))[0]).toBe(stored)
  })

  it.each<[string, TitleFunction, object]>([
    [
      'throws',
      () => {
        throw new RangeError('no model')
      },
      { name: 'RangeError' },
    ],
    ['never settles', () => new Promise(() => undefined), { name: 'Aborted' }],
    ['gives no text', () => null as never, { name: 'TypeError' }],
  ])('is left as it is when its function %s', async (_, make, error) => {
    const store = await openTalk()
    await expect(suggest(store, make, { timeoutMs: 20 })).rejects.toMatchObject(error)
    expect(await titleOf(store)).toEqual(['q0', 'auto'])
  })

  it('is left as it is when the new one is blank', async () => {
    const store = await openTalk()
    await suggest(store, () => 'A talk')
    expect(await suggest(store, () => ' ')).toBe('')
    expect(await titleOf(store)).toEqual(['A talk', 'auto'])
  })
})
