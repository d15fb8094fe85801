import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { openUnfocusedTab, type UnfocusedTab } from '../support/unfocused-tab.ts'
import { useServed } from '../support/use-served.ts'

interface LeadWindow extends SdkWindow {
  readonly client: SessionClient
  /** The terms it led for. */
  readonly terms: number[]
}

let served: Served
let browser: Browser
let context: BrowserContext

// A name that is not this machine's own: pages from there are in no secure context, and have no Web Locks.
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium()!,
    args: [...CHROMIUM_ARGS, '--host-resolver-rules=MAP plain.test 127.0.0.1'],
  })
useServed(serveSdk, (opened) => void ({ served, browser, context } = opened), launch)

/** Opens a tab that stands for leader. */
async function openTab(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as LeadWindow
    const client = await sdk.openSessionStore({ name: 'leader' })
    const terms: number[] = []
    Object.assign(window, { client, terms })
    void client
      .lead(async (term, signal) => {
        terms.push(term)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      })
      .catch(() => undefined)
  })
  return page
}

/** Waits until a tab leads. @returns its term */
const termOf = async (page: Page): Promise<number> =>
  (
    await page.waitForFunction(() => (window as unknown as LeadWindow).terms.at(-1), undefined, {
      timeout: 30_000,
      polling: 20,
    })
  ).jsonValue() as Promise<number>

/** A write of a leader's. @returns the name of the error it is refused with */
const write = (page: Page, term: number): Promise<string | undefined> =>
  page.evaluate(async (given) => {
    const { client } = window as unknown as LeadWindow
    return client.store
      .append('log', [{ type: 'message', message: { role: 'user', content: `term ${given}` } }], { term: given })
      .then(
        () => undefined,
        (error: Error) => error.name,
      )
  }, term)

/** A tab that leads, and one that waits. */
async function openTwo(url: string): Promise<{ readonly leader: Page; readonly other: Page; readonly term: number }> {
  const leader = await openTab(url)
  const term = await termOf(leader)
  const other = await openTab(url)
  expect(await write(leader, term)).toBeUndefined()
  expect(await write(other, term - 1)).toBe('NotLeader')
  return { leader, other, term }
}

const logOf = (page: Page): Promise<unknown> =>
  page.evaluate(async () =>
    (await (window as unknown as LeadWindow).client.store.getHistory('log')).map(({ content }) => content),
  )

describe.each([
  ['by Web Lock', () => served.url],
  ['in no secure context', () => served.url.replace('127.0.0.1', 'plain.test')],
])('%s, another tab leads', (name, url) => {
  it('once the leader is closed', async () => {
    const { leader, other, term } = await openTwo(url())
    expect(await other.evaluate(() => 'locks' in navigator)).toBe(name === 'by Web Lock')
    await leader.close()
    expect(await termOf(other)).toBeGreaterThan(term)
  })

  it('once the leader has crashed', async () => {
    const { leader, other, term } = await openTwo(url())
    const session = await context.newCDPSession(leader)
    void session.send('Page.crash').catch(() => undefined)
    expect(await termOf(other)).toBeGreaterThan(term)
  })
})

it('leads in another tab once the leader is frozen, which steps down, and whose late write is refused when it is thawed', async () => {
  const devtools = await browser.newBrowserCDPSession()
  const { browserContextId } = await devtools.send('Target.createBrowserContext')
  const open = async (): Promise<UnfocusedTab> => {
    const tab = await openUnfocusedTab(devtools, browserContextId, served.url)
    await tab.evaluate(`(async () => {
      while (window.sdk === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
      window.client = await sdk.openSessionStore({ name: 'leader' })
      window.state = client.leadership()
      await state.ready()
    })()`)
    return tab
  }
  const termOf = async (tab: UnfocusedTab): Promise<number> =>
    (await tab.evaluate('state.getSnapshot().term')) as number
  const write = (tab: UnfocusedTab, term: number) =>
    tab.evaluate(
      `client.store.append('log', [{ type: 'message', message: { role: 'user', content: 'term ${term}' } }], { term: ${term} }).then(() => 'stored', (error) => error.name)`,
    )

  const leader = await open()
  await expect.poll(() => termOf(leader), { timeout: 30_000 }).toBeGreaterThan(0)
  const term = await termOf(leader)
  const other = await open()
  expect([await write(leader, term), await termOf(other)]).toEqual(['stored', 0])
  await leader.send('Page.setWebLifecycleState', { state: 'frozen' })
  await expect.poll(() => termOf(other), { timeout: 30_000 }).toBeGreaterThan(term)
  expect(await write(other, await termOf(other))).toBe('stored')
  await leader.send('Page.setWebLifecycleState', { state: 'active' })
  expect(await write(leader, term)).toBe('NotLeader')
  await expect.poll(() => termOf(leader), { timeout: 30_000 }).toBe(0)
  await devtools.send('Target.disposeBrowserContext', { browserContextId })
})

it('leads in another tab while the leader hangs, whose late write is refused', async () => {
  const { leader, other, term } = await openTwo(served.url)
  let letGo!: () => void
  const isLetGo = new Promise<void>((resolve) => (letGo = resolve))
  await leader.route('**/hang', async (route) => {
    await isLetGo
    await route.fulfill()
  })
  const late = leader.evaluate((given) => {
    const { client } = window as unknown as LeadWindow
    // Nothing else runs in this tab until the answer is there. What it writes then it asks before it can have heard of
    // anything.
    const request = new XMLHttpRequest()
    request.open('GET', '/hang', false)
    request.send()
    return client.store
      .append('log', [{ type: 'message', message: { role: 'user', content: 'late' } }], { term: given })
      .then(
        () => undefined,
        (error: Error) => error.name,
      )
  }, term)
  const next = await termOf(other)
  expect(await write(other, next)).toBeUndefined()
  letGo()
  expect(await late).toBe('NotLeader')
  expect(await logOf(other)).toEqual([`term ${term}`, `term ${next}`])
})
