import type { Browser } from 'playwright-core'
import { serve } from '../support/serve.ts'

/** Has each of the four workers do something. */
export const SCRIPT = `
  import { openSessionStore } from 'keepsession'
  import { openSync } from 'keepsession/sync'

  async function run() {
    // A busy machine takes longer than the default for a worker that a development server makes at its first request.
    const client = await openSessionStore({ name: 'consumer', timeoutMs: 60_000 })
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
/** What the script comes to where all is well. */
export const WORKS = {
  mode: 'worker',
  skipped: [],
  messages: 1,
  hits: 1,
  sessions: 1,
  workers: ['http:', 'http:', 'http:', 'http:'],
}

/**
 * What the app's script came to, in a fresh profile, and where its workers came from. Rejects with the error that kept
 * it from running.
 */
export async function outcomeAt(browser: Browser, url: string): Promise<unknown> {
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
export async function outcomeOf(
  browser: Browser,
  folder: string,
  path = '/',
  policy = "script-src 'self'; worker-src 'self'",
): Promise<unknown> {
  const served = await serve(folder, { 'content-security-policy': policy })
  try {
    return await outcomeAt(browser, `${served.url}${path}`)
  } finally {
    await served.close()
  }
}
