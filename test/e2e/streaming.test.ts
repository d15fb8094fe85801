import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

let served: Served
let context: BrowserContext

useServed(serveSdk, (opened) => void ({ served, context } = opened))

type StreamWindow = SdkWindow & {
  readonly client: SessionClient
  readonly stream: ReturnType<Awaited<ReturnType<SessionClient['session']>>['stream']>
  readonly seen: string[]
}

async function load(page: Page): Promise<Page> {
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    Object.assign(window, { client: await sdk.openSessionStore({ name: 'streaming' }) })
  })
  return page
}
const openTab = async (): Promise<Page> => load(await context.newPage())

/** Streams a reply of which what is written so far is stored when this resolves. */
const startReply = (page: Page) =>
  page.evaluate(async () => {
    const { client } = window as unknown as StreamWindow
    const session = await client.session('shared')
    await session.append({ role: 'user', content: 'q' })
    const stream = session.stream()
    Object.assign(window, { stream })
    const stored = new Promise<void>((resolve) =>
      client.subscribe((change) => change.type === 'draft' && change.added?.text === 'half' && resolve()),
    )
    stream.write('half')
    await stored
    return stream.id
  })

it('shows a reply grow in another tab, which may not write to it, sees it cut off when its tab goes, and goes on with it', async () => {
  const [one, two] = [await openTab(), await openTab()]
  await two.evaluate(async () => {
    const { client } = window as unknown as StreamWindow
    const transcript = (await client.session('shared')).transcript()
    const seen: string[] = []
    Object.assign(window, { seen })
    transcript.subscribe(() => {
      const { entries, drafts } = transcript.getSnapshot()!
      seen.push(
        [
          ...entries.map(({ message }) => `${message?.content}${message?.['interrupted'] === true ? '…' : ''}`),
          ...drafts.map(({ text }) => `(${text})`),
        ].join(' '),
      )
    })
  })
  const draft = await startReply(one)
  const seen = () => two.evaluate(() => (window as unknown as StreamWindow).seen.at(-1))
  await expect.poll(seen).toBe('q (half)')
  const refusals = await two.evaluate(async (id) => {
    const { client } = window as unknown as StreamWindow
    const settled = await Promise.allSettled([
      client.store.writeDraft('shared', id, 1, { text: 'x' }),
      client.store.sealDraft('shared', id),
      client.store.dropDraft('shared', id),
    ])
    return settled.map((one) => one.status === 'rejected' && (one.reason as Error).name)
  }, draft)
  expect(refusals).toEqual(['AccessDenied', 'AccessDenied', 'AccessDenied'])

  await one.close()
  // The other tab does nothing but wait.
  await expect.poll(seen).toBe('q half…')
  await two.evaluate(async () => {
    const { client } = window as unknown as StreamWindow
    const session = await client.session('shared')
    const reply = session.stream({ resume: (await session.interrupted())[0]! })
    reply.write(' and half')
    await reply.end()
  })
  await expect.poll(seen).toBe('q half and half')
})

it('has a reply that a reload cut off in the history as soon as the browser lets go of the page before, and what is said next behind it', async () => {
  const page = await openTab()
  await startReply(page)
  await load(page)
  const history = () =>
    page.evaluate(async () => {
      const { client } = window as unknown as StreamWindow
      return (await client.store.getHistory('shared')).map(({ content, interrupted }) => [
        content,
        interrupted === true,
      ])
    })
  // Chromium may end the page before only after the new one runs; until then its reply counts as streamed.
  await expect.poll(history).toEqual([
    ['q', false],
    ['half', true],
  ])
  await page.evaluate(() => (window as unknown as StreamWindow).client.store.addMessage('shared', 'user', 'next'))
  expect(await history()).toEqual([
    ['q', false],
    ['half', true],
    ['next', false],
  ])
})

it('flushes, and knows that it has', async () => {
  const page = await openTab()
  const unflushed = await page.evaluate(async () => {
    const { client } = window as unknown as StreamWindow
    const states = []
    await client.store.addFullMessage('shared', { role: 'tool', tool_call_id: 'c', content: 'r' })
    states.push((await client.upkeep.health()).unflushed?.commits)
    await client.upkeep.flush()
    states.push((await client.upkeep.health()).unflushed?.commits)
    return states
  })
  expect(unflushed).toEqual([2, undefined])
})
