import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { createProfile } from './support/open-port-client.ts'

const profile = createProfile()
const clients: SessionClient[] = []
let names = 0

/** A store of its own for each test, unless it is named. */
async function open(name = `sessions-${names++}`): Promise<SessionClient> {
  const client = await profile.open({ name })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const texts = async (session: Session): Promise<unknown[]> => (await session.messages()).map(({ content }) => content)
const user = (content: string) => ({ role: 'user', content })

it('gives back what was appended', async () => {
  const session = await (await open()).session('k')
  await session.append({ role: 'user', content: 'hi', metadata: { from: 'me' } })
  expect(await session.messages()).toEqual([{ role: 'user', content: 'hi', metadata: { from: 'me' } }])
})

it('draws keys that nobody has', async () => {
  const client = await open()
  const keys = await Promise.all(
    [client.session(), client.session(), client.session()].map(async (session) => (await session).key),
  )
  expect(new Set(keys).size).toBe(3)
  for (const key of keys) expect(key).toMatch(/^ses-\d{13}(-\d+)?$/)
})

it('writes the parts a session is opened with', async () => {
  const client = await open()
  const session = await client.session({ agentId: 'main', userId: 'u', title: 'Trip', custom: { a: 1 } })
  expect(session).toMatchObject({ agentName: 'main', userId: 'u' })
  expect(await session.meta()).toMatchObject({
    key: session.key,
    agentId: 'main',
    userId: 'u',
    title: 'Trip',
    custom: { a: 1 },
  })
})

it('writes nothing for a handle alone', async () => {
  const client = await open()
  await client.session('k')
  expect((await client.listSessions()).total).toBe(0)
})

it('finds a session by its alias', async () => {
  const client = await open()
  await client.store.updateMeta('k', { aliases: ['other'] })
  expect((await client.session('other')).key).toBe('k')
})

it('never brings a deleted session back by a handle opened before', async () => {
  const client = await open()
  const session = await client.session('k')
  await session.append(user('one'))
  const other = await client.session('k')
  await client.delete('k')
  for (const handle of [session, other])
    await expect(handle.append(user('two'))).rejects.toMatchObject({ name: 'SessionNotFound' })
  await expect(session.stream().end({ role: 'assistant', content: 'late' })).rejects.toMatchObject({
    name: 'SessionNotFound',
  })
  expect((await client.listSessions()).total).toBe(0)
  await client.purge('k')
  await expect(other.append(user('three'))).rejects.toMatchObject({ name: 'SessionNotFound' })
})

it('starts a deleted session afresh by a handle opened after', async () => {
  const client = await open()
  await (await client.session('k')).append(user('old'))
  await client.delete('k')
  const session = await client.session('k')
  await session.append(user('new'))
  expect(await texts(session)).toEqual(['new'])
})

it('reads long transcripts in pages', async () => {
  const session = await (await open()).session('k')
  const all = Array.from({ length: 1200 }, (_, i) => user(`${i}`))
  await session.appendAll(all.map((message) => ({ type: 'message', message })))
  expect(await session.messages()).toEqual(all)
  const seen: unknown[] = []
  for await (const entry of session) seen.push(entry.message?.content)
  expect(seen).toEqual(all.map(({ content }) => content))
})

it('ends reading when its signal fires', async () => {
  const session = await (await open()).session('k')
  await session.append(user('one'))
  await expect(session.messages({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
})

it('opens a branch before an entry and goes back', async () => {
  const session = await (await open()).session('k')
  await session.append(user('q'))
  const answer = await session.append({ role: 'assistant', content: 'first' })
  const branch = await session.branches.before(answer, { name: 'again' })
  await session.append({ role: 'assistant', content: 'second' })
  expect(await texts(session)).toEqual(['q', 'second'])
  expect(await session.branches.list()).toMatchObject([
    { id: '', isHead: false },
    { id: branch.id, name: 'again', isHead: true },
  ])
  await session.branches.switchTo('')
  expect(await texts(session)).toEqual(['q', 'first'])
})

it('opens an empty line before the first entry', async () => {
  const session = await (await open()).session('k')
  const first = await session.append(user('q'))
  await session.branches.before(first)
  await session.append(user('other q'))
  expect(await texts(session)).toEqual(['other q'])
})

it('opens a branch after an entry', async () => {
  const session = await (await open()).session('k')
  const first = await session.append(user('a'))
  await session.append({ role: 'assistant', content: 'b' })
  await session.branches.after(first)
  expect(await texts(session)).toEqual(['a'])
})

it('keeps a sub-turn in memory, and its newest 50 messages', async () => {
  const client = await open()
  const session = await client.session('k')
  await session.append(user('outside'))
  const inner = session.ephemeral()
  for (let i = 0; i < 60; i++) await inner.append(user(`${i}`))
  expect(await texts(inner)).toEqual(Array.from({ length: 50 }, (_, i) => `${i + 10}`))
  await inner.close()
  await expect(inner.append(user('late'))).rejects.toMatchObject({ name: 'StorageClosed' })
  expect(await texts(session)).toEqual(['outside'])
})

it('renames, archives, edits and removes', async () => {
  const session = await (await open()).session('k')
  const entry = await session.append(user('a'))
  await session.append(user('b'))
  await session.rename('Name')
  await session.archive()
  await session.edit(entry, user('a!'))
  expect(await texts(session)).toEqual(['a!', 'b'])
  await session.remove(entry)
  expect(await texts(session)).toEqual(['b'])
  expect(await session.meta()).toMatchObject({ title: 'Name', archived: true })
})

it('gives a model its context, compacts it and has titles suggested', async () => {
  const session = await (await open()).session('k')
  for (const content of ['a', 'b', 'c']) await session.append(user(content))
  expect(
    await session.compact({
      summarise: ({ messages }) => messages.map(({ content }) => content).join(),
      force: true,
      keepTurns: 1,
    }),
  ).toMatchObject({ status: 'compacted', summary: 'a,b' })
  expect(await session.context({ system: 'apart', maxTokens: 1000 })).toMatchObject({
    summary: 'a,b',
    messages: [user('c')],
  })
  expect(await session.suggestTitle(() => 'Letters')).toBe('Letters')
  expect(await session.meta()).toMatchObject({ title: 'Letters', titleSource: 'auto', messageCount: 3 })
})

it('compacts a sub-turn without waiting for the session it is of', async () => {
  const session = await (await open()).session('k')
  const inner = session.ephemeral()
  for (const content of ['a', 'b']) {
    await session.append(user(content))
    await inner.append(user(content))
  }
  const options = { force: true, keepTurns: 1 }
  const outcome = await session.compact({
    ...options,
    summarise: async () => (await inner.compact({ ...options, summarise: () => 'inner' })).status,
  })
  expect(outcome).toMatchObject({ summary: 'compacted' })
  await inner.close()
})
