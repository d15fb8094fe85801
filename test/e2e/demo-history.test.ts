import { readFileSync } from 'node:fs'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { useDemo } from '../support/use-demo.ts'

let page: Page
let context: BrowserContext
useDemo((demo) => void ({ page, context } = demo))
beforeEach(() => page.getByTestId('inspect').click())

it('a search finds a message of another conversation and another branch, and goes there', async () => {
  await importChats([chat('one', 3), chat('two', 3, { 1: 'A zebra crossed the other way' })])
  await openSession('Talk one')

  await page.keyboard.press('Control+k')
  await byTest('search-all-field').fill('zebra cros')
  await byTest('search-hit').waitFor()
  expect(await byTest('search-hit').locator('.search-title').allTextContents()).toEqual(['Talk two'])
  expect(await byTest('search-hit').locator('mark').allTextContents()).toEqual(['zebra', 'crossed'])
  await page.keyboard.press('Enter')

  await page.locator('.found', { hasText: 'A zebra crossed the other way' }).waitFor()
  expect(await page.title()).toBe('Talk two · keepsession')
  await expect.poll(() => texts()).toEqual(['Question 0 of two', 'A zebra crossed the other way'])
  await byTest('undo').click()
  await expect.poll(texts).toContain('Answer 1 of two')
})

it('a message far up is shown with what stands around it, and from there the reader gets to the end', async () => {
  await importChats([chat('long', 800)])
  await page.keyboard.press('Control+k')
  await byTest('search-all-field').fill('"Question 40 of long"')
  await byTest('search-hit').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.found', { hasText: 'Question 40 of long' }).waitFor()
  expect(await messages().count()).toBeLessThan(200)

  await page.getByLabel('Go to the latest message').click()
  await messages().filter({ hasText: 'Answer 799 of long' }).waitFor()
  await say('Say something')
  expect((await texts()).at(-1)).toBe('something')
})

it('a search follows its filters, and says when nothing was found', async () => {
  await importChats([chat('one', 2), chat('two', 2)])
  await openSession('Talk one')
  await byTest('search-all').click()
  await byTest('search-all-field').fill('question')
  await expect.poll(() => byTest('search-hit').count()).toBe(2)
  await byTest('search-where').selectOption('this')
  await expect.poll(() => byTest('search-hit').count()).toBe(1)
  await byTest('search-where').selectOption('')
  await byTest('search-when').selectOption('1')
  await expect.poll(() => byTest('search-note').textContent()).toBe('No messages contain “question”.')
  await page.keyboard.press('Escape')
  await byTest('search-dialog').waitFor({ state: 'hidden' })
})

it('the tree shows every branch, and a message in it leads to its line', async () => {
  await importChats([chat('wood', 4, { 1: 'The other answer' })])
  await byTest('branches').click()
  await expect
    .poll(() => treeRows())
    .toEqual(['Question 0 of wood', 'The other answer', 'Answer 1 of wood', 'Question 2 of wood', 'Answer 3 of wood'])
  expect(await byTest('tree-branch').filter({ hasText: '(current)' }).count()).toBe(1)

  await page.locator('.tree-main', { hasText: 'The other answer' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.found', { hasText: 'The other answer' }).waitFor()
  await expect.poll(() => texts()).toEqual(['Question 0 of wood', 'The other answer'])
})

it('a branch that is opened from the tree can be named, merged, deleted and brought back', async () => {
  await importChats([chat('wood', 4)])
  await treeAction('Answer 1 of wood', 'tree-fork')
  await expect.poll(texts).toEqual(['Question 0 of wood', 'Answer 1 of wood'])
  await say('Say aside')

  await treeAction('aside', 'tree-name', { row: '[data-end]' })
  await byTest('inline-edit').fill('Aside')
  await page.keyboard.press('Enter')
  await byTest('tree-branch')
    .filter({ hasText: /^Aside/ })
    .waitFor()
  await page.locator('.tree-main', { hasText: 'Answer 3 of wood' }).click()
  await expect.poll(texts).toContain('Answer 3 of wood')

  await treeAction(/^Aside/, 'tree-merge')
  await byTest('toast').filter({ hasText: 'Copied 2 entries from “Aside” to the end of the current branch.' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await texts()).slice(-3)).toEqual(['Answer 3 of wood', 'Say aside', 'aside'])

  await treeAction(/^Aside/, 'tree-delete')
  await expect.poll(() => byTest('tree-branch').count()).toBe(1)
  await byTest('undo').click()
  await byTest('tree-branch')
    .filter({ hasText: /^Aside/ })
    .waitFor()
})

it('a long conversation is folded in the tree, and every message of it can be reached', async () => {
  await importChats([chat('long', 500, { 251: 'Half way off' })])
  await byTest('branches').click()
  await byTest('tree-message').first().waitFor()
  expect(await page.locator('.tree-row').count()).toBeLessThan(12)
  const all = async (): Promise<number> => {
    if ((await byTest('tree-fold').count()) > 0) await byTest('tree-fold').first().click()
    return byTest('tree-message').count()
  }
  await expect.poll(all, { timeout: 20_000 }).toBe(501)
})

it('going back to a checkpoint hides what came since, also after a reload, and can be undone', async () => {
  await say('Say one')
  await byTest('checkpoints').click()
  await byTest('checkpoint-label').fill('After one')
  await byTest('checkpoint-make').click()
  await byTest('checkpoint-mark').filter({ hasText: 'verified' }).waitFor()
  await page.keyboard.press('Escape')
  await say('Say two')

  await byTest('checkpoints').click()
  await byTest('checkpoint-compare').click()
  await expect.poll(() => page.locator('.diff-words').allTextContents()).toEqual(['Say two', 'two'])
  await byTest('checkpoint-restore').click()
  await expect.poll(texts).toEqual(['Say one', 'one'])
  await page.reload()
  await expect.poll(texts).toEqual(['Say one', 'one'])
  await say('Say three')
  await expect.poll(() => texts()).toEqual(['Say one', 'one', 'Say three', 'three'])

  await byTest('checkpoints').click()
  await byTest('checkpoint-restore').click()
  await expect.poll(texts).toEqual(['Say one', 'one'])
  await byTest('undo').click()
  await expect.poll(texts).toEqual(['Say one', 'one', 'Say three', 'three'])
  await expect.poll(() => byTest('branches').textContent()).toBe('2')
})

it('checkpoints are made by themselves where that is wanted', async () => {
  await say('Say zero')
  await byTest('checkpoints').click()
  await byTest('auto-save').check()
  await page.keyboard.press('Escape')
  for (const word of ['one', 'two', 'three']) await say(`Say ${word}`)
  await byTest('checkpoints').click()
  await expect.poll(() => byTest('checkpoint').locator('h3').allTextContents()).toEqual(['Automatic checkpoint'])
  await byTest('checkpoint-delete').click()
  await page.getByText('No checkpoints yet').waitFor()
})

it('files dropped on the window are looked at first, then imported with a report', async () => {
  const name = 'what I downloaded.bin'
  await drop(name, JSON.stringify([chat('one', 2), chat('two', 4), { title: 'Broken', mapping: 7 }]))
  await byTest('import-preview').waitFor()
  expect(await byTest('import-session').allTextContents()).toEqual(['Talk oneChatGPT, 2 new', 'Talk twoChatGPT, 4 new'])
  await byTest('import-no').click()
  await byTest('import-preview').waitFor({ state: 'detached' })
  expect(await byTest('session-item').count()).toBe(0)

  await drop(name, JSON.stringify([chat('one', 2), chat('two', 4), { title: 'Broken', mapping: 7 }]))
  await byTest('import-yes').click()
  await byTest('import-report').waitFor()
  expect(await page.locator('[data-figure] dd').allTextContents()).toEqual(['6', '0', '1'])
  expect(await page.locator('.import-skipped').last().textContent()).toContain(name)
  await expect.poll(() => page.locator('.session-title').allTextContents()).toHaveLength(2)
  await page.locator('.import-reasons summary').first().click()
  await byTest('import-session').locator('a', { hasText: 'Talk two' }).click()
  await expect.poll(() => page.title()).toBe('Talk two · keepsession')
})

it('a file that is nothing known leaves everything as it is, and says so', async () => {
  await drop('holiday.jpg', '\u00ff\u00d8 no conversation at all')
  await byTest('import-report').filter({ hasText: 'could not be imported' }).waitFor()
  expect(await byTest('session-item').count()).toBe(0)
})

it('an archive brings everything back after all data was cleared', async () => {
  await importChats([chat('kept', 3, { 1: 'The other answer' }), chat('too', 2)])
  await openSession('Talk kept')
  await byTest('checkpoints').click()
  await byTest('checkpoint-label').fill('Safe')
  await byTest('checkpoint-make').click()
  await byTest('checkpoint').waitFor()
  await page.keyboard.press('Escape')
  const archive = await saved('archive')

  const { origin, href } = new URL(page.url())
  await page.goto('about:blank')
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await page.goto(href.split('#')[0]!)
  await byTest('sample').waitFor()
  // That it was on is forgotten as well.
  await byTest('inspect').click()
  await byTest('import-input').setInputFiles({ name: 'backup', mimeType: '', buffer: archive })
  await byTest('import-yes').click()
  await byTest('import-report').waitFor()
  await openSession('Talk kept')
  await expect.poll(() => texts()).toEqual(['Question 0 of kept', 'Answer 1 of kept', 'Question 2 of kept'])
  await expect.poll(() => byTest('branches').textContent()).toBe('2')
  await byTest('checkpoints').click()
  await byTest('checkpoint').filter({ hasText: 'Safe' }).waitFor()
})

it('a conversation is saved as Markdown, pi log, OpenAI messages and Agently state', async () => {
  await say('Say hello')
  expect((await saved('markdown')).toString()).toContain('Say hello')
  expect((await saved('pi')).toString().split('\n')[0]).toContain('"type":"session"')
  expect(JSON.parse((await saved('openai')).toString())).toMatchObject([
    { role: 'user', content: 'Say hello' },
    { role: 'assistant', content: 'hello' },
  ])
  expect(JSON.parse((await saved('agently')).toString())).toMatchObject({
    full_chat_history: [{ content: 'Say hello' }, { content: 'hello' }],
  })
})

const byTest = (id: string): Locator => page.locator(`[data-testid="${id}"]`)
const messages = (): Locator => page.locator('[data-testid=message]:not([data-draft])')
const texts = (): Promise<string[]> => messages().locator('.message-body').allInnerTexts()
const treeRows = (): Promise<string[]> =>
  page.locator('.tree-row .tree-words').evaluateAll((rows) =>
    rows.map((row) =>
      [...row.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .map(({ textContent }) => textContent)
        .join(''),
    ),
  )

/** Sends a message and waits for the reply to be stored. */
async function say(text: string): Promise<void> {
  const before = await messages().count()
  await byTest('composer').fill(text)
  await byTest('composer').press('Enter')
  await expect.poll(() => messages().count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 2)
  await byTest('stop').waitFor({ state: 'hidden' })
}

async function openSession(title: string): Promise<void> {
  await byTest('session-item').filter({ hasText: title }).locator('a').click()
  await expect.poll(() => page.title()).toBe(`${title} · keepsession`)
  await messages().first().waitFor()
}

/** Opens the menu of a row of the tree, and chooses from it. */
async function treeAction(text: string | RegExp, action: string, { row = '' } = {}): Promise<void> {
  if (!(await byTest('tree-panel').isVisible())) await byTest('branches').click()
  const found = page.locator(`.tree-row${row}`, { hasText: text }).last()
  await found.hover()
  await found.locator('.tree-more').click()
  await byTest(action).click()
}

async function importChats(chats: readonly object[]): Promise<void> {
  await byTest('import-input').setInputFiles({
    name: 'conversations.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(chats)),
  })
  if (chats.length > 1) await byTest('import-yes').click()
  await byTest('import-report').waitFor()
  await page.locator('.import-close').click()
  await messages().first().waitFor()
}

/** Drops a file on the window as a person would, as far as a page can tell. */
async function drop(name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], file))
      return transfer
    },
    [name, text] as const,
  )
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data })
  await page.locator('.drop-zone').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: data })
}

async function saved(format: string): Promise<Buffer> {
  await byTest('export').click()
  const [file] = await Promise.all([page.waitForEvent('download'), byTest(`export-${format}`).click()])
  return readFileSync(await file.path())
}

/** A conversation as ChatGPT exports it. @param asides - other ways that leave before the message of this number */
function chat(name: string, length: number, asides: Readonly<Record<number, string>> = {}): object {
  const at = 1_760_000_000
  const mapping: Record<string, object> = { root: { id: 'root', message: null, parent: null, children: [] } }
  const add = (id: string, parent: string, role: string, text: string, n: number): string => {
    mapping[id] = {
      id,
      parent,
      children: [],
      message: { id, author: { role }, create_time: at + n, content: { content_type: 'text', parts: [text] } },
    }
    return id
  }
  let parent = 'root'
  for (let n = 0; n < length; n++) {
    const role = n % 2 === 0 ? 'user' : 'assistant'
    const next = add(`${name}-${n}`, parent, role, `${n % 2 === 0 ? 'Question' : 'Answer'} ${n} of ${name}`, n)
    const aside = asides[n]
    if (aside !== undefined) add(`${name}-${n}-aside`, parent, role, aside, n + 0.5)
    parent = next
  }
  return {
    id: `conv-${name}`,
    title: `Talk ${name}`,
    create_time: at,
    update_time: at + length,
    current_node: parent,
    mapping,
  }
}
