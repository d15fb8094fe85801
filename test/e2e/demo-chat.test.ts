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
