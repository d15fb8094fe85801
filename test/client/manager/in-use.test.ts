import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { createProfile } from '../support/open-port-client.ts'

afterEach(() => void vi.unstubAllGlobals())

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
const refuse = (): Promise<never> => Promise.reject(new DOMException('No', 'SecurityError'))
const hello = { role: 'user', content: 'Hello' }

async function openTabs(): Promise<{
  readonly client: SessionClient
  readonly sweep: () => Promise<readonly string[]>
  readonly end: () => Promise<unknown>
}> {
  const profile = createProfile()
  const client = await profile.open()
  const manager = createSessionManager(await profile.open(), { ttl: 1 })
  await client.store.append('s', [{ type: 'message', message: hello }])
  return { client, sweep: manager.sweep, end: () => Promise.all([client.close(), manager.close()]) }
}

describe.each([
  ['without Web Locks', () => vi.stubGlobal('navigator', {})],
  ['where Web Locks are refused', () => vi.stubGlobal('navigator', { locks: { request: refuse, query: refuse } })],
] as const)('%s, a sweep of another client', (_, prepare) => {
  it('leaves a session alone while a handle watches it', async () => {
    prepare()
    const { client, sweep, end } = await openTabs()
    const session = await client.session('s')
    const [one, other] = [session.transcript(), session.transcript()]
    await later()
    expect(await sweep()).toEqual([])
    one[Symbol.dispose]()
    expect(await sweep()).toEqual([])
    other[Symbol.dispose]()
    await expect.poll(sweep).toEqual(['s'])
    await end()
  })

  it('leaves a session alone while a handle streams into it', async () => {
    prepare()
    const { client, sweep, end } = await openTabs()
    const stream = (await client.session('s')).stream()
    stream.write('half')
    await stream.id
    await later()
    expect(await sweep()).toEqual([])
    await stream.abort({ keep: false })
    await later()
    await expect.poll(sweep).toEqual(['s'])
    await end()
  })

  it('takes a session whose handle is idle, was closed, or lost its client', async () => {
    prepare()
    const { client, sweep, end } = await openTabs()
    await client.store.append('t', [{ type: 'message', message: hello }])
    await client.store.append('u', [{ type: 'message', message: hello }])
    await client.session('s')
    const closed = await client.session('t')
    closed.transcript()
    await closed.close()
    const left = await client.session('u')
    left.transcript()
    await later()
    await expect.poll(async () => (await sweep()).length).toBe(2)
    await client.close()
    await expect.poll(sweep).toEqual(['u'])
    await end()
  })
})

it('a stream that could not begin holds nothing back', async () => {
  const { client, sweep, end } = await openTabs()
  const session = await client.session('s')
  await client.delete('s')
  const stream = session.stream()
  await expect(stream.id).rejects.toMatchObject({ name: 'SessionNotFound' })
  await later()
  await expect.poll(sweep).toEqual(['s'])
  await end()
})

it('a session that is being erased is not opened before it is gone', async () => {
  vi.stubGlobal('navigator', {})
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const slow: SessionStore = {
    ...createSessionStore(backend),
    delete: async (key) => (begin(), await held, store.delete(key)),
  }
  await store.updateMeta('s', { ttl: 1 })
  await later()
  const manager = createSessionManager(store)
  const sweeping = createSessionManager(slow).sweep()
  await begun
  const getting = manager.get('s')
  const refused = expect(getting).rejects.toMatchObject({ name: 'SessionNotFound' })
  await later()
  release()
  await refused
  expect(await sweeping).toEqual(['s'])
})

it('what is written while a session is about to be erased keeps it', async () => {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  await store.append('s', [{ type: 'message', message: hello }])
  await store.updateMeta('s', { ttl: 1 })
  await later()
  const racing: SessionStore = {
    ...store,
    delete: async (key, options) => {
      await createSessionStore(backend).append(key, [{ type: 'message', message: { role: 'user', content: 'wait' } }])
      await store.delete(key, options)
    },
  }
  expect(await createSessionManager(racing).sweep()).toEqual([])
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['Hello', 'wait'])
  expect((await store.getMeta('s'))?.deletedAt).toBeUndefined()
})

it('a manager uses the name of its client, and is told of another one', async () => {
  const client = await createProfile().open({ name: 'mine' })
  expect(client.name).toBe('mine')
  expect(() => createSessionManager(client, { name: 'other' })).toThrow(
    expect.objectContaining({ name: 'InvalidInput' }),
  )
  const manager = createSessionManager(client)
  expect((await manager.create('helper')).agentName).toBe('helper')
  await manager.close()
})
