import { playwright } from '@vitest/browser-playwright'
import type { BrowserProviderOption } from 'vitest/node'
import { CHROMIUM_ARGS, findChromium } from './chromium.mjs'

/** Lets vitest run its browser tests in the Chromium that was found, by Playwright. */
export function chromiumProvider(): BrowserProviderOption {
  const executablePath = findChromium()
  return playwright({
    launchOptions: { args: CHROMIUM_ARGS, ...(executablePath === undefined ? {} : { executablePath }) },
  })
}
