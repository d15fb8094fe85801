import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OpenOptions } from '../../src/index.ts'
import type { SyncServerOptions } from '../../server/src/options.js'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import { freePort } from '../support/free-port.ts'
import type { Served } from '../support/serve.ts'
import { serveSync, type SyncWindow } from '../support/served-sync.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'

type Store = Awaited<ReturnType<SyncWindow['sdk']['openSessionStore']>>

interface DeviceWindow extends SyncWindow {
  readonly store: Store
  readonly sync: ReturnType<SyncWindow['openSync']>
  /** What its status was, one after the other. */
  readonly said: string[]
  token: string
}

let served: Served
let root: string
let devices: readonly [BrowserContext, BrowserContext]
let server: SpawnedServer
let port: number
let test = 0

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsession-sync-'))
  served = await serveSync()
  const start = (folder: string) => chromium.launchPersistentContext(join(root, folder), { executablePath: findChromium()!, args: CHROMIUM_ARGS })
  devices = await Promise.all([start('one'), start('two')])
})
afterAll(async () => {
  await Promise.all((devices ?? []).map((device) => device.close()))
  await served?.close()
  await rm(root, { recursive: true, force: true })
})
beforeEach(async () => {
  test += 1
  port = await freePort()
  await startServer()
})
afterEach(async () => {
  // The first page of each keeps its browser.
  for (const device of devices) await Promise.all(device.pages().slice(1).map((page) => page.close()))
  await server.kill()
})

async function startServer(options: Partial<SyncServerOptions> = { secret: 'good' }): Promise<void> {
  server = await spawnSyncServer({ port, data: join(root, `server-${test}`), ...options })
}

interface TabOptions {
  readonly open?: Partial<OpenOptions>
  readonly token?: string
  readonly paused?: boolean
  /** Whether the worker's file is missing. */
  readonly isBroken?: boolean
}

/** Opens a tab with a store that syncs. */
async function openTab(device: BrowserContext, { open = {}, token = 'good', paused = false, isBroken = false }: TabOptions = {}): Promise<Page> {
  const page = await device.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'openSync' in window)
  await page.evaluate(
    async (given) => {
      const self = window as unknown as DeviceWindow
      const store = await self.sdk.openSessionStore({ name: given.name, ...given.open })
      self.token = given.token
      const sync = self.openSync(store, {
        namespace: 'me',
        transport: { kind: 'hocuspocus', url: given.url },
        token: () => self.token,
        retryMs: [100, 500],
        tellMs: 20,
        paused: given.paused,
        ...(given.open.encryption === undefined ? {} : { encryption: given.open.encryption }),
        ...(given.isBroken ? { worker: () => new Worker('/missing.js', { type: 'module' }) } : {}),
      })
      const said: string[] = []
      sync.subscribe(() => {
        const { state } = sync.getSnapshot().status
        if (said.at(-1) !== state) said.push(state)
      })
      Object.assign(self, { store, sync, said })
    },
    { name: `sync-${test}`, url: server.url, open, token, paused, isBroken },
  )
  return page
}

/** Says numbered messages, several appends of each at once. */
const say = (page: Page, who: string, count: number): Promise<void> =>
  page.evaluate(
    async ([who, count]) => {
      const { store } = window as unknown as DeviceWindow
      for (let n = 0; n < count; n += 50) {
        const messages = Array.from({ length: Math.min(50, count - n) }, (_, i) => ({ role: 'user' as const, content: `${who} ${n + i}` }))
        await Promise.all(messages.map((message) => store.append('s', [{ type: 'message', message }])))
      }
    },
    [who, count] as const,
  )

const textsOf = (page: Page): Promise<readonly unknown[]> => page.evaluate(async () => (await (window as unknown as DeviceWindow).store.getHistory('s')).map(({ content }) => content))

const statusOf = (page: Page) => page.evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().status)

const untilState = async (page: Page, state: string): Promise<void> => {
  await expect.poll(async () => (await statusOf(page)).state).toBe(state)
}

/** Waits until a device has so many messages, and gives them. */
async function untilCount(page: Page, count: number): Promise<readonly unknown[]> {
  await expect.poll(async () => (await textsOf(page)).length).toBeGreaterThanOrEqual(count)
  return textsOf(page)
}

const numbered = (who: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${who} ${n}`)

/** What the server counts of its open connections. */
async function connections(): Promise<number> {
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text()
  return Number(/keepsession_sync_connections (\d+)/.exec(text)?.[1])
}

describe('two devices', () => {
  it('have all that was said on both while neither was connected, in one order', async () => {
    const [a, b] = [await openTab(devices[0], { paused: true }), await openTab(devices[1], { paused: true })]
    await Promise.all([say(a, 'a', 1000), say(b, 'b', 1000)])
    expect([(await textsOf(a)).length, (await textsOf(b)).length]).toEqual([1000, 1000])
    await Promise.all([a, b].map((page) => page.evaluate(() => (window as unknown as DeviceWindow).sync.resume())))
    const [ofA, ofB] = [await untilCount(a, 2000), await untilCount(b, 2000)]
    expect(ofA).toEqual(ofB)
    // Nothing is lost or there twice, and what one has said stays in its order.
    for (const who of ['a', 'b']) expect(ofA.filter((text) => String(text).startsWith(who))).toEqual(numbered(who, 1000))
    await Promise.all([untilState(a, 'synced'), untilState(b, 'synced')])
  })

  it('keep a session deleted that one deleted while the other was away', async () => {
    const [a, b] = [await openTab(devices[0]), await openTab(devices[1])]
    await say(a, 'a', 3)
    await untilCount(b, 3)
    await b.close()
    await a.evaluate(() => (window as unknown as DeviceWindow).store.delete('s'))
    await a.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())
    await a.close()
    const keys = (page: Page) => page.evaluate(async () => (await (window as unknown as DeviceWindow).store.listSessions()).sessions.map(({ key }) => key))
    const again = [await openTab(devices[1]), await openTab(devices[0])]
    for (const page of again) await expect.poll(() => keys(page)).toEqual([])
    for (const page of again) await page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())
    expect(await Promise.all(again.map(keys))).toEqual([[], []])
  })

  it('say that they are offline while the server is dead, and come back by themselves', async () => {
    const [a, b] = [await openTab(devices[0]), await openTab(devices[1])]
    await say(a, 'before', 1)
    await untilCount(b, 1)
    await server.kill()
    const wasOffline = (page: Page): Promise<unknown> => page.waitForFunction(() => (window as unknown as DeviceWindow).said.includes('offline'), undefined, { polling: 20 })
    await Promise.all([wasOffline(a), wasOffline(b)])
    await Promise.all([say(a, 'a', 20), say(b, 'b', 20)])
    await startServer()
    const [ofA, ofB] = [await untilCount(a, 41), await untilCount(b, 41)]
    expect(ofA).toEqual(ofB)
    expect(ofA).toHaveLength(41)
    await Promise.all([untilState(a, 'synced'), untilState(b, 'synced')])
  })
})

describe('the tabs of a device', () => {
  it('hold one connection, which another takes over from a tab that closes', async () => {
    const [first, second, third] = [await openTab(devices[0]), await openTab(devices[0]), await openTab(devices[0])]
    await untilState(first, 'synced')
    await untilState(third, 'synced')
    expect(await connections()).toBe(1)
    const isLeader = (page: Page): Promise<boolean> => page.evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().isLeader)
    expect(await Promise.all([first, second, third].map(isLeader))).toEqual([true, false, false])
    await say(second, 'before', 20)
    // Its own words are on their way when it goes.
    const going = say(first, 'going', 20)
    await going
    await first.close()
    await say(third, 'after', 20)
    await expect.poll(async () => (await Promise.all([second, third].map(isLeader))).filter(Boolean).length).toBe(1)
    const other = await openTab(devices[1])
    const there = await untilCount(other, 60)
    expect(there).toEqual([...numbered('before', 20), ...numbered('going', 20), ...numbered('after', 20)])
    expect(await textsOf(second)).toEqual(there)
    await Promise.all([second, third].map((page) => untilState(page, 'synced')))
    await other.close()
    await expect.poll(connections).toBe(1)
    // A follower may ask as well.
    for (const page of [second, third]) expect((await page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())).state).toBe('synced')
  })
})

describe('a token', () => {
  it('that is refused is said to be, and a better one is taken by itself', async () => {
    await server.stop()
    await startServer({ tokens: [{ token: 'good' }, { token: 'short', expires: new Date(Date.now() + 4000).toISOString() }] })
    const page = await openTab(devices[0], { token: 'wrong' })
    await say(page, 'a', 1)
    const useToken = (token: string): Promise<void> => page.evaluate((given) => void Object.assign(window, { token: given }), token)
    const untilDenied = (reason: string): Promise<unknown> =>
      page.waitForFunction((expected) => {
        const { state, message } = (window as unknown as DeviceWindow).sync.getSnapshot().status
        return state === 'denied' && message?.includes(expected) === true
      }, reason, { polling: 20 })
    await untilDenied('denied')
    await expect(page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())).rejects.toThrow('The other side refuses us')
    await useToken('short')
    await untilDenied('token-expired')
    await useToken('good')
    await untilState(page, 'synced')
    const other = await openTab(devices[1])
    expect(await untilCount(other, 1)).toEqual(['a 0'])
  })
})

describe('sync works', () => {
  it.each<readonly [string, TabOptions]>([
    ['over a store that is encrypted at rest', { open: { encryption: { passphrase: 'correct horse' } } }],
    ['over a store in the page', { open: { modes: ['in-page'] } }],
    ['without the file of its worker', { isBroken: true }],
  ])('%s', async (_, options) => {
    const [a, b] = [await openTab(devices[0], options), await openTab(devices[1])]
    await say(a, 'a', 3)
    expect(await untilCount(b, 3)).toEqual(numbered('a', 3))
    await say(b, 'b', 3)
    expect(await untilCount(a, 6)).toEqual([...numbered('a', 3), ...numbered('b', 3)])
    await untilState(a, 'synced')
    // Only a worker without a file has such an address.
    expect(a.workers().some((worker) => worker.url().startsWith('blob:'))).toBe(options.isBroken === true)
  })
})
