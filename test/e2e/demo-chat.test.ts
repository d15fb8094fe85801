import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { demoSteps } from '../support/demo-steps.ts'
import { useDemo } from '../support/use-demo.ts'

// As text: as a module it would leave globals in this realm.
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A picture of one point. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let page: Page
useDemo((demo) => void ({ page } = demo))
const { byTest, messages, say } = demoSteps(() => page)

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

it('files are attached, taken out again, sent and shown, and an edit of the text and a reload keep them', async () => {
  await byTest('attach-input').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
    { name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('wrong') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk, eggs') },
  ])
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
  await expect.poll(() => byTest('attachment-waiting').count()).toBe(2)
  await say('What is this?')
  expect(await byTest('attachment-waiting').count()).toBe(0)

  await messages('user').hover()
  await byTest('edit').click()
  await byTest('edit-form').locator('textarea').fill('What are these?')
  await byTest('edit-send').click()
  await expect.poll(() => messages('user').innerText()).toContain('What are these?')
  await byTest('stop').waitFor({ state: 'hidden' })
  await page.reload()
  await messages('user').getByRole('img', { name: 'dot.png' }).waitFor()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    byTest('attachment').filter({ hasText: 'notes.txt' }).click(),
  ])
  expect([saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')]).toEqual(['notes.txt', 'milk, eggs'])
})

it('a file dropped on the composer is attached, not imported', async () => {
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['milk, eggs'], 'notes.txt', { type: 'text/plain' }))
    return transfer
  })
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data })
  await page.locator('.drop-zone').waitFor()
  await page.dispatchEvent('[data-testid=composer]', 'drop', { dataTransfer: data })
  await byTest('attachment-waiting').filter({ hasText: 'notes.txt' }).waitFor()
  await page.locator('.drop-zone').waitFor({ state: 'hidden' })
  expect(await page.locator('.import-card').count()).toBe(0)
})

it('each conversation remembers its model, and a new one begins with the model that was chosen last', async () => {
  await byTest('connect-model').click()
  await byTest('models').fill('small, large')
  await byTest('settings-save').click()
  expect(await byTest('model').locator('option').allTextContents()).toEqual(['Offline script', 'small', 'large'])
  await say('Say one')
  const first = page.url()
  await byTest('new-session').click()
  await page.locator('.welcome').waitFor()
  await byTest('model').selectOption('large')
  await byTest('new-session').click()
  await expect.poll(() => byTest('model').inputValue()).toBe('large')
  await page.goto(first)
  await messages('user').waitFor()
  await page.reload()
  await messages('user').waitFor()
  await expect.poll(() => byTest('model').inputValue()).toBe('')
})

it('an import brings in the conversations that were chosen, and the rest later', async () => {
  const chats = Array.from({ length: 12 }, (_, n) => chat(`Talk ${n}`, Date.UTC(2025, 5, 15) / 1000 + n))
  await chooseFile(chats)
  await byTest('import-none').click()
  expect(await byTest('import-yes').isDisabled()).toBe(true)
  await byTest('import-filter').fill('talk 1')
  await byTest('import-all').click()
  await byTest('import-session').filter({ hasText: 'Talk 10' }).getByRole('checkbox').uncheck()
  expect(await byTest('import-yes').innerText()).toBe('Import 2 conversations')
  await byTest('import-yes').click()
  await byTest('import-report').waitFor()
  await expect.poll(() => page.locator('.session-title').allTextContents()).toEqual(['Talk 11', 'Talk 1'])
  await page.locator('.import-close').click()

  await importChats(chats)
  await expect.poll(() => byTest('session-item').count()).toBe(12)
  await page.locator('.session-link', { hasText: 'Talk 11' }).click()
  await expect.poll(() => messages('user').allInnerTexts()).toEqual([expect.stringContaining('About Talk 11')])
})

it('the size shown is that of what was written, not what the browser takes for an empty site', async () => {
  const size = byTest('status').locator('.status-size')
  await expect.poll(() => size.textContent()).toBe('0 bytes')
  await say(`Say ${'much '.repeat(400)}`)
  await expect.poll(() => size.textContent()).toMatch(/^4\.\d kB$/)
})

it('somebody new sees a chat; what the library does behind it is shown by one switch, and stays shown', async () => {
  await say('Say one')
  const inner = ['context', 'branches', 'checkpoints', 'identity', 'open-inspector']
  const shown = async () => (await Promise.all(inner.map((id) => byTest(id).isVisible()))).filter(Boolean).length
  expect(await shown()).toBe(0)
  for (const id of ['regenerate', 'copy', 'sync', 'export']) expect(await byTest(id).first().isVisible()).toBe(true)
  await byTest('inspect').press('Enter')
  await expect.poll(shown).toBe(inner.length)
  await page.reload()
  await expect.poll(shown).toBe(inner.length)
  expect(await byTest('inspect').getAttribute('aria-pressed')).toBe('true')
})

it('one search lists the conversations of a title before the messages that have the words', async () => {
  await importChats([chat('Apple pie', Date.UTC(2025, 5, 15) / 1000), chat('Bread', Date.UTC(2025, 5, 16) / 1000)])
  await byTest('search-all').click()
  await byTest('search-all-field').fill('apple')
  const rows = page.locator('.search-results').getByRole('option')
  await expect
    .poll(() => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset['testid'])))
    .toEqual(['search-session', 'search-hit'])
  expect(await byTest('search-note').textContent()).toBe('1 title, 1 message')
  await byTest('search-where').selectOption('this')
  await expect.poll(() => byTest('search-session').count()).toBe(0)
})

it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('gives axe nothing to say, in %s colours and %i pixels', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 844 })
  expect(await violations()).toEqual([])
  await byTest('attach-input').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk, eggs') },
  ])
  expect(await violations()).toEqual([])
  await say('Two files')
  await say('Say this:\n\n```ts\nconst one: number = await f("two") // first\n```')
  await page.locator('.hljs-comment').waitFor()
  await byTest('inspect').click()
  expect(await violations()).toEqual([])
  await page.keyboard.press('Control+k')
  await byTest('search-all-field').fill('two')
  await byTest('search-hit').first().waitFor()
  expect(await violations()).toEqual([])
  await page.keyboard.press('Escape')
  await chooseFile(Array.from({ length: 12 }, (_, n) => chat(`Talk ${n}`, 1_750_000_000 + n)))
  await byTest('import-preview').waitFor()
  expect(await violations()).toEqual([])
})

/** What axe finds wrong with the page as it is, by rule and element. */
async function violations(): Promise<readonly string[]> {
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as { axe?: typeof axe }).axe!.run(document, {
      rules: { 'label-content-name-mismatch': { enabled: true } },
      resultTypes: ['violations'],
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  })
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

async function chooseFile(chats: readonly object[]): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(chats))
  await byTest('import-input').setInputFiles({ name: 'conversations.json', mimeType: 'application/json', buffer })
}

/** Imports all of them. */
async function importChats(chats: readonly object[]): Promise<void> {
  await chooseFile(chats)
  await byTest('import-yes').click()
  await byTest('import-report').waitFor({ timeout: 120_000 })
  await page.locator('.import-close').click()
}
