import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { OpenOptions, StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { sessionWorker, workerOf } from './support/real-worker.ts'

const clients: SessionClient[] = []
async function open(options: OpenOptions): Promise<SessionClient> {
  const client = await openSessionStore({ name: `fallbacks-${crypto.randomUUID()}`, ...options })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const works = async (client: SessionClient): Promise<void> => {
  await client.store.addMessage('k', 'user', 'hi')
  expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
}

it('lives in a worker', async () => {
  const client = await open({})
  expect(await client.upkeep.health()).toMatchObject({ mode: 'worker', durable: true, skipped: [], restarts: 0 })
  await works(client)
})

it.each<[string, OpenOptions['worker'] & {}, RegExp]>([
  [
    'a worker file that is missing',
    () => new Worker('/no-such-file.js', { type: 'module' }),
    /did not start: .*missing, blocked or broken/,
  ],
  [
    'a worker that throws',
    () => workerOf('throw new Error("broken on purpose")'),
    /did not start: .*broken on purpose/,
  ],
  ['a worker that never answers', () => workerOf(''), /did not (answer|open) within 4000 ms/],
  [
    'a worker of another release',
    () =>
      workerOf(
        `onmessage = ({ ports: [port] }) => port.postMessage({ keepsession: 'ready', protocol: 99, boot: 'x' })`,
      ),
    /uses protocol 99/,
  ],
  [
    'a policy that forbids making one',
    () => {
      throw new TypeError("This document requires 'TrustedScriptURL' assignment.")
    },
    /TrustedScriptURL/,
  ],
])('goes on in an inline worker after %s, and says why', async (_, worker, reason) => {
  const client = await open({ worker, timeoutMs: 4000 })
  expect(await client.upkeep.health()).toMatchObject({
    mode: 'inline-worker',
    skipped: [{ mode: 'worker', reason: expect.stringMatching(reason) }],
  })
  await works(client)
})

it.each(['in-page', 'web-storage', 'memory'] as const)('works in mode %s', async (mode) => {
  const client = await open({ modes: [mode] })
  expect(await client.upkeep.health()).toMatchObject({ mode, durable: mode !== 'memory', skipped: [] })
  await works(client)
})

it('says so when nothing will be kept', async () => {
  const notice = new Promise((resolve) => void open({ modes: ['memory'], onChange: resolve }))
  expect(await notice).toMatchObject({ type: 'notice', name: 'degraded' })
})

it('refuses to open when no mode works', async () => {
  await expect(open({ modes: ['worker'], worker: () => new Worker('/no-such-file.js') })).rejects.toMatchObject({
    name: 'StorageUnavailable',
  })
})

it('keeps the same sessions in every mode of IndexedDB', async () => {
  const name = `shared-${crypto.randomUUID()}`
  await works(await open({ name }))
  for (const mode of ['inline-worker', 'in-page'] as const) {
    expect(await (await open({ name, modes: [mode] })).store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
  }
})

it('notices that its database is gone, where nothing mirrors it', async () => {
  const name = `gone-${crypto.randomUUID()}`
  const first = await open({ name, mirror: false })
  await works(first)
  await first.close()
  await new Promise<void>((resolve, reject) => {
    const deletion = indexedDB.deleteDatabase(name)
    deletion.onsuccess = () => resolve()
    deletion.onerror = () => reject(deletion.error)
  })
  const notice = new Promise((resolve) => void open({ name, mirror: false, onChange: resolve }))
  expect(await notice).toMatchObject({ type: 'notice', name: 'dataLost' })
})

it('refuses data that newer code wrote, instead of starting afresh elsewhere', async () => {
  const name = `newer-${crypto.randomUUID()}`
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open(name, 1_000_000)
    opening.onsuccess = () => resolve(opening.result.close())
    opening.onerror = () => reject(opening.error)
  })
  await expect(open({ name })).rejects.toMatchObject({ name: 'VersionConflict' })
})

it('serves several stores with a worker that the app keeps, and never ends it', async () => {
  const worker = sessionWorker()
  const [one, two] = [await open({ worker, modes: ['worker'] }), await open({ worker, modes: ['worker'] })]
  await works(one)
  await works(two)
  await one.close()
  await two.store.addMessage('k', 'user', 'still here')
  await two.close()
  await works(await open({ worker, modes: ['worker'] }))
  worker.terminate()
})

it.each<[StoreMode, StoreMode]>([
  ['worker', 'in-page'],
  ['in-page', 'worker'],
  ['in-page', 'in-page'],
  ['web-storage', 'web-storage'],
])('hears in mode %s what another tab does in mode %s', async (here, there) => {
  const name = `tabs-${crypto.randomUUID()}`
  const [one, two] = [await open({ name, modes: [here] }), await open({ name, modes: [there] })]
  const [list, transcript] = [one.sessions(), (await one.session('k')).transcript()]
  await Promise.all([list.ready(), transcript.ready()])
  await two.store.addMessage('k', 'user', 'hi')
  for await (const { entries, meta } of transcript) if (entries.length === 1 && meta?.title === 'hi') break
  for await (const { sessions } of list) if (sessions[0]?.title === 'hi') break
})
