import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import { memoryOfBrowser } from '../support/memory-of-browser.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'

/**
 * `LARGE_FILES=1` takes the full sizes and prints what it measures, the page's longest task by the clock too: other
 * programs stretch that.
 */
const isFull = process.env['LARGE_FILES'] !== undefined
const megabytes = isFull ? 200 : 48
const sessions = isFull ? 1000 : 100
const extraLimit = 300 * 1024 * 1024

let served: Served
let context: BrowserContext
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsession-large-'))
  served = await serveSdk()
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install one, or name it in CHROME_PATH.')
  // With a profile on disk, because a browser without one keeps IndexedDB in memory.
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath,
    headless: true,
    args: CHROMIUM_ARGS,
  })
})
afterAll(async () => {
  await context?.close()
  await served?.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

type StoreWindow = SdkWindow & { readonly client: SessionClient }

async function openTab(name: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async (name) => {
    const { sdk } = window as unknown as SdkWindow
    Object.assign(window, { client: await sdk.openSessionStore({ name, modes: ['worker'] }) })
  }, name)
  return page
}

/** An export of ChatGPT, with conversations of about 100 kB. */
async function writeExport(path: string): Promise<number> {
  const file = await open(path, 'w')
  let conversations = 0
  for (let bytes = await file.write('[').then(({ bytesWritten }) => bytesWritten); bytes < megabytes * 1024 * 1024; ) {
    const n = conversations++
    const text = `Paragraph ${n}. `.repeat(150)
    const nodes = Array.from({ length: 40 }, (_, i) => [
      `n${i}`,
      {
        id: `n${i}`,
        parent: i === 0 ? null : `n${i - 1}`,
        children: i === 39 ? [] : [`n${i + 1}`],
        message: {
          id: `${n}-${i}`,
          author: { role: i % 2 === 0 ? 'user' : 'assistant' },
          create_time: 1_770_000_000 + i,
          content: { content_type: 'text', parts: [`${i} ${text}`] },
        },
      },
    ])
    const conversation = {
      id: `c${n}`,
      title: `Conversation ${n}`,
      create_time: 1_770_000_000,
      update_time: 1_770_000_100,
      mapping: Object.fromEntries(nodes) as object,
      current_node: 'n39',
    }
    bytes += (await file.write(`${n === 0 ? '' : ',\n'}${JSON.stringify(conversation)}`)).bytesWritten
  }
  await file.write(']')
  await file.close()
  return conversations
}

it(`imports an export of ${megabytes} MB with less than 300 MB more memory, in all processes of the browser together`, {
  timeout: 900_000,
}, async (test) => {
  const path = join(folder, 'conversations.json')
  const conversations = await writeExport(path)
  const page = await openTab('memory')
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { type: 'file' })))
  await page.setInputFiles('input', path)
  const session = await context.browser()!.newBrowserCDPSession()
  const before = await memoryOfBrowser(session)
  if (before === undefined) return test.skip('this system does not tell what processes have in memory')
  const started = performance.now()
  const importing = page.evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    const { added, skipped, sessions } = await client.files.import(document.querySelector('input')!.files![0]!).result
    return { added, skipped, sessions: sessions.length }
  })
  let isDone = false
  const most = new Map<string, number>()
  const watching = (async () => {
    while (!isDone) {
      const now = new Map(await memoryOfBrowser(session))
      now.set(
        'all',
        [...now.values()].reduce((sum, bytes) => sum + bytes, 0),
      )
      for (const [type, bytes] of now) most.set(type, Math.max(most.get(type) ?? 0, bytes))
      // To ask is work for the system, too.
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  })()
  const report = await importing.finally(() => void (isDone = true))
  await watching
  expect(report).toEqual({ added: 40 * conversations, skipped: [], sessions: conversations })
  const beforeAll = [...before.values()].reduce((sum, bytes) => sum + bytes, 0)
  const extra = (type: string): number => (most.get(type) ?? 0) - (type === 'all' ? beforeAll : (before.get(type) ?? 0))
  if (isFull) {
    const told = [...most.keys()].map((type) => `${type} +${Math.round(extra(type) / 1024 / 1024)} MB`).join(', ')
    console.log(`${megabytes} MB in ${Math.round((performance.now() - started) / 1000)} s; at most ${told}`)
  }
  expect(extra('all')).toBeLessThan(extraLimit)
  await page.close()
})

it(`moves ${sessions} sessions of 100 messages in an archive from one store to another`, {
  timeout: 900_000,
}, async () => {
  const page = await openTab('from')
  await page.evaluate(async (sessions) => {
    const { client } = window as unknown as StoreWindow
    for (let n = 0; n < sessions; n++) {
      await client.store.append(
        `session ${n}`,
        Array.from({ length: 100 }, (_, i) => ({
          type: 'message' as const,
          message: {
            role: i % 2 === 0 ? 'user' : 'assistant',
            content: `Message ${i} of session ${n}. ${'Some words to it. '.repeat(10)}`,
          },
        })),
      )
    }
  }, sessions)
  const { exported, restored, tasks, report, total, sample } = await page.evaluate(async () => {
    const { sdk, client } = window as unknown as StoreWindow
    const tasks: number[] = []
    const other = await sdk.openSessionStore({ name: 'to', modes: ['worker'] })
    // Only tasks over 50 ms are told.
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
    let from = performance.now()
    const [file] = await client.files.export('archive').result
    const exported = performance.now() - from
    from = performance.now()
    const { added, skipped } = await other.files.import(file!.blob).result
    const restored = performance.now() - from
    const sample = [await client.store.getHistory('session 7'), await other.store.getHistory('session 7')] as const
    return { exported, restored, tasks, report: { added, skipped }, total: (await other.listSessions()).total, sample }
  })
  expect(report).toEqual({ added: sessions * 100, skipped: [] })
  expect(total).toBe(sessions)
  expect(sample[1]).toEqual(sample[0])
  expect(sample[1]).toHaveLength(100)
  if (isFull)
    console.log(
      `${sessions} sessions: exported in ${(exported / 1000).toFixed(1)} s, restored in ${(restored / 1000).toFixed(1)} s; ${tasks.length} tasks over 50 ms in the page, the longest ${Math.round(Math.max(0, ...tasks))} ms`,
    )
  await page.close()
})
