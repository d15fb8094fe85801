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
import { outcomeAt, outcomeOf, SCRIPT, WORKS } from './consumer-outcome.ts'

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

const built = (): string => join(app.root, 'dist')

const those = (needingCopies: boolean) =>
  Object.entries(bundlers).filter(([, { needsCopies }]) => needsCopies === needingCopies)

it.each(those(false))(
  'runs in its workers when an app is built by %s without configuration, under a strict policy',
  async (_, { build }) => {
    await build(app.root)
    expect(await outcomeOf(browser, built())).toEqual(WORKS)
  },
)

it.each([
  ['forbids workers', "script-src 'self'; worker-src 'none'"],
  ['asks for Trusted Types', "script-src 'self'; require-trusted-types-for 'script'"],
])('works in the page, and says why, under a policy that %s', async (_, policy) => {
  await bundlers['Vite']!.build(app.root)
  const outcome = await outcomeOf(browser, built(), '/', policy)
  expect(outcome).toMatchObject({ mode: 'in-page', messages: 1, hits: 1, sessions: 1, workers: [] })
  expect(outcome).toHaveProperty('skipped.length', 2)
})

describe.each(those(true))('an app built by %s', (_, { build }) => {
  beforeAll(() => build(app.root))

  it('finds no worker by itself, says so, and works in the page', async () => {
    expect(await outcomeOf(browser, built())).toMatchObject({
      mode: 'in-page',
      messages: 1,
      skipped: [expect.stringContaining('missing'), expect.stringContaining('Copy the worker files')],
    })
  })

  it("runs in its workers with README's line, under a strict policy", async () => {
    execFileSync('sh', ['-c', copyingWorkers], { cwd: app.root })
    expect(await outcomeOf(browser, built())).toEqual(WORKS)
  })
})

it("runs in its workers in Vite's development server without configuration", async () => {
  const server = await developing(app.root)
  try {
    expect(await outcomeAt(browser, server.url)).toEqual(WORKS)
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
  expect(await outcomeOf(browser, app.root, '/plain.html', "worker-src 'self'")).toEqual(WORKS)
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
    expect(await outcomeOf(browser, app.root, '/from-cdn.html', "worker-src 'self' blob:")).toMatchObject({
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
