import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { build, createServer } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { serve } from '../support/serve.ts'
import { createConsumer, type Consumer } from './consumer.ts'

const SCRIPT = `
  import { openSessionStore } from 'keepsession'

  async function run() {
    const store = await openSessionStore({ name: 'consumer' })
    const session = await store.session('k')
    await session.append({ role: 'user', content: 'hi' })
    return { mode: (await store.health()).mode, messages: (await session.messages()).length }
  }
  window.outcome = run().catch(String)
`
const WORKS = { mode: 'worker', messages: 1 }

let app: Consumer
let browser: Browser

beforeAll(async () => {
  app = await createConsumer()
  app.write('main.js', SCRIPT)
  app.write('index.html', '<!doctype html><script type="module" src="/main.js"></script>')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  app?.remove()
})

/** What the app's script came to, in a fresh profile. Rejects with the error that kept it from running. */
async function outcomeAt(url: string): Promise<unknown> {
  const page = await browser.newPage()
  try {
    const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
    await Promise.race([broken, page.goto(url).then(() => page.waitForFunction(() => 'outcome' in window))])
    return await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome)
  } finally {
    await page.close()
  }
}

it('runs in its worker when an app is built by Vite without configuration', async () => {
  await build({ root: app.root, configFile: false, logLevel: 'error' })
  const served = await serve(join(app.root, 'dist'))
  try {
    expect(await outcomeAt(served.url)).toEqual(WORKS)
  } finally {
    await served.close()
  }
})

it("runs in its worker in Vite's development server without configuration", async () => {
  const server = await createServer({ root: app.root, configFile: false, logLevel: 'error', server: { host: '127.0.0.1', port: 0 } })
  try {
    await server.listen()
    expect(await outcomeAt(server.resolvedUrls!.local[0]!)).toEqual(WORKS)
  } finally {
    await server.close()
  }
})

it('runs in its worker without a bundler', async () => {
  const importMap = JSON.stringify({ imports: { keepsession: '/node_modules/keepsession/dist/index.js' } })
  app.write('plain.html', `<!doctype html><script type="importmap">${importMap}</script><script type="module" src="/main.js"></script>`)
  const served = await serve(app.root)
  try {
    expect(await outcomeAt(`${served.url}/plain.html`)).toEqual(WORKS)
  } finally {
    await served.close()
  }
})
