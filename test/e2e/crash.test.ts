import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'

let served: Served
let profile: string
let running: ChildProcess | undefined

beforeAll(async () => {
  served = await serveSdk()
})
afterAll(() => served?.close())
beforeEach(async () => {
  profile = await mkdtemp(join(tmpdir(), 'keepsession-crash-'))
})
afterEach(async () => {
  if (running !== undefined) await kill()
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
})

/** A page of a Chromium of our own, because the test kills its whole process group. */
async function start(): Promise<Page> {
  for (const file of await readdir(profile))
    if (file.startsWith('Singleton')) await rm(join(profile, file), { force: true })
  await rm(join(profile, 'DevToolsActivePort'), { force: true })
  running = spawn(
    findChromium()!,
    [...CHROMIUM_ARGS, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { detached: true, stdio: 'ignore' },
  )
  for (let tries = 0; ; tries++) {
    const port = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n')[0]
    if (port) {
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
      const page = await browser.contexts()[0]!.newPage()
      await page.goto(served.url)
      await page.waitForFunction(() => 'sdk' in window)
      return page
    }
    if (tries > 200) throw new Error('Chromium did not open its debugging port.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function kill(): Promise<void> {
  const child = running!
  running = undefined
  const gone = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid!, 'SIGKILL')
  await gone
}

/** Appends in bursts without waiting, until the browser is killed after at least `count` of them were acknowledged. */
async function appendUntilKilled(page: Page, count: number): Promise<string[]> {
  const acknowledged: string[] = []
  await page.exposeFunction('acknowledge', (text: string) => void acknowledged.push(text))
  void page
    .evaluate(async () => {
      const { sdk, acknowledge } = window as unknown as SdkWindow & { acknowledge: (text: string) => void }
      const client = await sdk.openSessionStore({ name: 'crash' })
      const session = await client.session('s')
      for (let n = 0; ; n++) {
        const role = n % 2 === 0 ? 'user' : 'assistant'
        const content = crypto.randomUUID()
        void session.append({ role, content }).then(() => acknowledge(content))
        if (n % 3 === 0) await new Promise((resolve) => setTimeout(resolve))
      }
    })
    .catch(() => undefined)
  while (acknowledged.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
  await kill()
  return acknowledged
}

/** What the store holds, what it says of itself, and what it told until it said that it was filled again. */
function openAgain(page: Page) {
  return page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    const notices: string[] = []
    let told = (): void => undefined
    // It is told some time after the store opened.
    const isRefilled = new Promise<void>((resolve) => {
      told = resolve
    })
    const client = await sdk.openSessionStore({
      name: 'crash',
      onChange: (change) => {
        if (change.type !== 'notice') return
        notices.push(change.name)
        if (change.name === 'refilled') told()
      },
    })
    await isRefilled
    const messages = await (await client.session('s')).messages()
    return {
      health: await client.upkeep.health(),
      stored: messages.map(({ content }) => content),
      problems: (await client.store.verify()).problems,
      notices,
    }
  })
}

/** Damages a record in the middle of the log that Chromium keeps of its newest transactions. */
async function damageLog(): Promise<void> {
  const folder = join(profile, 'Default/IndexedDB')
  const database = join(folder, (await readdir(folder)).find((name) => name.endsWith('.leveldb'))!)
  // A log that is full is followed by another one, and is deleted some time later: the newest has the highest number.
  const newest = (await readdir(database))
    .filter((name) => name.endsWith('.log'))
    .sort()
    .at(-1)!
  const log = await open(join(database, newest), 'r+')
  const { size } = await log.stat()
  await log.write(new Uint8Array(64).fill(255), 0, 64, Math.floor(size / 2))
  await log.close()
}

// Chromium takes a damaged record for corruption and throws away every database of the origin. It damages one itself
// where it is killed while it writes: it goes on writing behind that record, and throws away at the start after. A kill
// rarely hits so, and whether it did shows nowhere, which is why the damage is done by hand here, between two starts.
it('loses nothing when the browser throws its database away, and says so', async () => {
  const acknowledged = await appendUntilKilled(await start(), 20)
  acknowledged.push(...(await appendUntilKilled(await start(), 20)))
  await damageLog()
  const { health, stored, problems, notices } = await openAgain(await start())
  expect(health).toMatchObject({ mode: 'worker', mirror: { isOn: true } })
  expect(acknowledged.filter((text) => !stored.includes(text))).toEqual([])
  expect({ problems, notices: notices.includes('refilled') }).toEqual({ problems: [], notices: true })
})
