import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { builtDemo } from '../support/demo-server.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'

let browser: Browser
let built: string
beforeAll(async () => {
  ;[browser, built] = await Promise.all([launchChromium(), builtDemo()])
})
afterAll(() => browser?.close())

let folder: string
let served: Served
let context: BrowserContext
let page: Page
/** Errors of the pages, but for those of a network that isn't there. */
let complaints: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsession-served-'))
  await cp(built, folder, { recursive: true })
  served = await serve(folder)
  context = await browser.newContext()
  context.setDefaultTimeout(30_000)
  complaints = []
  page = await openTab()
  // One visit: the Service Worker has everything as soon as it serves the page.
  await page.evaluate(async () => {
    const { serviceWorker } = navigator
    if (serviceWorker.controller === null)
      await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
  })
})
afterEach(async () => {
  await context.close()
  await served.close()
  await rm(folder, { recursive: true, force: true })
  expect(complaints).toEqual([])
})

async function openTab(): Promise<Page> {
  const tab = await context.newPage()
  tab.on('pageerror', (error) => complaints.push(String(error)))
  tab.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('ERR_INTERNET_DISCONNECTED'))
      complaints.push(message.text())
  })
  await tab.goto(`${served.url}/`)
  await ready(tab)
  return tab
}
const ready = (tab: Page): Promise<void> => tab.locator('[data-testid=composer]:enabled').waitFor()
const replies = (tab: Page) => tab.locator('[data-role=assistant]')

async function ask(tab: Page, text: string): Promise<void> {
  await tab.locator('[data-testid=composer]').fill(text)
  await tab.keyboard.press('Enter')
  await tab.locator('[data-testid=stop]').waitFor({ state: 'hidden' })
}

describe('after one visit, with the server gone', () => {
  beforeEach(async () => {
    await served.close()
    await context.setOffline(true)
  })

  it('starts, takes messages, and has them after a reload and in a new tab', async () => {
    await page.reload()
    await ready(page)
    await ask(page, 'Say one two three')
    await expect.poll(() => replies(page).allInnerTexts()).toEqual([expect.stringContaining('one two three')])
    await page.reload()
    await expect.poll(() => replies(page).allInnerTexts()).toEqual([expect.stringContaining('one two three')])

    const other = await context.newPage()
    await other.goto(page.url())
    await expect.poll(() => replies(other).allInnerTexts()).toEqual([expect.stringContaining('one two three')])
  })

  it('has the parts that are loaded late: files, search', async () => {
    await page.reload()
    await ready(page)
    await page.getByTestId('sample').click()
    await expect.poll(() => page.getByTestId('session-item').count()).toBeGreaterThan(0)
    await page.keyboard.press('Control+K')
    await page.getByTestId('search-all-field').fill('the')
    await page.locator('[data-testid=search-dialog] [role=option]').first().waitFor()
  })
})

describe('a new version', () => {
  /** Publishes what a deployment with one changed page would. */
  async function deploy(title: string): Promise<void> {
    const index = join(folder, 'index.html')
    await writeFile(
      index,
      (await readFile(index, 'utf8')).replace(
        /<title>.*<\/title>/,
        `<title>${title}</title><meta name="release" content="${title}" />`,
      ),
    )
    const worker = join(folder, 'chat-worker.js')
    await writeFile(worker, (await readFile(worker, 'utf8')).replace(/"version":"[^"]*"/, `"version":"${title}"`))
  }
  const release = (tab: Page): Promise<string | null> =>
    tab.evaluate(() => document.querySelector('meta[name=release]')?.getAttribute('content') ?? null)
  const look = (tab: Page): Promise<unknown> =>
    tab.evaluate(() => navigator.serviceWorker.getRegistration().then((found) => found?.update().then(() => undefined)))

  it('waits until the user lets it in, then runs in that tab, and is offered to the others', async () => {
    const other = await openTab()
    await deploy('second')
    await look(page)
    await page.getByTestId('update').waitFor()
    await page.reload()
    await ready(page)
    expect(await release(page)).toBeNull()

    await page.getByTestId('update').click()
    await expect.poll(() => release(page)).toBe('second')
    await ready(page)
    expect(await release(other)).toBeNull()
    await other.getByTestId('reload').click()
    await expect.poll(() => release(other)).toBe('second')
  })

  it("that can't be fetched whole changes nothing", async () => {
    await deploy('broken')
    await rm(join(folder, 'manifest.webmanifest'))
    await look(page).catch(() => undefined)
    await expect
      .poll(() =>
        page.evaluate(() =>
          navigator.serviceWorker
            .getRegistration()
            .then((found) => [found?.installing, found?.waiting].every((worker) => !worker)),
        ),
      )
      .toBe(true)
    await served.close()
    await context.setOffline(true)
    await page.reload()
    await ready(page)
    expect(await release(page)).toBeNull()
    complaints = []
  })
})

it('says in its manifest what an installed app needs', async () => {
  const manifest = JSON.parse(await readFile(join(built, 'manifest.webmanifest'), 'utf8')) as {
    readonly icons: readonly { readonly src: string; readonly sizes: string; readonly purpose: string }[]
    readonly display: string
  }
  expect(manifest.display).toBe('standalone')
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ])
  const client = await context.newCDPSession(page)
  const { errors } = await client.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors')
  // The profile of a test is a private one, from which nothing can be installed.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
})
