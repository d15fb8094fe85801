import { join } from 'node:path'
import { build as esbuild, stop } from 'esbuild-wasm'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blockWith } from '../support/documents.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { serve } from '../support/serve.ts'
import { moduleOf } from './block-needs.ts'
import { bundlers } from './bundlers.ts'
import { type Consumer, createConsumer } from './consumer.ts'

// README's examples as they stand there, in a browser, with the package as it is published.

let app: Consumer
let browser: Browser
beforeAll(async () => {
  app = await createConsumer()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  app?.remove()
  await stop()
})

/** What the app's `window.outcome` comes to, in a fresh profile. */
async function outcome(): Promise<unknown> {
  const served = await serve(join(app.root, 'dist'))
  const page = await browser.newPage()
  try {
    const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
    await Promise.race([broken, page.goto(served.url).then(() => page.waitForFunction(() => 'outcome' in window))])
    return await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome)
  } finally {
    await page.close()
    await served.close()
  }
}

it('the first example keeps a conversation in a worker, and shows it as it is', async () => {
  const ending = `
    const shown = await live.ready()
    Object.assign(window, { outcome: { mode: (await client.upkeep.health()).mode, messages: await session.messages(), shown: shown.entries.length } })
  `
  app.write('main.ts', `${moduleOf(blockWith('Why is the sky blue?'))}\n${ending}`)
  app.write('index.html', '<!doctype html><script type="module" src="/main.ts"></script>')
  await bundlers.Vite!.build(app.root)
  expect(await outcome()).toEqual({
    mode: 'worker',
    messages: [
      { role: 'user', content: 'Why is the sky blue?' },
      expect.objectContaining({ role: 'assistant', content: 'You said 1 things.' }),
    ],
    shown: 2,
  })
})

it('the Service Worker answers the chat API, and keeps what was said', async () => {
  app.write('service-worker.js', blockWith("self.addEventListener('fetch'").code)
  app.write(
    'main.js',
    `
    import { chatEvents } from 'keepsession/chat'

    await navigator.serviceWorker.register('/service-worker.js', { type: 'module' })
    if (navigator.serviceWorker.controller === null) await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
    const events = []
    const body = JSON.stringify({ message: 'hi' })
    for await (const event of chatEvents(await fetch('/api/agents/main/chat', { method: 'POST', headers: { 'content-type': 'application/json' }, body }))) events.push(event)
    const { sessionId } = events.at(-1)
    const kept = await (await fetch('/api/agents/main/sessions/' + sessionId)).text()
    window.outcome = { first: events[0], last: events.at(-1).type, kept: ['hi', 'You said: hi'].map((text) => kept.includes(text)) }
  `,
  )
  app.write('index.html', '<!doctype html><script type="module" src="/main.js"></script>')
  await bundlers.esbuild!.build(app.root)
  await esbuild({
    absWorkingDir: app.root,
    entryPoints: ['service-worker.js'],
    bundle: true,
    format: 'esm',
    outdir: 'dist',
    logLevel: 'error',
  })
  expect(await outcome()).toEqual({
    first: expect.objectContaining({ text: 'You said: hi' }),
    last: 'done',
    kept: [true, true],
  })
})
