import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import type { MemoSession, MemoUpdateHandler } from '../../../src/dialects/agently/memo-types.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, assistant, numbered, say, textOf, user } from '../../../src/testing/helpers.ts'
import { memoryStore, twoTabs } from '../support/memory-store.ts'

const texts = async (messages: Promise<readonly { readonly content?: unknown }[]>): Promise<unknown[]> =>
  (await messages).map(({ content }) => content)
const toldOf = async (session: MemoSession): Promise<unknown> => (await session.memo())['told']
const collect: MemoUpdateHandler = ({ memo, messages }) => ({
  ...memo,
  told: [...((memo['told'] as string[] | undefined) ?? []), ...messages.map(textOf)],
})

/** Resolves once so many have come. */
function meeting(count: number): () => Promise<void> {
  let open: () => void = () => undefined
  const all = new Promise<void>((resolve) => (open = resolve))
  return () => {
    count -= 1
    if (count === 0) open()
    return all
  }
}

it('two tabs that resize at once prune once, and the memo has each message once', async () => {
  for (const type of ['lite', 'deep'] as const) {
    const stores = twoTabs()
    await say(stores[0], 's', numbered(6))
    const meet = meeting(2)
    const calls: number[] = []
    const [one, other] = stores.map((store, i) => {
      let isFirst = true
      return createMemoSession({
        store,
        key: 's',
        memoUpdateHandler: async (update) => {
          calls.push(i)
          if (isFirst) await meet()
          isFirst = false
          return collect(update)
        },
      })
    }) as [MemoSession, MemoSession]
    await one.useMemo({ limit: { messages: 2, ...(type === 'deep' ? { chars: 30 } : {}) } })
    const views = await Promise.all([one, other].map((session) => texts(session.resize())))
    expect(views).toEqual([
      ['m4', 'm5'],
      ['m4', 'm5'],
    ])
    expect(await toldOf(other)).toEqual(numbered(6))
    expect((await allChanges(stores[0], 's')).filter((entry) => entry.type === 'compaction')).toHaveLength(1)
  }
})

it.each(['purge', 'delete'] as const)(
  'the memo of a session is lost with it in a %s, even if it is begun anew',
  async (end) => {
    const [here, there] = twoTabs()
    await say(here, 's', numbered(6))
    let isFirst = true
    const session = createMemoSession({
      store: here,
      key: 's',
      memoUpdateHandler: async (update) => {
        if (isFirst) {
          isFirst = false
          await there[end]('s')
          await say(there, 's', ['begun anew'])
        }
        return collect(update)
      },
    })
    await session.useMemo({ limit: { messages: 2 } })
    await session.resize()
    expect(await session.memo()).toEqual({})
  },
)

it('a message that another tab appends while the memo is updated is told to it next time, once', async () => {
  const [here, there] = twoTabs()
  await say(here, 's', numbered(4))
  const session = createMemoSession({
    store: here,
    key: 's',
    memoUpdateHandler: async (update) => {
      if (update.messages.length > 1) await say(there, 's', ['theirs'])
      return collect(update)
    },
  })
  await session.useMemo({ limit: { messages: 2 } })
  expect(await texts(session.resize())).toEqual(['m2', 'm3', 'theirs'])
  await session.resize('lite')
  expect(await toldOf(session)).toEqual([...numbered(4), 'theirs'])
})

it('a compaction by another tab is looked at before its part is pruned', async () => {
  const [here, there] = twoTabs()
  await say(here, 's', numbered(6))
  let isFirst = true
  const session = createMemoSession({
    store: here,
    key: 's',
    memoUpdateHandler: async (update) => {
      if (isFirst) await there.setCompaction('s', { summary: 'theirs', keepLast: 3 })
      isFirst = false
      return collect(update)
    },
  })
  await session.useMemo({ limit: { messages: 2 } })
  expect(await texts(session.resize())).toEqual(['m4', 'm5'])
  expect([await here.getSummary('s'), await toldOf(session)]).toEqual(['theirs', numbered(6)])
})

it('a handler of the app that was overtaken is asked again, with what is there by then', async () => {
  const [here, there] = twoTabs()
  await say(here, 's', numbered(4))
  const seen: number[] = []
  const session = createMemoSession({ store: here, key: 's' }).setResizeHandlers('own', async ({ current }) => {
    if (seen.push(current.length) === 1) await there.setCompaction('s', { summary: '', keepLast: 2 })
    return { current: [user('in short'), ...current.slice(-1)] }
  })
  expect([await texts(session.resize('own')), seen]).toEqual([
    ['in short', 'm3'],
    [4, 2],
  ])
})

it.each<[string, string | false]>([
  ['by force', 'lite'],
  ['by policy', false],
])(
  'a handler of the app that is overtaken once its memo is written is not asked again, and its view is written, %s',
  async (_, force) => {
    for (const full of [undefined, [user('the story so far')]]) {
      const [here, there] = twoTabs()
      await say(here, 's', numbered(4))
      let isFirst = true
      const overtaken = {
        ...here,
        updateMeta: async (...call: Parameters<SessionStore['updateMeta']>) => {
          const meta = await here.updateMeta(...call)
          if (call[1].memo === undefined || !isFirst) return meta
          isFirst = false
          await there.setCompaction('s', { summary: 'theirs', keepLast: 3 })
          await say(there, 's', ['meanwhile'])
          return meta
        },
      }
      let calls = 0
      const session = createMemoSession({
        store: overtaken,
        key: 's',
        resizeHandlers: {
          lite: ({ current, memo }) => {
            calls += 1
            return { current: current.slice(-2), memo: { ...memo, calls }, ...(full === undefined ? {} : { full }) }
          },
        },
      })
      await session.setLimit({ messages: 3 })
      expect(await texts(session.resize(force))).toEqual(['m2', 'm3', 'meanwhile'])
      expect([calls, await session.memo(), await texts(session.fullHistory())]).toMatchObject([
        1,
        { calls: 1 },
        full === undefined ? [...numbered(4), 'meanwhile'] : ['the story so far', 'meanwhile'],
      ])
    }
  },
)

it('what another tab clears while a handler’s view is to be written stays cleared', async () => {
  const [here, there] = twoTabs()
  await say(here, 's', numbered(4))
  let isFirst = true
  const overtaken = {
    ...here,
    updateMeta: async (...call: Parameters<SessionStore['updateMeta']>) => {
      const meta = await here.updateMeta(...call)
      if (isFirst) await there.setCompaction('s', { summary: '', keepLast: 3 })
      if (isFirst) await there.setHistory('s', [])
      isFirst = false
      return meta
    },
  }
  const session = createMemoSession({
    store: overtaken,
    key: 's',
    resizeHandlers: { own: ({ current }) => ({ current: current.slice(-2) }) },
  })
  expect([await texts(session.resize('own')), await texts(session.fullHistory())]).toEqual([[], []])
})

it('a memo that the app changes meanwhile is built on, not overwritten', async () => {
  const store = memoryStore()
  await say(store, 's', numbered(2))
  let isFirst = true
  const session = createMemoSession({
    store,
    key: 's',
    memoUpdateHandler: async (update) => {
      if (isFirst) await store.updateMeta('s', { memo: { likes: 'tea' } })
      isFirst = false
      return collect(update)
    },
  })
  await session.useMemo()
  await session.resize('lite')
  expect(await session.memo()).toMatchObject({ likes: 'tea', told: numbered(2) })
})

it('messages of another device that stand before what was pruned are shown, and keep the pruned part hidden', async () => {
  let time = 2_000_000_000_000
  const here = createSessionStore(createMemoryBackend(), { now: () => time })
  const device = createSessionStore(createMemoryBackend(), { now: () => time - 1_000_000 })
  await say(here, 's', numbered(6))
  await say(device, 's', ['d0', 'd1', 'd2'])
  const session = createMemoSession({ store: here, key: 's' })
  await session.setLimit({ messages: 3 })
  await session.resize()
  time += 1000
  await here.merge('s', await allChanges(device, 's'))
  expect(await texts(session.currentHistory())).toEqual(['d0', 'd1', 'd2', 'm3', 'm4', 'm5'])
  await session.setLimit({ messages: 4 })
  expect(await texts(session.resize())).toEqual(['d2', 'm3', 'm4', 'm5'])
  expect(await texts(session.fullHistory())).toEqual(['d0', 'd1', 'd2', ...numbered(6)])
})

it('settings that two handles of one store set at once are all kept, beside a resize and whoever opened it by an alias', async () => {
  const store = memoryStore()
  await say(store, 's', numbered(3))
  await store.updateMeta('s', { aliases: ['alias'] })
  const [one, other, third] = ['s', 's', 'alias'].map((key) => createMemoSession({ store, key })) as [
    MemoSession,
    MemoSession,
    MemoSession,
  ]
  await Promise.all([
    one.resize('lite'),
    other.setLimit({ chars: 5 }),
    one.setLimit({ messages: 7 }),
    ...[0, 1, 2].map((i) => third.setSettings(`session.x${i}`, i)),
  ])
  expect(await one.settings()).toMatchObject({ limit: { chars: 5, messages: 7 }, x0: 0, x1: 1, x2: 2 })
  expect((await store.getMeta('s'))?.contextState).toMatchObject({ memoCursor: expect.stringMatching(/./) })
})

it('settings that are set while the history is replaced are kept', async () => {
  const store = memoryStore()
  await say(store, 's', numbered(3))
  const [one, other] = [0, 1].map(() => createMemoSession({ store, key: 's' })) as [MemoSession, MemoSession]
  await Promise.all([
    one.setChatHistory([user('x')]),
    ...[0, 1, 2, 3].map((i) => other.setSettings(`session.x${i}`, i)),
  ])
  expect(await one.settings()).toEqual({ x0: 0, x1: 1, x2: 2, x3: 3 })
})

/** What may happen to a session that two tabs have open and another device has a part of. */
const step = fc.oneof(
  fc.record({ do: fc.constant('say' as const), tab: fc.nat(1), role: fc.constantFrom('user', 'assistant', 'tool') }),
  fc.record({ do: fc.constant('resize' as const), tab: fc.nat(1), type: fc.constantFrom(false, 'lite') }),
  fc.record({ do: fc.constant('both' as const) }),
  fc.record({ do: fc.constant('device' as const), role: fc.constantFrom('user', 'assistant') }),
  fc.record({ do: fc.constant('merge' as const) }),
)

it('lite resizes never tell the memo a message twice, and the pruned view is an end of what was there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 25 }),
      fc.integer({ min: 0, max: 3 }),
      async (steps, messages) => {
        let time = 2_000_000_000_000
        const backend = createMemoryBackend()
        const tabs = [0, 1].map(() => createSessionStore(backend, { now: () => (time += 10) })) as [
          SessionStore,
          SessionStore,
        ]
        const device = createSessionStore(createMemoryBackend(), { now: () => time - 500 })
        const sessions = tabs.map((store) => createMemoSession({ store, key: 's', memoUpdateHandler: collect })) as [
          MemoSession,
          MemoSession,
        ]
        await sessions[0].useMemo({ limit: { messages, chars: 0 }, everyNTurns: 2 })
        let count = 0
        for (const one of steps) {
          const message = (role: string) => ({
            ...(role === 'assistant' ? assistant(`m${count++}`) : user(`m${count++}`)),
            role,
          })
          if (one.do === 'say') await tabs[one.tab]!.append('s', [{ type: 'message', message: message(one.role) }])
          if (one.do === 'device') await device.append('s', [{ type: 'message', message: message(one.role) }])
          if (one.do === 'merge') {
            await tabs[0].merge('s', await allChanges(device, 's'))
            await device.merge('s', await allChanges(tabs[0], 's'))
          }
          if (one.do === 'both') await Promise.all(sessions.map((session) => session.resize('lite')))
          if (one.do === 'resize') {
            const before = await texts(sessions[0].currentHistory())
            const after = await texts(sessions[one.tab]!.resize(one.type))
            expect(after).toEqual(before.slice(before.length - after.length))
            if (one.type === 'lite') expect(after.length).toBe(Math.min(before.length, messages))
          }
        }
        const told = ((await toldOf(sessions[0])) ?? []) as string[]
        expect(new Set(told).size).toBe(told.length)
        expect(await texts(sessions[0].fullHistory())).toHaveLength(
          new Set(await texts(sessions[1].fullHistory())).size,
        )
      },
    ),
    { numRuns: 100 },
  )
})
