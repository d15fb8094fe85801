import { afterEach, expect, it } from 'vitest'
import type { Session, SessionClient } from '../../src/client/types.ts'
import { createProfile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
async function open(): Promise<{ readonly store: SessionClient; readonly session: Session }> {
  const store = await createProfile().open({ name: `stream-${Math.random()}` })
  clients.push(store)
  const session = await store.session('k')
  await session.append({ role: 'user', content: 'q' })
  return { store, session }
}
afterEach(async () => {
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
  const { store, session } = await open()
  const reply = session.stream()
  reply.write('half')
  const id = await reply.id
  await new Promise<void>((resolve) => store.subscribe((change) => change.type === 'draft' && change.added?.text === 'half' && resolve()))
  expect(await store.listDrafts('k')).toMatchObject([{ id, role: 'assistant', text: 'half' }])
  await reply.abort({ keep: false })
})

it('journals many pieces with few writes', async () => {
  const { store, session } = await open()
  let writes = 0
  let journalled = 0
  store.subscribe((change) => change.type === 'draft' && change.added !== undefined && writes++)
  const reply = session.stream()
  for (let i = 0; i < 1000; i++) reply.write('x')
  await new Promise<void>((resolve) => store.subscribe((change) => change.type === 'draft' && (journalled += change.added?.text?.length ?? 0) === 1000 && resolve()))
  await reply.end()
  // The pieces of one task go together.
  expect(writes).toBe(1)
})

it('leaves no draft behind', async () => {
  const { store, session } = await open()
  const replies = [session.stream(), session.stream(), session.stream()] as const
  for (const reply of replies) reply.write('x')
  await replies[0].end()
  await replies[1].abort()
  await replies[2].abort({ keep: false })
  expect(await store.listDrafts('k')).toEqual([])
})

it('keeps what it has when it is aborted, and says so', async () => {
  const { session } = await open()
  const reply = session.stream()
  reply.write('half')
  expect(await reply.abort()).toMatchObject({ branch: '' })
  expect(await last(session)).toEqual({ role: 'assistant', content: 'half', interrupted: true })
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
  const { store, session } = await open()
  const reply = session.stream()
  reply.write('x')
  await reply.id
  await store.purge('k')
  reply.write('y')
  await expect(reply.end()).rejects.toMatchObject({ name: 'SessionNotFound' })
})

it('tells at its end that it could not be begun', async () => {
  const { store, session } = await open()
  await store.close()
  const reply = session.stream()
  reply.write('x')
  await expect(reply.id).rejects.toMatchObject({ name: 'StorageClosed' })
  await expect(reply.end()).rejects.toMatchObject({ name: 'StorageClosed' })
})

it('keeps the replies that a handle leaves open when it is closed', async () => {
  const { store, session } = await open()
  session.stream().write('half')
  await session.close()
  expect(await store.getHistory('k')).toMatchObject([{}, { content: 'half', interrupted: true }])
})

it('keeps the replies that are open when the store is closed', async () => {
  const profile = createProfile()
  const name = `stream-${Math.random()}`
  const store = await profile.open({ name })
  ;(await store.session('k')).stream().write('half')
  await store.close()
  const again = await profile.open({ name })
  clients.push(again)
  expect(await again.getHistory('k')).toEqual([{ role: 'assistant', content: 'half', interrupted: true }])
})
