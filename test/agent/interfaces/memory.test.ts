import { describe, expect, it } from 'vitest'
import type { MemoryRanking } from '../../../src/dialects/aixgo/agents/agent-types.ts'
import { createMemory } from '../../../src/dialects/aixgo/agents/create-memory.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import { send } from '../../client/context/support/stores.ts'
import { memoryStore, twoTabs } from '../support/memory-store.ts'

const agentName = 'helper'

describe('a memory', () => {
  it('gives back what was set last, with when and where from', async () => {
    const memory = createMemory({ store: memoryStore(), agentName, now: () => 1_700_000_000_000 })
    expect(await memory.read('drink')).toBeUndefined()
    await memory.set('drink', 'coffee')
    const entry = await memory.set('drink', 'tea', { source: 'ann' })
    expect(entry).toEqual({ key: 'drink', value: 'tea', timestamp: '2023-11-14T22:13:20.001Z', source: 'ann' })
    expect(await memory.read('drink')).toEqual(entry)
  })

  it('lists everything by key, each key once', async () => {
    const memory = createMemory({ store: memoryStore(), agentName })
    for (const [key, value] of [
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
      ['constructor', '4'],
    ] as const)
      await memory.set(key, value)
    expect((await memory.list()).map(({ key, value }) => [key, value])).toEqual([
      ['a', '2'],
      ['b', '3'],
      ['constructor', '4'],
    ])
  })

  it('forgets what is deleted, and erases it with the next compaction', async () => {
    const store = memoryStore()
    const memory = createMemory({ store, agentName })
    await memory.set('secret', 'x')
    await memory.set('secret', 'y')
    expect(await memory.delete('secret')).toBe(true)
    expect(await memory.delete('secret')).toBe(false)
    expect([await memory.read('secret'), await memory.list()]).toEqual([undefined, []])
    // Two values, and what says of each that it was deleted.
    expect(await store.reclaim('memory:helper')).toBe(4)
    await memory.set('secret', 'z')
    expect((await memory.read('secret'))?.value).toBe('z')
  })

  it('is one of an agent, in every tab, and no other agent’s', async () => {
    const [one, other] = twoTabs()
    await createMemory({ store: one, agentName }).set('drink', 'tea')
    expect((await createMemory({ store: other, agentName }).read('drink'))?.value).toBe('tea')
    expect(await createMemory({ store: other, agentName: 'stranger' }).list()).toEqual([])
  })

  it('loses no key when tabs set many at once, and has one value for a key that all set', async () => {
    const memories = twoTabs().map((store) => createMemory({ store, agentName }))
    await Promise.all(
      memories.flatMap((memory, tab) =>
        Array.from({ length: 10 }, (_, n) => [
          memory.set(`${tab}-${n}`, 'own'),
          memory.set('shared', `${tab}-${n}`),
        ]).flat(),
      ),
    )
    const [one, other] = [await memories[0]!.list(), await memories[1]!.list()]
    expect(one).toEqual(other)
    expect(one.length).toBe(21)
  })

  it('holds the same for devices that have merged, whoever’s clock was ahead', async () => {
    const [here, there] = [memoryStore(), memoryStore()]
    await createMemory({ store: there, agentName, now: () => 4_000_000_000_000 }).set('drink', 'coffee')
    await send(there, here, 'memory:helper')
    const memory = createMemory({ store: here, agentName, now: () => 1_700_000_000_000 })
    await memory.set('drink', 'tea')
    await memory.set('meal', 'soup')
    await send(here, there, 'memory:helper')
    expect((await memory.read('drink'))?.value).toBe('tea')
    expect(await createMemory({ store: there, agentName }).list()).toEqual(await memory.list())
  })

  it('keeps a value that another device sets while it is deleted here', async () => {
    const [here, there] = [memoryStore(), memoryStore()]
    const [mine, theirs] = [createMemory({ store: here, agentName }), createMemory({ store: there, agentName })]
    await mine.set('drink', 'tea')
    await send(here, there, 'memory:helper')
    await mine.delete('drink')
    await theirs.set('drink', 'coffee')
    await send(there, here, 'memory:helper')
    expect((await mine.read('drink'))?.value).toBe('coffee')
  })

  it('is in no list of the agent’s sessions, and among the archived ones of all', async () => {
    const store = memoryStore()
    await createMemory({ store, agentName }).set('drink', 'tea')
    expect((await createSessionManager(store).list(agentName)).sessions).toEqual([])
    expect((await store.listSessions({ archived: false })).sessions).toEqual([])
    expect((await store.listSessions()).sessions).toMatchObject([
      { title: 'Memory of helper', archived: true, tags: ['memory'] },
    ])
  })

  it('begins afresh, apart from conversations again, when its session was deleted', async () => {
    const store = memoryStore()
    const memory = createMemory({ store, agentName })
    await memory.set('drink', 'tea')
    await store.delete('memory:helper')
    expect(await memory.list()).toEqual([])
    await memory.set('meal', 'soup')
    expect((await memory.list()).map(({ key }) => key)).toEqual(['meal'])
    expect((await store.listSessions()).sessions).toMatchObject([{ archived: true, tags: ['memory'] }])
  })

  it('passes over entries of others, whatever they hold', async () => {
    const store = memoryStore()
    const memory = createMemory({ store, agentName })
    await memory.set('a', '1')
    const soundly = { customType: 'memory', key: 'b', value: '2', timestamp: '2024-01-01T00:00:00Z', source: '' }
    await store.append(
      'memory:helper',
      [
        { ...soundly, customType: 'other' },
        { ...soundly, value: 2 },
        { ...soundly, timestamp: 'soon' },
      ].map((data) => ({ type: 'custom', data })),
    )
    expect((await memory.list()).map(({ key }) => key)).toEqual(['a'])
    await memory.set('b', '3')
  })

  it('takes texts only, and agents of sound names', async () => {
    const memory = createMemory({ store: memoryStore(), agentName })
    for (const call of [
      memory.set('', 'x'),
      memory.set('k', 5 as never),
      memory.set(5 as never, 'x'),
      memory.set('k', 'v', { source: null as never }),
    ])
      await expect(call).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(await memory.list()).toEqual([])
    expect(() => createMemory({ store: memoryStore(), agentName: '../x' })).toThrow(
      expect.objectContaining({ name: 'InvalidPathComponent' }),
    )
  })

  it('gives agents a reader that can’t write', async () => {
    const memory = createMemory({ store: memoryStore(), agentName })
    expect(Object.keys(memory.reader).sort()).toEqual(['list', 'read', 'search'])
    expect(Object.isFrozen(memory.reader)).toBe(true)
  })

  it('is searched by the caller’s ranking, best first, up to a limit', async () => {
    const rank: MemoryRanking = async (query, entries) =>
      entries.filter(({ value }) => value.includes(query)).sort((a, b) => a.value.length - b.value.length)
    const memory = createMemory({ store: memoryStore(), agentName, rank })
    for (const [key, value] of [
      ['a', 'green tea with milk'],
      ['b', 'tea'],
      ['c', 'water'],
      ['d', 'black tea'],
    ] as const)
      await memory.set(key, value)
    expect((await memory.search('tea')).map(({ key }) => key)).toEqual(['b', 'd', 'a'])
    expect((await memory.reader.search('tea', 1)).map(({ key }) => key)).toEqual(['b'])
    expect(await memory.search('tea', 0)).toEqual([])
  })

  it('is searched by words of key and value without any option, in any script, newest first where all is equal', async () => {
    let at = 1_700_000_000_000
    const memory = createMemory({ store: memoryStore(), agentName, now: () => (at += 1000) })
    const values = [
      ['favourite_drink', 'green tea with milk'],
      ['pet', 'a cat called Tea'],
      ['city', 'Zürich, not Bern'],
      ['note', '会話の記録を検索する'],
      ['other note', '話すのが好き'],
      ['one', 'same words'],
      ['two', 'same words'],
    ] as const
    for (const [key, value] of values) await memory.set(key, value)
    const found = async (query: string): Promise<readonly string[]> =>
      (await memory.reader.search(query)).map(({ key }) => key)
    expect(await found('what drink, tea?')).toEqual(['favourite_drink', 'pet'])
    expect(await found('zurich')).toEqual(['city'])
    expect(await found('記録')).toEqual(['note'])
    expect(await found('検索の記録')).toEqual(['note'])
    expect(await found('話')).toEqual(['other note', 'note'])
    expect(await found('same')).toEqual(['two', 'one'])
    expect(await found('nothing of it')).toEqual([])
    expect(await found(' ?! ')).toEqual([])
    await expect(memory.search(undefined as never)).rejects.toMatchObject({ name: 'InvalidInput' })
  })
})
