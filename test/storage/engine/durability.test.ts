import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { StoreChange } from '../../../src/contract/change.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { Durability } from '../../../src/contract/store/write-options.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { durabilities, strictest } from '../../../src/storage/engine/writing/strictest.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** A store that is told how each of its commits is made. */
function createNoting(): { readonly store: SessionStore; readonly made: Durability[] } {
  const made: Durability[] = []
  const backend = createMemoryBackend()
  const noting: StorageBackend = {
    ...backend,
    commit: (batch, durability) => {
      made.push(durability)
      return backend.commit(batch, durability)
    },
  }
  return { store: createSessionStore(noting), made }
}
const user = { role: 'user', content: 'q' }
const assistant = { role: 'assistant', content: 'a' }
const calling = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'c', content: 'r' }
const whole = {
  role: 'assistant',
  parts: [{ type: 'tool-look', state: 'output-available', toolCallId: 'c', output: 1 }],
}
const entry = (message: typeof user) => [{ type: 'message', message }] as const

it.each<[what: string, durability: Durability, act: (store: SessionStore) => Promise<unknown>]>([
  ['what a user says', 'strict', (store) => store.append('k', entry(user))],
  ['what an assistant says', 'strict', (store) => store.addFullMessage('k', assistant)],
  ['an assistant that waits for a tool', 'relaxed', (store) => store.addFullMessage('k', calling)],
  ['an assistant that has heard from its tool', 'strict', (store) => store.addFullMessage('k', whole)],
  ["a tool's result", 'relaxed', (store) => store.addFullMessage('k', result)],
  ['an entry that is no message', 'relaxed', (store) => store.append('k', [{ type: 'custom', data: {} }])],
  ['a history', 'strict', (store) => store.setHistory('k', [user, calling])],
  ['a summary', 'strict', (store) => store.setSummary('k', 's')],
  ['metadata that the user changed', 'strict', (store) => store.updateMeta('k', { title: 't' })],
  ['metadata that the app keeps', 'relaxed', (store) => store.ensureSessionMetadata('k', undefined, ['other'])],
  ['the beginning of a draft', 'relaxed', (store) => store.openDraft('k', { role: 'assistant' })],
  ['a branch', 'relaxed', (store) => store.openBranch('k', { after: 'start' })],
  ['a truncation', 'relaxed', (store) => store.truncateHistory('k', 0)],
  ['a checkpoint', 'strict', (store) => store.checkpoint('k')],
  ['a compaction', 'strict', (store) => store.setCompaction('k', { summary: 's', keepLast: 0 })],
  ['a deletion', 'strict', (store) => store.delete('k')],
  ['an edit', 'strict', async (store) => store.edit('k', (await store.read('k')).entries[0]!, assistant)],
])('stores %s %s', async (_, durability, act) => {
  const { store, made } = createNoting()
  await store.append('k', entry(user))
  made.length = 0
  await act(store)
  expect(made).toEqual([durability])
})

it('stores a growing draft relaxed, and its end strict unless a tool is to follow', async () => {
  const { store, made } = createNoting()
  await store.append('k', entry(user))
  made.length = 0
  for (const message of [undefined, calling]) {
    const draft = await store.openDraft('k', { role: 'assistant' })
    await store.writeDraft('k', draft, 0, { text: 'x' })
    await store.sealDraft('k', draft, message)
  }
  await store.dropDraft('k', await store.openDraft('k', { role: 'assistant' }))
  expect(made).toEqual(['relaxed', 'relaxed', 'strict', 'relaxed', 'relaxed', 'relaxed', 'relaxed', 'relaxed'])
})

it('stores a streamed reply that calls a tool relaxed, whoever makes the message of it', async () => {
  const { store, made } = createNoting()
  const draft = await store.openDraft('k', { role: 'assistant' })
  await store.writeDraft('k', draft, 0, { parts: [{ type: 'toolInput', id: 'c', name: 'f', input: '{}' }] })
  await store.sealDraft('k', draft)
  // Nobody knows before it is planned; the stricter way is never wrong.
  expect(made.at(-1)).toBe('strict')
})

it('stores as it is told', async () => {
  const { store, made } = createNoting()
  await store.append('k', entry(user), { durability: 'relaxed' })
  await store.addFullMessage('k', calling, { durability: 'strict' })
  expect(made).toEqual(['relaxed', 'strict'])
})

/** Stores on a place that can be made to survive power loss, and what was asked of it. */
function createHard() {
  const asked: string[] = []
  const backend = createMemoryBackend()
  let before: Promise<unknown> = Promise.resolve()
  const hard: StorageBackend = {
    ...backend,
    commit: async (batch, durability) => {
      await before
      asked.push(durability)
      return backend.commit(batch, durability)
    },
    flush: async () => void asked.push('flush'),
  }
  const listeners = new Set<(change: StoreChange) => void>()
  let now = 1_750_000_000_000
  return {
    asked,
    hold: (until: Promise<unknown>) => void (before = until),
    open: (isFollowed = true): SessionStore => {
      let own: ((change: StoreChange) => void) | undefined
      return createSessionStore(hard, {
        now: () => now++,
        onChange: (change) => listeners.forEach((listener) => listener !== own && listener(change)),
        ...(isFollowed ? { follow: (listener) => void listeners.add((own = listener)) } : {}),
      })
    },
  }
}

it('counts what was stored before it was opened as one commit that may be lost', async () => {
  const { open, asked } = createHard()
  const store = open()
  expect(await store.unflushed()).toMatchObject({ commits: 1 })
  await store.flush()
  expect([await store.unflushed(), asked]).toEqual([undefined, ['flush']])
})

it('flushes once where anything is relaxed, and not at all where nothing is', async () => {
  const { open, asked } = createHard()
  const store = open()
  await store.flush()
  asked.length = 0
  for (const _ of [1, 2, 3]) await store.addFullMessage('k', result)
  const unflushed = await store.unflushed()
  expect(unflushed).toMatchObject({ commits: 3 })
  expect(unflushed!.since).toBeLessThan((await store.read('k', { last: 1 })).entries[0]!.at + 3)
  await store.flush()
  await store.flush()
  expect([asked, await store.unflushed()]).toEqual([['relaxed', 'relaxed', 'relaxed', 'flush'], undefined])
})

it('needs no flush for what a strict commit came after', async () => {
  const { open, asked } = createHard()
  const store = open()
  await store.addFullMessage('k', result)
  await store.append('k', entry(user))
  expect(await store.unflushed()).toBeUndefined()
  await store.flush()
  expect(asked).toEqual(['relaxed', 'strict'])
})

it('counts what another tab stores, unless that was strict', async () => {
  const { open, asked } = createHard()
  const [one, two] = [open(), open()]
  await Promise.all([one.flush(), two.flush()])
  await one.append('k', entry(user))
  expect(await two.unflushed()).toBeUndefined()
  await one.addFullMessage('k', result)
  expect([await one.unflushed(), await two.unflushed()]).toMatchObject([{ commits: 1 }, { commits: 1 }])
  asked.length = 0
  await two.flush()
  expect([asked, await two.unflushed()]).toEqual([['flush'], undefined])
})

it('does not take a commit for hard that was stored while a strict one was under way', async () => {
  const { open, hold } = createHard()
  const [one, two] = [open(), open()]
  await Promise.all([one.flush(), two.flush()])
  let release: () => void = () => undefined
  hold(new Promise<void>((resolve) => (release = resolve)))
  const appending = one.append('k', entry(user))
  await Promise.resolve()
  const others = two.addFullMessage('other', result)
  release()
  await Promise.all([appending, others])
  expect(await one.unflushed()).toMatchObject({ commits: 1 })
})

it('flushes each time where it hears of nobody else', async () => {
  const { open, asked } = createHard()
  const store = open(false)
  await store.flush()
  await store.flush()
  expect(asked).toEqual(['flush', 'flush'])
})

it('says what failed when it can not flush, and that it is still to be done', async () => {
  const backend: StorageBackend = { ...createMemoryBackend(), flush: () => Promise.reject(new Error('no')) }
  const store = createSessionStore(backend)
  await expect(store.flush()).rejects.toThrow('no')
  expect(await store.unflushed()).toMatchObject({ commits: 1 })
})

it('resolves where nothing survives power loss anyway', async () => {
  const { store } = createNoting()
  await store.addFullMessage('k', result)
  await store.flush()
  expect(await store.unflushed()).toBeUndefined()
})

it('makes one commit as strict as the strictest of its writes', () => {
  for (const one of durabilities) expect(strictest([one])).toBe(one)
  expect(strictest(durabilities)).toBe(durabilities.at(-1))
  expect(strictest([...durabilities].reverse())).toBe(durabilities.at(-1))
})
