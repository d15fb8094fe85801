import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import type { Entry } from '../../src/contract/entry.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { watchJobWorkers } from '../support/watch-job-workers.ts'

const RealWorker = Worker
const clients: SessionClient[] = []
async function open(
  mode: StoreMode = 'worker',
  onChange: (change: StoreChange) => void = () => undefined,
): Promise<SessionClient> {
  // A mirror is looked through by a job worker too.
  const client = await openSessionStore({ name: `jobs-${crypto.randomUUID()}`, modes: [mode], mirror: false, onChange })
  clients.push(client)
  return client
}
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const client of clients.splice(0)) await client.close()
})

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)
/** What another device has of a session. */
async function entriesElsewhere(key: string, count: number): Promise<readonly Entry[]> {
  const device = createSessionStore(createMemoryBackend())
  await device.append(
    key,
    numbered(count).map((content) => ({ type: 'message', message: { role: 'user', content } })),
  )
  const entries: Entry[] = []
  for (let page = await device.changes(key); ; page = await device.changes(key, {}, page.next)) {
    entries.push(...page.entries)
    if (page.next === undefined) return entries
  }
}
const history = async (client: SessionClient, key: string) =>
  (await client.store.getHistory(key)).map(({ content }) => content)

describe('jobs', () => {
  it.each(['worker', 'inline-worker', 'in-page'] as const)(
    'are done where the store is %s, and the next read knows of them',
    async (mode) => {
      const client = await open(mode)
      const made = watchJobWorkers()
      await client.store.addMessage('k', 'user', 'here')
      expect(await history(client, 'k')).toEqual(['here'])
      expect(await client.store.merge('k', await entriesElsewhere('k', 400))).toMatchObject({ added: 400, refused: [] })
      expect(new Set(await history(client, 'k'))).toEqual(new Set(['here', ...numbered(400)]))
      await client.store.truncateHistory('k', 0)
      expect(await client.store.reclaim('k')).toBeGreaterThan(0)
      expect((await client.store.read('k', { view: 'raw' })).entries.filter(({ type }) => type === 'message')).toEqual(
        [],
      )
      expect((await client.store.verify()).problems).toEqual([])
      expect(await client.store.repair()).toMatchObject({ sessions: 1, repaired: 0 })
      expect(await client.store.usage()).toMatchObject({ sessions: 1 })
      expect(made).toHaveLength(mode === 'in-page' ? 0 : 1)
    },
  )

  it('go another way when their worker can not be loaded', async () => {
    const client = await open()
    const made = watchJobWorkers(
      (url, options) => new RealWorker(String(url).startsWith('blob:') ? url : '/no-such-file.js', options),
    )
    expect(await client.store.merge('k', await entriesElsewhere('k', 3))).toMatchObject({ added: 3 })
    expect(made).toHaveLength(2)
    expect(await history(client, 'k')).toEqual(numbered(3))
  })

  it('are done in the page when workers are forbidden', async () => {
    const client = await open()
    await client.store.addMessage('k', 'user', 'here')
    watchJobWorkers(() => {
      throw new DOMException('forbidden', 'SecurityError')
    })
    expect(await client.store.merge('k', await entriesElsewhere('k', 3))).toMatchObject({ added: 3 })
    expect(await history(client, 'k')).toHaveLength(4)
    expect(await client.store.verify('k')).toMatchObject({ entries: 4, problems: [] })
  })
})

describe('jobs whose worker is killed', () => {
  /** Settles every call, however it ends. */
  const outcomeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'done',
      (error: Error) => error.name,
    )

  it.each([0, 2, 10, 30])('are done by the next one or reject, and nothing comes in twice (%i ms)', async (delayMs) => {
    const client = await open()
    const made = watchJobWorkers()
    await client.store.addMessage('k', 'user', 'here')
    await client.store.verify()
    const entries = await entriesElsewhere('k', 600)
    const calls = [0, 200, 400].map((from) => outcomeOf(client.store.merge('k', entries.slice(from, from + 200))))
    calls.push(outcomeOf(client.store.verify()), outcomeOf(client.store.repair('k')), outcomeOf(client.store.usage()))
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    made[0]!.terminate()
    const killed = performance.now()
    const outcomes = await Promise.all(calls)
    expect(performance.now() - killed).toBeLessThan(4000)
    expect(new Set([...outcomes, 'done', 'WorkerLost'])).toEqual(new Set(['done', 'WorkerLost']))

    // Whatever became of them: what was done is known here, and done again adds the rest.
    const texts = await history(client, 'k')
    expect(new Set(texts).size).toBe(texts.length)
    for (const [i, outcome] of outcomes.slice(0, 3).entries())
      if (outcome === 'done') expect(texts).toContain(`message ${i * 200 + 199}`)
    const again = await client.store.merge('k', entries)
    expect(again.added + again.known).toBe(600)
    expect(await history(client, 'k')).toHaveLength(601)
    expect((await client.store.verify()).problems).toEqual([])
  })

  it('tell of the restart, and the worker of the store lives on', async () => {
    const changes: StoreChange[] = []
    const client = await open('worker', (change) => changes.push(change))
    const made = watchJobWorkers()
    await client.store.verify()
    made[0]!.terminate()
    expect(await client.store.verify()).toMatchObject({ sessions: 0 })
    expect(changes).toContainEqual(expect.objectContaining({ type: 'notice', name: 'workerRestarted' }))
    expect(await client.upkeep.health()).toMatchObject({ restarts: 0 })
  })

  it('reject with WorkerLost when no other can be had, and the store works on', async () => {
    const client = await open()
    const made: Worker[] = watchJobWorkers((url, options) => {
      if (options?.name === 'keepsession-jobs' && made.length > 0) throw new Error('No more workers.')
      return new RealWorker(url, options)
    })
    await client.store.verify()
    made[0]!.terminate()
    await expect(client.store.verify()).rejects.toMatchObject({ name: 'WorkerLost' })
    await client.store.addMessage('k', 'user', 'hi')
    expect(await history(client, 'k')).toEqual(['hi'])
  })

  it('do not keep the store from closing', async () => {
    const client = await open()
    const made = watchJobWorkers()
    await client.store.verify()
    made[0]!.terminate()
    await client.close()
    await expect(client.store.verify()).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})
