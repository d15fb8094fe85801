import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'
import { builtSite, filesOf, place } from './built-site.ts'
import { violations } from './violations.ts'

let served: Served
let browser: Browser
let pages: string[]
beforeAll(async () => {
  const folder = await builtSite()
  pages = filesOf(folder, '.html')
  served = await serve(folder)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
})

it('has nothing that axe finds on any page', async () => {
  const page = await browser.newPage()
  const found: string[] = []
  for (const file of pages) {
    await page.goto(`${served.url}/${place}/${file}`)
    for (const violation of await violations(page)) found.push(`${file}: ${violation}`)
  }
  await page.close()
  expect(pages.length).toBeGreaterThan(80)
  expect(found).toEqual([])
}, 900_000)
