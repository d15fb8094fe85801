import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type OpenedDemo, useDemo } from '../support/use-demo.ts'

/** A real coding session of 1,018 entries; it lies beside the checkout because it is not ours to publish. */
const realSample = fileURLToPath(new URL('../../../shared/samples/large-session.jsonl', import.meta.url))

let page: Page
let openTab: OpenedDemo['openTab']
useDemo((demo) => void ({ page, openTab } = demo))

describe('a conversation', () => {
  it('streams a reply and shows both after a reload', async () => {
    await send(page, 'Say one two three')
    await replied(page)
    await expect.poll(() => texts(messages(page, 'assistant'))).toEqual(['one two three'])

    await page.reload()
    await messages(page, 'assistant').waitFor()
    await expect.poll(() => texts(messages(page))).toEqual(['Say one two three', 'one two three'])
    expect(await page.title()).toBe('Say one two three · keepsession')
  })

  it('shows messages and growing replies in a second tab', async () => {
    await send(page, 'Say hello')
    await replied(page)
    const other = await openTab(new URL(page.url()).hash)
    await messages(other, 'assistant').waitFor()

    await send(page, 'Count to 120')
    await other.locator('[data-draft]', { hasText: '10, 11' }).waitFor()
    await replied(page)
    await messages(other, 'assistant').filter({ hasText: '119, 120. Done.' }).waitFor()
    await expect.poll(() => texts(messages(other))).toEqual(await texts(messages(page)))
  })

  it('keeps what a stopped reply had said, and says that it was stopped', async () => {
    await send(page, 'Count to 400')
    await page.locator('[data-draft]', { hasText: '10, 11' }).waitFor()
    await byTest(page, 'stop').click()
    await replied(page)

    await page.reload()
    // Its Markdown is rendered a moment after its element is there.
    const reply = messages(page, 'assistant').filter({ hasText: '10, 11' })
    await reply.waitFor()
    const text = await reply.innerText()
    expect(text).not.toContain('Done.')
    expect(text).toContain('Stopped early')
  })

  it('keeps what a reply had said when its tab is closed', async () => {
    await send(page, 'Count to 400')
    await page.locator('[data-draft]', { hasText: '20, 21' }).waitFor()
    const address = page.url()
    const other = await openTab()
    await page.close()

    await other.goto(address)
    await messages(other, 'assistant').filter({ hasText: '10, 11' }).waitFor()
  })

  it('runs tools and shows their results', async () => {
    await send(page, 'How many conversations do we have?')
    await messages(page, 'assistant').filter({ hasText: '1 conversation, 0 archived' }).waitFor()
    await replied(page)
    expect(await page.locator('.fold-name').allTextContents()).toEqual(['count_conversations', 'count_conversations'])
  })

  it('keeps the text that was begun', async () => {
    await byTest(page, 'composer').fill('half a thou')
    await page.reload()
    await expect.poll(() => byTest(page, 'composer').inputValue()).toBe('half a thou')
  })
})

describe('lines', () => {
  it('keep both replies when one is written anew', async () => {
    await send(page, 'Say first')
    await replied(page)
    await byTest(page, 'regenerate').click()
    await expect.poll(() => forkLabels(page)).toEqual(['2/2'])
    await replied(page)
    await send(page, 'Say more')
    await replied(page)
    await expect.poll(() => texts(messages(page))).toEqual(['Say first', 'first', 'Say more', 'more'])

    await byTest(page, 'branch-prev').click()
    await expect.poll(() => texts(messages(page))).toEqual(['Say first', 'first'])
    expect(await forkLabels(page)).toEqual(['1/2'])
    await byTest(page, 'branch-next').click()
    await expect.poll(() => texts(messages(page))).toEqual(['Say first', 'first', 'Say more', 'more'])
  })

  it('keep the old question when it is edited', async () => {
    for (const text of ['Say a', 'Say b']) {
      await send(page, text)
      await replied(page)
    }
    await messages(page, 'user').last().hover()
    await byTest(page, 'edit').last().click()
    await byTest(page, 'edit-form').locator('textarea').fill('Say c')
    await byTest(page, 'edit-send').click()
    await expect.poll(() => texts(messages(page))).toEqual(['Say a', 'a', 'Say c', 'c'])

    await byTest(page, 'branch-prev').click()
    await expect.poll(() => texts(messages(page))).toEqual(['Say a', 'a', 'Say b', 'b'])
  })

  it('take an edit by Enter, as the composer takes a message, and speak the reply without its marks', async () => {
    await send(page, 'Say a')
    await replied(page)
    await messages(page, 'user').hover()
    await byTest(page, 'edit').click()
    const field = byTest(page, 'edit-form').locator('textarea')
    await field.fill('Say **bold**')
    await field.press('Shift+Enter')
    await page.keyboard.type('and `code`')
    await field.press('Enter')
    await replied(page)
    await expect.poll(() => texts(messages(page, 'user'))).toEqual(['Say **bold**\nand `code`'])
    await expect.poll(() => page.locator('.conversation > [role=status]').textContent()).toBe('Reply: bold and code')
  })
})

describe('the list', () => {
  it('renames, archives, deletes and brings back', async () => {
    await send(page, 'Say hello')
    await replied(page)
    const item = byTest(page, 'session-item')
    await item.hover()
    await byTest(page, 'rename').click()
    await page.keyboard.type('My talk')
    await page.keyboard.press('Enter')
    await item.filter({ hasText: 'My talk' }).waitFor()
    await expect.poll(() => page.title()).toBe('My talk · keepsession')

    await item.hover()
    await byTest(page, 'archive').click()
    await expect.poll(() => item.count()).toBe(0)
    await byTest(page, 'folder-archived').click()
    await item.hover()
    await byTest(page, 'archive').click()
    await expect.poll(() => item.count()).toBe(0)
    await byTest(page, 'folder-open').click()

    await item.hover()
    await byTest(page, 'delete').click()
    await expect.poll(() => item.count()).toBe(0)
    await expect.poll(() => messages(page).count()).toBe(0)
    await byTest(page, 'undo').click()
    await item.filter({ hasText: 'My talk' }).waitFor()
    await expect.poll(() => texts(messages(page))).toEqual(['Say hello', 'hello'])
  })

  it('finds conversations by title', async () => {
    for (const text of ['Say apple', 'Say pear']) {
      await byTest(page, 'new-session').click()
      await page.locator('.welcome').waitFor()
      await send(page, text)
      await replied(page)
    }
    await expect.poll(() => byTest(page, 'session-item').count()).toBe(2)
    await byTest(page, 'search-all').click()
    await byTest(page, 'search-all-field').fill('SAY APP')
    const found = byTest(page, 'search-session')
    await expect.poll(() => found.locator('.search-title').allTextContents()).toEqual(['Say apple'])
    await found.click()
    await expect.poll(() => page.title()).toBe('Say apple · keepsession')
  })
})

describe('an import', () => {
  const lines = [
    {
      type: 'session',
      version: 3,
      id: '0b7c1f7e-6d0a-4a0e-8a53-2b8e3f5f0c11',
      timestamp: '2026-01-05T10:00:00.000Z',
      cwd: '/',
    },
    entryLine('a1', null, { role: 'user', content: [{ type: 'text', text: 'What is in the file?' }] }),
    entryLine('a2', 'a1', {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'notes.md' } }],
    }),
    entryLine('a3', 'a2', {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      content: [{ type: 'text', text: 'milk, eggs' }],
      isError: false,
    }),
    entryLine('a4', 'a3', { role: 'assistant', content: [{ type: 'text', text: 'A **shopping** list.' }] }),
  ].map((line) => JSON.stringify(line))
  const file = (texts: readonly string[]) => ({
    name: 'shopping.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(`${texts.join('\n')}\n`),
  })

  it('shows what was in the file, and adds nothing the second time', async () => {
    await byTest(page, 'import-input').setInputFiles(file([...lines, 'this is no JSON']))
    await byTest(page, 'import-report').waitFor()
    expect(await figures(page)).toEqual({ added: '4', 'already stored': '0', skipped: '1' })
    await messages(page, 'assistant').filter({ hasText: 'A shopping list.' }).waitFor()
    expect(await messages(page, 'assistant').last().locator('strong').textContent()).toBe('shopping')
    expect(await page.locator('.fold-hint').allTextContents()).toEqual(['notes.md', 'milk, eggs'])

    await page.locator('.import-close').click()
    await byTest(page, 'import-input').setInputFiles(file(lines))
    await byTest(page, 'import-report').waitFor()
    expect(await figures(page)).toEqual({ added: '0', 'already stored': '4', skipped: '0' })
    expect(await byTest(page, 'session-item').count()).toBe(1)
    expect(await messages(page).count()).toBe(4)
  })

  it("of PicoClaw's files brings its sessions in, and tells what was skipped and where", async () => {
    const meta = {
      key: 'agent:main:direct:p',
      summary: '',
      skip: 1,
      count: 3,
      created_at: '2026-01-01T10:00:00Z',
      updated_at: '2026-01-01T10:00:00Z',
    }
    const of = (name: string, text: string) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    })
    await byTest(page, 'import-input').setInputFiles([
      of(
        'agent_main_direct_p.jsonl',
        '{"role":"user","content":"hidden"}\n{"role":"user","content":"From the command line"}\n{"role":',
      ),
      of('agent_main_direct_p.meta.json', JSON.stringify(meta)),
    ])
    await byTest(page, 'import-report').waitFor()
    await page.locator('.import-reasons summary').click()
    expect(await page.locator('.import-skipped').innerText()).toContain(
      'agent_main_direct_p.jsonl: Line 3: it is incomplete',
    )
    await messages(page, 'user').filter({ hasText: 'From the command line' }).waitFor()
    expect(await messages(page).count()).toBe(1)
  })

  it('of a sample is offered as long as nothing is stored', async () => {
    await byTest(page, 'sample').click()
    await byTest(page, 'import-report').waitFor()
    await messages(page, 'user').filter({ hasText: '212 ms. Thank you!' }).waitFor()
    expect(await forkLabels(page)).toHaveLength(1)
    await byTest(page, 'new-session').click()
    await page.locator('.welcome').waitFor()
    expect(await byTest(page, 'sample').isVisible()).toBe(false)
  })

  it('of what was exported brings everything back', async () => {
    await send(page, 'Say hello')
    const saved = async (format: string) => {
      await byTest(page, 'export').click()
      const [file] = await Promise.all([page.waitForEvent('download'), byTest(page, `export-${format}`).click()])
      return file
    }
    const markdown = await saved('markdown')
    expect(readFileSync(await markdown.path(), 'utf8')).toContain('Say hello')
    const archive = await saved('archive')
    await byTest(page, 'import-input').setInputFiles({
      name: 'backup.bin',
      mimeType: '',
      buffer: readFileSync(await archive.path()),
    })
    await byTest(page, 'import-report').waitFor()
    expect(await page.locator('[data-figure] dd').allInnerTexts()).toEqual(['0', expect.stringMatching(/^[1-9]/), '0'])
  })

  it.skipIf(!existsSync(realSample))(
    'reads a real session of 1,018 entries (skipped without ../shared/samples)',
    async () => {
      await byTest(page, 'import-input').setInputFiles(realSample)
      await byTest(page, 'import-report').waitFor({ timeout: 30_000 })
      expect(await figures(page)).toMatchObject({ added: '1,018', skipped: '0' })
      await messages(page, 'assistant').filter({ hasText: 'Did we revert' }).waitFor()

      // By the wheel, as a reader gets to the beginning.
      await page.mouse.move(700, 400)
      const beginning = async () => {
        await page.mouse.wheel(0, -20_000)
        return messages(page, 'user').filter({ hasText: '/mode' }).count()
      }
      await expect.poll(beginning, { timeout: 30_000, interval: 50 }).toBe(1)
      expect(await page.locator('.entries > *').count()).toBe(1018)
    },
  )
})

describe('a reader', () => {
  it('gets along with the keyboard alone', async () => {
    await page.keyboard.type('Say keys')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('only')
    await page.keyboard.press('Enter')
    await replied(page)
    await expect.poll(() => texts(messages(page, 'user'))).toEqual(['Say keys\nonly'])

    await page.keyboard.press('Control+Shift+O')
    await page.locator('.welcome').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await messages(page, 'user').waitFor()
    await expect.poll(() => byTest(page, 'composer').evaluate((field) => field === document.activeElement)).toBe(true)
  })

  it('never has to scroll sideways in a narrow window', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    await byTest(page, 'sample').click()
    await messages(page, 'user').first().waitFor()
    await page.locator('.import-close').click()
    expect(await overflow(page)).toBe(0)
    await send(page, `Say ${'unbreakable'.repeat(20)}`)
    await replied(page)
    expect(await overflow(page)).toBe(0)

    await byTest(page, 'drawer').click()
    await byTest(page, 'session-item').click()
    expect(await overflow(page)).toBe(0)
  })

  it('is told where conversations are kept', async () => {
    await expect.poll(() => byTest(page, 'status').getAttribute('data-mode')).toBe('worker')
    expect(await byTest(page, 'status').textContent()).toContain('Saved in this browser')
    expect(await byTest(page, 'warning').isVisible()).toBe(false)
  })

  it('is warned where nothing can be kept, and can talk all the same', async () => {
    await page.addInitScript(() => {
      for (const name of ['Worker', 'indexedDB', 'localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, { value: undefined })
    })
    await page.reload()
    await byTest(page, 'warning').filter({ hasText: 'gone when this tab closes' }).waitFor()
    expect(await byTest(page, 'status').getAttribute('data-mode')).toBe('memory')
    await send(page, 'Say hello')
    await replied(page)
    await expect.poll(() => texts(messages(page))).toEqual(['Say hello', 'hello'])
  })
})

function byTest(tab: Page, id: string): Locator {
  return tab.getByTestId(id)
}

/** Messages that are stored, all or of one role. */
function messages(tab: Page, role?: string): Locator {
  return tab.locator(`[data-testid=message]:not([data-draft])${role === undefined ? '' : `[data-role=${role}]`}`)
}

/** What is said, as it is rendered: empty until the browser has come to it, since messages out of sight are left out. */
function texts(found: Locator): Promise<string[]> {
  return found.locator('.message-body').allInnerTexts()
}

/** Sends a text, and waits until it is stored. */
async function send(tab: Page, text: string): Promise<void> {
  const before = await messages(tab, 'user').count()
  await byTest(tab, 'composer').fill(text)
  await byTest(tab, 'send').click()
  await messages(tab, 'user').nth(before).waitFor()
}

/** Waits until nothing is being written and the newest message is a reply. */
async function replied(tab: Page): Promise<void> {
  await tab.waitForFunction(() => {
    const shown = [...document.querySelectorAll<HTMLElement>('[data-testid=message]')]
    const stop = document.querySelector<HTMLElement>('[data-testid=stop]')
    return (
      stop?.hidden === true &&
      shown.at(-1)?.dataset['role'] === 'assistant' &&
      shown.every(({ dataset }) => dataset['draft'] === undefined)
    )
  })
}

function forkLabels(tab: Page): Promise<string[]> {
  return byTest(tab, 'branch-label').allTextContents()
}

function overflow(tab: Page): Promise<number> {
  return tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

async function figures(tab: Page): Promise<Record<string, string>> {
  const found = await byTest(tab, 'import-report')
    .locator('[data-figure]')
    .evaluateAll((all) =>
      all.map(
        (figure) =>
          [figure.querySelector('dt')?.textContent ?? '', figure.querySelector('dd')?.textContent ?? ''] as const,
      ),
    )
  return Object.fromEntries(found)
}

function entryLine(id: string, parentId: string | null, message: object): object {
  return { type: 'message', id, parentId, timestamp: '2026-01-05T10:00:01.000Z', message }
}
