import type { BrowserContext, Page } from 'playwright-core'
import type { Extreme } from './measured.ts'
import type { Tab } from './page/tab.ts'
import type { TaskWatch } from './watch-tasks.ts'

const tabs = 30
const each = 5

type TabHere = { readonly tab: Tab }

export const tabsTitle = `${tabs} tabs`

/** Thirty tabs on one session: each appends at once with all others, and all show everything. */
export async function measureTabs(
  context: BrowserContext,
  url: string,
  tasks: TaskWatch,
  say: (text: string) => void,
): Promise<readonly Extreme[]> {
  const found: Extreme[] = []
  const pages: Page[] = []
  const step = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    await tasks.begin()
    const start = performance.now()
    const error = await act().then(() => undefined, String)
    const ms = performance.now() - start
    const { busy, longest } = await tasks.end()
    found.push({
      name: `${tabsTitle}: ${name}`,
      ms,
      busy,
      longestTask: longest,
      ...(error === undefined ? {} : { error }),
    })
    say(
      `${tabsTitle}: ${name}: ${Math.round(ms)} ms, longest task ${Math.round(longest)} ms, of them ${Math.round(busy)} at work${error === undefined ? '' : `, ${error}`}`,
    )
  }
  try {
    // What it takes to load the page is not meant.
    for (let i = 0; i < tabs; i++) {
      const page = await context.newPage()
      pages.push(page)
      await page.goto(url)
      await page.waitForFunction(() => 'joinTab' in globalThis)
    }
    await step('opening the store in each', async () => {
      for (const page of pages)
        await page.evaluate(() => (globalThis as unknown as { joinTab: () => Promise<void> }).joinTab())
    })
    await step(`${each} appends by each, at once`, () =>
      Promise.all(
        pages.map((page) => page.evaluate((count) => (globalThis as unknown as TabHere).tab.append(count), each)),
      ),
    )
    await step('until all show them', () =>
      Promise.all(
        pages.map((page) => page.evaluate((count) => (globalThis as unknown as TabHere).tab.shows(count), tabs * each)),
      ),
    )
  } finally {
    for (const page of pages) await page.close()
  }
  return found
}
