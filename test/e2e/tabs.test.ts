import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

let served: Served
let context: BrowserContext

useServed(serveSdk, (opened) => void ({ served, context } = opened))

async function openTab(): Promise<Page> {
  const page = await context.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    Object.assign(window, { client: await sdk.openSessionStore({ name: 'tabs' }) })
  })
  return page
}

type StoreWindow = SdkWindow & { readonly client: SessionClient }

const textsIn = (page: Page) =>
  page.evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    return (await (await client.session('shared')).messages()).map(({ content }) => content)
  })

it('stores 150 of 150 messages that three tabs append at once to one session, in one order for all', async () => {
  const tabs = await Promise.all([openTab(), openTab(), openTab()])
  await Promise.all(
    tabs.map((tab, i) =>
      tab.evaluate(async (name) => {
        const { client } = window as unknown as StoreWindow
        const session = await client.session('shared')
        await Promise.all(
          Array.from({ length: 50 }, (_, n) => session.append({ role: 'user', content: `${name}.${n}` })),
        )
      }, `tab ${i}`),
    ),
  )
  const seen = await Promise.all(tabs.map(textsIn))
  expect(new Set(seen[0])).toEqual(
    new Set([0, 1, 2].flatMap((tab) => Array.from({ length: 50 }, (_, n) => `tab ${tab}.${n}`))),
  )
  expect(seen[0]).toHaveLength(150)
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
  const report = await tabs[0]!.evaluate(() => (window as unknown as StoreWindow).client.store.verify())
  expect(report.problems).toEqual([])
})

it('stores what three tabs append one by one, a whole turn each', async () => {
  const tabs = await Promise.all([openTab(), openTab(), openTab()])
  await Promise.all(
    tabs.map((tab, i) =>
      tab.evaluate(async (name) => {
        const { client } = window as unknown as StoreWindow
        const session = await client.session('shared')
        for (let n = 0; n < 15; n++) {
          await session.append({ role: 'user', content: `${name}.${n}?` })
          await session.append({ role: 'assistant', content: `${name}.${n}!` })
        }
      }, `tab ${i}`),
    ),
  )
  const seen = (await textsIn(tabs[0]!)) as string[]
  expect(seen).toHaveLength(90)
  // Turns of three tabs may alternate, but none is torn apart.
  for (let i = 0; i < seen.length; i += 2) expect(seen[i + 1]).toBe(seen[i]!.replace('?', '!'))
  expect(await textsIn(tabs[2]!)).toEqual(seen)
})

it('shows a message in the live transcript of another tab', async () => {
  const [one, other] = await Promise.all([openTab(), openTab()])
  await other!.evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    const transcript = (await client.session('shared')).transcript()
    await transcript.ready()
    Object.assign(window, {
      arrived: new Promise<string>((resolve) => {
        transcript.subscribe(() => {
          const last = transcript.getSnapshot()?.entries.at(-1)?.message
          if (typeof last?.content === 'string') resolve(last.content)
        })
      }),
    })
  })
  await one!.evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    await (await client.session('shared')).append({ role: 'user', content: 'across' })
  })
  expect(await other!.evaluate(() => (window as unknown as { arrived: Promise<string> }).arrived)).toBe('across')
})

it('deletes a store that other tabs have open: they close it and are told, and it is empty afterwards', async () => {
  const tabs = await Promise.all([openTab(), openTab()])
  await tabs[0].evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    await (await client.session('secret')).append({ role: 'user', content: 'hello' })
  })
  const told = tabs[1].evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    const notice = await new Promise<string>((resolve) =>
      client.subscribe((change) => change.type === 'notice' && resolve(change.name)),
    )
    // It is being closed by now; this waits for the end of that.
    await client.close()
    const error = await client.listSessions().catch(({ name }: Error) => name)
    return [notice, error]
  })
  // The other tab has a reply that is still growing.
  await tabs[1].evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    const reply = (await client.session('secret')).stream()
    reply.write('half')
    await reply.id
  })
  await tabs[0].evaluate(() => (window as unknown as StoreWindow).sdk.deleteSessionStore('tabs'))
  expect(await told).toEqual(['storeDeleted', 'StorageClosed'])
  const left = await (await openTab()).evaluate(async () => {
    const { client } = window as unknown as StoreWindow
    return (await client.listSessions()).sessions.map(({ key }) => key)
  })
  expect(left).toEqual([])
})
