import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type DemoServer, startDemoServer } from './demo-server.ts'
import { launchChromium } from './launch-chromium.ts'

/** The demo in front of somebody who was never there. */
export interface OpenedDemo {
  /** The tab it is open in. */
  readonly page: Page
  /** What the tabs of this test share. */
  readonly context: BrowserContext
  /** Opens the demo in one more tab, at the conversation that a hash names. */
  openTab(hash?: string): Promise<Page>
}

export interface DemoOptions {
  /**
   * Whether the demo's Service Worker keeps it for times without a network. As it fetches all of the demo first, which
   * takes longer than most tests, only those have it that are about it. Default false: as in a browser that has none.
   */
  readonly isKeptOffline?: boolean
  /** Another server that the demo may ask, such as a model's. */
  readonly otherServer?: () => string
}

/**
 * Opens the demo before each test of a file, as somebody who was never there, and holds all its tabs to causing no
 * error or warning in the console, and no request to anywhere else. The tests share a browser, which starts slowly, and
 * nothing that it keeps.
 *
 * @param onOpen - told of the demo as soon as it can be used
 */
export function useDemo(
  onOpen: (demo: OpenedDemo) => void,
  { isKeptOffline = false, otherServer }: DemoOptions = {},
): void {
  let server: DemoServer
  let browser: Browser
  let context: BrowserContext
  let complaints: string[]

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startDemoServer(), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  beforeEach(async () => {
    complaints = []
    context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    context.setDefaultTimeout(30_000)
    if (!isKeptOffline)
      await context.addInitScript(() => void Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    context.on('weberror', (error) => complaints.push(String(error.error())))
    context.on('request', (request) => {
      const url = request.url()
      const isAsked = [server.url, otherServer?.()].some((one) => one !== undefined && url.startsWith(one))
      if (!isAsked && !/^(blob|data):/.test(url)) complaints.push(`request to ${url}`)
    })
    const openTab = async (hash = ''): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(server.url + hash)
      await page.locator('[data-testid=composer]:enabled').waitFor()
      return page
    }
    onOpen({ page: await openTab(), context, openTab })
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
}
