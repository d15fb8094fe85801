import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { stop } from 'esbuild-wasm'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOf, readDocument } from '../support/documents.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { serve } from '../support/serve.ts'
import { bundlers, developing } from './bundlers.ts'
import { type Consumer, createConsumer, link } from './consumer.ts'

/** Has each of the four workers do something. */
const SCRIPT = `
  import { openSessionStore } from 'keepsession'
  import { openSync } from 'keepsession/sync'

  async function run() {
    const client = await openSessionStore({ name: 'consumer' })
    const session = await client.session('k')
    await session.append({ role: 'user', content: 'hi' })
    const hits = (await client.search('hi')).length
    const { sessions } = await client.upkeep.verify().result
    const sync = openSync(client, { namespace: 'me', transport: { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } })
    await new Promise((resolve) => sync.subscribe(() => sync.getSnapshot().status.state === 'offline' && resolve()))
    const { mode, skipped } = await client.upkeep.health()
    return { mode, skipped: skipped.map(({ reason }) => reason), messages: (await session.messages()).length, hits, sessions }
  }
  window.outcome = run().catch(String)
`
const WORKS = {
  mode: 'worker',
  skipped: [],
  messages: 1,
  hits: 1,
  sessions: 1,
  workers: ['http:', 'http:', 'http:', 'http:'],
}

/** README's line for bundlers that leave the workers behind. */
const copyingWorkers = commandsOf(readDocument('README.md')).find(({ text }) => text.startsWith('cp '))!.text

let app: Consumer
let browser: Browser

beforeAll(async () => {
  app = await createConsumer()
  link('yjs', app.root)
  app.write('main.js', SCRIPT)
  app.write('index.html', '<!doctype html><script type="module" src="/main.js"></script>')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  app?.remove()
  await stop()
})

/**
 * What the app's script came to, in a fresh profile, and where its workers came from. Rejects with the error that kept
 * it from running.
 */
async function outcomeAt(url: string): Promise<unknown> {
  const page = await browser.newPage()
  try {
    // By address: a worker that was slow to answer may have been started twice.
    const started = new Set<string>()
    page.on('worker', (worker) => started.add(worker.url()))
    const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
    await Promise.race([broken, page.goto(url).then(() => page.waitForFunction(() => 'outcome' in window))])
    const outcome = await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome)
    const workers = [...started].map((url) => new URL(url).protocol)
    return typeof outcome === 'object' ? { ...outcome, workers } : outcome
  } finally {
    await page.close()
  }
}

/** The same of a folder, under a policy that allows workers of the app's own files only. */
async function outcomeOf(
  folder: string,
  path = '/',
  policy = "script-src 'self'; worker-src 'self'",
): Promise<unknown> {
  const served = await serve(folder, { 'content-security-policy': policy })
  try {
    return await outcomeAt(`${served.url}${path}`)
  } finally {
    await served.close()
  }
}

const built = (): string => join(app.root, 'dist')

const those = (needingCopies: boolean) =>
  Object.entries(bundlers).filter(([, { needsCopies }]) => needsCopies === needingCopies)

it.each(those(false))(
  'runs in its workers when an app is built by %s without configuration, under a strict policy',
  async (_, { build }) => {
    await build(app.root)
    expect(await outcomeOf(built())).toEqual(WORKS)
  },
)

describe.each(those(true))('an app built by %s', (_, { build }) => {
  beforeAll(() => build(app.root))

  it('finds no worker by itself, says so, and works in the page', async () => {
    expect(await outcomeOf(built())).toMatchObject({
      mode: 'in-page',
      messages: 1,
      skipped: [expect.stringContaining('missing'), expect.stringContaining('Copy the worker files')],
    })
  })

  it("runs in its workers with README's line, under a strict policy", async () => {
    execFileSync('sh', ['-c', copyingWorkers], { cwd: app.root })
    expect(await outcomeOf(built())).toEqual(WORKS)
  })
})

it("runs in its workers in Vite's development server without configuration", async () => {
  const server = await developing(app.root)
  try {
    expect(await outcomeAt(server.url)).toEqual(WORKS)
  } finally {
    await server.close()
  }
})

it('runs in its workers without a bundler', async () => {
  const imports = {
    keepsession: '/node_modules/keepsession/dist/index.js',
    'keepsession/sync': '/node_modules/keepsession/dist/sync.js',
  }
  app.write(
    'plain.html',
    `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/main.js"></script>`,
  )
  expect(await outcomeOf(app.root, '/plain.html', "worker-src 'self'")).toEqual(WORKS)
})

it('works in workers from Blobs when the package comes from another origin', async () => {
  const cdn = await serve(app.root, { 'access-control-allow-origin': '*' })
  try {
    const dist = `${cdn.url}/node_modules/keepsession/dist`
    const imports = { keepsession: `${dist}/index.js`, 'keepsession/sync': `${dist}/sync.js` }
    app.write(
      'from-cdn.html',
      `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/main.js"></script>`,
    )
    expect(await outcomeOf(app.root, '/from-cdn.html', "worker-src 'self' blob:")).toMatchObject({
      mode: 'inline-worker',
      messages: 1,
      hits: 1,
      sessions: 1,
      workers: ['blob:', 'blob:', 'blob:', 'blob:'],
    })
  } finally {
    await cdn.close()
  }
})
