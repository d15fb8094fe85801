import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'
import { builtSite, filesOf, place } from './built-site.ts'

const axe = readFileSync(createRequire(new URL('../../site/', import.meta.url)).resolve('axe-core/axe.min.js'), 'utf8')

let served: Served
let browser: Browser
let pages: string[]
beforeAll(async () => {
  const folder = await builtSite()
  pages = filesOf(folder, '.html')
  served = await serve(folder)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
})
const addressOf = (file: string): string => `${served.url}/${place}/${file}`

/** What axe finds in a page as it is, by rule and element. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> }
      }
    ).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  })
}

describe('the site in a browser', () => {
  it.each(['light', 'dark'] as const)('has nothing that axe finds on any page, %s', async (colorScheme) => {
    const page = await browser.newPage({ colorScheme })
    const found: string[] = []
    try {
      // In the dark only the colours differ: the pages whose elements are not on all others.
      const looked = colorScheme === 'light' ? pages : ['index.html', 'live/index.html', 'reference/api.html']
      for (const file of looked) {
        await page.goto(addressOf(file))
        for (const violation of await violations(page)) found.push(`${file}: ${violation}`)
      }
    } finally {
      await page.close()
    }
    expect(found).toEqual([])
  }, 600_000)

  it('searches by itself, and a hit leads to its heading', async () => {
    const page = await browser.newPage()
    try {
      await page.goto(addressOf('guides/streaming.html'))
      await page.getByRole('searchbox').fill('purge')
      const hit = page.locator('.hits a').first()
      await hit.waitFor()
      expect(await violations(page)).toEqual([])
      const href = await hit.getAttribute('href')
      await hit.click()
      await page.waitForURL(href!)
      expect((await page.locator('main').innerText()).toLowerCase()).toContain('purge')
    } finally {
      await page.close()
    }
  })

  it('shows the variants of the start page as tabs, and all of them without JavaScript', async () => {
    const page = await browser.newPage()
    await page.goto(addressOf('index.html'))
    await page.getByRole('tab', { name: 'Vue' }).click()
    expect(await page.getByRole('tabpanel').count()).toBe(1)
    expect(await page.getByRole('tabpanel').innerText()).toContain('keepsession/vue')
    await page.getByRole('tab', { name: 'Vue' }).press('ArrowRight')
    expect(await page.getByRole('tabpanel').innerText()).toContain('keepsession/svelte')
    await page.close()

    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(addressOf('index.html'))
    const text = await plain.locator('main').innerText()
    for (const name of ['react', 'vue', 'svelte', 'ai-sdk', 'assistant-ui'])
      expect(text).toContain(`keepsession/${name}`)
    // What does nothing without a script is not shown.
    expect(await plain.locator('form.search').isVisible()).toBe(false)
    await plain.getByRole('link', { name: 'Branches', exact: true }).click()
    expect(await plain.getByRole('heading', { level: 1 }).innerText()).toBe('Branches')
    await context.close()
  })

  it('is as wide as a narrow screen', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 700 } })
    for (const file of ['index.html', 'reference/api.html', 'concepts/tabs.html']) {
      await page.goto(addressOf(file))
      expect(await page.evaluate(() => document.documentElement.scrollWidth), file).toBeLessThanOrEqual(360)
    }
    await page.close()
  })
})

describe('the live page', () => {
  it('shows in both tabs what one writes, and what was written of a reply whose worker was killed', async () => {
    const page = await browser.newPage()
    try {
      await page.goto(addressOf('live/index.html'))
      await page.getByRole('button', { name: 'Open two tabs' }).click()
      const first = page.frameLocator('iframe[title="First tab"]')
      const second = page.frameLocator('iframe[title="Second tab"]')
      await expect.poll(() => first.getByRole('status').innerText()).toContain('mode worker')
      await expect.poll(() => second.getByRole('status').innerText()).toContain('mode worker')
      await first.getByRole('button', { name: 'Send' }).click()
      await second.getByText('user: Hello').waitFor()
      await second.getByRole('button', { name: 'Stream a reply' }).click()
      await first.getByText('assistant, now: This reply').waitFor()
      await second.getByRole('button', { name: 'Kill the worker' }).click()
      await first.getByText('assistant: This reply is written down while it grows').waitFor()
      expect(await first.getByRole('listitem').count()).toBe(2)
    } finally {
      await page.close()
    }
  })

  it('measures all contenders, and leaves nothing behind', async () => {
    const page = await browser.newPage()
    try {
      await page.goto(addressOf('live/index.html'))
      await page.getByRole('button', { name: 'Measure' }).click()
      const bench = page.locator('#bench')
      await bench.getByText('Median of').waitFor({ timeout: 120_000 })
      expect(await bench.locator('.bar').count()).toBe(5)
      const left = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
      expect(left.filter((name) => name?.startsWith('keepsession-bench'))).toEqual([])
      expect(await violations(page)).toEqual([])
    } finally {
      await page.close()
    }
  })
})
