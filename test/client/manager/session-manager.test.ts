import { describe, expect, it } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemory } from '../../../src/dialects/aixgo/agents/create-memory.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import { defaultConfig } from '../../../src/dialects/aixgo/manager/default-config.ts'
import type { SessionManager } from '../../../src/dialects/aixgo/manager/manager-types.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { history } from '../../../src/dialects/picoclaw/session-history.ts'
import { memoryStore, twoDeafTabs, twoTabs } from '../../agent/support/memory-store.ts'
import { createDevice } from '../context/support/stores.ts'
import { createProfile } from '../support/open-port-client.ts'

const hello = { role: 'user', content: 'Hello' }
const kinds: readonly (readonly [string, () => Promise<SessionStore | SessionClient>])[] = [
  ['a bare store', async () => memoryStore()],
  ['a client', async () => createProfile().open()],
]

describe.each(kinds)('over %s', (_, openStore) => {
  const open = async (): Promise<{ readonly store: SessionStore; readonly manager: SessionManager }> => {
    const given = await openStore()
    return { store: 'session' in given ? given.store : given, manager: createSessionManager(given) }
  }

  it('a session is stored with what it was created with, before anything is said', async () => {
    const { store, manager } = await open()
    const session = await manager.create('helper', { userId: 'ann', metadata: { topic: 'tea' } })
    expect(session.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([session.agentName, session.userId]).toEqual(['helper', 'ann'])
    expect(await store.getMeta(session.key)).toMatchObject({
      agentId: 'helper',
      userId: 'ann',
      custom: { topic: 'tea' },
      messageCount: 0,
    })
    await manager.close()
  })

  it('a session is the same object for everybody who gets it, until it is closed', async () => {
    const { store, manager } = await open()
    const made = await manager.create('helper')
    await store.updateMeta(made.key, { aliases: ['chat:1'] })
    const found = await Promise.all([made.key, made.key, 'chat:1'].map((id) => manager.get(id)))
    expect(found.every((session) => session === made)).toBe(true)
    await made.close()
    expect(await manager.get(made.key)).not.toBe(made)
    await manager.close()
  })

  it('a session that somebody else made is one object too, asked for twice at once', async () => {
    const { store, manager } = await open()
    await store.addMessage('s', 'user', 'Hello')
    const [one, other] = await Promise.all([manager.get('s'), manager.get('s')])
    expect(one).toBe(other)
    expect(await one.messages()).toMatchObject([hello])
    await manager.close()
  })

  it('a user goes on with the session that was written to last, and each user with their own', async () => {
    const { manager } = await open()
    // Of two that were written to in the same millisecond either may be the last.
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2))
    const first = await manager.getOrCreate('helper', 'ann')
    await pause()
    const second = await manager.create('helper', { userId: 'ann' })
    expect((await manager.getOrCreate('helper', 'ann')).key).toBe(second.key)
    await pause()
    await first.append(hello)
    expect((await manager.getOrCreate('helper', 'ann')).key).toBe(first.key)
    expect((await manager.getOrCreate('other', 'ann')).key).not.toBe(first.key)
    expect((await manager.getOrCreate('helper', 'bob')).userId).toBe('bob')
    await manager.close()
  })

  it('nobody in particular gets a new session each time', async () => {
    const { manager } = await open()
    const [one, other] = [await manager.getOrCreate('helper', ''), await manager.getOrCreate('helper', '')]
    expect(one.key).not.toBe(other.key)
    expect(one.userId).toBe('')
    await manager.close()
  })

  it('deleted and archived sessions are not gone on with', async () => {
    const { manager } = await open()
    const deleted = await manager.getOrCreate('helper', 'ann')
    await manager.delete(deleted.key)
    const archived = await manager.getOrCreate('helper', 'ann')
    await archived.archive()
    const now = await manager.getOrCreate('helper', 'ann')
    expect(new Set([deleted.key, archived.key, now.key]).size).toBe(3)
    await manager.close()
  })

  it('a session whose history went to one that is deleted is passed over', async () => {
    const { store, manager } = await open()
    const old = await manager.create('helper', { userId: 'ann' })
    await old.append(hello)
    await store.ensureSessionMetadata('new', undefined, [old.key])
    await store.delete('new')
    expect((await manager.getOrCreate('helper', 'ann')).key).not.toBe('new')
    await manager.close()
  })

  it('many calls at once make one session for a user', async () => {
    const { manager } = await open()
    const sessions = await Promise.all(Array.from({ length: 20 }, () => manager.getOrCreate('helper', 'ann')))
    expect(new Set(sessions).size).toBe(1)
    expect((await manager.list('helper')).total).toBe(1)
    await manager.close()
  })

  it('a list holds an agent’s sessions, the last one written to first, by user, limit, offset and cursor', async () => {
    const { manager } = await open()
    const keys: string[] = []
    for (const userId of ['ann', 'bob', 'ann', 'ann', 'bob']) {
      keys.unshift((await manager.create('helper', { userId })).key)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await manager.create('other', { userId: 'ann' })
    const listed = async (options?: Parameters<SessionManager['list']>[1]): Promise<readonly string[]> =>
      (await manager.list('helper', options)).sessions.map(({ key }) => key)
    expect(await listed()).toEqual(keys)
    expect(await listed({ userId: 'bob' })).toEqual([keys[0], keys[3]])
    expect(await listed({ userId: '' })).toEqual(keys)
    expect(await listed({ limit: 2 })).toEqual(keys.slice(0, 2))
    expect(await listed({ limit: 2, offset: 2 })).toEqual(keys.slice(2, 4))
    expect(await listed({ offset: 4 })).toEqual(keys.slice(4))
    expect(await listed({ offset: 5 })).toEqual([])
    expect(await listed({ offset: 9, limit: 1 })).toEqual([])
    const { next } = await manager.list('helper', { limit: 2, offset: 1 })
    expect(await listed({ limit: 2, cursor: next! })).toEqual(keys.slice(3))
    expect((await manager.list('nobody')).sessions).toEqual([])
    for (const bad of [{ limit: -1 }, { offset: 0.5 }, { offset: 1, cursor: next! }])
      await expect(manager.list('helper', bad)).rejects.toMatchObject({ name: 'InvalidInput' })
    await manager.close()
  })

  it('a deleted session is not found until it is undeleted, and a purged one never again', async () => {
    const { manager } = await open()
    const session = await manager.create('helper', { userId: 'ann' })
    await session.append(hello)
    const { id } = await session.checkpoints.create()
    await manager.delete(session.key)
    for (const call of [manager.get(session.key), manager.delete(session.key), session.append(hello)])
      await expect(call).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect((await manager.list('helper')).total).toBe(0)
    await manager.undelete(session.key)
    const again = await manager.get(session.key)
    expect([await again.messages(), (await again.checkpoints.list()).map((one) => one.id)]).toMatchObject([
      [hello],
      [id],
    ])
    await manager.purge(session.key)
    for (const call of [manager.get(session.key), manager.undelete(session.key)])
      await expect(call).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect(await again.checkpoints.list()).toEqual([])
    await manager.purge(session.key)
    await manager.close()
  })

  it('a session that was never there is not found', async () => {
    const { manager } = await open()
    for (const call of [manager.get('none'), manager.delete('none'), manager.undelete('none')])
      await expect(call).rejects.toMatchObject({ name: 'SessionNotFound' })
    await manager.close()
  })

  it.each(['', ' ', '.', '..', 'a/b', 'a\\b', 'foo..bar', 'a\u0000'])(
    '%j is refused where it would be a part of a path',
    async (id) => {
      const { manager } = await open()
      const calls = [
        manager.create(id),
        manager.get(id),
        manager.getOrCreate(id, 'ann'),
        manager.list(id),
        manager.delete(id),
        manager.undelete(id),
        manager.purge(id),
      ]
      for (const call of await Promise.allSettled(calls))
        expect(call).toMatchObject({ status: 'rejected', reason: { name: 'InvalidPathComponent' } })
      await manager.close()
    },
  )

  it.each(['', ' ', '.', '..', 'a/b', 'a\\b', 'foo..bar', 'a\u0000'])(
    '%j is refused as the id of a checkpoint, too',
    async (id) => {
      const { manager } = await open()
      const session = await manager.create('helper')
      for (const call of await Promise.allSettled([session.checkpoints.restore(id), session.checkpoints.delete(id)]))
        expect(call).toMatchObject({ status: 'rejected', reason: { name: 'InvalidPathComponent' } })
      await manager.close()
    },
  )

  it('a closed manager refuses everything, and so do its sessions and its store', async () => {
    const { store, manager } = await open()
    const session = await manager.create('helper', { userId: 'ann' })
    const entry = await session.append(hello)
    const { id } = await session.checkpoints.create()
    await Promise.all([manager.close(), manager.close()])
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      create: () => manager.create('helper'),
      get: () => manager.get(session.key),
      getOrCreate: () => manager.getOrCreate('helper', 'ann'),
      list: () => manager.list('helper'),
      delete: () => manager.delete(session.key),
      undelete: () => manager.undelete(session.key),
      purge: () => manager.purge(session.key),
      sweep: () => manager.sweep(),
      append: () => session.append(hello),
      appendAll: () => session.appendAll([{ type: 'message', message: hello }]),
      stream: () => session.stream().id,
      messages: () => session.messages(),
      history: () => history(session),
      context: () => session.context(),
      page: () => session.page(),
      meta: () => session.meta(),
      rename: () => session.rename('x'),
      archive: () => session.archive(),
      edit: () => session.edit(entry, hello),
      remove: () => session.remove(entry),
      branches: () => session.branches.list(),
      tree: () => session.branches.tree(),
      branchAfter: () => session.branches.after(entry),
      regenerate: () => session.regenerate(),
      editAndResend: () => session.editAndResend(entry, hello),
      switchBranch: () => session.branches.switchTo(''),
      mergeBranch: () => session.branches.merge(''),
      branch: () => piSession(session).branch(entry),
      buildSessionContext: () => piSession(session).buildSessionContext(),
      setLabel: () => piSession(session).setLabel(entry, 'x'),
      labels: () => piSession(session).labels(),
      setModel: () => piSession(session).setModel('p', 'm'),
      checkpoint: () => session.checkpoints.create(),
      checkpoints: () => session.checkpoints.list(),
      restore: () => session.checkpoints.restore(id),
      deleteCheckpoint: () => session.checkpoints.delete(id),
      deleteSession: () => session.delete(),
      getMeta: () => store.getMeta(session.key),
    }
    for (const [name, call] of Object.entries(calls))
      expect([
        name,
        await call().then(
          () => 'resolved',
          (error: Error) => error.name,
        ),
      ]).toEqual([name, 'StorageClosed'])
    await manager.close()
  })

  it('a reply that is streamed while the manager closes is kept as it is', async () => {
    const { manager } = await open()
    const session = await manager.create('helper')
    const stream = session.stream()
    stream.write('half a')
    const [receipt] = await Promise.all([stream.id.then(() => manager.close())])
    expect(receipt).toBeUndefined()
    await expect(stream.end()).resolves.toMatchObject({ branch: '' })
  })
})

it('of two tabs on one place each sees the sessions of the other', async () => {
  const [one, other] = twoTabs().map((store) => createSessionManager(store)) as [SessionManager, SessionManager]
  const session = await one.create('helper', { userId: 'ann' })
  expect((await other.getOrCreate('helper', 'ann')).key).toBe(session.key)
  await other.delete(session.key)
  await expect(one.get(session.key)).rejects.toMatchObject({ name: 'SessionNotFound' })
})

it('a tab that has not heard yet of the session that another one made for a user makes no second one', async () => {
  const [one, other] = twoDeafTabs().map((store) => createSessionManager(store)) as [SessionManager, SessionManager]
  expect((await other.list('helper')).sessions).toEqual([])
  const made = await one.getOrCreate('helper', 'ann')
  expect((await other.getOrCreate('helper', 'ann')).key).toBe(made.key)
  expect((await other.getOrCreate('helper', 'bob')).key).not.toBe(made.key)
})

it('managers of one realm make one session for a user who is asked for in all of them at once', async () => {
  const managers = twoTabs().map((store) => createSessionManager(store))
  const keys = await Promise.all(
    [...managers, ...managers].map(async (manager) => (await manager.getOrCreate('helper', 'ann')).key),
  )
  expect(new Set(keys).size).toBe(1)
})

it('sessions that were written to at once have every message', async () => {
  const managers = twoTabs().map((store) => createSessionManager(store))
  const { key } = await managers[0]!.create('helper')
  const sessions = await Promise.all(managers.map((manager) => manager.get(key)))
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => sessions[n % 2]!.append({ role: 'user', content: String(n) })),
  )
  const contents = (await sessions[0]!.messages()).map(({ content }) => Number(content))
  expect([...contents].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n))
})

it('the configuration without any has Aixgo’s defaults, each time a new object', () => {
  expect(defaultConfig()).toMatchObject({
    enabled: true,
    name: 'keepsession',
    checkpoint: { autoSave: false, interval: '5m' },
  })
  expect(defaultConfig().checkpoint).not.toBe(defaultConfig().checkpoint)
})

it('sessions that are switched off can’t be managed', () => {
  expect(() => createSessionManager(memoryStore(), { enabled: false })).toThrow(
    expect.objectContaining({ name: 'StorageUnavailable' }),
  )
})

describe('a session whose time is over', () => {
  /** A store in which everything was written in 2023. */
  const oldStore = (): SessionStore => createDevice().store
  const century = 100 * 365 * 86_400_000

  it('is erased when it is asked for, and its user begins anew', async () => {
    const store = oldStore()
    const { key } = await createSessionManager(store).create('helper', { userId: 'ann' })
    const manager = createSessionManager(store, { name: 'later', ttl: 1000 })
    expect((await manager.getOrCreate('helper', 'ann')).key).not.toBe(key)
    await expect(manager.get(key)).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect(await store.getMeta(key)).toBeUndefined()
  })

  it('is found as long as its time is not over', async () => {
    const store = oldStore()
    const { key } = await createSessionManager(store).create('helper', { userId: 'ann' })
    for (const ttl of [0, century]) {
      const manager = createSessionManager(store, { name: `ttl ${ttl}`, ttl })
      expect(await manager.sweep()).toEqual([])
      expect((await manager.getOrCreate('helper', 'ann')).key).toBe(key)
    }
  })

  it('goes with a sweep, deleted ones too, each after its own time', async () => {
    const store = oldStore()
    const maker = createSessionManager(store)
    const [plain, forever, short, deleted] = [
      await maker.create('helper'),
      await maker.create('helper', { ttl: 0 }),
      await maker.create('other', { ttl: 5 }),
      await maker.create('helper', { ttl: 5 }),
    ]
    await maker.delete(deleted.key)
    await createMemory({ store, agentName: 'helper' }).set('drink', 'tea')
    expect([...(await createSessionManager(store, { name: 'later', ttl: century }).sweep())].sort()).toEqual(
      [short.key, deleted.key].sort(),
    )
    expect(await createSessionManager(store, { name: 'later', ttl: 1000 }).sweep()).toEqual([plain.key])
    expect([...(await store.listSessions()).sessions.map(({ key }) => key)].sort()).toEqual(
      [forever.key, 'memory:helper'].sort(),
    )
  })

  it('is told from the list: a sweep reads nothing of the sessions that stay', async () => {
    const store = oldStore()
    const manager = createSessionManager(store, { ttl: century })
    for (let i = 0; i < 5; i++) await manager.create('helper')
    const { key } = await manager.create('helper', { ttl: 5 })
    const asked: string[] = []
    const counting = {
      ...store,
      getMeta: (one: string) => {
        asked.push(one)
        return store.getMeta(one)
      },
    }
    expect(await createSessionManager(counting, { name: 'another', ttl: century }).sweep()).toEqual([key])
    expect(new Set(asked)).toEqual(new Set([key]))
  })

  it('stays while it is open, and goes once it is closed', async () => {
    const manager = createSessionManager(oldStore(), { ttl: 1000 })
    const session = await manager.create('helper', { userId: 'ann' })
    expect(await manager.sweep()).toEqual([])
    expect(await manager.get(session.key)).toBe(session)
    expect(await manager.getOrCreate('helper', 'ann')).toBe(session)
    await session.close()
    expect(await manager.sweep()).toEqual([session.key])
  })

  it.each([-1, 0.5, Number.NaN])('can’t be told by a time of %d', (ttl) => {
    expect(() => createSessionManager(memoryStore(), { ttl })).toThrow(
      expect.objectContaining({ name: 'InvalidInput' }),
    )
  })
})
