import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { packed } from './consumer.ts'

// The apps of `examples`, as who clones one starts it, with the package as it is published.

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const apps = readdirSync(examples, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []))

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(async () => browser?.close())

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** @throws while nobody answers there */
async function served(url: string): Promise<void> {
  const response = await fetch(url)
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
}

describe.each(apps)('the example %s', (name) => {
  let folder: string
  let app: ChildProcess
  let context: BrowserContext
  let url: string
  const errors: string[] = []
  afterEach(() => expect(errors.splice(0)).toEqual([]))

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'keepsession-example-')))
    cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
    const file = join(folder, 'package.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.dependencies.keepsession = `file:${await packed()}`
    writeFileSync(file, JSON.stringify(manifest))
    execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
    const port = await freePort()
    url = `http://localhost:${port}/`
    app = spawn('npm', ['start', '--', '--port', String(port)], { cwd: folder, stdio: 'ignore', detached: true })
    await vi.waitFor(() => served(url), { timeout: 120_000 })
    context = await browser.newContext()
  })
  afterAll(async () => {
    await context?.close()
    if (app !== undefined) {
      const ended = new Promise((resolve) => app.once('exit', resolve))
      process.kill(-app.pid!, 'SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })

  async function openTab(): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(url)
    await page.getByRole('heading').waitFor()
    return page
  }
  async function reload(page: Page): Promise<Page> {
    await page.reload()
    await page.getByRole('heading').waitFor()
    return page
  }
  const items = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  const texts = async (page: Page): Promise<string[]> =>
    (await items(page).allInnerTexts()).map((text) => text.trim().replaceAll(/\s+/g, ' '))
  const ids = (page: Page): Promise<(string | null)[]> =>
    items(page).evaluateAll((all) => all.map((item) => item.getAttribute('data-id')))
  async function send(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  async function ask(page: Page, text: string): Promise<void> {
    await send(page, text)
    await expect.poll(async () => (await texts(page)).at(-1)).toBe(`You said: ${text}`)
  }

  /** Reloads the page until it shows what it should: some apps read what other tabs wrote only when they start. */
  async function reloadUntil(page: Page, isShown: (all: readonly string[]) => boolean): Promise<void> {
    for (;;) {
      await reload(page)
      for (const end = performance.now() + 2_000; performance.now() < end; await page.waitForTimeout(50))
        if (isShown(await texts(page))) return
    }
  }
  const isJust =
    (...expected: readonly string[]) =>
    (all: readonly string[]): boolean =>
      all.join('\n') === expected.join('\n')

  it('shows the same after a reload', async () => {
    const page = await openTab()
    await ask(page, 'hello')
    await reloadUntil(page, isJust('hello', 'You said: hello'))
    const shown = await ids(page)
    await reloadUntil(page, isJust('hello', 'You said: hello'))
    expect(await ids(page)).toEqual(shown)
    await page.close()
  })

  it('keeps what arrived of a reply, once, when its tab crashes, and goes on', async () => {
    const page = await openTab()
    await send(page, 'slowly one')
    const other = await openTab()
    // It is stored.
    await reloadUntil(other, (all) => /^You/.test(all[3] ?? ''))
    const session = await context.newCDPSession(page)
    // It never answers.
    void session.send('Page.crash').catch(() => undefined)
    await reloadUntil(other, (all) => /^You.*\(cut off\)$/.test(all[3] ?? ''))
    expect(await texts(other)).toHaveLength(4)
    await ask(other, 'next')
    await other.close()
    await page.close()
  })

  it('makes a reply again', async () => {
    const page = await openTab()
    await expect.poll(() => texts(page)).toHaveLength(6)
    const before = await ids(page)
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await expect.poll(async () => (await ids(page)).at(-1)).not.toBe(before.at(-1))
    await expect.poll(async () => (await texts(page)).at(-1)).toBe('You said: next')
    await reloadUntil(page, (all) => all.length === 6 && all[5] === 'You said: next')
    expect((await ids(page)).slice(0, -1)).toEqual(before.slice(0, -1))
    await page.close()
  })

  it('loses nothing of two tabs', async () => {
    const tabs = [await openTab(), await openTab()]
    await Promise.all(
      tabs.map(async (page, tab) => {
        for (let i = 0; i < 3; i++) {
          await send(page, `${tab} ${i}`)
          await expect.poll(() => texts(page)).toContain(`You said: ${tab} ${i}`)
        }
      }),
    )
    for (const page of tabs) {
      await reloadUntil(page, (all) => all.length === 18)
      expect(new Set(await ids(page)).size).toBe(18)
      await page.close()
    }
  })

  it('brings nothing back that was deleted while a reply was streamed', async () => {
    const [page, other] = [await openTab(), await openTab()]
    await send(page, 'slowly two')
    await expect.poll(async () => (await texts(page))[19]).toMatch(/^You/)
    await other.getByRole('button', { name: 'Delete chat' }).click()
    await reloadUntil(other, isJust())
    await page.close()
    await ask(other, 'hello')
    await reloadUntil(other, isJust('hello', 'You said: hello'))
    await other.close()
  })
})
