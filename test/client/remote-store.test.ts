import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { SessionError } from '../../src/contract/errors.ts'
import { createProfile, type Profile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
async function open(
  profile: Profile = createProfile(),
): Promise<{ readonly client: SessionClient; readonly profile: Profile }> {
  const client = await profile.open()
  clients.push(client)
  return { client, profile }
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  vi.useRealTimers()
})

const { setTimeout: setRealTimeout } = globalThis

/**
 * From now on time passes when a test says so, for pages and workers alike: a page waits for seconds before it gives up
 * a worker.
 */
const holdTime = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })

/** Lets time pass, a ping's worth at a time, until something has come of it. */
async function passTimeUntil(isThere: () => boolean): Promise<void> {
  while (!isThere()) await vi.advanceTimersByTimeAsync(1000)
}
const untilReplaced = ({ workers }: Profile): Promise<void> => passTimeUntil(() => workers.length === 2)

/** The calls that a page sent to its worker, message by message. */
const sentBy = ({ workers }: Profile) =>
  (workers[0]?.received ?? []).filter((message) => (message as { path?: unknown }).path !== undefined) as {
    path: [string]
    argumentList: { value: unknown }[]
  }[]

it('sends the calls of one microtask in one message', async () => {
  const { client, profile } = await open()
  await Promise.all([
    client.store.addMessage('k', 'user', 'a'),
    client.store.addMessage('k', 'user', 'b'),
    client.store.getMeta('k'),
  ])
  expect(sentBy(profile).map(({ path }) => path)).toEqual([['batch']])
})

it('sends a call alone as it is', async () => {
  const { client, profile } = await open()
  await client.store.getMeta('k')
  expect(sentBy(profile).map(({ path }) => path)).toEqual([['getMeta']])
})

it('sends at most 512 calls in a message', async () => {
  const { client, profile } = await open()
  const answers = await Promise.all(Array.from({ length: 1100 }, (_, i) => client.store.resolveSessionKey(`${i}`)))
  const sizes = sentBy(profile).map(({ path, argumentList }) =>
    path[0] === 'batch' ? (argumentList[0]?.value as unknown[]).length : 1,
  )
  expect(sizes).toEqual([512, 512, 76])
  expect(answers).toEqual(Array.from({ length: 1100 }, (_, i) => `${i}`))
})

it('keeps long work away from the worker of the other calls', async () => {
  const { client, profile } = await open()
  await Promise.all([client.store.getMeta('k'), client.store.verify(), client.store.getSummary('k')])
  expect(sentBy(profile).map(({ path }) => path[0])).toEqual(['batch'])
})

it('sends an operation id of its own with every write', async () => {
  const { client, profile } = await open()
  await client.store.addMessage('k', 'user', 'a')
  await client.store.updateMeta('k', { title: 't' }, { durability: 'relaxed' })
  await client.store.delete('k', { operationId: 'mine' })
  const options = sentBy(profile).map(({ argumentList }) => argumentList.at(-1)?.value)
  const call = expect.any(String)
  expect(options).toEqual([
    { operationId: call, call },
    { durability: 'relaxed', operationId: call, call },
    { operationId: 'mine', call },
  ])
  expect(new Set(options.map((option) => (option as { operationId: string }).operationId)).size).toBe(3)
})

it('gives errors their class, name and message back', async () => {
  const { client } = await open()
  const error = await client.delete('nobody').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(SessionError)
  expect(error).toMatchObject({
    message: expect.stringContaining('nobody'),
    stack: expect.stringContaining('SessionNotFound'),
  })
})

it('takes a copy of arguments at the moment of the call', async () => {
  const { client } = await open()
  const message = { role: 'user', content: 'before' }
  const storing = client.store.addFullMessage('k', message)
  message.content = 'after'
  await storing
  expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'before' }])
})

it('refuses one bad call of a microtask and makes the others', async () => {
  const { client } = await open()
  const bad = { role: 'user', content: () => 'x' } as never
  const outcomes = await Promise.allSettled([
    client.store.addMessage('k', 'user', 'a'),
    client.store.addFullMessage('k', bad),
    client.store.addMessage('k', 'user', 'b'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({
    reason: { name: 'InvalidInput', message: expect.stringContaining('argument.content') },
  })
})

it('settles calls under way when it is closed, and refuses later ones', async () => {
  const { client } = await open()
  const writes = Array.from({ length: 20 }, (_, i) => client.store.addMessage('k', 'user', `${i}`))
  const closing = client.close()
  await Promise.all(writes)
  await expect(client.store.getMeta('k')).rejects.toMatchObject({ name: 'StorageClosed' })
  await closing
  await client.close()
})

it('tells the page of a change before it answers the call that made it', async () => {
  const { client } = await open()
  const seen: string[] = []
  client.subscribe((change) => change.type === 'session' && seen.push('change'))
  await client.store.addMessage('k', 'user', 'hi').then(() => seen.push('answer'))
  expect(seen).toEqual(['change', 'answer'])
})

it('stores a write once although its worker died after storing it and before saying so', async () => {
  const { client, profile } = await open()
  const [worker] = profile.workers
  const isStored = new Promise<void>((resolve) => {
    profile.answerFirst = () => {
      resolve()
      return new Promise(() => undefined)
    }
  })
  holdTime()
  const storing = client.store.addMessage('k', 'user', 'once')
  await isStored
  worker?.terminate()
  await untilReplaced(profile)
  await storing
  expect(profile.workers).toHaveLength(2)
  expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'once' }])
})

it('erases no session that was begun after a worker had erased the one before, and died before it said so', async () => {
  const { client, profile } = await open()
  const { client: other } = await open(profile)
  await client.store.addMessage('k', 'user', 'before')
  const isErased = new Promise<void>((resolve) => {
    profile.answerFirst = () => {
      resolve()
      return new Promise(() => undefined)
    }
  })
  holdTime()
  const purging = client.store.purge('k')
  await isErased
  profile.workers[0]?.terminate()
  await other.store.addMessage('k', 'user', 'begun anew')
  await passTimeUntil(() => profile.workers.length === 3)
  await purging
  expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'begun anew' }])
})

it('erases a session although its worker died before it had done so', async () => {
  const { client, profile } = await open()
  await client.store.addMessage('k', 'user', 'before')
  profile.holdFirst = new Promise(() => undefined)
  holdTime()
  const purging = client.store.purge('k')
  await expect.poll(() => sentBy(profile).length).toBeGreaterThan(1)
  profile.workers[0]?.terminate()
  await untilReplaced(profile)
  await purging
  expect(await client.store.getMeta('k')).toBeUndefined()
})

describe('a worker that died after it had stored an append and a delete, and before it said so', () => {
  async function appendAndDelete(options: { readonly operationId?: string }): Promise<SessionClient> {
    const { client, profile } = await open()
    await client.store.addMessage('k', 'user', 'before')
    let goOn: () => void = () => undefined
    profile.holdFirst = new Promise((resolve) => (goOn = resolve))
    holdTime()
    const writing = Promise.all([client.store.addMessage('k', 'user', 'hi', options), client.delete('k')])
    await expect.poll(() => sentBy(profile).length).toBeGreaterThan(1)
    const [worker] = profile.workers
    // The host goes on behind the port.
    worker?.terminate()
    goOn()
    await untilReplaced(profile)
    await writing
    expect(profile.workers).toHaveLength(2)
    return client
  }

  it.each([{}, { operationId: 'mine' }])('does not bring the message back (%j)', async (options) => {
    const client = await appendAndDelete(options)
    expect(await client.store.getHistory('k')).toEqual([])
    expect((await client.store.getMeta('k'))?.deletedAt).toBeDefined()
  })

  it('does another call under the same id anew', async () => {
    const client = await appendAndDelete({ operationId: 'mine' })
    await client.store.addMessage('k', 'user', 'hi', { operationId: 'mine' })
    expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
  })
})

it('takes a worker without a Web Lock for dead when it leaves pings unanswered', async () => {
  const { client, profile } = await open()
  await client.store.addMessage('k', 'user', 'before')
  profile.workers[0]?.terminate()
  holdTime()
  const storing = client.store.addMessage('k', 'user', 'after')
  await untilReplaced(profile)
  await storing
  expect((await client.store.getHistory('k')).map(({ content }) => content)).toEqual(['before', 'after'])
  expect(await client.upkeep.health()).toMatchObject({ restarts: 1 })
})

it('starts another worker, so that it hears other tabs, although none could be started when its own died', async () => {
  let failures = 0
  let isOffline = false
  const profile = createProfile(() => {
    if (!isOffline) return
    failures++
    throw new Error('Nothing can be loaded.')
  })
  const { client } = await open(profile)
  await client.store.addMessage('k', 'user', 'before')
  isOffline = true
  profile.workers[0]?.terminate()
  holdTime()
  const refused = expect(client.store.addMessage('k', 'user', 'lost')).rejects.toMatchObject({ name: 'WorkerLost' })
  await passTimeUntil(() => failures === 2)
  await refused
  isOffline = false
  for (let second = 0; second < 60; second++) await vi.advanceTimersByTimeAsync(1000)
  expect(profile.workers).toHaveLength(2)
})

it('takes no worker for dead that is busy for three seconds', async () => {
  const { client, profile } = await open()
  const [worker] = profile.workers
  worker?.pause()
  holdTime()
  const storing = client.store.addMessage('k', 'user', 'hi')
  await vi.advanceTimersByTimeAsync(3000)
  worker?.resume()
  await storing
  expect(profile.workers).toHaveLength(1)
})

it('gives a worker time for the lists that it was given, and for nothing else', async () => {
  const { client, profile } = await open()
  const [worker] = profile.workers
  const ids = Array.from({ length: 100_000 }, (_, i) => `${i}`)
  worker?.pause()
  holdTime()
  const finding = client.store.findByMid('k', ids)
  for (let second = 0; second < 60; second++) await vi.advanceTimersByTimeAsync(1000)
  worker?.resume()
  expect(await finding).toHaveLength(ids.length)
  expect(profile.workers).toHaveLength(1)
  worker?.pause()
  const again = client.store.getMeta('k')
  await untilReplaced(profile)
  await again
})

it('gives a worker time again when the page itself stood still', async () => {
  const { client, profile } = await open()
  const [worker] = profile.workers
  worker?.pause()
  holdTime()
  const storing = client.store.addMessage('k', 'user', 'hi')
  // Nearly as many pings as it has, and then a page that was frozen for an hour.
  await passTimeUntil(
    () =>
      worker?.received.filter((message) => (message as { keepsession?: string }).keepsession === 'ping').length === 4,
  )
  const { now } = performance
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 3_600_000)
  await vi.advanceTimersByTimeAsync(2500)
  worker?.resume()
  await storing
  vi.restoreAllMocks()
  expect(profile.workers).toHaveLength(1)
})

it('stores nothing twice when a worker that was given up goes on with what it was at', async () => {
  // Before there are workers: by their clocks they see that the page may have given them up.
  holdTime()
  const { client, profile } = await open()
  await client.store.addMessage('k', 'user', 'before')
  let goOn: () => void = () => undefined
  profile.holdFirst = new Promise((resolve) => (goOn = resolve))
  const names = Array.from({ length: 20 }, (_, i) => `${i}`)
  const storing = Promise.all(names.map((name) => client.store.addMessage('k', 'user', name)))
  await expect.poll(() => sentBy(profile).length).toBeGreaterThan(1)
  // The host goes on behind the port.
  profile.workers[0]?.terminate()
  await untilReplaced(profile)
  await storing
  for (const name of ['x', 'y', 'z']) await client.store.addMessage('k', 'user', name)
  goOn()
  const other = await profile.open()
  clients.push(other)
  await new Promise((resolve) => setRealTimeout(resolve, 200))
  expect((await other.store.getHistory('k')).map(({ content }) => content)).toEqual(['before', ...names, 'x', 'y', 'z'])
})
