import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { useDemo } from '../support/use-demo.ts'

let page: Page
let context: BrowserContext
useDemo((demo) => void ({ page, context } = demo))

let folder: string
let server: SpawnedServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-sync-'))
  server = await spawnSyncServer({ data: folder, secret: 'a secret' })
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

it('two devices get a message and a deletion from each other, once the user has seen what goes out', async () => {
  await send(page, 'Say apple')
  await page.getByTestId('new-session').click()
  await page.locator('.welcome').waitFor()
  await send(page, 'Say pear')

  await page.getByTestId('sync').click()
  await page.getByTestId('sync-server').fill(server.url)
  await page.getByTestId('sync-token').fill('not it')
  await page.getByTestId('sync-connect').click()
  await page.getByTestId('sync-problem').waitFor()
  await page.getByTestId('sync-token').fill('a secret')
  await page.getByTestId('sync-connect').click()
  await page.getByTestId('sync-plan').waitFor()
  expect(await page.getByTestId('sync-plan').locator('li').allTextContents()).toEqual(['2 conversations to upload'])
  await page.getByTestId('sync-begin').click()
  await synced(page)
  await page.keyboard.press('Escape')

  const other = await context.newPage()
  await other.goto(new URL('?device=2', page.url()).href)
  await link(other, 'Say pear').click()
  await message(other, 'pear').waitFor()
  await send(other, 'Say plum')
  await message(page, 'plum').waitFor()

  await page.locator('[data-testid=session-item]', { hasText: 'Say apple' }).hover()
  await page.locator('[data-testid=session-item]', { hasText: 'Say apple' }).getByTestId('delete').click()
  await link(other, 'Say apple').waitFor({ state: 'detached' })
  await other.getByTestId('folder-deleted').click()
  await other.locator('[data-testid=session-item]', { hasText: 'Say apple' }).waitFor()
  await synced(other)
})

it('shows on one device who is in a conversation on another, who writes there, and the reply as it grows, until its entry takes its place', async () => {
  await send(page, 'Say apple')
  await beginToSync()
  const other = await context.newPage()
  await other.goto(new URL('?device=2', page.url()).href)
  await link(other, 'Say apple').click()
  await Promise.all([presence(page, 'Device 2 is here'), presence(other, 'Device 1 is here')])
  await other.getByTestId('composer').pressSequentially('Count to')
  await presence(page, 'Device 2 is writing…')

  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    const look = (): void => {
      const now = ['.peer-drafts > *', '.entries > [data-entry]:nth-child(4)']
        .filter((one) => document.querySelector(one) !== null)
        .join(' and ')
      if (now !== (seen.at(-1) ?? '')) seen.push(now)
    }
    new MutationObserver(look).observe(document.querySelector('.conversation-content')!, {
      childList: true,
      subtree: true,
    })
  })
  await other.getByTestId('composer').fill('Count to 120')
  await other.getByTestId('send').click()
  const draft = page.locator('.peer-drafts [data-draft]', { hasText: 'Being written on Device 2' })
  await draft.filter({ hasText: '1, 2, 3' }).waitFor()
  const early = (await draft.textContent())!.length
  await expect.poll(async () => (await draft.textContent())?.length).toBeGreaterThan(early)
  await message(page, '1, 2, 3.*, 120. Done').waitFor()
  expect(await page.evaluate(() => (window as unknown as { readonly seen: readonly string[] }).seen)).toEqual([
    '.peer-drafts > *',
    '.entries > [data-entry]:nth-child(4)',
  ])

  await other.close()
  await presence(page, '')
})

it('keeps turns in the order in which they were said on devices whose clocks are six hours apart', async () => {
  await send(page, 'Say one')
  await beginToSync()
  await page.getByTestId('sync').click()
  await page.getByTestId('walk').click()
  const other = await context.newPage()
  await other.goto(new URL('?device=2', page.url()).href)
  await link(other, 'Say one').click()
  await Promise.all([setClock(page, '-3'), setClock(other, '3')])
  for (const [on, word] of [
    [other, 'two'],
    [page, 'three'],
    [other, 'four'],
  ] as const) {
    await send(on, `Say ${word}`)
    await message(on === page ? other : page, word).waitFor()
  }
  for (const on of [page, other]) {
    expect((await message(on, '').locator('.message-body').allTextContents()).map((text) => text.trim())).toEqual([
      'Say one',
      'one',
      'Say two',
      'two',
      'Say three',
      'three',
      'Say four',
      'four',
    ])
    const [one, two, three, four] = await message(on, '')
      .and(on.locator('[data-role=user]'))
      .locator('time')
      .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute('datetime')!) / 3_600_000))
    // Nobody was mistaken about the hour but the devices.
    expect([two! - one!, three! - one!, four! - one!].map(Math.round)).toEqual([3, -3, 3])
  }
})

it('puts everything under another key, which the other device asks for', async () => {
  await send(page, 'Say apple')
  await beginToSync({ isSealed: true })
  const other = await context.newPage()
  await other.goto(new URL('?device=2', page.url()).href)
  await link(other, 'Say apple').waitFor()
  await page.getByTestId('sync').click()
  await page.getByTestId('change-key').click()
  await page.getByTestId('change-key-yes').click()
  await page
    .getByTestId('key-outcome')
    .filter({ hasText: 'The new key is in use, with 1 conversation under it.' })
    .waitFor()
  await page.keyboard.press('Escape')
  await other.locator('.sync-chip[data-state=wrongKey]').waitFor()
  // What this browser keeps for all of its devices.
  await other.reload()
  await synced(other)
  await send(page, 'Say pear')
  await link(other, 'Say apple').click()
  await message(other, 'pear').waitFor()
})

const presence = (on: Page, words: string): Promise<void> =>
  expect.poll(() => on.getByTestId('presence').textContent(), { timeout: 20_000 }).toBe(words)

async function beginToSync({ isSealed = false } = {}): Promise<void> {
  await page.getByTestId('sync').click()
  await page.getByTestId('sync-server').fill(server.url)
  await page.getByTestId('sync-token').fill('a secret')
  await page.getByTestId('sync-namespace').fill(isSealed ? 'sealed' : 'demo')
  await page.getByTestId('sync-sealed').setChecked(isSealed)
  await page.getByTestId('sync-connect').click()
  await page.getByTestId('sync-begin').click()
  await synced(page)
  await page.keyboard.press('Escape')
}

async function setClock(on: Page, hours: string): Promise<void> {
  await on.getByTestId('clock').selectOption(hours)
  await on.waitForURL((url) => url.searchParams.get('clock') === hours)
  await on.locator('[data-testid=composer]:enabled').waitFor()
  await synced(on)
}

const synced = (on: Page): Promise<void> => on.locator('.sync-chip[data-state=synced]').waitFor()
const link = (on: Page, title: string) => on.locator('.session-link', { hasText: title })
const message = (on: Page, text: string) =>
  on.locator('[data-testid=message]:not([data-draft])', { hasText: new RegExp(`^\\s*${text}`) })

async function send(on: Page, text: string): Promise<void> {
  await on.getByTestId('composer').fill(text)
  await on.getByTestId('send').click()
  await message(on, text.replace('Say ', '')).waitFor()
}
