import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'
import { builtSite, place } from './built-site.ts'
import { violations } from './violations.ts'

let served: Served
let browser: Browser
beforeAll(async () => {
  const folder = await builtSite()
  served = await serve(folder)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
})
const addressOf = (file: string): string => `${served.url}/${place}/${file}`

describe('the site in a browser', () => {
  // accessibility.test.ts looks at every page; these have an element of each kind.
  const kinds = [
    'index',
    'live/index',
    'live/tab',
    'concepts/log',
    'guides/sync',
    'reference/api',
    'reference/keepsession',
  ]

  it.each(['light', 'dark'] as const)('has nothing that axe finds, %s', async (colorScheme) => {
    const page = await browser.newPage({ colorScheme })
    const found: string[] = []
    for (const kind of kinds) {
      await page.goto(addressOf(`${kind}.html`))
      for (const violation of await violations(page)) found.push(`${kind}: ${violation}`)
    }
    expect(found).toEqual([])
    await page.setContent('<main><h1>x</h1><img src="x.png"></main>')
    expect((await violations(page)).join()).toContain('image-alt')
    await page.close()
  })

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

describe('the site on a narrow screen', () => {
  const narrow = { viewport: { width: 390, height: 844 } }

  it('leaves the text where it is while the script starts', async () => {
    const page = await browser.newPage(narrow)
    try {
      await page.addInitScript(() => {
        const moved = { sum: 0 }
        Object.assign(window, { moved })
        new PerformanceObserver((list) => {
          for (const shift of list.getEntries()) moved.sum += (shift as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(addressOf('index.html'))
      await page.getByRole('tab', { name: 'Vue' }).waitFor({ state: 'attached' })
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      const sum = await page.evaluate(() => (window as unknown as { moved: { sum: number } }).moved.sum)
      // What Lighthouse calls good.
      expect(sum).toBeLessThan(0.1)
      expect(await page.locator('nav.pages details').getAttribute('open')).toBe(null)
    } finally {
      await page.close()
    }
  })

  it('shows whole hits of a search', async () => {
    const page = await browser.newPage(narrow)
    try {
      await page.goto(addressOf('index.html'))
      await page.getByRole('searchbox').fill('leader')
      await page.locator('.hits a').first().waitFor()
      const box = (await page.locator('.hits').boundingBox())!
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(390)
    } finally {
      await page.close()
    }
  })
})

it('shows the page in the list of pages, however long the list is', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 700 } })
  try {
    await page.goto(addressOf('reference/keepsession-vue.html'))
    await expect.poll(async () => (await page.locator('nav.pages [aria-current]').boundingBox())!.y).toBeLessThan(700)
  } finally {
    await page.close()
  }
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

  it('deletes what earlier visits left, but nothing of one that is open', async () => {
    const context = await browser.newContext()
    const databases = (page: Page): Promise<string[]> =>
      page.evaluate(async () => (await indexedDB.databases()).flatMap(({ name }) => name ?? []))
    try {
      const other = await context.newPage()
      await other.goto(addressOf('live/index.html'))
      await other.getByRole('button', { name: 'Open two tabs' }).click()
      const status = other.frameLocator('iframe[title="First tab"]').getByRole('status')
      await expect.poll(() => status.innerText()).toContain('mode worker')
      const open = await databases(other)
      expect(open.some((name) => name.startsWith('keepsession-playground-'))).toBe(true)
      const left = ['keepsession-bench-00000000-Dexie', 'keepsession-playground-00000000']
      await other.evaluate(async (names) => {
        for (const name of names)
          await new Promise<void>((resolve) => {
            const request = indexedDB.open(name)
            request.onsuccess = () => resolve(request.result.close())
          })
      }, left)
      const page = await context.newPage()
      await page.goto(addressOf('live/index.html'))
      await expect.poll(async () => (await databases(page)).filter((name) => left.includes(name))).toEqual([])
      expect(await databases(page)).toEqual(expect.arrayContaining(open))
    } finally {
      await context.close()
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
