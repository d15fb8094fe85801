import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import type { DeviceSyncSnapshot } from '../../src/sync.ts'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import type { Served } from '../support/serve.ts'
import { type SyncWindow, serveSync } from '../support/served-sync.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'

interface TabWindow extends SyncWindow {
  readonly client: SessionClient
  readonly sync: ReturnType<SyncWindow['openSync']>
}

let served: Served
let root: string
let device: BrowserContext
let server: SpawnedServer

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsession-sync-tabs-'))
  served = await serveSync()
  server = await spawnSyncServer({ data: join(root, 'server'), secret: 'good' })
  device = await chromium.launchPersistentContext(join(root, 'device'), {
    executablePath: findChromium()!,
    args: CHROMIUM_ARGS,
  })
})
afterAll(async () => {
  await device?.close()
  await server?.kill()
  await served?.close()
  await rm(root, { recursive: true, force: true })
})

/** Roots of keys, the same in every tab. */
type Key = 'first' | 'second'

/**
 * Opens a tab of a device, which are stores of one name; with a key, it is sealed. Devices whose names begin alike have
 * one namespace.
 */
async function openTab(name: string, key?: Key): Promise<Page> {
  const page = await device.newPage()
  onTestFinished(() => page.close())
  await page.goto(served.url)
  await page.waitForFunction(() => 'openSync' in window)
  await page.evaluate(
    async ({ name, url, key }) => {
      const namespace = name[0]!
      const self = window as unknown as TabWindow
      const client = await self.sdk.openSessionStore({ name })
      const keys =
        key &&
        (await self.encryption.openSyncKeys(await self.encryption.rootKeyOfPassphrase(key, namespace), namespace))
      const sync = self.openSync(client, {
        namespace,
        transport: { kind: 'hocuspocus', url },
        token: () => 'good',
        retryMs: [100, 500],
        announceMs: 20,
        ...(keys && { keys }),
      })
      Object.assign(self, { client, sync })
    },
    { name, url: server.url, key },
  )
  return page
}

const say = (page: Page, key: string, text: string): Promise<unknown> =>
  page.evaluate(([key, text]) => (window as unknown as TabWindow).client.store.addMessage(key, 'user', text), [
    key,
    text,
  ] as const)
const keysIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () =>
    (await (window as unknown as TabWindow).client.listSessions()).sessions.map(({ key }) => key).sort(),
  )
const syncNow = (page: Page): Promise<string> =>
  page.evaluate(async () => (await (window as unknown as TabWindow).sync.syncNow()).state)
const snapshotOf = (page: Page): Promise<DeviceSyncSnapshot> =>
  page.evaluate(() => (window as unknown as TabWindow).sync.getSnapshot())

describe('the tabs of a device', () => {
  it('go on with a key that one of them has changed, whichever leads, and see all that the others do', async () => {
    const tabs = [await openTab('a', 'first'), await openTab('a', 'first'), await openTab('a', 'first')] as const
    for (const key of ['s', 't', 'u']) await say(tabs[0], key, 'hello')
    expect(await syncNow(tabs[0])).toBe('synced')
    const whoLeads = async (): Promise<readonly boolean[]> =>
      Promise.all(tabs.map(async (page) => (await snapshotOf(page)).isLeader))
    await expect.poll(async () => (await whoLeads()).filter(Boolean).length).toBe(1)
    const leader = tabs[(await whoLeads()).indexOf(true)]!
    const [one, two] = tabs.filter((page) => page !== leader) as [Page, Page]
    const changed = await one.evaluate(async () => {
      const { sync, encryption } = window as unknown as TabWindow
      const to = await encryption.openSyncKeys(await encryption.rootKeyOfPassphrase('second', 'a'), 'a')
      const seen: number[] = []
      const { moved, left } = await sync.changeKeys(to, { onProgress: ({ done, total }) => seen.push(done / total) })
      return { moved: [...moved].sort(), left, last: seen.at(-1) }
    })
    expect(changed).toEqual({ moved: ['s', 't', 'u'], left: [], last: 1 })
    await leader.close()
    await expect
      .poll(async () => (await Promise.all([one, two].map(snapshotOf))).filter(({ isLeader }) => isLeader).length)
      .toBe(1)
    await say(two, 'v', 'later')
    expect(await syncNow(two)).toBe('synced')
    await expect
      .poll(async () => (await snapshotOf(one)).sessions.map(({ key }) => key).sort())
      .toEqual(['s', 't', 'u', 'v'])
    const other = await openTab('a elsewhere', 'second')
    await expect.poll(() => keysIn(other)).toEqual(['s', 't', 'u', 'v'])
  })

  it('all end when the user signs out in one, which takes the sessions from this device only once they were sent', async () => {
    const [one, two] = [await openTab('b', 'second'), await openTab('b', 'second')]
    await say(one, 'mine', 'hello')
    expect(await syncNow(one)).toBe('synced')
    await one.evaluate(() => (window as unknown as TabWindow).sync.pause())
    await say(two, 'unsent', 'hello')
    const signOut = (page: Page, discardUnsent = false): Promise<unknown> =>
      page.evaluate(
        (discardUnsent) =>
          (window as unknown as TabWindow).sync
            .signOut({ deleteSessions: true, discardUnsent })
            .catch(({ name }: Error) => name),
        discardUnsent,
      )
    expect(await signOut(two)).toBe('Unsent')
    await one.evaluate(() => (window as unknown as TabWindow).sync.resume())
    expect(await syncNow(two)).toBe('synced')
    expect(await signOut(two)).toBeUndefined()
    for (const page of [one, two]) await expect.poll(async () => (await snapshotOf(page)).status.state).toBe('closed')
    expect(
      (await one.evaluate(() => indexedDB.databases()))
        .map(({ name }) => name)
        .filter((name) => /(^|:)b$/.test(String(name))),
    ).toEqual([])
    const other = await openTab('b elsewhere', 'second')
    await expect.poll(() => keysIn(other)).toEqual(expect.arrayContaining(['mine', 'unsent']))
  })
})
