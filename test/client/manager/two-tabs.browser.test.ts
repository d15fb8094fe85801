import { afterEach, expect, it } from 'vitest'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import type { SessionManager } from '../../../src/dialects/aixgo/manager/manager-types.ts'
import { sessionWorker } from '../support/real-worker.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** As long as a test may take: a busy machine needs more than the time that is usual. */
const timeoutMs = 50_000

async function openManager(name: string): Promise<SessionManager> {
  const manager = createSessionManager(
    await openSessionStore({ name, modes: ['worker'], worker: sessionWorker, timeoutMs }),
    { name },
  )
  ends.push(() => manager.close())
  return manager
}

const told = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => worker.addEventListener('message', ({ data }) => resolve(data), { once: true }))

it('two tabs that ask for a user’s session at once get one and the same', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const users = Array.from({ length: 10 }, (_, n) => `user-${n}`)
  const tabs = Array.from(
    { length: 3 },
    () => new Worker(new URL('./support/manager-worker.ts', import.meta.url), { type: 'module' }),
  )
  ends.push(() => tabs.forEach((tab) => tab.terminate()))
  await Promise.all(
    tabs.map((tab) => {
      const ready = told(tab)
      tab.postMessage({ name, users })
      return ready
    }),
  )
  const keys = await Promise.all(
    tabs.map((tab) => {
      const answer = told(tab)
      tab.postMessage('go')
      return answer
    }),
  )
  expect(keys).toEqual([keys[0], keys[0], keys[0]])
  const manager = await openManager(name)
  expect(await manager.list('helper')).toMatchObject({ total: users.length })
})

it('a checkpoint that one tab made is restored by another, after both have closed too', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const [one, other] = [await openManager(name), await openManager(name)]
  const session = await one.create('helper', { userId: 'ann', metadata: { topic: 'tea' } })
  for (const content of ['1', '2']) await session.append({ role: 'user', content })
  const { id } = await session.checkpoints.create({ state: { step: 2 } })
  await (await other.getOrCreate('helper', 'ann')).append({ role: 'user', content: '3' })
  await Promise.all([one.close(), other.close()])
  const later = await (await openManager(name)).get(session.key)
  expect(await later.checkpoints.restore(id)).toMatchObject({ state: { step: 2 } })
  await later.append({ role: 'user', content: '4' })
  expect((await later.messages()).map(({ content }) => content)).toEqual(['1', '2', '4'])
  expect(await later.meta()).toMatchObject({ custom: { topic: 'tea' } })
})

it('what a restore shows is still shown after everything was closed, and goes on from there', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const first = await openManager(name)
  const {
    key,
    append,
    checkpoints: { create: checkpoint, restore },
  } = await first.create('helper')
  for (const content of ['1', '2']) await append({ role: 'user', content })
  const { id } = await checkpoint()
  await append({ role: 'user', content: '3' })
  await restore(id)
  await first.close()
  const second = await openManager(name)
  const again = await second.get(key)
  const contents = async (): Promise<unknown[]> => (await again.messages()).map(({ content }) => content)
  expect(await contents()).toEqual(['1', '2'])
  await again.append({ role: 'user', content: '4' })
  expect(await contents()).toEqual(['1', '2', '4'])
  await again.branches.switchTo('')
  expect(await contents()).toEqual(['1', '2', '3'])
})

it('a session that is open in one tab outlives its time, whatever another tab sweeps', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const [one, other] = [await openManager(name), await openManager(name)]
  const session = await one.create('helper', { ttl: 1 })
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(await other.sweep()).toEqual([])
  await session.append({ role: 'user', content: 'still here' })
  await new Promise((resolve) => setTimeout(resolve, 10))
  await session.close()
  expect(await other.sweep()).toEqual([session.key])
})

it('a session that a tab streams into or watches outlives its time, without a manager there', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const client = await openSessionStore({ name, modes: ['worker'], worker: sessionWorker, timeoutMs })
  // In a realm of its own: all that tells it of the other one is the browser.
  const tab = new Worker(new URL('./support/manager-worker.ts', import.meta.url), { type: 'module' })
  ends.push(
    () => client.close(),
    () => tab.terminate(),
  )
  const ready = told(tab)
  tab.postMessage({ name, users: [] })
  await ready
  const sweep = (): Promise<unknown> => {
    const answer = told(tab)
    tab.postMessage('sweep')
    return answer
  }
  const [streamed, watched, idle] = await Promise.all(
    ['streamed', 'watched', 'idle'].map(async (key) => {
      await client.store.addMessage(key, 'user', 'Hello')
      await client.store.updateMeta(key, { ttl: 1 })
      return client.session(key)
    }),
  )
  const stream = streamed!.stream()
  const transcript = watched!.transcript()
  await Promise.all([stream.id, transcript.ready()])
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(await sweep()).toEqual([idle!.key])
  await stream.abort({ keep: false })
  transcript[Symbol.dispose]()
  await expect.poll(async () => (await sweep(), (await client.listSessions()).total)).toBe(0)
})

it('fifty calls at once in each of two tabs make one session for a user, and one for each that is created', async () => {
  const name = `manager-${crypto.randomUUID()}`
  const tabs = [await openManager(name), await openManager(name)]
  const fifty = Array.from({ length: 50 })
  const found = await Promise.all(tabs.flatMap((tab) => fifty.map(() => tab.getOrCreate('helper', 'ann'))))
  expect(new Set(found.map(({ key }) => key)).size).toBe(1)
  const made = await Promise.all(tabs.flatMap((tab) => fifty.map(() => tab.create('helper', { userId: 'bob' }))))
  expect(new Set(made.map(({ key }) => key)).size).toBe(100)
  expect(await tabs[0]!.list('helper', { userId: 'bob' })).toMatchObject({ total: 100 })
  expect(await tabs[1]!.list('helper', { userId: 'ann' })).toMatchObject({ total: 1 })
})
