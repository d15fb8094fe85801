import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import { buildRelease, putRelease, putWorkers, workerFiles } from '../support/other-releases.ts'
import type { Served } from '../support/serve.ts'
import { serveMade } from '../support/serve-made.ts'
import type { SdkWindow } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

/**
 * Pages of one origin. `this`: as it is. `next`: a release with another format and another protocol. `format`: one with
 * another format only. `next-with-these`, `format-with-these`: their pages with the workers of this one.
 * `this-with-next`: the reverse. `deployed`: this one, until the test puts other workers there. `behind-a-cache`: the
 * next one, with a Service Worker that has kept the workers of this one.
 */
type Place =
  | 'this'
  | 'next'
  | 'format'
  | 'next-with-these'
  | 'format-with-these'
  | 'this-with-next'
  | 'deployed'
  | 'behind-a-cache'

let served: Served
let context: BrowserContext
let folder: string
let next: string
const cachingWorker = `
const keep = async () => {
  const cache = await caches.open('old')
  for (const file of ${JSON.stringify(workerFiles)}) await cache.put(new URL('dist/' + file, registration.scope), await fetch('/this/dist/' + file))
  await skipWaiting()
}
addEventListener('install', (event) => event.waitUntil(keep()))
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request))))
`
const here = fileURLToPath(new URL('../../dist', import.meta.url))

async function serveAll(): Promise<Served> {
  next = await buildRelease('protocol', 'format')
  const format = await buildRelease('format')
  return serveMade(async (made) => {
    folder = made
    await putRelease(made, 'this')
    await putRelease(made, 'next', next)
    await putRelease(made, 'format', format)
    await putRelease(made, 'next-with-these', next, here)
    await putRelease(made, 'format-with-these', format, here)
    await putRelease(made, 'this-with-next', here, next)
    await putRelease(made, 'deployed')
    await putRelease(made, 'behind-a-cache', next)
    await writeFile(join(made, 'behind-a-cache/service-worker.js'), cachingWorker)
  })
}
useServed(serveAll, (opened) => void ({ served, context } = opened))

type StoreWindow = SdkWindow & {
  readonly client: SessionClient
  readonly notices: string[]
  readonly troubles: string[]
}

async function openPage(place: Place): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${served.url}/${place}/`)
  await page.waitForFunction(() => 'sdk' in window)
  return page
}

/** Opens the store; gives the mode, or the name of the error. */
const openStore = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const [notices, troubles]: [string[], string[]] = [[], []]
    addEventListener('error', ({ message }) => troubles.push(message))
    Object.assign(window, { notices, troubles })
    try {
      const client = await (window as unknown as SdkWindow).sdk.openSessionStore({
        name: 'releases',
        onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
      })
      Object.assign(window, { client })
      return (await client.upkeep.health()).mode
    } catch (error) {
      return (error as Error).name
    }
  })

async function openTab(place: Place): Promise<Page> {
  const page = await openPage(place)
  expect(await openStore(page)).toMatch(/worker$/)
  return page
}

/** Appends; gives `stored`, or the name of the error. */
const say = (page: Page, content: string): Promise<string> =>
  page.evaluate(
    (text) =>
      (window as unknown as StoreWindow).client.store.addMessage('k', 'user', text).then(
        () => 'stored',
        (error: Error) => error.name,
      ),
    content,
  )

const contents = (page: Page): Promise<unknown> =>
  page.evaluate(async () =>
    (await (window as unknown as StoreWindow).client.store.getHistory('k')).map(({ content }) => content),
  )
const noticesOf = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as StoreWindow).notices)

/** What only other workers than the store's do: a job, an export, a search. */
const jobsOf = (page: Page, word: string): Promise<unknown> =>
  page.evaluate(async (text) => {
    const { client } = window as unknown as StoreWindow
    return [
      (await client.store.verify()).problems.length,
      (await client.files.export('markdown').result).length,
      (await client.search(text)).length,
    ]
  }, word)

async function close(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as Partial<StoreWindow>).client?.close())
  await page.close()
}

/** The version of the database, as the browser has it. */
const versionOf = (page: Page): Promise<number | undefined> =>
  page.evaluate(async () => (await indexedDB.databases()).find(({ name }) => name === 'releases')?.version)

async function fill(place: Place, ...texts: readonly string[]): Promise<void> {
  const page = await openTab(place)
  for (const text of texts) expect(await say(page, text)).toBe('stored')
  await close(page)
}

describe('page and workers of one release', () => {
  it('bring what an older one has written to their format, and have all of it', async () => {
    await fill('this', 'before')
    const page = await openTab('next')
    expect(await noticesOf(page)).toContain('upgrading')
    expect([await say(page, 'after'), await contents(page), await jobsOf(page, 'before')]).toEqual([
      'stored',
      ['before', 'after'],
      [0, 1, 1],
    ])
  })

  it('are told that they are old by what a newer one has written, and touch nothing', async () => {
    await fill('next', 'newer')
    const old = await openPage('this')
    expect(await openStore(old)).toBe('VersionConflict')
    await close(old)
    const page = await openTab('next')
    expect([await contents(page), await jobsOf(page, 'newer')]).toEqual([['newer'], [0, 1, 1]])
  })
})

describe('a page whose workers are of an older release', () => {
  it.each(['this', 'next'] as const)(
    'works with those of its own release, on what the release “%s” has written',
    async (writer) => {
      await fill(writer, 'before')
      const page = await openTab('next-with-these')
      expect(await page.evaluate(() => (window as unknown as StoreWindow).client.upkeep.health())).toMatchObject({
        mode: 'inline-worker',
        skipped: [{ mode: 'worker', reason: expect.stringContaining('of different releases') }],
      })
      expect([await say(page, 'after'), await contents(page), await jobsOf(page, 'before')]).toEqual([
        'stored',
        ['before', 'after'],
        [0, 1, 1],
      ])
    },
  )

  it('works with those of its own release where a Service Worker gives it the old ones', async () => {
    await fill('this', 'before')
    const page = await openPage('behind-a-cache')
    await page.evaluate(async () => {
      const controlled = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))
      await navigator.serviceWorker.register('service-worker.js')
      await controlled
    })
    expect(await openStore(page)).toBe('inline-worker')
    expect([await say(page, 'after'), await contents(page), await jobsOf(page, 'before')]).toEqual([
      'stored',
      ['before', 'after'],
      [0, 1, 1],
    ])
  })

  it('works with those of its own release where the old ones only can’t read what is stored', async () => {
    await fill('format', 'before')
    const page = await openTab('format-with-these')
    expect(await page.evaluate(() => (window as unknown as StoreWindow).client.upkeep.health())).toMatchObject({
      mode: 'worker',
      durable: true,
      skipped: [],
    })
    expect([await say(page, 'after'), await contents(page), await jobsOf(page, 'before')]).toEqual([
      'stored',
      ['before', 'after'],
      [0, 1, 1],
    ])
  })
})

describe('a page whose workers are of a newer release', () => {
  it('works with those of its own release, and leaves what is stored in its own format', async () => {
    await fill('this', 'before')
    const page = await openTab('this-with-next')
    const version = await versionOf(page)
    expect([await say(page, 'after'), await contents(page), await jobsOf(page, 'before')]).toEqual([
      'stored',
      ['before', 'after'],
      [0, 1, 1],
    ])
    expect(await versionOf(page)).toBe(version)
    const other = await openTab('this')
    expect(await contents(other)).toEqual(['before', 'after'])
  })

  it('is told that it is old by what a newer one has written', async () => {
    await fill('next', 'newer')
    const page = await openPage('this-with-next')
    expect(await openStore(page)).toBe('VersionConflict')
  })

  it('goes on when they are put in the place of its own while it is open', async () => {
    const page = await openTab('deployed')
    expect(await say(page, 'before')).toBe('stored')
    await putWorkers(join(folder, 'deployed/dist'), next)
    // A worker that dies young is given time before another one starts.
    await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.close()).catch(() => undefined)))
    await expect.poll(() => say(page, 'after'), { timeout: 30_000 }).toBe('stored')
    expect([await contents(page), await jobsOf(page, 'before')]).toEqual([
      ['before', 'after'],
      [0, 1, 1],
    ])
    expect(await page.evaluate(() => (window as unknown as StoreWindow).client.upkeep.health())).toMatchObject({
      durable: true,
    })
  })
})

describe('an old tab beside a new one', () => {
  it('is told that it is old, and only it; it writes no more, and what it had written is there', async () => {
    const old = await openTab('this')
    expect(await say(old, 'before')).toBe('stored')
    const tab = await openTab('next')
    await expect.poll(() => noticesOf(old)).toContain('upgradeRequired')
    expect([await say(old, 'lost'), await say(tab, 'after'), await contents(tab)]).toEqual([
      'VersionConflict',
      'stored',
      ['before', 'after'],
    ])
    expect(
      await old.evaluate(() =>
        (window as unknown as StoreWindow).client.store.verify().then(
          () => 'done',
          (error: Error) => error.name,
        ),
      ),
    ).toBe('VersionConflict')
    expect(await noticesOf(tab)).not.toContain('upgradeRequired')
    expect([await say(tab, 'more'), (await noticesOf(old)).filter((name) => name === 'upgradeRequired')]).toEqual([
      'stored',
      ['upgradeRequired'],
    ])
  })

  it('leaves to the new one what only one tab does', async () => {
    const old = await openTab('this')
    expect(await say(old, 'before')).toBe('stored')
    await old.evaluate(async () => {
      const { client } = window as unknown as StoreWindow
      await client.search('before')
      await client.lead(async () => undefined)
      // Lasts as long as it leads.
      void client
        .lead((_, signal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())), {
          isLasting: true,
        })
        .catch(() => undefined)
    })
    const tab = await openTab('next')
    await expect.poll(() => noticesOf(old)).toContain('upgradeRequired')
    expect(await jobsOf(tab, 'before')).toEqual([0, 1, 1])
    expect(await tab.evaluate(() => (window as unknown as StoreWindow).client.lead(async () => 'leads'))).toBe('leads')
  })

  it('hears what it does not know, and passes it over', async () => {
    const [one, other] = [await openTab('this'), await openTab('this')]
    await one.evaluate(async () => {
      const channel = new BroadcastChannel('keepsession:releases')
      for (const message of [null, 'text', {}, { type: 'later', key: 'k' }, { type: 'session', key: 'k' }])
        channel.postMessage(message)
      channel.close()
      await (window as unknown as StoreWindow).client.store.addMessage('k', 'user', 'said')
    })
    await expect.poll(() => contents(other)).toEqual(['said'])
    expect(await other.evaluate(() => (window as unknown as StoreWindow).troubles)).toEqual([])
  })
})
