import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { serve } from '../support/serve.ts'
import { type Consumer, createConsumer, link } from './consumer.ts'

const LOCAL = `
  import { openSessionStore } from 'keepsession'

  export const client = await openSessionStore({ name: 'sync-size' })
  await (await client.session('k')).append({ role: 'user', content: 'hi' })
`
const PLAIN = `
  import { client } from './local.js'
  client.upkeep.health().then(({ mode }) => (window.outcome = mode))
`
const SYNCED_BY_WORKER = `
  import { openSync } from 'keepsession/sync'
  import { client } from './local.js'

  const sync = openSync(client, { namespace: 'me', transport: { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } })
  sync.subscribe(() => {
    const { state } = sync.getSnapshot().status
    if (state === 'offline') window.outcome = state
  })
`
/** The other side of this transport has whatever it is asked about. */
const SYNCED = `
  import { openSync } from 'keepsession/sync'
  import { encodeStateVector } from 'yjs'
  import { client } from './local.js'

  const transport = () => ({
    open: (link) => {
      const tell = () => queueMicrotask(() => link.peerHas(encodeStateVector(link.doc)))
      queueMicrotask(() => link.status({ state: 'connected' }))
      tell()
      return { ask: tell, close: async () => undefined }
    },
    close: async () => undefined,
  })
  const sync = openSync(client, { namespace: 'me', transport })
  sync.subscribe(() => {
    const { status, states } = sync.getSnapshot()
    if (states.k === 'synced') window.outcome = status.state
  })
`

let app: Consumer
let browser: Browser

beforeAll(async () => {
  app = await createConsumer()
  link('yjs', app.root)
  app.write('local.js', LOCAL)
  app.write('index.html', '<!doctype html><script type="module" src="/main.js"></script>')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  app?.remove()
})

/**
 * How many bytes of scripts the page of an app loads until it is done, each packed by itself as servers do it, workers
 * apart; and what it came to. Packed together they would be a tenth smaller, by more or less with the order they happen
 * to come in.
 */
async function loadedBy(main: string): Promise<{ outcome: unknown; bytes: number }> {
  app.write('main.js', main)
  await build({ root: app.root, configFile: false, logLevel: 'error', build: { outDir: 'built', emptyOutDir: true } })
  const served = await serve(join(app.root, 'built'))
  const page = await browser.newPage()
  try {
    const scripts = new Map<string, Promise<string>>()
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.set(response.url(), response.text())
    })
    const workers: string[] = []
    page.on('worker', (worker) => workers.push(worker.url()))
    await page.goto(served.url)
    await page.waitForFunction(() => 'outcome' in window)
    for (const url of workers) scripts.delete(url)
    return {
      outcome: await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome),
      bytes: (await Promise.all(scripts.values())).reduce((sum, code) => sum + gzipSync(code).length, 0),
    }
  } finally {
    await page.close()
    await served.close()
  }
}

let plain: number
beforeAll(async () => {
  const { outcome, bytes } = await loadedBy(PLAIN)
  expect(outcome).toBe('worker')
  plain = bytes
})

it('costs a page whose worker syncs at most 12 kB more', async () => {
  const { outcome, bytes } = await loadedBy(SYNCED_BY_WORKER)
  expect(outcome).toBe('offline')
  expect(bytes - plain).toBeLessThanOrEqual(12_000)
})

// Of these, Yjs is 23 kB. Encryption, presence, what carries blobs and transports come on top for those who use them.
it('costs a page that syncs by itself at most 64.2 kB more, Yjs among them', async () => {
  const { outcome, bytes } = await loadedBy(SYNCED)
  expect(outcome).toBe('synced')
  expect(bytes - plain).toBeLessThanOrEqual(64_200)
})
