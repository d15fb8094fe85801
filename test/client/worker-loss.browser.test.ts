import workerUrl from 'virtual:session-worker-url'
import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { createWorkerFactory, workerOf } from './support/real-worker.ts'

const workerSource = await (await fetch(workerUrl)).text()

const clients: SessionClient[] = []
async function open(
  worker: () => Worker,
  onChange: (change: unknown) => void = () => undefined,
): Promise<SessionClient> {
  const client = await openSessionStore({ name: `loss-${crypto.randomUUID()}`, modes: ['worker'], worker, onChange })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

it.each([0, 3, 12])(
  'settles every call when its worker is killed %i ms into 200 appends, doubles none, and works on',
  async (delayMs) => {
    const { made, make } = createWorkerFactory()
    const client = await open(make)
    await client.store.addMessage('k', 'user', 'first')
    const names = Array.from({ length: 200 }, (_, i) => `message ${i}`)
    const killed = new Promise<number>((resolve) =>
      setTimeout(() => {
        made[0]?.terminate()
        resolve(performance.now())
      }, delayMs),
    )
    const outcomes = await Promise.all(
      names.map(async (name) => {
        try {
          await client.store.addMessage('k', 'user', name)
          return 'stored'
        } catch (error) {
          return (error as Error).name
        }
      }),
    )
    // Calls wait two seconds for the next worker, and then for what a busy machine takes to answer them.
    expect(performance.now() - (await killed)).toBeLessThan(20_000)
    expect(new Set([...outcomes, 'stored', 'WorkerLost'])).toEqual(new Set(['stored', 'WorkerLost']))

    const history = (await client.store.getHistory('k')).map(({ content }) => content)
    expect(new Set(history).size).toBe(history.length)
    for (const [i, outcome] of outcomes.entries()) if (outcome === 'stored') expect(history).toContain(names[i])
  },
)

it('stores on after its worker was killed in the middle of reads, time and again', async () => {
  const { made, make } = createWorkerFactory()
  const client = await open(make)
  await client.store.addMessage('k', 'user', 'first')
  for (let kill = 0; kill < 6; kill++) {
    let isKilled = false
    const read = async (): Promise<void> => {
      while (!isKilled) await client.store.getMeta('nobody').catch(() => undefined)
    }
    const reading = Array.from({ length: 8 }, read)
    await new Promise((resolve) => setTimeout(resolve, 50 + kill))
    made.at(-1)?.terminate()
    isKilled = true
    await client.store.addMessage('k', 'user', `after kill ${kill}`)
    await Promise.all(reading)
  }
  expect(await client.store.getHistory('k')).toHaveLength(7)
})

it('answers the call after its worker was killed, and tells of the restart', async () => {
  const { made, make } = createWorkerFactory()
  const changes: unknown[] = []
  const client = await open(make, (change) => changes.push(change))
  await client.store.addMessage('k', 'user', 'before')
  made[0]?.terminate()
  await client.store.addMessage('k', 'user', 'after')
  expect((await client.store.getHistory('k')).map(({ content }) => content)).toEqual(['before', 'after'])
  expect(await client.upkeep.health()).toMatchObject({ restarts: 1 })
  expect(changes).toContainEqual(expect.objectContaining({ type: 'notice', name: 'workerRestarted' }))
})

it('goes on with a streamed reply when the worker is killed meanwhile', async () => {
  const { made, make } = createWorkerFactory()
  const client = await open(make)
  const session = await client.session('k')
  const reply = session.stream()
  reply.write('one ')
  await reply.id
  made[0]?.terminate()
  reply.write('two')
  await reply.end()
  expect(await session.messages()).toEqual([{ role: 'assistant', content: 'one two' }])
})

it('rejects with WorkerLost when no new worker can be had', async () => {
  const { made, make } = createWorkerFactory()
  const client = await open(() => {
    if (made.length > 0) throw new Error('No more workers.')
    return make()
  })
  made[0]?.terminate()
  await expect(client.store.addMessage('k', 'user', 'hi')).rejects.toMatchObject({ name: 'WorkerLost' })
  await expect(client.store.getMeta('k')).rejects.toMatchObject({ name: 'WorkerLost' })
})

it('replaces a worker that hangs', async () => {
  const hanging = `${workerSource}; addEventListener('message', ({ data }) => { if (data === 'hang') for (;;); })`
  const made: Worker[] = []
  const client = await open(() => {
    made.push(workerOf(hanging))
    return made.at(-1)!
  })
  await client.store.addMessage('k', 'user', 'before')
  made[0]?.postMessage('hang')
  await client.store.addMessage('k', 'user', 'after')
  // On a busy machine one that starts slowly is replaced as well.
  expect(made.length).toBeGreaterThan(1)
  expect((await client.store.getHistory('k')).map(({ content }) => content)).toEqual(['before', 'after'])
})

it('hears other tabs again after its worker was killed', async () => {
  const { made, make } = createWorkerFactory()
  const name = `loss-${crypto.randomUUID()}`
  const client = await openSessionStore({ name, modes: ['worker'], worker: make })
  const other = await openSessionStore({ name, modes: ['in-page'] })
  clients.push(client, other)
  const transcript = (await client.session('k')).transcript()
  await transcript.ready()
  made[0]?.terminate()
  await other.store.addMessage('k', 'user', 'meanwhile')
  for await (const { entries } of transcript) if (entries.length === 1) break
})

it('closes although its worker is dead', async () => {
  const { made, make } = createWorkerFactory()
  const client = await open(make)
  made[0]?.terminate()
  await client.close()
  await expect(client.store.getMeta('k')).rejects.toMatchObject({ name: 'StorageClosed' })
})
