import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node'
import type { StartBrowser, StartedBrowser } from './started-browser.ts'

/**
 * Lets vitest run its browser tests in an engine that Playwright can't drive. All that takes is a page at vitest's
 * address: there the tests load themselves, and report by WebSocket.
 */
export function engineProvider(engine: string, start: StartBrowser): BrowserProviderOption {
  return defineBrowserProvider({
    name: engine,
    supportedBrowser: [engine],
    options: {},
    providerFactory: () => createEngineProvider(engine, start),
  })
}

function createEngineProvider(engine: string, start: StartBrowser): BrowserProvider {
  const started: StartedBrowser[] = []
  let isClosing = false
  return {
    name: engine,
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(_, url) {
      const browser = await start(url)
      started.push(browser)
      // Vitest waits for the page without end, and would not learn that it never comes.
      void browser.gone.then(() => {
        if (isClosing) return
        console.error(`${engine} ended in the middle of the tests.`)
        process.exit(1)
      })
    },
    async close() {
      isClosing = true
      for (const browser of started.splice(0)) await browser.end()
    },
  }
}
