import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import type { MemoSession, MemoUpdateHandler } from '../../../src/dialects/agently/memo-types.ts'
import { sessionWorker } from '../../client/support/real-worker.ts'

const clients: SessionClient[] = []
async function open(name: string): Promise<SessionClient> {
  const client = await openSessionStore({ name, modes: ['worker'], worker: sessionWorker })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const texts = async (messages: Promise<readonly { readonly content?: unknown }[]>): Promise<unknown[]> =>
  (await messages).map(({ content }) => content)
const collect: MemoUpdateHandler = ({ memo, messages }) => ({
  ...memo,
  told: [...((memo['told'] as unknown[] | undefined) ?? []), ...messages.map(({ content }) => content)],
})

async function talk(session: MemoSession, turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) {
    await session.appendMessage({ role: 'user', content: `u${i}` })
    await session.appendMessage({ role: 'assistant', content: `a${i}` })
  }
}

it('a memo session goes on after a restart of the worker where it was', async () => {
  const name = `memo-${crypto.randomUUID()}`
  const client = await open(name)
  const session = createMemoSession({
    store: client.store,
    session: await client.session('k'),
    memoUpdateHandler: collect,
  })
  await session.useMemo({ limit: { messages: 2 } })
  await talk(session, 3)
  await session.resize()
  const before = [await texts(session.currentHistory()), await session.memo(), await session.settings()]
  await client.close()

  const again = createMemoSession({ store: (await open(name)).store, key: 'k', memoUpdateHandler: collect })
  expect([await texts(again.currentHistory()), await again.memo(), await again.settings()]).toEqual(before)
  expect(await texts(again.fullHistory())).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2'])
  await again.appendMessage({ role: 'user', content: 'next' })
  await again.resize()
  expect([await texts(again.currentHistory()), (await again.memo())['told']]).toEqual([
    ['a2', 'next'],
    ['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'next'],
  ])
})

it('two tabs that know the database resize one after the other, and ask the model once', async () => {
  const name = `memo-${crypto.randomUUID()}`
  const both = [await open(name), await open(name)]
  let calls = 0
  const sessions = both.map((client) =>
    createMemoSession({
      store: client.store,
      key: 'k',
      name,
      memoUpdateHandler: async (update) => (calls++, collect(update)),
    }),
  )
  await sessions[0]!.useMemo({ limit: { messages: 2 } })
  await talk(sessions[0]!, 3)
  expect(await Promise.all(sessions.map((session) => texts(session.resize())))).toEqual([
    ['u2', 'a2'],
    ['u2', 'a2'],
  ])
  expect(calls).toBe(1)
})

it('settings that two tabs which know the database set at once are all kept', async () => {
  const name = `memo-${crypto.randomUUID()}`
  const both = [await open(name), await open(name)]
  const sessions = both.map((client) => createMemoSession({ store: client.store, key: 'k', name }))
  await Promise.all([0, 1, 2, 3, 4, 5].map((i) => sessions[i % 2]!.setSettings(`session.x${i}`, i)))
  await expect.poll(() => sessions[0]!.settings()).toEqual({ x0: 0, x1: 1, x2: 2, x3: 3, x4: 4, x5: 5 })
})
