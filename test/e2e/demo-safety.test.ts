import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { demoSteps } from '../support/demo-steps.ts'
import { useDemo } from '../support/use-demo.ts'

let page: Page
useDemo((demo) => void ({ page } = demo))
const { byTest, messages, say } = demoSteps(() => page)

it('a text stays kept until its message is stored', async () => {
  await holdDatabase()
  await byTest('composer').fill('Say one')
  await byTest('composer').press('Enter')
  expect(await byTest('composer').inputValue()).toBe('')
  await page.reload()
  await expect.poll(() => byTest('composer').inputValue()).toBe('Say one')
  await byTest('composer').press('Enter')
  await messages('assistant').waitFor()
  await page.reload()
  await messages('assistant').waitFor()
  expect(await byTest('composer').inputValue()).toBe('')
})

it('a message that could not be stored comes back with its file, before what was begun since', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-demo-'))
  const file = join(folder, 'gone.txt')
  writeFileSync(file, 'milk, eggs')
  await byTest('attach-input').setInputFiles(file)
  rmSync(folder, { recursive: true })
  await byTest('composer').fill('one')
  await byTest('composer').evaluate((field: HTMLTextAreaElement) => {
    field.form?.requestSubmit()
    field.value = 'two'
    field.dispatchEvent(new Event('input'))
  })
  await page.getByText('The message could not be saved').waitFor()
  expect(await byTest('composer').inputValue()).toBe('one\n\ntwo')
  expect(await byTest('attachment-waiting').innerText()).toContain('gone.txt')
  expect(await messages('user').count()).toBe(0)
})

it('a passphrase locks the conversations, can be changed and taken away, and keeps no begun text in the clear', async () => {
  await say('Say one')
  await byTest('composer').fill('before the lock')
  await byTest('storage').click()
  await byTest('encrypt').click()
  await byTest('passphrase').fill('old')
  await byTest('passphrase-again').fill('other')
  await byTest('unlock').click()
  expect(await byTest('passphrase-again').evaluate((field: HTMLInputElement) => field.validationMessage)).toBe(
    'The passphrases do not match.',
  )
  await byTest('passphrase-again').fill('old')
  await byTest('unlock').click()
  await messages('user').waitFor()
  await byTest('composer').fill('behind the lock')
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/the lock/)

  await page.reload()
  await unlock('wrong')
  await byTest('passphrase-problem').filter({ hasText: 'This passphrase is not correct.' }).waitFor()
  await unlock('old')
  await messages('user').filter({ hasText: 'Say one' }).waitFor()
  await byTest('storage').click()
  await byTest('new-passphrase').fill('new')
  await byTest('change-passphrase').click()
  await byTest('encryption-outcome').filter({ hasText: 'Changed.' }).waitFor()

  await page.reload()
  await unlock('old')
  await byTest('passphrase-problem').waitFor()
  await unlock('new')
  await messages('user').filter({ hasText: 'Say one' }).waitFor()
  await byTest('storage').click()
  await Promise.all([page.waitForEvent('load'), byTest('decrypt').click()])
  await messages('user').filter({ hasText: 'Say one' }).waitFor()
  await say('Say two')
})

async function unlock(passphrase: string): Promise<void> {
  await byTest('passphrase').fill(passphrase)
  await byTest('unlock').click()
}

/** Lets no write into the database finish until the page goes. */
async function holdDatabase(): Promise<void> {
  await page.evaluate(async () => {
    const opening = indexedDB.open('keepsession-demo')
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error)
    })
    const names = [...database.objectStoreNames]
    const transaction = database.transaction(names, 'readwrite')
    const again = (): void => void (transaction.objectStore(names[0]!).count().onsuccess = again)
    again()
  })
}
