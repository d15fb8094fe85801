import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { LiveQuery } from '../../src/client/live-value.ts'
import type { Session, Transcript, TranscriptSnapshot } from '../../src/client/session-contract.ts'
import { createProfile, type Profile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
async function open(profile: Profile = createProfile()): Promise<SessionClient> {
  const client = await profile.open({ name: `live-${Math.random()}` })
  clients.push(client)
  return client
}
/** Two stores of one name, as two tabs have them. */
async function openTwo(): Promise<readonly [SessionClient, SessionClient]> {
  const profile = createProfile()
  const name = `live-${Math.random()}`
  const two = [await profile.open({ name }), await profile.open({ name })] as const
  clients.push(...two)
  return two
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const user = (content: string) => ({ role: 'user', content })
const contents = (snapshot: TranscriptSnapshot | undefined): unknown[] =>
  (snapshot?.entries ?? []).map(({ message }) => message?.content)

/** Waits for a snapshot that meets a condition. */
async function until<T>(query: LiveQuery<T>, holds: (value: T) => boolean): Promise<T> {
  for await (const value of query) if (holds(value)) return value
  throw new Error('The query has ended.')
}

async function filled(session: Session, count: number): Promise<void> {
  await session.appendAll(Array.from({ length: count }, (_, i) => ({ type: 'message', message: user(`${i}`) })))
}

it('begins with the newest entries and says whether there are more', async () => {
  const session = await (await open()).session('k')
  await filled(session, 10)
  const snapshot = await session.transcript({ last: 3 }).ready()
  expect(contents(snapshot)).toEqual(['7', '8', '9'])
  expect(snapshot).toMatchObject({ more: true, drafts: [], skipped: 0, meta: { key: 'k', messageCount: 10 } })
})

it('is empty for a session that does not exist yet, and follows it when it does', async () => {
  const session = await (await open()).session('k')
  const transcript = session.transcript()
  expect(await transcript.ready()).toMatchObject({ entries: [], more: false, meta: undefined })
  await session.append(user('hi'))
  expect(await until(transcript, ({ entries }) => entries.length === 1)).toMatchObject({
    meta: { key: 'k', title: 'hi' },
  })
})

it('follows the session that gets its key as an alias, in whichever tab, and the next one that gets it', async () => {
  const [one, two] = await openTwo()
  const transcripts = await Promise.all([one, two].map(async (tab) => (await tab.session('chat')).transcript()))
  const show = async (texts: string): Promise<void> => {
    for (const transcript of transcripts) await until(transcript, (snapshot) => contents(snapshot).join() === texts)
  }
  await show('')
  const first = await one.session('first')
  await first.append(user('a'))
  await one.store.updateMeta('first', { aliases: ['chat'] })
  await show('a')
  await first.append(user('b'))
  await show('a,b')
  await (await one.session('second')).append(user('c'))
  await one.store.updateMeta('first', { aliases: [] })
  await show('')
  await two.store.updateMeta('second', { aliases: ['chat'] })
  await show('c')
})

it('shows what was appended as soon as the append has resolved', async () => {
  const session = await (await open()).session('k')
  const transcript = session.transcript()
  await session.append(user('a'))
  await until(transcript, ({ entries }) => entries.length === 1)
  await session.append(user('b'))
  await Promise.resolve()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'b'])
})

it('shows what another tab appends, edits and removes', async () => {
  const [one, two] = await openTwo()
  const transcript = (await two.session('k')).transcript()
  const session = await one.session('k')
  const first = await session.append(user('a'))
  await session.append(user('b'))
  await until(transcript, (snapshot) => contents(snapshot).join() === 'a,b')
  await session.edit(first, user('a!'))
  await until(transcript, (snapshot) => contents(snapshot).join() === 'a!,b')
  await session.remove(first)
  await until(transcript, (snapshot) => contents(snapshot).join() === 'b')
})

it('shows both when two tabs append at once', async () => {
  const [one, two] = await openTwo()
  const sessions = [await one.session('k'), await two.session('k')] as const
  const transcripts = sessions.map((session) => session.transcript()) as [Transcript, Transcript]
  await Promise.all(
    sessions.map(async (session, i) => {
      for (let n = 0; n < 20; n++) await session.append(user(`${i}.${n}`))
    }),
  )
  const full = await Promise.all(
    transcripts.map((transcript) => until(transcript, ({ entries }) => entries.length === 40)),
  )
  expect(contents(full[0])).toEqual(contents(full[1]))
  expect(contents(full[0])).toEqual((await sessions[0].messages()).map(({ content }) => content))
})

it('follows the head from branch to branch', async () => {
  const session = await (await open()).session('k')
  await session.append(user('q'))
  const answer = await session.append({ role: 'assistant', content: 'first' })
  const transcript = session.transcript()
  await transcript.ready()
  await session.branches.before(answer)
  await until(transcript, (snapshot) => contents(snapshot).join() === 'q')
  await session.branches.switchTo('')
  await until(transcript, (snapshot) => contents(snapshot).join() === 'q,first')
})

it('keeps the snapshot, and the entries in it, as long as they do not change', async () => {
  const session = await (await open()).session('k')
  const first = await session.append(user('a'))
  await session.append(user('b'))
  const transcript = session.transcript()
  const before = await transcript.ready()
  expect(transcript.getSnapshot()).toBe(before)
  await session.edit(first, user('a!'))
  const after = await until(transcript, (snapshot) => contents(snapshot).join() === 'a!,b')
  expect(after.entries[0]).not.toBe(before.entries[0])
  expect(after.entries[1]).toBe(before.entries[1])
  expect(contents(before)).toEqual(['a', 'b'])
})

it('loads earlier entries, and keeps them when it reads again', async () => {
  const session = await (await open()).session('k')
  await filled(session, 1200)
  const transcript = session.transcript({ last: 10 })
  await transcript.loadEarlier(20)
  expect(contents(transcript.getSnapshot())).toEqual(Array.from({ length: 30 }, (_, i) => `${1170 + i}`))
  await transcript.loadEarlier(5000)
  expect(transcript.getSnapshot()).toMatchObject({ more: false })
  expect(transcript.getSnapshot()?.entries).toHaveLength(1200)
  await session.remove((await session.page({ last: 1 })).entries[0]!)
  expect((await until(transcript, ({ entries }) => entries.length === 1199)).entries).toHaveLength(1199)
})

it('reads only what is earlier, and keeps the entries it shows', async () => {
  const profile = createProfile()
  const session = await (await open(profile)).session('k')
  await filled(session, 100)
  const transcript = session.transcript({ last: 10 })
  const before = await transcript.ready()
  const received = profile.workers[0]!.received
  const heard = received.length
  await transcript.loadEarlier(20)
  const reads = received.slice(heard) as { path: [string]; argumentList: { value: unknown }[] }[]
  expect(reads.map(({ path, argumentList }) => [path[0], argumentList[1]?.value])).toEqual([
    ['read', { branch: '', before: before.entries[0]!.order, limit: 20 }],
  ])
  expect(transcript.getSnapshot()?.entries.slice(20)).toEqual(before.entries)
  expect(transcript.getSnapshot()?.entries.at(-1)).toBe(before.entries.at(-1))
})

it('loads earlier entries while the session goes on', async () => {
  const session = await (await open()).session('k')
  await filled(session, 50)
  const transcript = session.transcript({ last: 5 })
  await transcript.ready()
  await Promise.all([
    transcript.loadEarlier(10),
    session.append(user('new')),
    transcript.loadEarlier(10),
    session.remove((await session.page({ last: 1 })).entries[0]!),
  ])
  const wanted = [...Array.from({ length: 49 }, (_, i) => `${i}`), 'new']
  const { entries } = await until(
    transcript,
    (snapshot) => contents(snapshot).at(-1) === 'new' && !contents(snapshot).includes('49'),
  )
  expect(entries.map(({ message }) => message?.content)).toEqual(wanted.slice(-entries.length))
  expect(entries.length).toBeGreaterThanOrEqual(15)
})

it('shows replies while they are streamed, also into other tabs, and then their entry', async () => {
  const [one, two] = await openTwo()
  const session = await one.session('k')
  await session.append(user('q'))
  const transcript = (await two.session('k')).transcript()
  const reply = session.stream()
  reply.write('half ')
  await until(transcript, ({ drafts }) => drafts[0]?.text === 'half ')
  reply.write('whole')
  await reply.end()
  const done = await until(transcript, ({ entries, drafts }) => entries.length === 2 && drafts.length === 0)
  expect(contents(done)).toEqual(['q', 'half whole'])
})

it('never shows a reply twice, nor not at all', async () => {
  const session = await (await open()).session('k')
  await session.append(user('q'))
  const transcript = session.transcript()
  await transcript.ready()
  const counts: number[] = []
  transcript.subscribe(() =>
    counts.push(transcript.getSnapshot()!.entries.length + transcript.getSnapshot()!.drafts.length),
  )
  const reply = session.stream()
  reply.write('text')
  await until(transcript, ({ drafts }) => drafts[0]?.text === 'text')
  await reply.end()
  await until(transcript, ({ entries }) => entries.length === 2)
  expect(new Set(counts)).toEqual(new Set([2]))
})

it('shows that the session was deleted, and brought back', async () => {
  const [one, two] = await openTwo()
  const session = await one.session('k')
  await session.append(user('a'))
  const transcript = (await two.session('k')).transcript()
  await transcript.ready()
  await session.delete()
  await until(transcript, ({ entries }) => entries.length === 0)
  await one.undelete('k')
  await until(transcript, (snapshot) => contents(snapshot).join() === 'a')
  await one.purge('k')
  await until(transcript, ({ entries, meta }) => entries.length === 0 && meta === undefined)
})

it('follows the name of the session', async () => {
  const [one, two] = await openTwo()
  const session = await one.session('k')
  await session.append(user('a'))
  const transcript = (await two.session('k')).transcript()
  await transcript.ready()
  await session.rename('Named')
  await until(transcript, ({ meta }) => meta?.title === 'Named')
})

it('hears nothing more when it is closed or disposed, or its handle closed', async () => {
  const session = await (await open()).session('k')
  const [one, two, three] = [session.transcript(), session.transcript(), session.transcript()]
  await Promise.all([one.ready(), two.ready(), three.ready()])
  one.close()
  two[Symbol.dispose]()
  await session.close()
  const before = [one.getSnapshot(), two.getSnapshot(), three.getSnapshot()]
  const again = await clients[0]!.session('k')
  await again.append(user('late'))
  expect([one.getSnapshot(), two.getSnapshot(), three.getSnapshot()]).toEqual(before)
})

it('ends when its store is closed', async () => {
  const client = await open()
  const transcript = (await client.session('k')).transcript()
  await transcript.ready()
  setTimeout(() => client.close())
  for await (const { entries } of transcript) expect(entries).toEqual([])
})

it('is over from the start when its store was closed before', async () => {
  const client = await open()
  const session = await client.session('k')
  await client.close()
  await expect(session.transcript().ready()).rejects.toMatchObject({ name: 'StorageClosed' })
  await session.close()
})

it('follows a sub-turn', async () => {
  const session = await (await open()).session('k')
  const inner = session.ephemeral()
  const transcript = inner.transcript()
  await inner.append(user('inside'))
  await until(transcript, (snapshot) => contents(snapshot).join() === 'inside')
  await inner.close()
})
