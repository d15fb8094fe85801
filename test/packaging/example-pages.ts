import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/** What the pages of an example are opened with. */
interface Place {
  readonly context: BrowserContext
  readonly url: string
  /** Gets what is thrown in a page. */
  readonly errors: string[]
}

/** What the examples have in common: a heading, a list of messages, and a form. */
export function createExamplePages(place: () => Place) {
  async function openTab(): Promise<Page> {
    const { context, url, errors } = place()
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(url)
    await page.getByRole('heading').waitFor()
    return page
  }
  async function reload(page: Page): Promise<void> {
    await page.reload()
    await page.getByRole('heading').waitFor()
  }
  const items = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  /** The texts of the messages, without what can be done with each. */
  const texts = (page: Page): Promise<string[]> =>
    items(page).evaluateAll((all) =>
      all.map((item) => {
        const shown = item.cloneNode(true) as HTMLElement
        for (const controls of shown.querySelectorAll('nav')) controls.remove()
        return (shown.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
      }),
    )
  const ids = (page: Page): Promise<(string | null)[]> =>
    items(page).evaluateAll((all) => all.map((item) => item.getAttribute('data-id')))
  /** Waits until the reply that is shown is stored. */
  const settled = (page: Page): Promise<void> =>
    page.locator('ol[aria-label="Messages"]:not([aria-busy="true"])').waitFor({ state: 'attached' })
  async function send(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }

  return {
    openTab,
    texts,
    ids,
    send,
    settled,
    /** Sends, and waits until the reply is there and stored. */
    ask: async (page: Page, text: string): Promise<void> => {
      await send(page, text)
      await expect.poll(async () => (await texts(page)).at(-1)).toBe(`You said: ${text}`)
      await settled(page)
    },
    /** Reloads the page until it shows what it should: some apps read what other tabs wrote only when they start. */
    reloadUntil: async (page: Page, isShown: (all: readonly string[]) => boolean): Promise<void> => {
      for (let tries = 0; tries < 30; tries++) {
        await reload(page)
        for (const end = performance.now() + 2_000; performance.now() < end; await page.waitForTimeout(50))
          if (isShown(await texts(page))) return
      }
      const [list, all] = [await ids(page), await texts(page)]
      throw new Error(`The page shows something else:\n${all.map((text, i) => `${list[i]}: ${text}`).join('\n')}`)
    },
    isJust:
      (...expected: readonly string[]) =>
      (all: readonly string[]): boolean =>
        all.join('\n') === expected.join('\n'),
  }
}
