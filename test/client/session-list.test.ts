import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { LiveQuery } from '../../src/client/live-value.ts'
import type { SessionPage } from '../../src/contract/store/session-metadata.ts'
import { nextReported } from '../support/next-reported.ts'
import { createProfile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
async function openTwo(): Promise<readonly [SessionClient, SessionClient]> {
  const profile = createProfile()
  const name = `list-${Math.random()}`
  const two = [await profile.open({ name }), await profile.open({ name })] as const
  clients.push(...two)
  return two
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function until(query: LiveQuery<SessionPage>, holds: (page: SessionPage) => boolean): Promise<SessionPage> {
  for await (const page of query) if (holds(page)) return page
  throw new Error('The query has ended.')
}
const keys = ({ sessions }: SessionPage): string => sessions.map(({ key }) => key).join()

it('follows sessions that come, change and go in any tab', async () => {
  const [one, two] = await openTwo()
  const list = two.sessions()
  expect(await list.ready()).toEqual({ sessions: [], total: 0 })
  await one.store.addMessage('a', 'user', 'first')
  await until(list, (page) => keys(page) === 'a')
  await two.store.addMessage('b', 'user', 'second')
  await until(list, (page) => keys(page) === 'b,a')
  await one.store.updateMeta('a', { title: 'Named' })
  await until(list, ({ sessions }) => sessions.some(({ title }) => title === 'Named'))
  await one.delete('b')
  await until(list, (page) => keys(page) === 'a')
  await one.undelete('b')
  await until(list, ({ total }) => total === 2)
  await one.purge('b')
  await until(list, (page) => keys(page) === 'a')
})

it('keeps its query', async () => {
  const [one, two] = await openTwo()
  const archived = two.sessions({ archived: true, limit: 1 })
  await archived.ready()
  for (const key of ['a', 'b', 'c']) await one.store.addMessage(key, 'user', key)
  for (const key of ['a', 'b']) await one.store.updateMeta(key, { archived: true })
  expect((await until(archived, ({ total }) => total === 2)).sessions).toHaveLength(1)
})

it('keeps the listings, and the page, as long as they do not change', async () => {
  const [one] = await openTwo()
  await one.store.addMessage('a', 'user', 'first')
  await one.store.addMessage('b', 'user', 'second')
  const list = one.sessions({ order: 'created' })
  const before = await list.ready()
  await one.store.addMessage('b', 'user', 'third')
  const after = await until(list, ({ sessions }) => sessions[0]?.messageCount === 2)
  expect(after.sessions[1]).toBe(before.sessions[1])
  expect(list.getSnapshot()).toBe(after)
})

it('ends when its store is closed', async () => {
  const [one] = await openTwo()
  const list = one.sessions()
  await list.ready()
  setTimeout(() => one.close())
  for await (const page of list) expect(page.total).toBe(0)
})

it('reports a store that is closed', async () => {
  const [one] = await openTwo()
  await one.close()
  await expect(one.sessions().ready()).rejects.toMatchObject({ name: 'StorageClosed' })
})

it('says what changed to every subscriber until it leaves', async () => {
  const [one, two] = await openTwo()
  const seen: string[] = []
  const heard = new Promise<void>((resolve) => {
    const leave = two.subscribe((change) => {
      if (change.type !== 'session') return
      seen.push(change.key)
      leave()
      resolve()
    })
  })
  await one.store.addMessage('a', 'user', 'x')
  await heard
  await two.store.addMessage('b', 'user', 'x')
  expect(seen).toEqual(['a'])
})

it('lets no listener keep the others from hearing, and reports what it throws', async () => {
  const [one] = await openTwo()
  const mistake = new Error('thrown by a listener')
  one.subscribe(() => {
    throw mistake
  })
  const heard = new Promise((resolve) => one.subscribe(resolve))
  const reported = nextReported()
  await one.store.addMessage('a', 'user', 'x')
  await heard
  expect(await reported).toBe(mistake)
})

it('shows a page to each view of the same list, also where the listener of another one throws', async () => {
  const [client] = await openTwo()
  const [broken, sound] = [client.sessions(), client.sessions()]
  await Promise.all([broken.ready(), sound.ready()])
  const mistake = new Error('A listener of the app is broken.')
  const stop = broken.subscribe(() => {
    throw mistake
  })
  const reported = nextReported()
  await client.store.addMessage('a', 'user', 'first')
  expect(keys(await until(sound, (page) => page.total === 1))).toBe('a')
  expect(await reported).toBe(mistake)
  stop()
})
