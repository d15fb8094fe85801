import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointTuple,
  MemorySaver,
  TASKS,
} from '@langchain/langgraph-checkpoint'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSaver } from '../../../src/adapters/langgraph/create-saver.ts'
import type { SaverOptions } from '../../../src/adapters/langgraph/langgraph-types.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Collection } from '../../../src/client/collection.ts'
import type { RowRange, RowWrite } from '../../../src/contract/store/collections.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

let profile: Profile
let client: SessionClient
let saver: BaseCheckpointSaver
const clients: SessionClient[] = []

async function openClient(): Promise<SessionClient> {
  const opened = await profile.open({ name: 'graphs' })
  clients.push(opened)
  return opened
}
beforeEach(async () => {
  profile = createProfile()
  client = await openClient()
  saver = createSaver(client, { BaseCheckpointSaver })
})
afterEach(async () => {
  for (const opened of clients.splice(0)) await opened.close()
})

const configOf = (thread_id: string, checkpoint_id?: string, checkpoint_ns = '') => ({
  configurable: { thread_id, checkpoint_ns, ...(checkpoint_id !== undefined && { checkpoint_id }) },
})

const metadata = { source: 'loop' as const, step: 1, parents: {} }

function checkpoint(id: string, values: Record<string, unknown>, versions: Record<string, number> = {}): Checkpoint {
  const all = Object.fromEntries(Object.keys(values).map((channel) => [channel, versions[channel] ?? 1]))
  return { v: 4, id, ts: '2026-11-27T00:00:00.000Z', channel_values: values, channel_versions: all, versions_seen: {} }
}

/** Puts a checkpoint whose channels are all new, unless it says which are. */
const put = (thread: string, parent: string | undefined, given: Checkpoint, changed = given.channel_versions) =>
  saver.put(configOf(thread, parent), given, metadata, changed)

const valuesOf = async (thread: string, id?: string) =>
  (await saver.getTuple(configOf(thread, id)))?.checkpoint.channel_values

async function list(...args: Parameters<BaseCheckpointSaver['list']>): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = []
  for await (const tuple of saver.list(...args)) tuples.push(tuple)
  return tuples
}

async function allKeys(): Promise<string[]> {
  const { rows } = await client.collection('langgraph').range({ limit: 1000 })
  return rows.map(({ key }) => key)
}

/** A client whose collection tells of calls, and can do something before they are made. */
function watched(
  before: (call: 'getAll' | 'range' | 'write', given: readonly unknown[]) => void | Promise<void>,
): Pick<SessionClient, 'collection'> {
  return {
    collection: (name: string): Collection => {
      const inner = client.collection(name)
      return {
        ...inner,
        getAll: async (keys) => {
          await before('getAll', keys)
          return inner.getAll(keys)
        },
        range: async (range?: RowRange) => {
          await before('range', [range])
          return inner.range(range)
        },
        write: async (ops: readonly RowWrite[]) => {
          await before('write', ops)
          return inner.write(ops)
        },
      }
    },
  }
}

describe('a checkpoint', () => {
  it('comes back in another tab and after all tabs were closed', async () => {
    await put('t', undefined, checkpoint('1', { messages: ['hello'] }))
    const there = createSaver(await openClient(), { BaseCheckpointSaver })
    expect((await there.getTuple(configOf('t')))?.checkpoint.channel_values).toEqual({ messages: ['hello'] })
    for (const opened of clients.splice(0)) await opened.close()
    saver = createSaver(await openClient(), { BaseCheckpointSaver })
    expect(await valuesOf('t')).toEqual({ messages: ['hello'] })
  })

  it('is stored in one commit, with its channels, and with the values of only those that changed', async () => {
    const writes: (readonly unknown[])[] = []
    await put('t', undefined, checkpoint('1', { a: 'x', b: 'y' }))
    saver = createSaver(
      watched((call, given) => void (call === 'write' && writes.push(given))),
      { BaseCheckpointSaver },
    )
    await put('t', '1', checkpoint('2', { a: 'x', b: 'z' }, { a: 1, b: 2 }), { b: 2 })
    expect(writes.map((ops) => ops.map((op) => (op as RowWrite).key))).toEqual([['t/t', 'c/t//2', 'b/t//b/2/2/000000']])
    expect(await valuesOf('t')).toEqual({ a: 'x', b: 'z' })
  })

  it('has the values that it was put with, whatever a branch has in the same version of a channel', async () => {
    await put('t', undefined, checkpoint('1', { a: 'start' }))
    await put('t', '1', checkpoint('2', { a: 'one' }, { a: 2 }))
    await put('t', '1', checkpoint('3', { a: 'other' }, { a: 2 }))
    await put('t', '2', checkpoint('4', { a: 'one', b: 1 }, { a: 2, b: 3 }), { b: 3 })
    await put('t', '3', checkpoint('5', { a: 'other', b: 2 }, { a: 2, b: 3 }), { b: 3 })
    expect([await valuesOf('t', '4'), await valuesOf('t', '5')]).toEqual([
      { a: 'one', b: 1 },
      { a: 'other', b: 2 },
    ])
  })

  it.each([
    ['the first one', undefined],
    ['one whose parent is not stored', 'nobody'],
  ])('keeps its values as a copy of %s, for which LangGraph names no new versions', async (_, parent) => {
    await put('t', parent, checkpoint('1', { a: 'x' }))
    await put('t', parent, checkpoint('2', { a: 'x' }), {})
    expect(await valuesOf('t')).toEqual({ a: 'x' })
  })

  it('shows no value of a channel that it was put without', async () => {
    await put('t', undefined, checkpoint('1', { a: 'x', once: 'y' }))
    const next = { ...checkpoint('2', { a: 'x' }), channel_versions: { a: 1, once: 1 } }
    await put('t', '1', next, {})
    expect(await valuesOf('t')).toEqual({ a: 'x' })
  })

  it('keeps bytes, values over 8 MiB, and what has no JSON', async () => {
    const large = 'é'.repeat(9_000_000)
    const values = {
      bytes: Uint8Array.of(0, 1, 255),
      empty: new Uint8Array(),
      large,
      map: new Map([['k', new Set([1])]]),
      nothing: undefined,
    }
    await put('t', undefined, checkpoint('1', values))
    await saver.putWrites(configOf('t', '1'), [['large', large]], 'task')
    const tuple = await saver.getTuple(configOf('t'))
    expect(tuple!.checkpoint.channel_values['large'] === large).toBe(true)
    expect(tuple!.pendingWrites![0]![2] === large).toBe(true)
    expect({ ...tuple!.checkpoint.channel_values, large: '' }).toEqual({ ...values, large: '' })
    const { rows } = await client.collection('langgraph').range({ prefix: 'b/t//bytes/' })
    expect(rows.map(({ value }) => value)).toEqual([values.bytes])
  })

  it('is found under names with any characters, apart from all others', async () => {
    const names = ['a/b', 'a', 'a%2Fb', '__proto__', '%', '\0', 'ü😀', 'a/', '/']
    for (const thread of names)
      for (const ns of ['', ...names])
        await saver.put(configOf(thread, undefined, ns), checkpoint('1/x', { [ns]: thread }), metadata, { [ns]: 1 })
    for (const thread of names)
      for (const ns of ['', ...names]) {
        const tuple = await saver.getTuple(configOf(thread, undefined, ns))
        expect(tuple!.config).toEqual(configOf(thread, '1/x', ns))
        expect(Object.entries(tuple!.checkpoint.channel_values)).toEqual([[ns, thread]])
      }
    await saver.deleteThread('a')
    expect((await list({})).length).toBe((names.length - 1) * (names.length + 1))
  })

  it.each([
    ['a number', { thread_id: 7 }],
    ['an empty text', { thread_id: '' }],
    ['a namespace that is no text', { thread_id: 't', checkpoint_ns: null }],
  ])('is refused under %s, and the message says so', async (_, configurable) => {
    await expect(saver.put({ configurable }, checkpoint('1', {}), metadata, {})).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('configurable.'),
    })
    await expect(saver.getTuple({ configurable })).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('is not passed over when it is damaged, and neither is one of its values', async () => {
    await put('t', undefined, checkpoint('1', { a: 'x' }))
    await put('t', '1', checkpoint('2', { a: 'y' }, { a: 2 }))
    await client.collection('langgraph').write([{ type: 'delete', key: 'b/t//a/2/2/000000' }])
    await expect(saver.getTuple(configOf('t'))).rejects.toMatchObject({ name: 'ChecksumMismatch' })
    await client.collection('langgraph').write([{ type: 'put', key: 'c/t//2', value: Uint8Array.of(1, 2) }])
    await expect(saver.getTuple(configOf('t'))).rejects.toMatchObject({
      name: 'ChecksumMismatch',
      message: expect.stringContaining('c/t//2'),
    })
    expect(await valuesOf('t', '1')).toEqual({ a: 'x' })
    await saver.deleteThread('t')
    expect(await saver.getTuple(configOf('t'))).toBeUndefined()
  })

  it('uses the serializer that it is given', async () => {
    const serde: SaverOptions['serde'] = {
      dumpsTyped: async (value) => ['reversed', new TextEncoder().encode(JSON.stringify([value])).reverse()],
      loadsTyped: async (_, bytes) => JSON.parse(new TextDecoder().decode(bytes.slice().reverse()))[0],
    }
    saver = createSaver(client, { BaseCheckpointSaver }, { collection: 'mine', serde })
    await put('t', undefined, checkpoint('1', { a: 'x' }))
    expect(await valuesOf('t')).toEqual({ a: 'x' })
    expect((await client.collection('mine').range({ prefix: 'b/' })).rows[0]!.value).toEqual(
      new TextEncoder().encode('["x"]').reverse(),
    )
  })
})

describe('pending writes', () => {
  it('are stored once for each index, but special ones replace each other', async () => {
    await put('t', undefined, checkpoint('1', {}))
    const config = configOf('t', '1')
    await saver.putWrites(
      config,
      [
        ['a', 1],
        ['b', 2],
        ['__interrupt__', 'first'],
      ],
      'task',
    )
    await saver.putWrites(
      config,
      [
        ['a', 3],
        ['b', 4],
        ['c', 5],
        ['__interrupt__', 'second'],
      ],
      'task',
    )
    expect((await saver.getTuple(config))!.pendingWrites).toEqual([
      ['task', '__interrupt__', 'second'],
      ['task', 'a', 1],
      ['task', 'b', 2],
      ['task', 'c', 5],
    ])
  })

  it('come in the order of task path, task and index, as the graph applies them', async () => {
    await put('t', undefined, checkpoint('1', {}))
    const config = configOf('t', '1')
    await saver.putWrites(
      config,
      Array.from({ length: 12 }, (_, i) => ['x', i] as [string, unknown]),
      'a',
      '~b',
    )
    for (const [task, taskPath] of [
      ['z', '~a'],
      ['b', '~b'],
      ['\u{10000}', ''],
      ['\uffff', ''],
      ['y', ''],
    ] as const)
      await saver.putWrites(config, [['x', task]], task, taskPath)
    const values = (await saver.getTuple(config))!.pendingWrites!.map(([, , value]) => value)
    expect(values).toEqual(['y', '\uffff', '\u{10000}', 'z', ...Array.from({ length: 12 }, (_, i) => i), 'b'])
  })

  it('are all read, however many there are', async () => {
    await put('t', undefined, checkpoint('1', {}))
    const writes = Array.from({ length: 1100 }, (_, i) => [`c${i}`, i] as [string, unknown])
    await saver.putWrites(configOf('t', '1'), writes, 'task')
    expect((await saver.getTuple(configOf('t', '1')))!.pendingWrites).toEqual(writes.map((write) => ['task', ...write]))
  })

  it('of channels that are called like methods of objects have an index of their own', async () => {
    await put('t', undefined, checkpoint('1', {}))
    await saver.putWrites(
      configOf('t', '1'),
      [
        ['constructor', 1],
        ['toString', 2],
      ],
      'task',
    )
    expect((await saver.getTuple(configOf('t', '1')))!.pendingWrites).toHaveLength(2)
  })

  it('on tasks are put into the checkpoint after them, when that is of an old version', async () => {
    await put('t', undefined, checkpoint('1', {}))
    await saver.putWrites(
      configOf('t', '1'),
      [
        [TASKS, 'send'],
        ['other', 1],
      ],
      'task',
    )
    await put('t', '1', { ...checkpoint('2', { a: 1, b: 2 }, { a: 3, b: 5 }), v: 1 })
    expect((await saver.getTuple(configOf('t')))!.checkpoint).toMatchObject({
      channel_values: { a: 1, b: 2, [TASKS]: ['send'] },
      channel_versions: { a: 3, b: 5, [TASKS]: 5 },
    })
  })
})

describe('list', () => {
  it('gives what the saver in memory gives, newest first, for any config and options', async () => {
    const memory = new MemorySaver()
    for (const thread of ['1', '2'])
      for (const ns of ['', 'sub'])
        for (const id of ['a', 'b', 'c'])
          for (const one of [saver, memory])
            await one.put(
              configOf(thread, undefined, ns),
              checkpoint(id, { id }),
              { ...metadata, step: id.length, who: id } as never,
              { id: 1 },
            )
    const idsOf = async (one: BaseCheckpointSaver, ...args: Parameters<BaseCheckpointSaver['list']>) => {
      const ids: string[] = []
      for await (const { config } of one.list(...args)) ids.push(Object.values(config.configurable!).join(' '))
      return ids
    }
    const configs = [{}, ...['1', '9'].map((thread_id) => ({ thread_id }))].flatMap((config) => [
      config,
      { ...config, checkpoint_ns: '' },
      { ...config, checkpoint_ns: 'sub', checkpoint_id: 'b' },
      { ...config, checkpoint_id: 'b' },
    ])
    for (const configurable of configs)
      for (const options of [
        {},
        { before: configOf('1', 'c') },
        { before: configOf('1', 'b'), filter: { who: 'a' } },
        { filter: { who: 'c', source: 'loop' } },
        { filter: { parents: {} } },
      ]) {
        const expected = options.filter?.parents
          ? await idsOf(memory, { configurable })
          : await idsOf(memory, { configurable }, options)
        expect((await idsOf(saver, { configurable }, options)).sort()).toEqual(expected.sort())
      }
    expect(await idsOf(saver, configOf('1'), { limit: 2 })).toEqual(await idsOf(memory, configOf('1'), { limit: 2 }))
    expect(await idsOf(saver, configOf('1'), { limit: 0 })).toEqual([])
  })

  it('reads no further than it is asked', async () => {
    for (let i = 100; i < 260; i++) await put('t', undefined, checkpoint(String(i), { a: i }))
    const ranges: string[] = []
    saver = createSaver(
      watched((call, [range]) => void (call === 'range' && ranges.push((range as RowRange).prefix!))),
      { BaseCheckpointSaver },
    )
    for await (const {
      checkpoint: { id },
    } of saver.list(configOf('t')))
      if (id === '257') break
    expect(ranges).toEqual(['c/t//', 'w/t//259/', 'w/t//258/', 'w/t//257/'])
    expect((await list(configOf('t'))).map((tuple) => tuple.checkpoint.id)).toHaveLength(160)
  })
})

describe('deleting a thread', () => {
  it('deletes it in one commit, and nothing of other threads', async () => {
    let writes = 0
    for (const thread of ['t', 't2', 'other']) {
      await put(thread, undefined, checkpoint('1', { a: thread }))
      await saver.putWrites(configOf(thread, '1'), [['x', 1]], 'task')
    }
    saver = createSaver(
      watched((call) => void (call === 'write' && writes++)),
      { BaseCheckpointSaver },
    )
    await saver.deleteThread('t')
    expect(writes).toBe(1)
    expect(await saver.getTuple(configOf('t'))).toBeUndefined()
    expect((await allKeys()).filter((key) => key.split('/')[1] === 't')).toEqual([])
    expect([await valuesOf('t2'), await valuesOf('other')]).toEqual([{ a: 't2' }, { a: 'other' }])
  })

  it.each([2, 3])('shows nothing of a thread larger than a commit, when it breaks off at commit %i', async (last) => {
    await putMany('t')
    let writes = 0
    const breaking = createSaver(
      watched((call) => {
        if (call === 'write' && ++writes === last) throw new Error('The tab died.')
      }),
      { BaseCheckpointSaver },
    )
    await expect(breaking.deleteThread('t')).rejects.toThrow('The tab died.')
    expect((await allKeys()).length).toBeGreaterThan(20)
    expect(await list(configOf('t'))).toEqual([])
    expect(await saver.getTuple(configOf('t'))).toBeUndefined()
    expect(await allKeys()).toEqual([])
  })

  it('that broke off is finished before a new checkpoint is put, which is kept with all its values', async () => {
    await putMany('t')
    let writes = 0
    const breaking = createSaver(
      watched((call) => {
        if (call === 'write' && ++writes === 2) throw new Error('The tab died.')
      }),
      { BaseCheckpointSaver },
    )
    await expect(breaking.deleteThread('t')).rejects.toThrow('The tab died.')
    await put('t', '29', checkpoint('30', { a: 'new', b: 'old' }, { a: 2, b: 1 }), { a: 2 })
    expect((await list(configOf('t'))).map((tuple) => tuple.checkpoint.channel_values)).toEqual([
      { a: 'new', b: 'old' },
    ])
    expect(await allKeys()).toHaveLength(4)
  })

  it('while another tab puts a checkpoint leaves that whole or not at all', async () => {
    await put('t', undefined, checkpoint('1', { a: 'x' }))
    const other = createSaver(await openClient(), { BaseCheckpointSaver })
    let isDeleted = false
    saver = createSaver(
      watched(async (call, ops) => {
        const isPut = call === 'write' && (ops as readonly RowWrite[]).some(({ type }) => type === 'put')
        if (!isPut || isDeleted) return
        isDeleted = true
        await other.deleteThread('t')
      }),
      { BaseCheckpointSaver },
    )
    await put('t', '1', checkpoint('2', { a: 'x', b: 'y' }, { a: 1, b: 2 }), { b: 2 })
    expect(isDeleted).toBe(true)
    expect(await valuesOf('t')).toEqual({ a: 'x', b: 'y' })
  })

  it('leaves nothing of a checkpoint that another tab puts while the rows are being looked for', async () => {
    await put('t', undefined, checkpoint('1', { a: 'x' }))
    const other = createSaver(await openClient(), { BaseCheckpointSaver })
    let isPut = false
    const deleting = createSaver(
      watched(async (call) => {
        if (call !== 'write' || isPut) return
        isPut = true
        await other.put(configOf('t', '1'), checkpoint('2', { a: 'x', b: 'y' }), metadata, { b: 1 })
      }),
      { BaseCheckpointSaver },
    )
    await deleting.deleteThread('t')
    expect(await allKeys()).toEqual([])
  })

  it('while it is read gives the whole thread or none', async () => {
    await put('t', undefined, checkpoint('1', { a: 'x' }))
    await saver.putWrites(configOf('t', '1'), [['x', 1]], 'task')
    const other = createSaver(await openClient(), { BaseCheckpointSaver })
    for (const step of ['range', 'getAll']) {
      let isDeleted = false
      saver = createSaver(
        watched(async (call, [given]) => {
          const prefix = (given as RowRange).prefix ?? ''
          if (isDeleted || call !== step || prefix.startsWith('c/')) return
          isDeleted = true
          await other.deleteThread('t')
        }),
        { BaseCheckpointSaver },
      )
      expect(await saver.getTuple(configOf('t'))).toBeUndefined()
      expect(isDeleted).toBe(true)
      await put('t', undefined, checkpoint('1', { a: 'x' }))
    }
  })
})

/** Rows of a thread that are more than one commit may have. */
async function putMany(thread: string): Promise<void> {
  for (let i = 10; i < 30; i++)
    await put(thread, String(i - 1), checkpoint(String(i), { a: i, b: 'old' }, { a: i }), { a: i })
  const writes = Array.from({ length: 4096 }, (_, i) => ['x', i] as [string, unknown])
  await saver.putWrites(configOf(thread, '29'), writes, 'task')
}
