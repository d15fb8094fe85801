import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { CHROMIUM_ARGS, findChromium } from './chromium.mjs'
import { type DemoServer, startDemoServer } from './demo-server.ts'

/**
 * Opens the demo before each test of a file, as somebody who was never there, and holds each to causing no error or warning in the console.
 *
 * @param onOpen - told of the page as soon as it can be used
 */
export function useDemo(onOpen: (page: Page, context: BrowserContext) => void): void {
  let server: DemoServer
  let browser: Browser
  let context: BrowserContext
  let complaints: string[]

  beforeAll(async () => {
    const executablePath = findChromium()
    ;[server, browser] = await Promise.all([startDemoServer(), chromium.launch({ args: CHROMIUM_ARGS, ...(executablePath === undefined ? {} : { executablePath }) })])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  beforeEach(async () => {
    complaints = []
    context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(server.url)
    await page.locator('[data-testid=composer]:enabled').waitFor()
    onOpen(page, context)
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
}
