import { describe, expect, it } from 'vitest'
import { readContext } from '../../src/client/context/read-context.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createMemoSession } from '../../src/dialects/agently/create-memo-session.ts'
import { createContextManagers } from '../../src/dialects/chat/create-context-managers.ts'
import { memoryStore } from './support/memory-store.ts'

const key = 'k'
const secret = (n: number): Message => ({ role: n % 2 === 0 ? 'user' : 'assistant', content: `secret ${n}` })
const say = (store: SessionStore, messages: readonly Message[]) =>
  store.append(
    key,
    messages.map((message) => ({ type: 'message', message })),
  )

/** What was done to a conversation before it is cleared. */
const pasts: readonly (readonly [string, (store: SessionStore) => Promise<unknown>])[] = [
  ['nothing was compacted', async () => undefined],
  ['a compaction hides a part', (store) => store.setCompaction(key, { summary: 'secret', keepLast: 2 })],
  ['a compaction hides everything', (store) => store.setCompaction(key, { summary: 'secret', keepLast: 0 })],
  [
    'a compaction has messages in front',
    (store) => store.setCompaction(key, { summary: 'secret', messages: [secret(8), secret(9)], keepLast: 2 }),
  ],
  [
    'a compaction has messages in the place of everything',
    (store) => store.setCompaction(key, { summary: '', messages: [secret(8), secret(9)], keepLast: 0 }),
  ],
  ['it has a summary of its own', (store) => store.setSummary(key, 'secret')],
]

describe.each(createContextManagers().names())('what the manager “%s” clears', (name) => {
  const clear = async (store: SessionStore): Promise<void> =>
    (await createContextManagers().create(name, { store })).manager.clear(key)

  it.each(pasts)('is gone for people and models alike where %s', async (_, prepare) => {
    const store = memoryStore()
    await say(store, [0, 1, 2, 3].map(secret))
    await prepare(store)
    await clear(store)
    expect(await store.read(key, { last: 9 })).toMatchObject({ entries: [] })
    expect(await readContext(store, key)).toMatchObject({ messages: [], system: '', summary: '' })
    const told: unknown[] = []
    const memo = createMemoSession({ store, key, memoUpdateHandler: (request) => (told.push(request), {}) })
    await memo.useMemo()
    await memo.resize('deep')
    expect(JSON.stringify(told)).not.toContain('secret')
  })

  it('is told to no model where there is no message to cut at', async () => {
    const store = memoryStore()
    await store.append(key, [{ type: 'branch_summary', data: { fromId: 'r', summary: 'secret' } }])
    await clear(store)
    expect((await readContext(store, key)).messages).toEqual([])
    await say(store, [{ role: 'user', content: 'new' }])
    expect((await readContext(store, key)).messages).toEqual([{ role: 'user', content: 'new' }])
  })

  it('is no more than what there is', async () => {
    const store = memoryStore()
    await clear(store)
    expect(await store.getMeta(key)).toBeUndefined()
  })
})
