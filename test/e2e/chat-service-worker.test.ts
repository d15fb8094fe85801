import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { chatSuite } from '../agent/chat/support/chat-suite.ts'
import { pageFetch } from '../agent/chat/support/page-fetch.ts'
import { serveChatWorker } from '../agent/chat/support/serve-chat-worker.ts'
import { launchChromium } from '../support/launch-chromium.ts'

let browser: Browser | undefined
afterAll(() => browser?.close())

chatSuite('by a Service Worker with the network off', async () => {
  const served = await serveChatWorker()
  browser = await launchChromium()
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(served.url)
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    if (navigator.serviceWorker.controller === null)
      await new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      )
  })
  // There is nobody to ask any more, and no way to ask.
  await served.close()
  await context.setOffline(true)
  const fetch = pageFetch(page)
  return { fetch, reset: async () => void (await fetch('/reset', { method: 'POST' })) }
})
