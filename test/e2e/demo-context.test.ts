import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { useDemo } from '../support/use-demo.ts'

let page: Page
let context: BrowserContext
useDemo((demo) => void ({ page, context } = demo), { isKeptOffline: true })
beforeEach(() => page.getByTestId('inspect').click())

it('the meter shows what the model gets, and how full its window is', async () => {
  await say('Say one')
  await expect.poll(() => byTest('context').textContent()).toMatch(/%/)
  const before = await tokens()
  await say(`Say ${'two '.repeat(200)}`)
  await expect.poll(tokens).toBeGreaterThan(before + 300)
  await openPanel()
  expect(await page.locator('.context-legend').textContent()).toMatch(/2 turns.*Free/)
})

it('compacting now puts a summary in the place of the older turns, and hides nothing from the person', async () => {
  for (const word of ['one', 'two', 'three']) await say(`Say ${word}`)
  await openPanel()
  await byTest('context-keep-turns').fill('1')
  await byTest('compact-now').click()
  await expect.poll(() => byTest('context-outcome').textContent()).toMatch(/^4 messages summarised/)
  await expect.poll(() => page.locator('.context-legend').textContent()).toMatch(/Summary.*1 turn/)
  await page.keyboard.press('Escape')
  expect(await messages().count()).toBe(6)
  await page.locator('.note.summary').waitFor()

  await page.reload()
  await messages().first().waitFor()
  await openPanel()
  await expect.poll(() => page.locator('.context-legend').textContent()).toMatch(/Summary.*1 turn/)
  await byTest('compact-now').click()
  await expect
    .poll(() => byTest('context-outcome').textContent())
    .toBe('There are no messages older than the turns to keep.')
})

it('a conversation that fills three quarters of the window is compacted by itself', async () => {
  await openPanel()
  await byTest('context-window').selectOption('1000')
  await byTest('context-keep-turns').fill('1')
  await page.keyboard.press('Escape')
  for (const word of ['one', 'two', 'three']) await say(`Say ${`${word} `.repeat(160)}`)
  await page.locator('.note.summary').waitFor()
  expect(await messages().count()).toBe(6)
})

it('lite mode leaves out the oldest messages', async () => {
  await choose('lite', { messages: 2 })
  for (const word of ['one', 'two', 'three']) await say(`Say ${word}`)
  await openPanel()
  await expect.poll(() => page.locator('.context-legend').textContent()).toMatch(/^1 turn/)
  await page.keyboard.press('Escape')
  expect(await messages().count()).toBe(6)
})

it('memo mode notes what should outlive the messages, and keeps it over a reload', async () => {
  await choose('memo', { messages: 2 })
  await say('My name is Ann')
  await say('Say hello')
  await openPanel()
  await expect.poll(() => byTest('memo').textContent()).toBe('nameAnn')
  expect(await page.locator('.context-legend').textContent()).toContain('Memo')
  await page.reload()
  await messages().first().waitFor()
  await openPanel()
  await expect.poll(() => byTest('memo').textContent()).toBe('nameAnn')
  expect(await page.locator('.memo-last').textContent()).toMatch(/too many messages/)
})

it('a conversation goes on through the chat API, also without a network', async () => {
  await byTest('settings').click()
  await byTest('via-api').check()
  await byTest('settings-save').click()
  await say('Say one')
  // As after a forced reload: the worker is there, and the page is not its.
  const devtools = await context.newCDPSession(page)
  await devtools.send('Page.reload', { ignoreCache: true })
  await messages().first().waitFor()
  await say('Say two')
  await context.setOffline(true)
  await say('How many conversations are there?')
  expect(await messages().filter({ hasText: '1 conversation, 0 archived' }).count()).toBeGreaterThan(0)
  await say('Count to 200', { isWaitedFor: false })
  await page.locator('[data-draft]', { hasText: '10, 11' }).waitFor()
  await byTest('stop').click()
  await byTest('send').waitFor()
  await expect.poll(() => page.locator('[data-draft]').count()).toBe(0)
  expect(await messages().last().textContent()).toContain('10, 11')
})

const byTest = (id: string): Locator => page.locator(`[data-testid="${id}"]`)
const messages = (): Locator => page.locator('[data-testid=message]')

async function tokens(): Promise<number> {
  const title = await byTest('context').getAttribute('title')
  return Number(/([\d,]+) tokens? of/.exec(title ?? '')?.[1]?.replaceAll(',', '') ?? Number.NaN)
}

async function openPanel(): Promise<void> {
  await byTest('context').click()
  await byTest('context-panel').waitFor()
}

async function choose(mode: string, { messages }: { readonly messages: number }): Promise<void> {
  await openPanel()
  await byTest(`context-mode-${mode}`).check()
  await byTest('context-messages').fill(String(messages))
  await page.keyboard.press('Escape')
}

/** Sends a message and waits for the reply to be stored. */
async function say(text: string, { isWaitedFor = true } = {}): Promise<void> {
  const before = await messages().count()
  await byTest('composer').fill(text)
  await byTest('composer').press('Enter')
  if (!isWaitedFor) return
  await expect.poll(() => messages().count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 2)
  await byTest('stop').waitFor({ state: 'hidden' })
  await expect.poll(() => page.locator('[data-draft]').count()).toBe(0)
}
