import type { BrowserContext, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

let served: Served
let context: BrowserContext
let page: Page

useServed(serveSdk, (opened) => void ({ served, context } = opened))
beforeEach(async () => {
  page = await context.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    const notices: string[] = []
    const client = await sdk.openSessionStore({
      name: 'cleared',
      onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
    })
    await client.store.addMessage('k', 'user', 'before')
    await client.collection('settings').write([{ type: 'put', key: 'theme', value: 'dark' }])
    Object.assign(window, { client, notices })
  })
})

/** Clears what the origin keeps, as "clear site data" does while the page is open. */
async function clear(storageTypes: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: served.url, storageTypes })
}

type OpenWindow = SdkWindow & { readonly client: SessionClient; readonly notices: string[] }

/** What two appends give, each repeated while it is told to try again, and what is stored then. */
const appendNow = (): Promise<string> =>
  page.evaluate(async () => {
    const { client } = window as unknown as OpenWindow
    const append = (): Promise<string> =>
      client.store.addMessage('k', 'user', 'after').then(
        () => 'stored',
        (error: Error) => (error.name === 'WorkerLost' ? append() : error.name),
      )
    const first = await append()
    const second = await append()
    const history = await client.store.getHistory('k').then(
      (messages) => messages.map(({ content }) => String(content)),
      () => [],
    )
    return [first, second, ...history].join(' ')
  })

const noticesNow = (): Promise<string[]> => page.evaluate(() => (window as unknown as OpenWindow).notices)

it('fills the database from the mirror and goes on when only databases are cleared under an open page', async () => {
  await clear('indexeddb')
  expect(await appendNow()).toMatch(/(stored|DataLoss) stored before( after){1,2}/)
  expect(await noticesNow()).toEqual(['refilled', 'workerRestarted'])
  expect(await page.evaluate(() => (window as unknown as OpenWindow).client.collection('settings').get('theme'))).toBe(
    'dark',
  )
})

it('refuses to go on from nothing when all site data is cleared under an open page, until the store is opened again', async () => {
  await clear('all')
  expect(await appendNow()).toBe('DataLoss DataLoss')
  // The mirror may say first that its files are gone.
  expect((await noticesNow()).filter((name) => name !== 'degraded')).toEqual(['dataLost'])
  const history = await page.evaluate(async () => {
    const { sdk, client } = window as unknown as OpenWindow
    await client.close()
    const again = await sdk.openSessionStore({ name: 'cleared' })
    await again.store.addMessage('k', 'user', 'afresh')
    return again.store.getHistory('k')
  })
  expect(history).toEqual([{ role: 'user', content: 'afresh' }])
})
