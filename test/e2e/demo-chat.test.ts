import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDemo } from '../support/use-demo.ts'

let page: Page
useDemo((demo) => void ({ page } = demo))

it('code in a reply shows its language in colours, and its button copies it and says so', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await say('Say this:\n\n```ts\nconst one = 1 // first\n```')
  const block = byTest('code-block')
  expect(await block.locator('.code-language').textContent()).toBe('TypeScript')
  await expect.poll(() => block.locator('.hljs-keyword').allTextContents()).toEqual(['const'])
  const copy = block.getByTestId('copy')
  await copy.press('Enter')
  await expect.poll(() => copy.innerText()).toBe('Copied')
  await page
    .getByRole('status')
    .filter({ hasText: /^Copied$/ })
    .waitFor({ state: 'attached' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const one = 1 // first\n')
})

it('1,000 conversations are listed at once, under headings by day, and the arrow keys go over all of them', async () => {
  await importChats(Array.from({ length: 999 }, (_, n) => chat(`Old ${n}`, Date.UTC(2025, 5, 15) / 1000 + n)))
  await byTest('new-session').click()
  await page.locator('.welcome').waitFor()
  await say('Say new')
  await expect.poll(() => byTest('session-item').count()).toBe(1000)
  expect(await page.getByRole('navigation').getByRole('heading').allTextContents()).toEqual(['Today', 'June 2025'])
  const newest = page.locator('.session-link', { hasText: 'Say new' })
  await newest.focus()
  await newest.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.querySelector('.session-title')?.textContent)).toBe(
    'Old 998',
  )
})

function byTest(id: string): Locator {
  return page.getByTestId(id)
}

function messages(role: string): Locator {
  return page.locator(`[data-testid=message][data-role=${role}]:not([data-draft])`)
}

/** Sends a text, and waits until it is answered. */
async function say(text: string): Promise<void> {
  const before = await messages('assistant').count()
  await byTest('composer').fill(text)
  await byTest('composer').press('Enter')
  await messages('assistant').nth(before).waitFor()
  await byTest('stop').waitFor({ state: 'hidden' })
}

/** A conversation of one question, as ChatGPT exports it. @param at - in seconds */
function chat(title: string, at: number): object {
  const author = { role: 'user' }
  const message = { id: title, author, create_time: at, content: { content_type: 'text', parts: [`About ${title}`] } }
  const mapping = {
    root: { id: 'root', message: null, parent: null, children: [title] },
    [title]: { id: title, message, parent: 'root', children: [] },
  }
  return { id: title, title, create_time: at, update_time: at, current_node: title, mapping }
}

async function importChats(chats: readonly object[]): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(chats))
  await byTest('import-input').setInputFiles({ name: 'conversations.json', mimeType: 'application/json', buffer })
  await byTest('import-yes').click()
  await byTest('import-report').waitFor()
  await page.locator('.import-close').click()
}
