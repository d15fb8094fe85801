import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'

let served: Served
let profile: string

beforeAll(async () => {
  served = await serveSdk()
  profile = await mkdtemp(join(tmpdir(), 'keepsession-crash-'))
})
afterAll(async () => {
  await served?.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
})

/** A Chromium of our own, because the test kills its whole process group. */
async function start(): Promise<{ readonly browser: Browser; readonly process: ChildProcess }> {
  for (const file of await readdir(profile)) if (file.startsWith('Singleton')) await rm(join(profile, file), { force: true })
  await rm(join(profile, 'DevToolsActivePort'), { force: true })
  const child = spawn(findChromium()!, [...CHROMIUM_ARGS, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], { detached: true, stdio: 'ignore' })
  for (let tries = 0; ; tries++) {
    const port = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n')[0]
    if (port) return { browser: await chromium.connectOverCDP(`http://127.0.0.1:${port}`), process: child }
    if (tries > 200) throw new Error('Chromium did not open its debugging port.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('loses no acknowledged append when the browser is killed, again and again', async () => {
  const acknowledged: string[] = []
  for (let round = 0; round < 4; round++) {
    const { browser, process: child } = await start()
    const page = await browser.contexts()[0]!.newPage()
    await page.exposeFunction('acknowledge', (text: string) => void acknowledged.push(text))
    await page.goto(served.url)
    await page.waitForFunction(() => 'sdk' in window)
    void page
      .evaluate(async (round) => {
        const { sdk, acknowledge } = window as unknown as SdkWindow & { acknowledge: (text: string) => void }
        const store = await sdk.openSessionStore({ name: 'crash' })
        const session = await store.session('s')
        for (let n = 0; ; n++) {
          const role = n % 2 === 0 ? 'user' : 'assistant'
          void session.append({ role, content: `${round}.${n}` }).then(() => acknowledge(`${round}.${n}`))
          if (n % 3 === 0) await new Promise((resolve) => setTimeout(resolve))
        }
      }, round)
      .catch(() => undefined)
    const before = acknowledged.length
    while (acknowledged.length < before + 100) await new Promise((resolve) => setTimeout(resolve, 10))
    process.kill(-child.pid!, 'SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  }

  const { browser, process: child } = await start()
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  const { health, stored, problems } = await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    const store = await sdk.openSessionStore({ name: 'crash' })
    const messages = await (await store.session('s')).messages()
    return { health: await store.health(), stored: messages.map(({ content }) => content), problems: (await store.verify()).problems }
  })
  process.kill(-child.pid!, 'SIGKILL')
  // Elsewhere nothing of it could be found.
  expect(health).toMatchObject({ mode: 'worker', skipped: [] })
  const found = new Set(stored)
  expect(acknowledged.filter((text) => !found.has(text))).toEqual([])
  expect(stored).toHaveLength(found.size)
  expect(problems).toEqual([])
})
