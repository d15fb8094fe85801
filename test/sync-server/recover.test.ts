import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import type { Limits, SyncServer, SyncServerOptions } from '../../server/src/options.js'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import { freePort } from '../support/free-port.ts'
import { type NodeSyncDevice, type NodeSyncDeviceOptions, openNodeSyncDevice } from '../support/node-sync-devices.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { createWebStorage } from '../support/web-storage.ts'

/** `npm run test:sync` asks for more. */
const kills = Number(process.env['SYNC_KILLS'] ?? 1)

let data: string
let port: number
const spawned: SpawnedServer[] = []
const started: SyncServer[] = []
const devices: NodeSyncDevice[] = []

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  port = await freePort()
})
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.close()))
  for (const server of spawned.splice(0)) await server.kill()
  for (const server of started.splice(0)) await server.close()
  await rm(data, { recursive: true, force: true })
})

/** As a process of its own, always on the same port and folder. */
async function spawn(limits: Partial<Limits> = {}): Promise<SpawnedServer> {
  const server = await spawnSyncServer({ port, data, secret: 'secret', limits })
  spawned.push(server)
  return server
}

/** In this process, so that it can ask a function about tokens. */
async function start(options: SyncServerOptions): Promise<SyncServer> {
  const server = await startSyncServer({ port, data, say: () => undefined, ...options })
  started.push(server)
  return server
}

async function connect(options: Omit<NodeSyncDeviceOptions, 'url'> = {}): Promise<NodeSyncDevice> {
  const device = await openNodeSyncDevice({ url: `ws://127.0.0.1:${port}`, ...options })
  devices.push(device)
  return device
}

const numbered = (who: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${who} ${n}`)
const stateOf = ({ sync }: NodeSyncDevice): string => sync.status().state
const allSynced = async (...all: readonly NodeSyncDevice[]): Promise<void> => {
  await expect.poll(() => all.map(stateOf)).toEqual(all.map(() => 'synced'))
}

/** Each text once on every device, in one order, and what one has said in its own. */
async function expectAll(all: readonly NodeSyncDevice[], said: Readonly<Record<string, number>>): Promise<void> {
  const count = Object.values(said).reduce((sum, one) => sum + one)
  await expect
    .poll(async () => Promise.all(all.map(async (device) => (await device.texts()).length)))
    .toEqual(all.map(() => count))
  const [first, ...others] = await Promise.all(all.map((device) => device.texts()))
  for (const other of others) expect(other).toEqual(first)
  for (const [who, its] of Object.entries(said))
    expect(first!.filter((text) => String(text).startsWith(`${who} `))).toEqual(numbered(who, its))
}

describe('a server that is killed', () => {
  it('while two devices send loses nothing of either: they say that they are offline, and go on with the next one', async () => {
    let server = await spawn()
    const [a, b] = [await connect(), await connect()]
    await allSynced(a, b)
    for (let round = 1; round <= kills; round++) {
      const [ofA, ofB] = ['a', 'b'].map((who) => numbered(who, 300 * round).slice(-300))
      const talking = [a.say(...ofA!), b.say(...ofB!)]
      await expect.poll(() => b.texts(), { interval: 1 }).toContain(ofA![0])
      await server.kill()
      await Promise.all(talking)
      for (const device of [a, b]) {
        await expect
          .poll(() => device.sync.status())
          .toMatchObject({ state: 'offline', message: expect.stringContaining('cannot be reached') })
      }
      server = await spawn()
      await expectAll([a, b], { a: 300 * round, b: 300 * round })
      await allSynced(a, b)
    }
  })

  it('has on its disk what a device was told is there, though the device never comes back', async () => {
    const server = await spawn()
    const a = await connect()
    await allSynced(a)
    await a.say(...numbered('a', 40))
    expect(await a.sync.syncNow()).toMatchObject({ state: 'synced' })
    const talking = a.say(...numbered('more', 400))
    await Promise.all([server.kill(), a.sync.close()])
    await talking
    await spawn()
    const b = await connect()
    await allSynced(b)
    const kept = await b.texts()
    expect(kept).toEqual([...numbered('a', 40), ...numbered('more', kept.length - 40)])
  })
})

describe('a token', () => {
  /** Lets in by the token's own words: until when it is good. */
  const authorise: NonNullable<SyncServerOptions['authorise']> = (token) => {
    const expires = Number(token)
    return Number.isFinite(expires) ? { access: 'write', expires } : 'denied'
  }

  it('that expires ends the connection as denied; each try asks for another, and a good one sends what was written meanwhile', async () => {
    await start({ authorise })
    let token = ''
    let asked = 0
    const b = await connect({ token: () => String(Date.now() + 3_600_000) })
    const a = await connect({
      token: () => {
        asked += 1
        // Long enough for what is said before, on a machine however busy.
        return (token ||= String(Date.now() + 5000))
      },
    })
    await a.say('a 0')
    await expectAll([a, b], { a: 1 })
    await expect.poll(() => a.said).toContainEqual({ state: 'denied', message: 'token-expired' })
    // At the reconnection the old one is refused, too.
    const before = asked
    await a.say('a 1', 'a 2')
    await expect.poll(() => asked).toBeGreaterThan(before + 3)
    expect(await b.texts()).toEqual(['a 0'])
    token = String(Date.now() + 3_600_000)
    await expectAll([a, b], { a: 3 })
    await allSynced(a, b)
  })

  it('that is refused for one session only is asked for again, and the others go on', async () => {
    let mayOpen = false
    const privateId = await sessionDocumentId('private')
    await start({ authorise: (_, name) => (mayOpen || !name.endsWith(privateId) ? 'write' : 'denied') })
    const [a, b] = [await connect(), await connect()]
    await a.store.addMessage('private', 'user', 'secret')
    await expect
      .poll(() => a.sync.status())
      .toMatchObject({ state: 'error', message: expect.stringContaining('denied') })
    await a.say('a 0')
    await expectAll([a, b], { a: 1 })
    // It is tried again now and then: in between it says why it waits.
    await expect.poll(() => a.sync.session('private')).toBe('denied')
    mayOpen = true
    await expect.poll(() => b.texts('private')).toEqual(['secret'])
    await allSynced(a, b)
  })
})

describe('a device without room', () => {
  it('takes in what it can, says what is in the way, and the rest by itself once there is room', async () => {
    await spawn()
    let room = Infinity
    const [a, b] = [
      await connect(),
      await connect({ backend: await openWebStorageBackend({ name: 'b', storage: createWebStorage(() => room) }) }),
    ]
    await b.say('b 0')
    await a.say(...numbered('a', 40).map((text) => `${text} ${'x'.repeat(2_000)}`))
    await expect.poll(async () => (await b.texts()).length).toBe(41)
    await allSynced(a, b)
    const before = await b.store.changes('s')
    room = 100_000
    const more = numbered('more', 60).map((text) => `${text} ${'x'.repeat(2_000)}`)
    await a.say(...more)
    await expect
      .poll(() => b.sync.status())
      .toMatchObject({ state: 'error', message: expect.stringMatching(/^Session "s": .* is full/) })
    const during = await b.store.changes('s')
    expect(during.entries.slice(0, before.entries.length)).toEqual(before.entries)
    expect((await b.store.verify('s')).problems).toEqual([])
    expect((await b.texts()).length).toBeLessThan(101)
    room = Infinity
    await expect.poll(async () => (await b.texts()).length).toBe(101)
    expect(await b.texts()).toEqual(await a.texts())
    await allSynced(a, b)
  })
})

describe('an entry that is too long for the server', () => {
  it.each([
    ['in one message', 100_000],
    ['so that it ends the connection', 300_000],
  ])('%s leaves its session oversized, by name, while the others go on', async (_, length) => {
    await spawn({ messageBytes: 50_000 })
    const [a, b] = [await connect(), await connect()]
    await allSynced(a, b)
    await a.store.addMessage('big', 'user', 'x'.repeat(length))
    await expect.poll(() => a.sync.session('big')).toBe('oversized')
    await a.say('a 0')
    await b.say('b 0')
    await expectAll([a, b], { a: 1, b: 1 })
    await expect
      .poll(() => a.sync.status())
      .toMatchObject({ state: 'error', message: expect.stringContaining('Session "big"'), pending: 0 })
    expect(a.sync.session('s')).toBe('synced')
    await allSynced(b)
  })
})
