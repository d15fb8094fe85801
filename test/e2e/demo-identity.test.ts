import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { useDemo } from '../support/use-demo.ts'

let page: Page
useDemo((demo) => void ({ page } = demo))
beforeEach(() => page.getByTestId('inspect').click())

it('the same chat in other case and spacing is the same conversation, another chat is another', async () => {
  await openPanel()
  await fill({ channel: 'web', chatId: 'Room 1', senderId: 'ann' })
  await openResult()
  await send('Say hello')
  const first = new URL(page.url()).hash

  await openPanel()
  await fill({ channel: ' WEB ', chatId: '  room 1' })
  await expect.poll(() => outcome()).toContain('Say hello')
  await openResult()
  expect(new URL(page.url()).hash).toBe(first)
  await messages().first().waitFor()

  await openPanel()
  await fill({ channel: 'web', chatId: 'Room 2' })
  await expect.poll(() => outcome()).toBe('A new conversation')
  await openResult()
  expect(new URL(page.url()).hash).not.toBe(first)
  await page.locator('.welcome').waitFor()
})

it('people in a group share a conversation until the sender sets them apart', async () => {
  await openPanel()
  expect(await letters()).toEqual(['A', 'B', 'C', 'C'])
  await byTest('dimension-sender').check()
  expect(await letters()).toEqual(['A', 'B', 'C', 'D'])
  await byTest('dimension-chat').uncheck()
  // Alice in private and in the group: one sender on one channel.
  expect(await letters()).toEqual(['A', 'B', 'A', 'C'])
  expect(await byTest('identity-signature').textContent()).toBe(
    'v=1|agent=main|channel=telegram|account=default|sender=alice',
  )
})

it('a linked person goes on from one channel to another, where the rules say so', async () => {
  await openPanel()
  expect((await letters()).slice(0, 2)).toEqual(['A', 'B'])
  await byTest('identity-across').check()
  expect((await letters()).slice(0, 2)).toEqual(['A', 'A'])
  await openResult()
  await send('Say telegram')
  const { hash } = new URL(page.url())

  await openPanel()
  await message('slack').check()
  await expect.poll(() => outcome()).toContain('Say telegram')
  expect(await byTest('identity-key').textContent()).toBe('agent:main:identity:alice')
  await openResult()
  expect(new URL(page.url()).hash).toBe(hash)

  await openPanel()
  await byTest('identity-links').fill('alice = telegram:111')
  await message('slack').check()
  await expect.poll(() => outcome()).toBe('A new conversation')
})

it('the panel shows the way from a message to its key, and whose its other names are', async () => {
  await openPanel()
  await byTest('identity-mentioned').check()
  expect(await byTest('identity-route').textContent()).toBe('agentsupportmatched bydispatch.rule:help desk')
  expect(await byTest('identity-scope').textContent()).toBe('agentsupportchanneltelegramaccountdefaultchatdirect:111')
  expect(await byTest('identity-key').textContent()).toMatch(/^sk_v1_[0-9a-f]{64}$/)
  await openResult()
  await send('Say first')
  expect(await byTest('identity').textContent()).toContain('telegram · direct:111')

  await openPanel()
  await expect.poll(() => alias('agent:support:direct:111').getAttribute('data-owner')).toBe('own')
  expect(await alias('agent:support:main').getAttribute('data-owner')).toBe('main')
  await fill({ chatId: '112' })
  await expect.poll(() => alias('agent:support:direct:111').textContent()).toContain('used by “Say first”')
  expect(await alias('agent:support:direct:112').getAttribute('data-owner')).toBe('free')
})

it('a mistake is said where it was made, and opens nothing', async () => {
  await openPanel()
  await byTest('identity-links').fill('alice: 111')
  await page.locator('#identity-links-problem', { hasText: 'should be a name, an equals sign' }).waitFor()
  expect(await byTest('identity-open').isDisabled()).toBe(true)
  await byTest('identity-links').fill('')
  await fill({ channel: '', chatId: '', senderId: '' })
  expect(await byTest('identity-steps').textContent()).toContain('context is empty.')
})

it('a reload keeps what the conversation is shared by', async () => {
  await openPanel()
  await message('group').first().check()
  await openResult()
  await page.reload()
  await expect.poll(() => byTest('identity').textContent()).toContain('telegram · group:-100')
  await openPanel()
  expect(await byTest('identity-chatId').inputValue()).toBe('-100')
})

it('the panel gets along with the keyboard alone, in a window as wide as a phone', async () => {
  await page.setViewportSize({ width: 360, height: 700 })
  await byTest('identity').focus()
  await page.keyboard.press('Enter')
  await message('telegram · direct').focus()
  await page.keyboard.press('ArrowDown')
  expect(await byTest('identity-channel').inputValue()).toBe('slack')
  await byTest('dimension-sender').focus()
  await page.keyboard.press('Space')
  expect(await byTest('identity-signature').textContent()).toContain('|sender=alice')
  expect(await page.locator('.identity-body').evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(0)
  await byTest('identity-open').press('Enter')
  await byTest('identity-panel').waitFor({ state: 'hidden' })
  await page.locator('[data-testid=composer]:enabled').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
})

function byTest(id: string): Locator {
  return page.getByTestId(id)
}

/** The sample message whose place contains this text. */
function message(place: string): Locator {
  return byTest('identity-message').filter({ hasText: place }).locator('input')
}

function alias(name: string): Locator {
  return page.locator('.key-aliases li', { has: page.getByText(name, { exact: true }) })
}

function messages(): Locator {
  return page.locator('[data-testid=message]:not([data-draft])')
}

/** Which conversation each message goes to, by its letter. */
async function letters(): Promise<string[]> {
  return byTest('identity-message')
    .locator('visible=true')
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['letter'] ?? ''))
}

async function outcome(): Promise<string | null> {
  return page.locator('.identity-outcome').textContent()
}

async function openPanel(): Promise<void> {
  await byTest('identity').click()
  await byTest('identity-panel').waitFor()
}

async function fill(fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await byTest(`identity-${name}`).fill(value)
}

/** Opens the conversation that results, and waits until it is the open one. */
async function openResult(): Promise<void> {
  await byTest('identity-open').click()
  await byTest('identity-panel').waitFor({ state: 'hidden' })
  await page.waitForFunction(
    () => document.querySelector('.session-link[aria-current=page]')?.getAttribute('href') === location.hash,
  )
}

async function send(text: string): Promise<void> {
  await byTest('composer').fill(text)
  await byTest('send').click()
  await page.locator('[data-testid=message][data-role=assistant]:not([data-draft])').waitFor()
}
