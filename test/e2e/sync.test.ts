import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { SyncServerOptions } from '../../server/src/options.js'
import type { OpenOptions, SessionClient } from '../../src/index.ts'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import { freePort } from '../support/free-port.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import type { Served } from '../support/serve.ts'
import { type SyncWindow, serveSync } from '../support/served-sync.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'

interface DeviceWindow extends SyncWindow {
  readonly client: SessionClient
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
  const start = (folder: string) =>
    chromium.launchPersistentContext(join(root, folder), { executablePath: findChromium()!, args: CHROMIUM_ARGS })
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
  for (const device of devices)
    await Promise.all(
      device
        .pages()
        .slice(1)
        .map((page) => page.close()),
    )
  await server.kill()
})

async function startServer(options: Partial<SyncServerOptions> = { secret: 'good' }): Promise<void> {
  server = await spawnSyncServer({ port, data: join(root, `server-${test}`), ...options })
}

interface TabOptions {
  readonly open?: Omit<OpenOptions, 'schema'>
  readonly token?: string
  readonly paused?: boolean
  /** Whether the worker's file is missing. */
  readonly isBroken?: boolean
  /** Who is shown to the others. */
  readonly user?: string
}

/** Opens a tab with a store that syncs. */
async function openTab(
  device: BrowserContext,
  { open = {}, token = 'good', paused = false, isBroken = false, user }: TabOptions = {},
): Promise<Page> {
  const page = await device.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'openSync' in window)
  await page.evaluate(
    async (given) => {
      const self = window as unknown as DeviceWindow
      const client = await self.sdk.openSessionStore({ name: given.name, ...given.open })
      self.token = given.token
      const sync = self.openSync(client, {
        namespace: 'me',
        transport: { kind: 'hocuspocus', url: given.url },
        token: () => self.token,
        retryMs: [100, 500],
        announceMs: 20,
        paused: given.paused,
        ...(given.open.encryption === undefined ? {} : { encryption: given.open.encryption }),
        ...(given.user === undefined ? {} : { presence: { user: { name: given.user } } }),
        ...(given.isBroken ? { worker: () => new Worker('/missing.js', { type: 'module' }) } : {}),
      })
      const said: string[] = []
      sync.subscribe(() => {
        const { state } = sync.getSnapshot().status
        if (said.at(-1) !== state) said.push(state)
      })
      Object.assign(self, { client, sync, said })
    },
    { name: `sync-${test}`, url: server.url, open, token, paused, isBroken, user },
  )
  return page
}

/** Says numbered messages, several appends of each at once. */
const say = (page: Page, who: string, count: number): Promise<void> =>
  page.evaluate(
    async ([who, count]) => {
      const { client } = window as unknown as DeviceWindow
      for (let n = 0; n < count; n += 50) {
        const messages = Array.from({ length: Math.min(50, count - n) }, (_, i) => ({
          role: 'user' as const,
          content: `${who} ${n + i}`,
        }))
        await Promise.all(messages.map((message) => client.store.append('s', [{ type: 'message', message }])))
      }
    },
    [who, count] as const,
  )

const textsOf = (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(async () =>
    (await (window as unknown as DeviceWindow).client.store.getHistory('s')).map(({ content }) => content),
  )

const statusOf = (page: Page) => page.evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().status)

const untilState = async (page: Page, state: string): Promise<void> => {
  // The whole of it, which says what it waits for.
  await expect.poll(() => statusOf(page)).toEqual(expect.objectContaining({ state }))
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
    for (const who of ['a', 'b'])
      expect(ofA.filter((text) => String(text).startsWith(who))).toEqual(numbered(who, 1000))
    await Promise.all([untilState(a, 'synced'), untilState(b, 'synced')])
  })

  it('keep a session deleted that one deleted while the other was away', async () => {
    const [a, b] = [await openTab(devices[0]), await openTab(devices[1])]
    await say(a, 'a', 3)
    await untilCount(b, 3)
    await b.close()
    await a.evaluate(() => (window as unknown as DeviceWindow).client.delete('s'))
    await a.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())
    await a.close()
    const keys = (page: Page) =>
      page.evaluate(async () =>
        (await (window as unknown as DeviceWindow).client.listSessions()).sessions.map(({ key }) => key),
      )
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
    const wasOffline = (page: Page): Promise<unknown> =>
      page.waitForFunction(() => (window as unknown as DeviceWindow).said.includes('offline'), undefined, {
        polling: 20,
      })
    await Promise.all([wasOffline(a), wasOffline(b)])
    await Promise.all([say(a, 'a', 20), say(b, 'b', 20)])
    await startServer()
    const [ofA, ofB] = [await untilCount(a, 41), await untilCount(b, 41)]
    expect(ofA).toEqual(ofB)
    expect(ofA).toHaveLength(41)
    await Promise.all([untilState(a, 'synced'), untilState(b, 'synced')])
  })
})

/**
 * Has a tab say numbered messages one after the other, until it is told to stop or dies. @returns how many it was told
 * are stored
 */
async function talk(page: Page, who: string): Promise<() => number> {
  let stored = 0
  await page.exposeFunction('acknowledge', () => void (stored += 1))
  await page.evaluate((who) => {
    const self = window as unknown as DeviceWindow & {
      acknowledge: () => void
      isOver?: boolean
      talking: Promise<void>
    }
    const all = async (): Promise<void> => {
      for (let n = 0; !self.isOver; n++) {
        await self.client.store.append('s', [{ type: 'message', message: { role: 'user', content: `${who} ${n}` } }])
        self.acknowledge()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    self.talking = all()
  }, who)
  return () => stored
}

const stopTalking = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.assign(window, { isOver: true })
    return (window as unknown as { talking: Promise<void> }).talking
  })

const isLeader = (page: Page): Promise<boolean> =>
  page.evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().isLeader)

async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash')
  const devtools = await page.context().newCDPSession(page)
  void devtools.send('Page.crash').catch(() => undefined)
  await crashed
}

describe('three tabs and another device', () => {
  it('have each message once, in one order, though the leading tab is closed and the next one crashes while all write', async () => {
    const tabs: Page[] = []
    for (let n = 0; n < 3; n++) tabs.push(await openTab(devices[0]))
    const other = await openTab(devices[1])
    await Promise.all([...tabs, other].map((page) => untilState(page, 'synced')))
    expect(await connections()).toBe(2)
    const talkers = new Map<string, () => number>()
    for (const [n, tab] of tabs.entries()) talkers.set(`tab${n}`, await talk(tab, `tab${n}`))
    talkers.set('other', await talk(other, 'other'))
    const said = (count: number) =>
      expect.poll(() => Math.min(...[...talkers.values()].map((stored) => stored()))).toBeGreaterThan(count)
    await said(10)
    const closed = tabs[(await Promise.all(tabs.map(isLeader))).indexOf(true)]!
    await closed.close()
    const left = tabs.filter((tab) => tab !== closed)
    await expect.poll(async () => (await Promise.all(left.map(isLeader))).filter(Boolean).length).toBe(1)
    const crashed = left[(await Promise.all(left.map(isLeader))).indexOf(true)]!
    const survivor = left.find((tab) => tab !== crashed)!
    await crash(crashed)
    await expect.poll(() => isLeader(survivor)).toBe(true)
    const fresh = await openTab(devices[0])
    const after = talkers.get('other')!()
    await expect.poll(talkers.get('other')!).toBeGreaterThan(after + 10)
    await Promise.all([survivor, other].map(stopTalking))

    const pages = [survivor, fresh, other]
    await Promise.all(pages.map((page) => page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())))
    await expect
      .poll(async () => new Set((await Promise.all(pages.map(textsOf))).map((texts) => texts.join())).size)
      .toBe(1)
    const texts = await textsOf(other)
    for (const [who, stored] of talkers) {
      const its = texts.filter((text) => String(text).startsWith(`${who} `))
      expect(its).toEqual(numbered(who, its.length))
      expect(its.length).toBeGreaterThanOrEqual(stored())
    }
    await Promise.all(pages.map((page) => untilState(page, 'synced')))
    await expect.poll(connections).toBe(2)
    await crashed.close()
  })
})

describe('a device without room', () => {
  it('keeps what it has, says what is in the way, and takes in the rest by itself once there is room', async () => {
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const small = await browser.newContext()
    const page = await small.newPage()
    await page.goto(served.url)
    const devtools = await small.newCDPSession(page)
    const setQuota = (quotaSize?: number) =>
      devtools.send('Storage.overrideQuotaForOrigin', {
        origin: served.url,
        ...(quotaSize === undefined ? {} : { quotaSize }),
      })
    // Before there is a database: Chromium looks only now and then how much room is left.
    await setQuota(5_000_000)
    const [a, b] = [await openTab(devices[0]), await openTab(small)]
    await say(a, 'a', 20)
    await untilCount(b, 20)
    await untilState(b, 'synced')
    await a.evaluate(async () => {
      const { client } = window as unknown as DeviceWindow
      // What repeats is stored in a few bytes.
      const noise = (): string =>
        Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) => byte.toString(16)).join('')
      for (let n = 0; n < 60; n++)
        await client.store.append('s', [
          { type: 'message', message: { role: 'user', content: `long ${n} ${noise()}` } },
        ])
    })
    const beginnings = (page: Page): Promise<readonly string[]> =>
      page.evaluate(async () =>
        (await (window as unknown as DeviceWindow).client.store.getHistory('s')).map(({ content }) =>
          String(content).split(' ', 2).join(' '),
        ),
      )
    const all = [...numbered('a', 20), ...numbered('long', 60)]
    await expect
      .poll(() => statusOf(b))
      .toMatchObject({ state: 'error', message: expect.stringMatching(/^Session "s": .*(quota|room|space|full)/i) })
    const had = await beginnings(b)
    expect(had.length).toBeGreaterThanOrEqual(20)
    expect(had.length).toBeLessThan(80)
    expect(had).toEqual(all.slice(0, had.length))
    expect((await b.evaluate(() => (window as unknown as DeviceWindow).client.store.verify())).problems).toEqual([])
    await setQuota()
    await expect.poll(() => beginnings(b), { interval: 250 }).toEqual(all)
    await untilState(b, 'synced')
  })
})

describe('the tabs of a device', () => {
  it('hold one connection, which another takes over from a tab that closes', async () => {
    const [first, second, third] = [await openTab(devices[0]), await openTab(devices[0]), await openTab(devices[0])]
    await untilState(first, 'synced')
    await untilState(third, 'synced')
    expect(await connections()).toBe(1)
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
    for (const page of [second, third])
      expect((await page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())).state).toBe('synced')
  })
})

describe('presence', () => {
  const peersOf = (page: Page) =>
    page.evaluate(() =>
      ((window as unknown as DeviceWindow).sync.getSnapshot().presence['s'] ?? []).map(
        ({ id, user, isTyping, draft }) => ({ id, name: user['name'], isTyping, text: draft?.text }),
      ),
    )
  const namesOf = async (pages: readonly Page[]) =>
    Promise.all(pages.map(async (page) => (await peersOf(page)).map(({ name }) => name).join()))
  const watch = (page: Page): Promise<void> =>
    page.evaluate(() => void Object.assign(window, { stop: (window as unknown as DeviceWindow).sync.watch('s') }))
  const unwatch = (page: Page): Promise<void> => page.evaluate(() => (window as unknown as { stop(): void }).stop())
  /** Notes the most peers that a tab ever showed. */
  const countPeers = (page: Page): Promise<void> =>
    page.evaluate(() => {
      const { sync } = window as unknown as DeviceWindow
      const counted = { most: 0 }
      sync.subscribe(() => (counted.most = Math.max(counted.most, sync.getSnapshot().presence['s']?.length ?? 0)))
      Object.assign(window, { counted })
    })
  const mostOf = (page: Page): Promise<number> =>
    page.evaluate(() => (window as unknown as { counted: { most: number } }).counted.most)
  const crash = async (page: Page): Promise<void> => {
    const session = await page.context().newCDPSession(page)
    void session.send('Page.crash').catch(() => undefined)
  }

  /** Two devices with two tabs each. The first tabs lead, the second ones look at the session. */
  async function openFour(): Promise<{ readonly ada: readonly [Page, Page]; readonly bob: readonly [Page, Page] }> {
    const pair = async (device: BrowserContext, user: string): Promise<readonly [Page, Page]> => {
      const first = await openTab(device, { user })
      await untilState(first, 'synced')
      return [first, await openTab(device, { user })]
    }
    const [ada, bob] = [await pair(devices[0], 'Ada'), await pair(devices[1], 'Bob')]
    for (const page of [...ada, ...bob]) await countPeers(page)
    await say(ada[1], 'a', 1)
    for (const page of [ada[1], bob[1]]) await watch(page)
    await expect.poll(() => namesOf([...ada, ...bob])).toEqual(['Bob', 'Bob', 'Ada', 'Ada'])
    return { ada, bob }
  }

  it('shows in every tab who is there, who types, a reply as it grows, and who has left', async () => {
    const { ada, bob } = await openFour()
    await bob[1].evaluate(() => (window as unknown as DeviceWindow).sync.setTyping('s', true))
    for (const page of ada) await expect.poll(async () => (await peersOf(page))[0]?.isTyping).toBe(true)
    await bob[1].evaluate(async () => {
      const { client } = window as unknown as DeviceWindow
      const draft = await client.store.openDraft('s', { role: 'assistant' })
      await client.store.writeDraft('s', draft, 0, { text: 'one, ' })
      Object.assign(window, { draft })
    })
    for (const page of ada) await expect.poll(async () => (await peersOf(page))[0]?.text).toBe('one, ')
    await bob[1].evaluate(async () => {
      const { client, draft } = window as unknown as DeviceWindow & { draft: string }
      await client.store.writeDraft('s', draft, 1, { text: 'two' })
    })
    for (const page of ada) await expect.poll(async () => (await peersOf(page))[0]?.text).toBe('one, two')
    expect(await textsOf(ada[1])).toEqual(['a 0'])
    await bob[1].evaluate(async () => {
      const { client, draft } = window as unknown as DeviceWindow & { draft: string }
      await client.store.sealDraft('s', draft)
    })
    for (const page of ada) await expect.poll(async () => (await peersOf(page))[0]).toMatchObject({ text: undefined })
    expect(await untilCount(ada[1], 2)).toEqual(['a 0', 'one, two'])
    await unwatch(bob[1])
    await expect.poll(() => namesOf(ada)).toEqual(['', ''])
    expect(await Promise.all([...ada, ...bob].map(mostOf))).toEqual([1, 1, 1, 1])
  })

  it.each<readonly [string, (page: Page) => Promise<void>]>([
    ['closes', (page) => page.close()],
    ['crashes', crash],
  ])('lets go of a tab that %s, at once', async (_, end) => {
    const { ada, bob } = await openFour()
    await end(bob[1])
    await expect.poll(() => namesOf(ada), { timeout: 20_000 }).toEqual(['', ''])
    expect(await namesOf([bob[0]])).toEqual(['Ada'])
  })

  it('shows nobody who left while the tab that leads crashed', async () => {
    const { ada, bob } = await openFour()
    await Promise.all([crash(ada[0]), ...bob.map((page) => page.close())])
    await expect
      .poll(() => ada[1].evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().isLeader))
      .toBe(true)
    await expect.poll(() => namesOf([ada[1]])).toEqual([''])
  })

  it.each<readonly [string, (page: Page) => Promise<void>]>([
    ['is closed', (page) => page.close()],
    ['has crashed', crash],
  ])('is the same one when the tab that leads %s', async (_, end) => {
    const { ada, bob } = await openFour()
    const id = (await peersOf(ada[1]))[0]?.id
    expect(id).toBeDefined()
    await end(bob[0])
    await expect
      .poll(() => bob[1].evaluate(() => (window as unknown as DeviceWindow).sync.getSnapshot().isLeader))
      .toBe(true)
    await bob[1].evaluate(() => (window as unknown as DeviceWindow).sync.setTyping('s', true))
    await expect.poll(() => peersOf(ada[1])).toEqual([{ id, name: 'Bob', isTyping: true, text: undefined }])
    await expect.poll(() => namesOf([bob[1]])).toEqual(['Ada'])
    expect(await Promise.all([ada[0], ada[1], bob[1]].map(mostOf))).toEqual([1, 1, 1])
  })
})

describe('a token', () => {
  it('that is refused is said to be, and a better one is taken by itself', async () => {
    await server.stop()
    await startServer({
      tokens: [{ token: 'good' }, { token: 'short', expires: new Date(Date.now() + 4000).toISOString() }],
    })
    const page = await openTab(devices[0], { token: 'wrong' })
    await say(page, 'a', 1)
    const useToken = (token: string): Promise<void> =>
      page.evaluate((given) => void Object.assign(window, { token: given }), token)
    const untilDenied = (reason: string): Promise<unknown> =>
      page.waitForFunction(
        (expected) => {
          const { state, message } = (window as unknown as DeviceWindow).sync.getSnapshot().status
          return state === 'denied' && message?.includes(expected) === true
        },
        reason,
        { polling: 20 },
      )
    await untilDenied('denied')
    await expect(page.evaluate(() => (window as unknown as DeviceWindow).sync.syncNow())).rejects.toThrow(
      'The other side refuses us',
    )
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
