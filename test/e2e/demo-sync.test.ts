import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { useDemo } from '../support/use-demo.ts'

let page: Page
let context: BrowserContext
useDemo((opened, its) => {
  page = opened
  context = its
})

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
  expect(await page.getByTestId('sync-plan').locator('li').allTextContents()).toEqual(['2 conversations from here to the server'])
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

const synced = (on: Page): Promise<void> => on.locator('.sync-chip[data-state=synced]').waitFor()
const link = (on: Page, title: string) => on.locator('.session-link', { hasText: title })
const message = (on: Page, text: string) => on.locator('[data-testid=message]:not([data-draft])', { hasText: new RegExp(`^\\s*${text}`) })

async function send(on: Page, text: string): Promise<void> {
  await on.getByTestId('composer').fill(text)
  await on.getByTestId('send').click()
  await message(on, text.replace('Say ', '')).waitFor()
}
