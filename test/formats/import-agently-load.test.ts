import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { given, id, now, openStore, stateOf, sync, take, talk } from './support/agently-files.ts'

/** What the session has before each load: five messages, of which a model gets two and one in front, and a state. */
const before: JsonObject = {
  id: 'k',
  memo: { was: 'here' },
  full_chat_history: talk(5),
  current_chat_history: [{ role: 'system', content: 'front' }, ...talk(5, 3)],
  settings: { session: { mode: 'lite' } },
  turns: 2,
  last_resize_turn: 1,
  memo_cursor: 3,
}

async function openSession(): Promise<SessionStore> {
  const store = openStore()
  for (const message of talk(5)) await store.addFullMessage('k', message as unknown as Message)
  await take(store, { ...before, full_chat_history: undefined } as JsonObject, { key: 'k' })
  expect(await given(store, 'k')).toEqual(before)
  return store
}

const other = [
  { role: 'user', content: 'other' },
  { role: 'assistant', content: 'answer' },
]

const fields: JsonObject = {
  id,
  memo: { now: 'loaded' },
  full_chat_history: other,
  current_chat_history: other.slice(1),
  settings: { session: { mode: 'memo' } },
  turns: 9,
  last_resize_turn: 8,
  memo_cursor: 1,
}

const subsets = Array.from({ length: 2 ** Object.keys(fields).length }, (_, n) =>
  Object.keys(fields).filter((_, i) => (n >> i) % 2 === 1),
)

it('a partial state changes what it names and nothing else, whatever it names', async () => {
  for (const names of subsets) {
    const store = await openSession()
    const some = Object.fromEntries(names.map((name) => [name, fields[name]])) as JsonObject
    await take(store, some, { key: 'k' })
    const cursor = {
      memo_cursor: Math.min(
        (some['memo_cursor'] ?? before['memo_cursor']) as number,
        ((some['full_chat_history'] ?? before['full_chat_history']) as JsonObject[]).length,
      ),
    }
    expect([names, await given(store, 'k')]).toEqual([names, { ...before, ...some, ...cursor }])
  }
})

describe('a full history', () => {
  it('that has grown is appended to', async () => {
    const store = await openSession()
    expect(await take(store, stateOf(8), { key: 'k' })).toEqual({
      keys: ['k'],
      added: 3,
      known: 5,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
    })
    expect(await given(store, 'k')).toEqual(stateOf(8))
    expect((await store.read('k', { view: 'raw' })).entries).toHaveLength(8)
  })

  it('goes on with the turn it left off in', async () => {
    const store = openStore()
    await store.addMessage('k', 'user', 'msg 0')
    await take(store, stateOf(3), { key: 'k' })
    const { entries } = await store.read('k')
    expect(entries.map(({ turn }) => turn === entries[0]!.turn)).toEqual([true, true, false])
  })

  it('that is another one takes the place of what was there, which the log keeps', async () => {
    const store = await openSession()
    const report = await take(store, { full_chat_history: other, current_chat_history: other }, { key: 'k' })
    expect(report).toMatchObject({ added: 2, known: 0 })
    expect((await store.read('k')).entries.map(({ message }) => message)).toEqual(other)
    expect((await store.read('k', { view: 'raw' })).entries).toHaveLength(7)
  })

  it('that is shorter is another one', async () => {
    const store = await openSession()
    await take(store, stateOf(3), { key: 'k' })
    expect(await given(store, 'k')).toEqual(stateOf(3))
  })

  it('may be empty', async () => {
    const store = await openSession()
    await take(store, stateOf(0), { key: 'k' })
    expect(await given(store, 'k')).toEqual(stateOf(0))
    await take(store, stateOf(2), { key: 'k' })
    expect(await given(store, 'k')).toEqual(stateOf(2))
  })

  it('is never gone while it is replaced', async () => {
    const store = await openSession()
    const seen: number[] = []
    const watched: SessionStore = {
      ...store,
      merge: async (...args) => {
        const result = await store.merge(...args)
        seen.push((await store.getHistory('k')).length)
        return result
      },
    }
    const long = Array.from({ length: 1200 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `new ${i}`,
    }))
    await take(watched, { full_chat_history: long, current_chat_history: long }, { key: 'k' })
    expect(seen.length).toBeGreaterThan(2)
    expect(Math.min(...seen)).toBeGreaterThan(0)
    expect(await given(store, 'k')).toMatchObject({ full_chat_history: long, current_chat_history: long })
  })

  it('goes to the line that is shown, and leaves the others', async () => {
    const store = await openSession()
    const { entries } = await store.read('k', { view: 'raw' })
    const branch = await store.openBranch('k', { after: { branch: '', order: entries[1]!.order } })
    await take(store, stateOf(4, { full_chat_history: [...talk(2), ...other], current_chat_history: other }), {
      key: 'k',
    })
    expect((await store.read('k')).branch).toBe(branch.id)
    expect(await given(store, 'k')).toMatchObject({
      full_chat_history: [...talk(2), ...other],
      current_chat_history: other,
    })
    await take(store, stateOf(3, { full_chat_history: other.slice(1), current_chat_history: [] }), { key: 'k' })
    expect(await given(store, 'k')).toMatchObject({ full_chat_history: other.slice(1), current_chat_history: [] })
    await store.switchBranch('k', '')
    expect(await given(store, 'k')).toMatchObject({ full_chat_history: talk(5) })
  })

  it('keeps what others wrote meanwhile', async () => {
    const [one, two] = [await openSession(), openStore()]
    await sync(one, two, 'k')
    await two.addMessage('k', 'user', 'elsewhere')
    await take(one, stateOf(2, { full_chat_history: other, current_chat_history: other }), { key: 'k' })
    await sync(two, one, 'k')
    await sync(one, two, 'k')
    expect((await given(one, 'k'))['full_chat_history']).toContainEqual({ role: 'user', content: 'elsewhere' })
    expect(await given(two, 'k')).toEqual(await given(one, 'k'))
  })
})

describe('a session that is named', () => {
  it('is made when it is not there, and found by its alias', async () => {
    const store = openStore()
    await take(store, stateOf(4, { current_chat_history: talk(4, 3) }), { key: 'made' })
    expect(await given(store, 'made')).toEqual(stateOf(4, { current_chat_history: talk(4, 3) }))
    expect(await store.getMeta('made')).toMatchObject({ id, aliases: [], updatedAt: now })
    await store.updateMeta('made', { aliases: ['other:name'] })
    expect(await take(store, { memo: { x: 1 } }, { key: 'other:name' })).toMatchObject({ keys: ['made'] })
    expect(await given(store, 'made')).toMatchObject({ memo: { x: 1 } })
  })

  it('that was deleted stays so', async () => {
    const store = await openSession()
    await store.delete('k')
    await expect(take(store, stateOf(1), { key: 'k' })).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect((await store.listSessions()).total).toBe(0)
  })

  it('has one copy on two devices that load one file', async () => {
    const [one, two] = [openStore(), openStore()]
    await take(one, stateOf(5), { key: 'k' })
    await take(two, stateOf(5), { key: 'k', now: () => now + 9000 })
    await sync(one, two, 'k')
    await sync(two, one, 'k')
    expect(await given(one, 'k')).toEqual(stateOf(5))
    expect(await given(two, 'k')).toEqual(stateOf(5))
  })

  it('keeps what others remember beside the state', async () => {
    const store = await openSession()
    await store.updateMeta('k', { contextState: { ...(await store.getMeta('k'))!.contextState, mine: 1 } })
    await take(store, { turns: 7 }, { key: 'k' })
    expect((await store.getMeta('k'))!.contextState).toMatchObject({ mine: 1, turns: 7 })
  })
})

it('tells how far it is, and ends when it is asked to', async () => {
  const store = openStore()
  const seen: unknown[] = []
  await take(store, stateOf(4, { extra: 1 }), { totalBytes: 9, onProgress: (progress) => seen.push(progress) })
  expect(seen.at(-1)).toEqual({
    readBytes: JSON.stringify(stateOf(4, { extra: 1 })).length + 4,
    totalBytes: 9,
    entries: 4,
    skipped: 1,
  })
  const ending = new AbortController()
  const long = stateOf(3000, { id: 'long' })
  await expect(
    take(store, long, { signal: ending.signal, onProgress: ({ entries }) => void (entries > 0 && ending.abort()) }),
  ).rejects.toMatchObject({ name: 'Aborted' })
  expect(await store.getMeta('agently:long')).toBeUndefined()
})
