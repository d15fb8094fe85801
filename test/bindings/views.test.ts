import { afterEach, expect, it } from 'vitest'
import { useSessions, useTranscript } from '../../src/bindings/svelte/svelte-stores.ts'
import { healthView } from '../../src/bindings/views/health-view.ts'
import { searchView } from '../../src/bindings/views/search-view.ts'
import { sessionsView } from '../../src/bindings/views/sessions-view.ts'
import { transcriptView } from '../../src/bindings/views/transcript-view.ts'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreHealth } from '../../src/client/store-health.ts'
import { SessionError } from '../../src/contract/errors.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { nextReported } from '../support/next-reported.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function openClient(): Promise<SessionClient> {
  const client = await openDirectStore({ name: `views-${crypto.randomUUID()}`, modes: ['memory'] })
  ends.push(client.close)
  return client
}

/** A function that many wait for, and its release. */
function createGate() {
  let release: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (release = resolve))
  return { opened, release }
}

it('goes on following, and tells the others, though a subscriber throws, which is reported', async () => {
  const client = await openClient()
  const view = sessionsView(client)
  const mistake = new Error('of a subscriber')
  let mistakes = 0
  const heard: string[] = []
  const reported = nextReported()
  ends.push(
    view.subscribe(() => {
      if (mistakes++ === 0) throw mistake
    }),
    view.subscribe(() => heard.push(view.getSnapshot().status)),
  )
  expect(await reported).toBe(mistake)
  await client.store.addMessage('a', 'user', 'hello')
  await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'ready', total: 1 })
  expect(heard).toEqual(['ready', 'ready'])
})

it('loads earlier entries after its subscribers left and came again while the session was opened', async () => {
  const client = await openClient()
  for (const content of ['one', 'two', 'three']) await client.store.addMessage('a', 'user', content)
  const { opened, release } = createGate()
  const slow = {
    ...client,
    session: (async (key: string) => {
      await opened
      return client.session(key)
    }) as SessionClient['session'],
  }
  const view = transcriptView(slow, 'a', { last: 1 })
  const leave = view.subscribe(() => undefined)
  await Promise.resolve()
  leave()
  await Promise.resolve()
  ends.push(view.subscribe(() => undefined))
  await Promise.resolve()
  release()
  const texts = () => view.getSnapshot().entries.map(({ message }) => message?.content)
  await expect.poll(texts).toEqual(['three'])
  await view.getSnapshot().loadEarlier(2)
  await expect.poll(texts).toEqual(['one', 'two', 'three'])
})

it('opens a session again that could not be opened, once something has changed in the store, and then no more', async () => {
  const client = await openClient()
  await client.store.addMessage('a', 'user', 'hello')
  let isBroken = true
  let opened = 0
  const session = (async (key: string) => {
    opened++
    if (isBroken) throw new Error('The worker is lost.')
    return client.session(key)
  }) as SessionClient['session']
  const view = transcriptView({ ...client, session }, 'a')
  const leave = view.subscribe(() => undefined)
  await expect.poll(() => view.getSnapshot().status).toBe('error')
  await client.store.addMessage('b', 'user', 'hello')
  await expect.poll(() => opened).toBeGreaterThan(1)
  isBroken = false
  await client.store.addMessage('b', 'user', 'hello again')
  await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'ready', error: undefined, more: false })
  opened = 0
  await client.store.addMessage('a', 'assistant', 'hello you')
  await expect.poll(() => view.getSnapshot().entries).toHaveLength(2)
  expect(opened).toBe(0)
  leave()
  isBroken = true
  const left = transcriptView({ ...client, session }, 'a')
  const leaveAgain = left.subscribe(() => undefined)
  await expect.poll(() => left.getSnapshot().status).toBe('error')
  leaveAgain()
  await client.store.addMessage('b', 'user', 'hello for the last time')
  expect(opened).toBe(1)
})

it('shows the session that gets the shown name as an alias later', async () => {
  const client = await openClient()
  const view = transcriptView(client, 'chat')
  ends.push(view.subscribe(() => undefined))
  await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'ready', entries: [] })
  await client.store.addMessage('a', 'user', 'hello')
  await client.store.updateMeta('a', { aliases: ['chat'] })
  await expect.poll(() => view.getSnapshot().entries.map(({ message }) => message?.content)).toEqual(['hello'])
})

it('shows nothing that was found in another store', async () => {
  const [first, second] = [await openClient(), await openClient()]
  for (const client of [first, second]) await client.store.addMessage('a', 'user', 'hello')
  const view = searchView(first, 'hello')
  ends.push(view.subscribe(() => undefined))
  await expect.poll(() => view.getSnapshot().hits).toHaveLength(1)
  expect(searchView(first, 'hello you', {}, view).getSnapshot().hits).toHaveLength(1)
  expect(searchView(second, 'hello', {}, view).getSnapshot().hits).toEqual([])
  expect(searchView(undefined, 'hello', {}, view).getSnapshot().hits).toEqual([])
})

it('shows the health that was asked for last, in whichever order the answers come', async () => {
  const client = await openClient()
  const gates = [createGate(), createGate(), createGate()]
  let asked = 0
  const answers: Promise<StoreHealth>[] = []
  const health = (): Promise<StoreHealth> => {
    const restarts = asked++
    const answer = gates[restarts]!.opened.then(async () => {
      if (restarts === 1) throw new Error('asked before')
      return { ...(await client.upkeep.health()), restarts }
    })
    answers.push(answer)
    return answer
  }
  let tell: Parameters<SessionClient['subscribe']>[0] = () => undefined
  const subscribe: SessionClient['subscribe'] = (listener) => {
    tell = listener
    return () => undefined
  }
  const view = healthView({ ...client, upkeep: { ...client.upkeep, health }, subscribe })
  ends.push(view.subscribe(() => undefined))
  await expect.poll(() => asked).toBe(1)
  for (let notices = 0; notices < 2; notices++) tell({ type: 'notice', name: 'workerRestarted', message: '' })
  for (const index of [2, 1, 0]) {
    gates[index]!.release()
    await answers[index]!.catch(() => undefined)
  }
  await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'ready', health: { restarts: 2 } })
})

it('keeps the health it shows when the client is closed, and says that it is', async () => {
  const client = await openClient()
  const view = healthView(client)
  ends.push(view.subscribe(() => undefined))
  await expect.poll(() => view.getSnapshot().status).toBe('ready')
  await client.close()
  await expect
    .poll(() => view.getSnapshot())
    .toMatchObject({ status: 'error', error: { name: 'StorageClosed' }, health: { mode: 'memory' } })
})

it('repeats a search that failed once something has changed in the store, but no other one', async () => {
  const client = await openClient()
  await client.store.addMessage('a', 'user', 'hello')
  let isBroken = true
  let searches = 0
  const search: SessionClient['search'] = async (...asked) => {
    searches++
    if (isBroken) throw new SessionError('WorkerLost', 'The worker is lost.')
    return client.search(...asked) // bounded: a method's parameters
  }
  const view = searchView({ ...client, search }, 'hello')
  const wrong = searchView({ ...client, search: client.search }, 'hello', { limit: -1 })
  ends.push(
    view.subscribe(() => undefined),
    wrong.subscribe(() => undefined),
  )
  await expect.poll(() => [view, wrong].map((one) => one.getSnapshot().status)).toEqual(['error', 'error'])
  const refused = wrong.getSnapshot()
  isBroken = false
  await client.store.addMessage('b', 'user', 'goodbye')
  await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'ready', error: undefined, hits: [{ key: 'a' }] })
  searches = 0
  await client.store.addMessage('b', 'user', 'hello again')
  await client.search('again')
  expect(searches).toBe(0)
  expect(wrong.getSnapshot()).toBe(refused)
})

it('keeps what a store of Svelte shows when its input is the same again', async () => {
  const client = await openClient()
  await client.store.addMessage('a', 'user', 'hello')
  const session = await client.session('a')
  const input = <T>(first: T) => {
    let value = first
    const readers = new Set<(value: T) => void>()
    return {
      subscribe: (run: (value: T) => void) => {
        readers.add(run)
        run(value)
        return () => void readers.delete(run)
      },
      set: (next: T) => {
        value = next
        for (const run of readers) run(next)
      },
    }
  }
  const [query, target] = [input({ limit: 5 }), input(session)]
  const seen: string[] = []
  ends.push(
    useSessions(client, query).subscribe(({ status, total }) => void seen.push(`list ${status} ${total}`)),
    useTranscript(client, target).subscribe(({ status, entries }) => void seen.push(`${status} ${entries.length}`)),
  )
  await expect.poll(() => [...seen].sort()).toEqual(expect.arrayContaining(['list ready 1', 'ready 1']))
  // A store of Svelte calls back with objects also when they are the same.
  query.set({ limit: 5 })
  target.set(session)
  expect(seen.splice(0).slice(-2).sort()).toEqual(['list ready 1', 'ready 1'])
  query.set({ limit: 6 })
  expect(seen.at(-1)).toBe('list loading 0')
})
