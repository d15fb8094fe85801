import { afterEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { methodNames } from '../../src/client/opening/options-index.ts'
import { createMessageStream } from '../../src/client/session/message-stream.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { createProfile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
async function open(): Promise<{ readonly client: SessionClient; readonly session: Session }> {
  const client = await createProfile().open({ name: `stream-${Math.random()}` })
  clients.push(client)
  const session = await client.session('k')
  await session.append({ role: 'user', content: 'q' })
  return { client, session }
}
afterEach(async () => {
  vi.useRealTimers()
  for (const client of clients.splice(0)) await client.close()
})

const last = async (session: Session) => (await session.messages()).at(-1)

it('stores what was written as one entry', async () => {
  const { session } = await open()
  const reply = session.stream()
  for (const piece of ['one ', 'two ', 'three']) reply.write(piece)
  expect(reply.text).toBe('one two three')
  const receipt = await reply.end()
  expect(await last(session)).toEqual({ role: 'assistant', content: 'one two three' })
  expect((await session.page({ last: 1 })).entries[0]).toMatchObject({ id: receipt.id })
})

it('gives the reply the id of the host library, from its first piece on', async () => {
  const { client, session } = await open()
  const transcript = session.transcript()
  await transcript.ready()
  const reply = session.stream({ mid: 'm1' })
  await reply.id
  expect(transcript.getSnapshot()?.drafts).toMatchObject([{ mid: 'm1', text: '' }])
  reply.write('half')
  await new Promise<void>((resolve) =>
    client.subscribe((change) => change.type === 'draft' && change.added?.text === 'half' && resolve()),
  )
  expect(await client.store.listDrafts('k')).toMatchObject([{ mid: 'm1', text: 'half' }])
  await reply.abort()
  const [interrupted] = await session.interrupted()
  expect(interrupted).toMatchObject({ mid: 'm1', text: 'half' })
  const rest = session.stream({ resume: interrupted! })
  rest.write(' and whole')
  await rest.end()
  expect(await session.entries.find({ mid: 'm1' })).toMatchObject({ message: { content: 'half and whole' } })
  expect(await session.messages()).toHaveLength(2)
  transcript.close()
})

it('stores a reply once that two streams end with under one operation id, and leaves no draft', async () => {
  const { client, session } = await open()
  const receipts = []
  for (let round = 0; round < 2; round++) {
    const reply = session.stream({ mid: 'm1', operationId: 'turn 1' })
    reply.write('same')
    receipts.push(await reply.end())
  }
  expect(receipts[1]).toEqual(receipts[0])
  expect(await session.messages()).toHaveLength(2)
  expect(await client.store.listDrafts('k')).toEqual([])
})

it('stores reasoning beside the text', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.writeReasoning('because')
  reply.write('so')
  await reply.end()
  expect(await last(session)).toEqual({ role: 'assistant', content: 'so', reasoning_content: 'because' })
})

it('stores the message it is ended with instead', async () => {
  const { session } = await open()
  const reply = session.stream({ role: 'assistant' })
  reply.write('draft')
  await reply.end({ role: 'assistant', content: 'final', usage: { tokens: 3 } })
  expect(await last(session)).toEqual({ role: 'assistant', content: 'final', usage: { tokens: 3 } })
})

it('journals a reply while it grows', async () => {
  const { client, session } = await open()
  const reply = session.stream()
  reply.write('half')
  const id = await reply.id
  await new Promise<void>((resolve) =>
    client.subscribe((change) => change.type === 'draft' && change.added?.text === 'half' && resolve()),
  )
  expect(await client.store.listDrafts('k')).toMatchObject([{ id, role: 'assistant', text: 'half' }])
  await reply.abort({ keep: false })
})

it('journals many pieces with few writes', async () => {
  const { client, session } = await open()
  let writes = 0
  let journalled = 0
  client.subscribe((change) => change.type === 'draft' && change.added !== undefined && writes++)
  const reply = session.stream()
  for (let i = 0; i < 1000; i++) reply.write('x')
  await new Promise<void>((resolve) =>
    client.subscribe(
      (change) => change.type === 'draft' && (journalled += change.added?.text?.length ?? 0) === 1000 && resolve(),
    ),
  )
  await reply.end()
  // The pieces of one task go together.
  expect(writes).toBe(1)
})

it('leaves no draft behind', async () => {
  const { client, session } = await open()
  const replies = [session.stream(), session.stream(), session.stream()] as const
  for (const reply of replies) reply.write('x')
  await replies[0].end()
  await replies[1].abort()
  await replies[2].abort({ keep: false })
  expect(await client.store.listDrafts('k')).toEqual([])
})

it('keeps what it has when it is aborted, and says so', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.write('half')
  expect(await reply.abort()).toMatchObject({ branch: '' })
  expect(await last(session)).toEqual({ role: 'assistant', content: 'half', interrupted: true, stopped: true })
})

it('does not say of a reply whose model failed that it was stopped', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.write('half')
  await reply.abort({ stopped: false })
  expect(await last(session)).toEqual({ role: 'assistant', content: 'half', interrupted: true })
  expect(await session.interrupted()).toMatchObject([{ stopped: false }])
})

it('stores nothing of a reply that is dropped, or that has nothing yet', async () => {
  const { session } = await open()
  const dropped = session.stream()
  dropped.write('half')
  expect(await dropped.abort({ keep: false })).toBeUndefined()
  expect(await session.stream().abort()).toBeUndefined()
  expect(await last(session)).toEqual({ role: 'user', content: 'q' })
  await expect(dropped.end()).rejects.toMatchObject({ name: 'Aborted' })
})

it('ends once, however often it is ended', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.write('x')
  const receipts = await Promise.all([reply.end(), reply.end(), reply.abort()])
  expect(new Set(receipts.map((receipt) => receipt?.id)).size).toBe(1)
  expect((await session.messages()).length).toBe(2)
})

it('takes no more text when it has ended, and ignores it when it was aborted', async () => {
  const { session } = await open()
  const ended = session.stream()
  await ended.end({ role: 'assistant', content: 'x' })
  expect(() => ended.write('more')).toThrow(TypeError)
  const aborted = session.stream()
  const aborting = aborted.abort()
  aborted.write('more')
  await aborting
  expect(aborted.text).toBe('')
})

it('tells at its end that it could not be stored, and not before', async () => {
  const { client, session } = await open()
  const reply = session.stream()
  reply.write('x')
  await reply.id
  await client.purge('k')
  reply.write('y')
  await expect(reply.end()).rejects.toMatchObject({ name: 'SessionNotFound' })
  await reply.abort({ keep: false })
})

it.each(['delete', 'purge'] as const)('goes with its session, so that a handle closes after a %s', async (remove) => {
  const { client, session } = await open()
  const reply = session.stream()
  reply.write('x')
  await reply.id
  await client[remove]('k')
  await session.close()
  expect(await client.listSessions()).toMatchObject({ sessions: [] })
  await expect(reply.end()).rejects.toMatchObject({ name: 'Aborted' })
})

it('tells at its end that it could not be begun', async () => {
  const { client, session } = await open()
  await client.close()
  const reply = session.stream()
  reply.write('x')
  await expect(reply.id).rejects.toMatchObject({ name: 'StorageClosed' })
  await expect(reply.end()).rejects.toMatchObject({ name: 'StorageClosed' })
})

it('keeps the replies that a handle leaves open when it is closed', async () => {
  const { client, session } = await open()
  session.stream().write('half')
  await session.close()
  expect((await client.store.getHistory('k'))[1]).toEqual({ role: 'assistant', content: 'half', interrupted: true })
})

it('keeps the replies that are open when the store is closed', async () => {
  const profile = createProfile()
  const name = `stream-${Math.random()}`
  const client = await profile.open({ name })
  ;(await client.session('k')).stream().write('half')
  await client.close()
  const again = await profile.open({ name })
  clients.push(again)
  expect(await again.store.getHistory('k')).toEqual([{ role: 'assistant', content: 'half', interrupted: true }])
})

it('stores tool input and structured parts with the text', async () => {
  const { session } = await open()
  const reply = session.stream()
  const part = { type: 'image', url: 'x' }
  reply.write('Look: ')
  reply.writePart(part)
  part.url = 'changed'
  reply.writeToolInput({ id: 'c', name: 'look' })
  reply.writeToolInput({ id: 'c', input: '{"at"' })
  reply.writeToolInput({ id: 'c', input: ':1}' })
  await reply.end()
  expect(await last(session)).toEqual({
    role: 'assistant',
    content: [
      { type: 'text', text: 'Look: ' },
      { type: 'image', url: 'x' },
    ],
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
  })
})

it('shows other tabs the parts while they come', async () => {
  const profile = createProfile()
  const name = `stream-${Math.random()}`
  const [one, two] = [await profile.open({ name }), await profile.open({ name })]
  clients.push(one, two)
  const transcript = (await two.session('k')).transcript()
  const reply = (await one.session('k')).stream()
  reply.write('Look: ')
  reply.writeToolInput({ id: 'c', name: 'look', input: '{"a' })
  const parts = [
    { type: 'text', text: 'Look: ' },
    { type: 'toolInput', id: 'c', name: 'look', input: '{"a' },
  ]
  for await (const { drafts } of transcript) if (drafts[0]?.parts.length === 2) break
  expect(transcript.getSnapshot()!.drafts).toMatchObject([{ text: 'Look: ', parts }])
  expect(reply.parts).toEqual(parts)
  await reply.abort({ keep: false })
})

it('gives a model a history that it takes, though a reply was cut off within a tool call', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.write('Let me look.')
  reply.writeToolInput({ id: 'c', name: 'look', input: '{"a' })
  await reply.abort()
  await session.append({ role: 'user', content: 'and?' })
  const { messages } = await session.context()
  expect(messages.map(({ content, tool_calls: calls }) => [content, calls])).toEqual([
    ['q', undefined],
    ['Let me look.', undefined],
    ['and?', undefined],
  ])
  // Providers refuse fields that they don't know.
  const said = { role: 'assistant', content: 'Let me look.' }
  expect(messages[1]).toEqual(said)
  await session.suggestTitle(async (given) => {
    expect(given[1]).toEqual(said)
    return 'Looking'
  })
  let summarised: readonly Message[] = []
  await session.compact({
    force: true,
    keepTurns: 1,
    summarise: async (request) => {
      summarised = request.messages
      return 'They look.'
    },
  })
  expect(summarised[1]).toEqual(said)
  expect((await session.messages())[1]).toMatchObject({ interrupted: true, tool_calls: [{ id: 'c' }] })
})

it('refuses what is no piece of a reply', async () => {
  const { session } = await open()
  const reply = session.stream()
  expect(() => reply.write(undefined as never)).toThrow(TypeError)
  expect(() => reply.writeReasoning(5 as never)).toThrow(TypeError)
  expect(() => reply.writeToolInput({ id: '', input: 'x' })).toThrow(TypeError)
  expect(() => reply.writeToolInput({ id: 'c', input: {} as never })).toThrow(TypeError)
  expect(() => reply.writePart('x' as never)).toThrow(TypeError)
  expect(() => reply.writePart({ type: 'x', big: 1n } as never)).toThrow('part.big')
  reply.write('good')
  await reply.end()
  expect(await last(session)).toEqual({ role: 'assistant', content: 'good' })
})

it('sends the text of a long reply to the store and to the others about once, whatever the number of its pieces', async () => {
  const { client, session } = await open()
  let told = 0
  client.subscribe((change) => change.type === 'draft' && (told += JSON.stringify(change).length))
  const reply = session.stream()
  const piece = 'twenty characters, '.padEnd(20, '.')
  for (let i = 0; i < 50_000; i++) reply.write(piece)
  await new Promise<void>((resolve) => {
    let length = 0
    client.subscribe(
      (change) => change.type === 'draft' && (length += change.added?.text?.length ?? 0) === 1_000_000 && resolve(),
    )
  })
  expect(told).toBeLessThan(1_010_000)
  const [draft] = await client.store.listDrafts('k')
  expect([draft!.text.length, draft!.next]).toEqual([1_000_000, Math.ceil(1_000_000 / 32_768)])
  await reply.end()
  expect((await last(session))?.content).toBe(piece.repeat(50_000))
})

it('tells what power loss would take, and flushes it', async () => {
  const { client, session } = await open()
  await client.upkeep.flush()
  expect((await client.upkeep.health()).unflushed).toBeUndefined()
  await session.append({ role: 'tool', tool_call_id: 'c', content: 'r' })
  expect((await client.upkeep.health()).unflushed).toEqual({ commits: 1, since: expect.any(Number) })
  await client.upkeep.flush()
  expect((await client.upkeep.health()).unflushed).toBeUndefined()
})

it('takes nothing for flushed that a worker stored before it died', async () => {
  const profile = createProfile()
  const client = await profile.open({ name: `stream-${Math.random()}` })
  clients.push(client)
  await client.upkeep.flush()
  const worker = profile.workers[0]!
  await client.store.addFullMessage('k', { role: 'tool', tool_call_id: 'c', content: 'r' })
  worker.terminate()
  const again = await profile.open({ name: client.name })
  clients.push(again)
  // What the dead worker told of it last may come late, and then counts once more.
  expect((await again.upkeep.health()).unflushed?.commits).toBeGreaterThanOrEqual(1)
})

/** A reply with a text that can't be begun before there is room for it. */
function writeWithoutRoom(client: SessionClient) {
  let isFull = true
  const openDraft: SessionStore['openDraft'] = async (...given) => {
    if (isFull) throw new SessionError('QuotaExceeded', 'full')
    return client.store.openDraft(...given)
  }
  const reply = createMessageStream({ ...client.store, openDraft }, 'k', {}, async () => undefined)
  reply.write('kept')
  return { reply, makeRoom: () => void (isFull = false) }
}

it('begins once there is room for it, where there was none when it was to begin', async () => {
  const { client } = await open()
  const { reply, makeRoom } = writeWithoutRoom(client)
  await expect(reply.end()).rejects.toMatchObject({ name: 'QuotaExceeded' })
  makeRoom()
  await reply.end()
  expect((await client.store.getHistory('k')).at(-1)).toEqual({ role: 'assistant', content: 'kept' })
  expect(await client.store.listDrafts('k')).toEqual([])
})

it('can be dropped though it could never begin, and is kept or told', async () => {
  const { client } = await open()
  const { reply } = writeWithoutRoom(client)
  await expect(reply.abort({ keep: true })).rejects.toMatchObject({ name: 'QuotaExceeded' })
  expect(await reply.abort({ keep: false })).toBeUndefined()
  expect(await writeWithoutRoom(client).reply.abort({ keep: false })).toBeUndefined()
  expect(await client.store.listDrafts('k')).toEqual([])
})

it('journals what it has once there is room for it', async () => {
  const { client } = await open()
  const { reply, makeRoom } = writeWithoutRoom(client)
  await expect(reply.id).rejects.toMatchObject({ name: 'QuotaExceeded' })
  const journalled = new Promise<void>((resolve) =>
    client.subscribe((change) => change.type === 'draft' && change.added !== undefined && resolve()),
  )
  makeRoom()
  await journalled
  expect(await client.store.listDrafts('k')).toMatchObject([{ text: 'kept' }])
  await reply.end()
})

/** Two databases of which the second has what a mirror has of the first: its entries, and none of its drafts. */
async function openLost() {
  const [first, second] = [createSessionStore(createMemoryBackend()), createSessionStore(createMemoryBackend())]
  await first.append('k', [{ type: 'message', message: { role: 'user', content: 'q' } }])
  let current = first
  const store = Object.fromEntries(
    methodNames.map((name) => [
      name,
      (...given: readonly unknown[]) => (current[name] as (...all: readonly unknown[]) => unknown)(...given),
    ]),
  ) as unknown as SessionStore
  return {
    store,
    lose: async () => {
      await second.merge('k', (await first.changes('k')).entries)
      current = second
    },
  }
}

it('is stored although its database was lost and filled again while it grew', async () => {
  const { store, lose } = await openLost()
  const reply = createMessageStream(store, 'k', {}, async () => undefined)
  reply.write('one ')
  await reply.id
  await lose()
  reply.write('two')
  await reply.end()
  expect(await store.getHistory('k')).toEqual([
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'one two' },
  ])
  expect(await store.listDrafts('k')).toEqual([])
})

it.each(['delete', 'purge'] as const)('is not stored after a %s of its session, begun afresh at once', async (end) => {
  // All of it in one millisecond.
  vi.useFakeTimers({ toFake: ['Date'] })
  const { store } = await openLost()
  const reply = createMessageStream(store, 'k', {}, async () => undefined)
  reply.write('one')
  await reply.id
  await store[end]('k')
  await store.append('k', [{ type: 'message', message: { role: 'user', content: 'new' } }])
  await expect(reply.end()).rejects.toMatchObject({ name: 'SessionNotFound' })
  expect(await store.getHistory('k')).toEqual([{ role: 'user', content: 'new' }])
  expect(await reply.abort()).toBeUndefined()
  expect(await store.getHistory('k')).toEqual([{ role: 'user', content: 'new' }])
})

it.each(['deleted', 'deleted and begun anew'])(
  'goes with its session when that is %s while it grows, and its tab closes',
  async (how) => {
    const { client, session } = await open()
    const [reply, left] = [session.stream(), session.stream()]
    for (const one of [reply, left]) one.write('one')
    await Promise.all([reply.id, left.id])
    await session.delete()
    if (how !== 'deleted') await (await client.session('k')).append({ role: 'user', content: 'new' })
    expect(await reply.abort()).toBeUndefined()
    await session.close()
    expect(await client.store.getHistory('k')).toEqual(how === 'deleted' ? [] : [{ role: 'user', content: 'new' }])
  },
)

it('is not stored twice where nobody knows whether it was', async () => {
  const { store } = await openLost()
  let isLost = true
  const sealDraft: SessionStore['sealDraft'] = async (...given) => {
    const receipt = await store.sealDraft(...given)
    if (isLost) throw new SessionError('WorkerLost', 'lost')
    return receipt
  }
  const reply = createMessageStream({ ...store, sealDraft }, 'k', {}, async () => undefined)
  reply.write('one')
  await expect(reply.end()).rejects.toMatchObject({ name: 'WorkerLost' })
  isLost = false
  await expect(reply.end()).rejects.toMatchObject({ name: 'InvalidInput' })
  expect(await store.getHistory('k')).toHaveLength(2)
  await reply.abort({ keep: false })
})
