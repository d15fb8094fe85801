import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Consumer, createConsumer, link } from './consumer.ts'
import { outcomeAt, outcomeOf, SCRIPT, WORKS } from './consumer-outcome.ts'
import {
  buildWithNext,
  buildWithRspack,
  buildWithVite,
  developWithVite,
  otherBundlers,
  type Running,
  runNext,
  writeNextApp,
} from './other-bundlers.ts'

// The bundlers that the project itself does not use.

let app: Consumer
let browser: Browser

beforeAll(async () => {
  app = await createConsumer()
  link('yjs', app.root)
  for (const name of ['next', 'react', 'react-dom']) link(name, app.root, otherBundlers)
  app.write('main.js', SCRIPT)
  app.write('index.html', '<!doctype html><script type="module" src="/main.js"></script>')
  writeNextApp(app.root, SCRIPT)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  app?.remove()
})

/** Where nothing forbids it, a worker that is slow to start has another one from a Blob beside it. */
const WORKS_SERVED = { ...WORKS, workers: expect.arrayContaining(['http:']) }

async function outcomeIn(running: Running): Promise<unknown> {
  try {
    return await outcomeAt(browser, running.url)
  } finally {
    await running.close()
  }
}

describe.each([5, 6, 7])('an app of Vite %i', (version) => {
  it('runs in its workers when it is built, without configuration, under a strict policy', async () => {
    await buildWithVite(version, app.root)
    expect(await outcomeOf(browser, join(app.root, 'dist'))).toEqual(WORKS)
  })

  it('finds no worker in the development server, says so, and works in the page', async () => {
    expect(await outcomeIn(await developWithVite(version, app.root, {}))).toMatchObject({
      mode: 'in-page',
      messages: 1,
      hits: 1,
      skipped: [expect.stringContaining('missing'), expect.stringContaining('.vite/deps/')],
    })
  })

  it("runs in its workers in the development server with README's line", async () => {
    const running = await developWithVite(version, app.root, { optimizeDeps: { exclude: ['keepsession'] } })
    expect(await outcomeIn(running)).toEqual(WORKS_SERVED)
  })
})

it('runs in its workers when an app is built by Rspack without configuration, under a strict policy', async () => {
  await buildWithRspack(app.root)
  expect(await outcomeOf(browser, join(app.root, 'dist'))).toEqual(WORKS)
})

it.each(['--turbopack', '--webpack'] as const)(
  'runs in its workers when Next built the app with %s',
  async (bundler) => {
    buildWithNext(app.root, bundler)
    expect(await outcomeIn(await runNext(app.root, 'start'))).toEqual(WORKS_SERVED)
  },
  900_000,
)

it("runs in its workers in Next's development server", async () => {
  expect(await outcomeIn(await runNext(app.root, 'dev'))).toEqual(WORKS_SERVED)
})
