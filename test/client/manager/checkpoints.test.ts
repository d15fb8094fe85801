import { describe, expect, it, vi } from 'vitest'
import type { EntryReceipt } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import type { AutoSaveSettings, ManagedSession } from '../../../src/dialects/aixgo/manager/manager-types.ts'
import { readInterval } from '../../../src/dialects/aixgo/manager/read-interval.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { diffCheckpoints } from '../../../src/whole-log/diff-checkpoints.ts'
import { memoryStore } from '../../agent/support/memory-store.ts'
import { say, send } from '../context/support/stores.ts'
import { createProfile } from '../support/open-port-client.ts'

const user = (content: string) => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })
const contents = async (session: ManagedSession): Promise<unknown[]> =>
  (await session.messages()).map(({ content }) => content)

describe('a session of a manager', () => {
  it('goes on from a checkpoint on a line of its own: 1, 2, 4', async () => {
    const session = await createSessionManager(memoryStore()).create('helper')
    await session.append(user('1'))
    await session.append(user('2'))
    const { id } = await session.checkpoints.create({ label: 'two', state: { step: 2 } })
    await session.append(user('3'))
    expect(await session.checkpoints.restore(id)).toMatchObject({
      state: { step: 2 },
      branch: { name: 'two', isHead: true },
    })
    await session.append(user('4'))
    expect(await contents(session)).toEqual(['1', '2', '4'])
    expect((await session.checkpoints.list()).map(({ label, messages }) => [label, messages])).toEqual([['two', 2]])
  })

  it('has no checkpoint of another one', async () => {
    const manager = createSessionManager(memoryStore())
    const [one, other] = [await manager.create('helper'), await manager.create('helper')]
    const { id } = await one.checkpoints.create()
    for (const call of [
      other.checkpoints.restore(id),
      other.checkpoints.delete(id),
      other.checkpoints.restore('none'),
      other.checkpoints.restore('constructor'),
    ])
      await expect(call).rejects.toMatchObject({ name: 'CheckpointNotFound' })
  })

  it('shows the same history however often it is restored, and whoever checkpoints at once', async () => {
    const session = await createSessionManager(memoryStore()).create('helper')
    const made = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await session.append(user(String(n))), session.checkpoints.create())),
    )
    for (const { id, messages } of [...made, ...made]) {
      await session.checkpoints.restore(id)
      expect((await contents(session)).length).toBe(messages)
    }
  })
})

it('a checkpoint makes nobody read their page again, neither when it is made nor when it is dropped', async () => {
  const client = await createProfile().open()
  const session = await client.session('s')
  await session.append(user('q'))
  const heard: unknown[] = []
  client.subscribe((change) => heard.push(change))
  await session.checkpoints.delete((await session.checkpoints.create()).id)
  expect(heard).toMatchObject([
    { reload: false, rows: [] },
    { reload: false, rows: [] },
  ])
  await session.rename('new')
  expect(heard.at(-1)).toMatchObject({ reload: true })
  await client.close()
})

it('a message that was tampered with is refused by restore', async () => {
  const backend = createMemoryBackend()
  let tamper = false
  const store = createSessionStore({
    ...backend,
    readRange: async (range) => {
      const part = await backend.readRange(range)
      if (!tamper) return part
      return {
        ...part,
        entries: part.entries.map((row) =>
          row.type === 'message' ? { ...row, data: { message: { role: 'user', content: 'forged' } } } : row,
        ),
      }
    },
  })
  await store.addMessage('s', 'user', 'true')
  const { id } = await store.checkpoint('s')
  tamper = true
  await expect(store.restoreCheckpoint('s', id)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  expect((await store.verify('s')).problems).toMatchObject([{ kind: 'checksum' }])
  tamper = false
  await store.restoreCheckpoint('s', id)
})

describe('the difference between two checkpoints', () => {
  it('is what was added, removed and edited between them, and nothing that came later', async () => {
    const store = memoryStore()
    const [a, b, c] = await say(store, [user('a'), user('b'), user('c')])
    const first = await store.checkpoint('s')
    await store.edit('s', a!, user('A'))
    await store.remove('s', b!)
    const [d] = await say(store, [user('d')])
    const second = await store.checkpoint('s')
    await store.edit('s', c!, user('later'))
    await store.remove('s', d!)
    await say(store, [user('later still')])
    expect(await diffCheckpoints(store, 's', first.id, second.id)).toEqual({
      added: [{ id: d!.id, message: user('d') }],
      removed: [{ id: b!.id, message: user('b') }],
      edited: [{ id: a!.id, before: user('a'), after: user('A') }],
    })
    expect(await diffCheckpoints(store, 's', second.id, first.id)).toEqual({
      added: [{ id: b!.id, message: user('b') }],
      removed: [{ id: d!.id, message: user('d') }],
      edited: [{ id: a!.id, before: user('A'), after: user('a') }],
    })
  })

  it('has what a cut took away and what is on another branch', async () => {
    const store = memoryStore()
    const [a] = await say(store, [user('a'), user('b')])
    const first = await store.checkpoint('s')
    await store.openBranch('s', { after: a! })
    await say(store, [user('c')])
    const second = await store.checkpoint('s')
    await store.truncateHistory('s', 1)
    const third = await store.checkpoint('s')
    const diff = async (from: string, to: string): Promise<unknown> => {
      const { added, removed } = await diffCheckpoints(store, 's', from, to)
      return [added, removed].map((list) => list.map(({ message }) => message.content))
    }
    expect(await diff(first.id, second.id)).toEqual([['c'], ['b']])
    expect(await diff(second.id, third.id)).toEqual([[], ['a']])
    expect(await diff(third.id, third.id)).toEqual([[], []])
  })

  it('of one checkpoint is with what is shown now, edits and branches too', async () => {
    const store = memoryStore()
    const [a, b] = await say(store, [user('a'), user('b')])
    const { id } = await store.checkpoint('s')
    expect(await diffCheckpoints(store, 's', id)).toEqual({ added: [], removed: [], edited: [] })
    await store.openBranch('s', { after: a! })
    const [c] = await say(store, [user('c')])
    await store.edit('s', a!, user('A'))
    expect(await diffCheckpoints(store, 's', id)).toEqual({
      added: [{ id: c!.id, message: user('c') }],
      removed: [{ id: b!.id, message: user('b') }],
      edited: [{ id: a!.id, before: user('a'), after: user('A') }],
    })
  })

  it('is the same on another device, and of no checkpoint that is not there', async () => {
    const [one, other] = [memoryStore(), memoryStore()]
    await say(one, [user('a')])
    const first = await one.checkpoint('s')
    await say(one, [user('b')])
    const second = await one.checkpoint('s')
    await send(one, other)
    expect(await diffCheckpoints(other, 's', first.id, second.id)).toEqual(
      await diffCheckpoints(one, 's', first.id, second.id),
    )
    await expect(diffCheckpoints(one, 's', first.id, 'none')).rejects.toMatchObject({ name: 'CheckpointNotFound' })
  })
})

describe('checkpoints that are made by themselves', () => {
  const open = async (checkpoint: Partial<AutoSaveSettings>): Promise<ManagedSession> =>
    createSessionManager(memoryStore(), { checkpoint: { autoSave: true, interval: '5m', ...checkpoint } }).create(
      'helper',
    )
  const turn = async (session: ManagedSession, n: number): Promise<void> => {
    await session.append(user(`q${n}`))
    await session.append(answer(`a${n}`))
  }
  const counts = async (session: ManagedSession): Promise<unknown[]> =>
    (await session.checkpoints.list()).map(({ messages }) => messages)

  it('come after so many answers, whether appended or streamed, but not after calls of tools', async () => {
    const session = await open({ everyTurns: 2 })
    await turn(session, 0)
    await session.append({ role: 'assistant', content: '', tool_calls: [{ id: 'c1' }] })
    await session.append({ role: 'tool', content: '', tool_call_id: 'c1' })
    expect(await counts(session)).toEqual([])
    const stream = session.stream()
    stream.write('streamed')
    await stream.end()
    await expect.poll(() => counts(session)).toEqual([5])
    await session.appendAll(
      [user('q'), answer('a'), user('q'), answer('a')].map((message) => ({ type: 'message' as const, message })),
    )
    await expect.poll(() => counts(session)).toEqual([5, 9])
  })

  it('come at the latest when the interval is over, and only after something was written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const session = await open({ interval: '1m' })
      await vi.advanceTimersByTimeAsync(120_000)
      expect(await counts(session)).toEqual([])
      await session.append(user('q'))
      await vi.advanceTimersByTimeAsync(59_000)
      await session.append(user('q'))
      expect(await counts(session)).toEqual([])
      await vi.advanceTimersByTimeAsync(1_000)
      await vi.waitFor(async () => expect(await counts(session)).toEqual([2]), { timeout: 20_000 })
      await vi.advanceTimersByTimeAsync(120_000)
      expect(await counts(session)).toEqual([2])
    } finally {
      vi.useRealTimers()
    }
  })

  it('come when a session is closed that has something new, and not where one is already', async () => {
    const manager = createSessionManager(memoryStore(), { checkpoint: { autoSave: true, interval: '5m' } })
    const session = await manager.create('helper')
    await session.append(user('q'))
    await session.close()
    expect(await counts(session)).toEqual([1])
    const again = await manager.get(session.key)
    await again.append(user('q'))
    await again.checkpoints.create()
    await again.close()
    expect(await counts(again)).toEqual([1, 2])
  })

  it('are kept up to a number, and never cost a checkpoint that somebody made', async () => {
    const session = await open({ everyTurns: 1, keep: 2 })
    await session.checkpoints.create({ label: 'mine' })
    for (const n of [1, 2, 3, 4]) {
      await turn(session, n)
      await expect.poll(async () => (await counts(session)).at(-1)).toBe(2 * n)
    }
    await expect.poll(() => counts(session)).toEqual([0, 6, 8])
  })

  it('are not made where nobody asked for them', async () => {
    const session = await createSessionManager(memoryStore()).create('helper')
    await turn(session, 0)
    await session.close()
    expect(await counts(session)).toEqual([])
  })

  const writes: readonly (readonly [string, (session: ManagedSession, first: EntryReceipt) => Promise<unknown>])[] = [
    ['a message said anew', (session, first) => session.editAndResend(first, user('Q'))],
    ['an edit', (session, first) => session.edit(first, user('Q'))],
    ['a removal', (session, first) => session.remove(first)],
    ['an answer that is to come anew', (session) => session.regenerate()],
    [
      'a merge of branches',
      async (session, first) => {
        const { id } = await session.branches.after(first)
        await session.append(answer('other'))
        await session.branches.switchTo('')
        await session.branches.merge(id)
      },
    ],
    ['another model', (session) => piSession(session).setModel('p', 'm')],
    ['another thinking level', (session) => piSession(session).setThinkingLevel('high')],
    ['a label', (session, first) => piSession(session).setLabel(first, 'here')],
    ['a note', (session) => piSession(session).appendCustom('note', 1)],
    [
      'a message of an extension',
      (session) => piSession(session).appendCustomMessage({ customType: 'note', content: 'x' }),
    ],
    [
      'a stream',
      (session) => {
        const stream = session.stream()
        stream.write('streamed')
        return stream.end()
      },
    ],
  ]
  describe.each([
    ['a bare store', async () => memoryStore()],
    ['a client', () => createProfile().open()],
  ] as readonly (readonly [string, () => Promise<SessionStore>])[])('over %s', (_, openStore) => {
    it.each(writes)('come after %s, once', async (_, write) => {
      const manager = createSessionManager(await openStore(), { checkpoint: { autoSave: true, interval: '5m' } })
      const session = await manager.create('helper')
      const first = await session.append(user('q'))
      await session.append(answer('a'))
      await session.close()
      const again = await manager.get(session.key)
      expect((await again.checkpoints.list()).length).toBe(1)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        await write(again, first)
        const started = vi.getTimerCount()
        await vi.advanceTimersByTimeAsync(300_000)
        expect(started).toBeGreaterThan(0)
      } finally {
        vi.useRealTimers()
      }
      await expect.poll(async () => (await again.checkpoints.list()).length).toBe(2)
      await again.close()
      expect((await (await manager.get(session.key)).checkpoints.list()).length).toBe(2)
      await manager.close()
    })
  })

  it('come after what another tab writes, of two tabs that both save only once', async () => {
    const profile = createProfile()
    const checkpoint = { autoSave: true, interval: '5m', everyTurns: 1 }
    const [one, other] = [
      createSessionManager(await profile.open(), { checkpoint }),
      createSessionManager(await profile.open(), { checkpoint }),
    ]
    const here = await one.create('helper')
    const there = await other.get(here.key)
    await turn(there, 1)
    await expect.poll(() => counts(here)).toEqual([2])
    await Promise.all([one.close(), other.close()])
    const later = await profile.open()
    expect((await later.store.listCheckpoints(here.key)).map(({ messages }) => messages)).toEqual([2])
    await later.close()
  })

  it('come in a tab that only watches while another one writes without a manager', async () => {
    const profile = createProfile()
    const manager = createSessionManager(await profile.open(), {
      checkpoint: { autoSave: true, interval: '5m', everyTurns: 1 },
    })
    const session = await manager.create('helper')
    const tab = await profile.open()
    await tab.store.addMessage(session.key, 'assistant', 'a')
    await expect.poll(() => counts(session)).toEqual([1])
    await Promise.all([manager.close(), tab.close()])
  })

  it('bring back no session that was purged', async () => {
    const profile = createProfile()
    const manager = createSessionManager(await profile.open(), { checkpoint: { autoSave: true, interval: '5m' } })
    const session = await manager.create('helper')
    await session.append(user('q'))
    const tab = await profile.open()
    await tab.purge(session.key)
    await session.close()
    expect(await tab.store.getMeta(session.key)).toBeUndefined()
    await Promise.all([manager.close(), tab.close()])
  })

  it.each([{ interval: '5' }, { interval: '' }, { interval: 'soon' }, { everyTurns: 0 }, { keep: 1.5 }])(
    'refuse %j',
    (settings) => {
      expect(() =>
        createSessionManager(memoryStore(), { checkpoint: { autoSave: false, interval: '5m', ...settings } }),
      ).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
    },
  )
})

it('durations are read as Go writes them', () => {
  expect(['5m', '1h30m', '90s', '1.5s', '300ms', '0s'].map(readInterval)).toEqual([
    300_000, 5_400_000, 90_000, 1500, 300, 0,
  ])
})
