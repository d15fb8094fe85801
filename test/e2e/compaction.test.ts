import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

let served: Served
let context: BrowserContext

useServed(serveSdk, (opened) => void ({ served, context } = opened))

type TabWindow = SdkWindow & { readonly session: Session }

async function load(page: Page): Promise<void> {
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    const client = await sdk.openSessionStore({ name: 'compaction' })
    Object.assign(window, { session: await client.session('s') })
  })
}

async function openTab(): Promise<Page> {
  const page = await context.newPage()
  await load(page)
  return page
}

const contextIn = (page: Page) =>
  page.evaluate(async () => {
    const { messages, summary } = await (window as unknown as TabWindow).session.context({ system: 'apart' })
    return { summary, said: messages.map(({ content }) => content).join(' ') }
  })
const say = (page: Page, from: number, to: number) =>
  page.evaluate(
    async ([from, to]) => {
      const { session } = window as unknown as TabWindow
      for (let n = from; n < to; n++)
        for (const [role, letter] of [
          ['user', 'q'],
          ['assistant', 'a'],
        ] as const)
          await session.append({ role, content: letter + n })
    },
    [from, to] as const,
  )
const compact = (page: Page, waitMs: number) =>
  page.evaluate(async (waitMs) => {
    const { session } = window as unknown as TabWindow
    const summarise = async () => {
      Object.assign(window, { isSummarising: true })
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      return 'They met.'
    }
    return session.compact({ summarise, force: true, keepTurns: 1 })
  }, waitMs)
const startCompacting = async (page: Page): Promise<void> => {
  // The page goes before it is done.
  compact(page, 600_000).catch(() => undefined)
  await page.waitForFunction(() => 'isSummarising' in window)
}

const before = { summary: '', said: 'q0 a0 q1 a1 q2 a2' }
const after = { summary: 'They met.', said: 'q2 a2' }

it('leaves the old context when the page is reloaded while it compacts, and the next compaction works', async () => {
  const page = await openTab()
  await say(page, 0, 3)
  await startCompacting(page)
  await load(page)
  expect(await contextIn(page)).toEqual(before)
  expect(await compact(page, 0)).toMatchObject({ status: 'compacted', messages: 4 })
  expect(await contextIn(page)).toEqual(after)
})

it('lets another tab compact that waited for one which is closed', async () => {
  const [one, other] = [await openTab(), await openTab()]
  await say(one, 0, 3)
  await startCompacting(one)
  const waiting = compact(other, 0)
  expect(await other.evaluate(() => 'isSummarising' in window)).toBe(false)
  await one.close()
  expect(await waiting).toMatchObject({ status: 'compacted' })
  expect(await contextIn(other)).toEqual(after)
})

it('makes one summary of two tabs that compact at once, and keeps what a third appends meanwhile', async () => {
  const [one, other, third] = [await openTab(), await openTab(), await openTab()]
  await say(one, 0, 3)
  const compacting = [compact(one, 1500), compact(other, 1500)]
  await Promise.race([one, other].map((page) => page.waitForFunction(() => 'isSummarising' in window)))
  await say(third, 3, 4)
  expect((await Promise.all(compacting)).map(({ status }) => status).sort()).toEqual(['compacted', 'superseded'])
  for (const page of [one, other, third])
    expect(await contextIn(page)).toEqual({ summary: 'They met.', said: 'q2 a2 q3 a3' })
})
