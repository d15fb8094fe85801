import workerUrl from 'virtual:session-worker-url'
import { afterEach, describe, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { bucketsHere } from '../../src/client/worker/bucket-worker.ts'
import { deleteSessionStore } from '../../src/index.ts'
import { workerOf } from './support/real-worker.ts'

const workerSource = await (await fetch(workerUrl)).text()

/**
 * A worker in an origin whose databases don't open, as in Chromium once the file is garbage that says where they begin.
 */
const wrecked = (): Worker =>
  workerOf(`
  const { open } = IDBFactory.prototype, broken = self.indexedDB
  IDBFactory.prototype.open = function (...given) {
    if (this !== broken) return open.apply(this, given)
    throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
  }
  ${workerSource}`)

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function open(name: string, options: { readonly worker?: () => Worker; readonly mirror?: boolean } = {}) {
  const notices: string[] = []
  const client = await openSessionStore({
    name,
    modes: ['worker', 'memory'],
    ...options,
    onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
  })
  clients.push(client)
  return { client, notices }
}

const drawName = (): string => `bucket-${crypto.randomUUID()}`
const texts = async (client: SessionClient): Promise<unknown[]> =>
  (await client.store.getHistory('k')).map(({ content }) => content)

describe.skipIf(bucketsHere() === undefined)(
  `a store of an origin whose databases don't open${bucketsHere() === undefined ? ' (not here: this browser has no storage buckets)' : ''}`,
  () => {
    it('goes on in a bucket filled from the mirror, keeps what is written there, and brings it back once they open again', async () => {
      const name = drawName()
      const sound = await open(name)
      await sound.client.store.addMessage('k', 'user', 'before')
      await sound.client.close()
      for (const [start, said] of [
        [0, 'meanwhile'],
        [1, 'and again'],
      ] as const) {
        const { client, notices } = await open(name, { worker: wrecked })
        expect((await texts(client)).at(-1)).toBe(start === 0 ? 'before' : 'meanwhile')
        await client.store.addMessage('k', 'user', said)
        expect(await client.upkeep.health()).toMatchObject({ mode: 'worker', durable: true, skipped: [] })
        // Jobs and searches look in the same place.
        expect((await client.store.verify()).entries).toBe(start + 2)
        expect((await client.files.export('openai').result).length).toBe(1)
        expect(await client.search(said)).toHaveLength(1)
        if (start === 0) await expect.poll(() => notices).toContain('refilled')
        expect(notices).not.toContain('dataLost')
        await client.close()
      }
      const { client, notices } = await open(name)
      expect(await texts(client)).toEqual(['before', 'meanwhile', 'and again'])
      expect(notices).not.toContain('dataLost')
      await client.close()
      await deleteSessionStore(name)
      const afresh = await open(name, { worker: wrecked })
      expect(await texts(afresh.client)).toEqual([])
    })

    it('does not go on in a bucket without a mirror, from which nothing would ever come back', async () => {
      const { client } = await open(drawName(), { worker: wrecked, mirror: false })
      expect(await client.upkeep.health()).toMatchObject({ mode: 'memory', skipped: [{ mode: 'worker' }] })
    })
  },
)
