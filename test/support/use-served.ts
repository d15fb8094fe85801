import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from './launch-chromium.ts'
import type { Served } from './serve.ts'

/** A Chromium in front of something that is served. */
export interface OpenedChromium {
  readonly served: Served
  readonly browser: Browser
  /** A profile of this test, closed after it. */
  readonly context: BrowserContext
}

/**
 * Serves something and starts a browser for the tests of a file, which share both, and nothing that the browser keeps.
 *
 * @param onOpen - told before each test
 */
export function useServed(
  serve: () => Promise<Served>,
  onOpen: (opened: OpenedChromium) => void,
  launch: () => Promise<Browser> = launchChromium,
): void {
  let served: Served
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    served = await serve()
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    onOpen({ served, browser, context })
  })
  afterEach(() => context.close())
}
