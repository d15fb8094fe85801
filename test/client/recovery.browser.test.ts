import workerUrl from 'virtual:session-worker-url'
import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { workerOf } from './support/real-worker.ts'

const workerSource = await (await fetch(workerUrl)).text()

/** A worker whose databases fail as Safari's do once their process is dead: when it is told so, or from its start. */
const losing = (isLost: boolean): string => `
  let isLost = ${isLost}
  const { open } = IDBFactory.prototype, { transaction } = IDBDatabase.prototype
  const fail = () => { throw new DOMException('Connection to Indexed Database server lost. Refresh the page to try again', 'UnknownError') }
  IDBFactory.prototype.open = function (...given) { return isLost ? fail() : open.apply(this, given) }
  IDBDatabase.prototype.transaction = function (...given) { return isLost ? fail() : transaction.apply(this, given) }
  addEventListener('message', ({ data }) => { if (data === 'lose') isLost = true })
  ${workerSource}`

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const frames = (): number => document.documentElement.querySelectorAll(':scope > iframe').length

it('opens a store in a worker from a fresh frame when this document had lost its databases before', async () => {
  const before = frames()
  const pageWorker = Worker
  const client = await openSessionStore({
    name: `recovery-${crypto.randomUUID()}`,
    worker: () => workerOf(Worker === pageWorker ? losing(true) : workerSource),
  })
  clients.push(client)
  await client.store.addMessage('k', 'user', 'hi')
  expect(await client.upkeep.health()).toMatchObject({ mode: 'worker', durable: true, skipped: [] })
  expect((await client.store.verify()).problems).toEqual([])
  await client.close()
  expect(frames()).toBe(before)
})

it('goes on in a worker from a fresh frame when this document has lost its databases, and loses nothing', async () => {
  const before = frames()
  const pageWorker = Worker
  const made: Worker[] = []
  const notices: string[] = []
  const client = await openSessionStore({
    name: `recovery-${crypto.randomUUID()}`,
    modes: ['worker'],
    worker: () => {
      made.push(workerOf(Worker === pageWorker ? losing(made.length > 0) : workerSource))
      return made.at(-1)!
    },
    onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
  })
  clients.push(client)
  await client.store.addMessage('k', 'user', 'before')
  const storing = Array.from({ length: 100 }, (_, i) => {
    if (i === 50) made[0]?.postMessage('lose')
    return client.store.addMessage('k', 'user', `${i}`)
  })
  await Promise.all(storing)
  made[0]?.postMessage('lose')
  await client.store.addMessage('k', 'user', 'after')
  expect((await client.store.getHistory('k')).map(({ content }) => content)).toEqual([
    'before',
    ...storing.map((_, i) => `${i}`),
    'after',
  ])
  expect(await client.upkeep.health()).toMatchObject({
    mode: 'worker',
    durable: true,
    recovery: { rung: 'frame', held: 0 },
  })
  expect(notices).toEqual(['workerRestarted'])
  expect(frames()).toBe(before + 1)
  expect(Worker).toBe(pageWorker)
  expect((await client.store.verify()).problems).toEqual([])
  await client.close()
  expect(frames()).toBe(before)
})
