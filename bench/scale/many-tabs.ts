import type { BrowserContext, Page } from 'playwright-core'
import type { Extreme } from './measured.ts'
import type { Tab } from './page/tab.ts'

const tabs = 30
const each = 5

type TabHere = { readonly tab: Tab }

/** Thirty tabs on one session: each appends at once with all others, and all show everything. */
export async function measureTabs(context: BrowserContext, url: string): Promise<readonly Extreme[]> {
  const found: Extreme[] = []
  const pages: Page[] = []
  const step = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    const start = performance.now()
    const error = await act().then(() => undefined, String)
    const longestTask = Math.max(0, ...(await Promise.all(pages.map((page) => page.evaluate(() => (globalThis as unknown as Partial<TabHere>).tab?.longestTask() ?? 0)))))
    found.push({ name: `${tabs} tabs: ${name}`, ms: performance.now() - start, longestTask, ...(error === undefined ? {} : { error }) })
  }
  try {
    await step('opening them', async () => {
      for (let i = 0; i < tabs; i++) {
        const page = await context.newPage()
        pages.push(page)
        await page.goto(url)
        await page.waitForFunction(() => 'joinTab' in globalThis)
        await page.evaluate(() => (globalThis as unknown as { joinTab: () => Promise<void> }).joinTab())
      }
    })
    await step(`${each} appends by each, at once`, () => Promise.all(pages.map((page) => page.evaluate((count) => (globalThis as unknown as TabHere).tab.append(count), each))))
    await step('until all show them', () => Promise.all(pages.map((page) => page.evaluate((count) => (globalThis as unknown as TabHere).tab.shows(count), tabs * each))))
  } finally {
    for (const page of pages) await page.close()
  }
  return found
}
