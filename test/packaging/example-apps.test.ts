import { readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleApp, examples, startExample } from './example-app.ts'
import { createExamplePages } from './example-pages.ts'

// The apps of `examples`, as who clones one starts it, with the package as it is published.

/** What an app does otherwise than most. */
interface Ways {
  /** What is there of a reply when its tab crashes: what arrived of it (default), all of it a little later, or nothing. */
  readonly afterCrash?: 'the rest' | 'nothing'
  /** Two tabs that write at once make versions of the chat, of which one is shown. */
  readonly hasVersions?: boolean
  /** A crash takes all of its pages along. */
  readonly isOneProcess?: boolean
}
const ways: Readonly<Record<string, Ways>> = {
  // The library hands a reply over when it is complete, with what it follows.
  'assistant-ui': { afterCrash: 'nothing', hasVersions: true },
  'langgraph-agent': { afterCrash: 'the rest' },
  extension: { isOneProcess: true },
}

const apps = readdirSync(examples, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []))

/** Told this, the model answers for half a minute. */
const slowly = 'slowly one two three four five six seven eight nine ten eleven twelve'

describe.each(apps)('the example %s', (name) => {
  const { afterCrash = 'what arrived', hasVersions = false, isOneProcess = false } = ways[name] ?? {}
  /** How many messages there are after the crash. */
  const kept = afterCrash === 'nothing' ? 3 : 4
  let app: ExampleApp
  const errors: string[] = []
  afterEach(() => expect(errors.splice(0)).toEqual([]))

  beforeAll(async () => {
    app = await startExample(name)
  })
  afterAll(async () => app?.remove())

  const { openTab, texts, ids, send, settled, ask, reloadUntil, isJust } = createExamplePages(() => ({
    ...app,
    errors,
  }))

  it('shows the same after a reload', async () => {
    const page = await openTab()
    await ask(page, 'hello')
    await reloadUntil(page, isJust('hello', 'You said: hello'))
    const shown = await ids(page)
    await reloadUntil(page, isJust('hello', 'You said: hello'))
    expect(await ids(page)).toEqual(shown)
    await page.close()
  })

  const crash = {
    'what arrived': 'keeps what arrived of a reply, once, when its tab crashes, and goes on',
    'the rest': 'goes on with its run where its tab crashed, and does nothing twice',
    nothing: 'keeps what was sent, once, when a tab crashes in the middle of the reply, and goes on',
  }
  it(crash[afterCrash], async () => {
    const page = await openTab()
    await send(page, slowly)
    await expect.poll(async () => (await texts(page))[3]).toMatch(/^You said: slowly/)
    let other = await openTab()
    // Some apps show what arrived of a reply in its own tab only. It is stored all the same.
    await reloadUntil(other, (all) => all[2] === slowly)
    const status = () => other.getByRole('status').getAttribute('data-id')
    const doneBefore = afterCrash === 'the rest' ? await status() : undefined
    const streamed = (await ids(page))[3]
    const session = await app.context.newCDPSession(page)
    const crashed = other.waitForEvent('crash', { timeout: 0 }).catch(() => undefined)
    // It never answers.
    void session.send('Page.crash').catch(() => undefined)
    if (isOneProcess) {
      await crashed
      await other.close()
      other = await openTab()
    }
    if (afterCrash === 'what arrived') {
      await reloadUntil(other, (all) => /^You said: slowly.*\(cut off\)$/.test(all[3] ?? ''))
      expect((await ids(other))[3]).toBe(streamed)
    }
    if (afterCrash === 'the rest') {
      await expect.poll(async () => (await texts(other))[3], { timeout: 60_000 }).toBe(`You said: ${slowly}`)
      expect(await status()).toBe(doneBefore)
    }
    expect(await texts(other)).toHaveLength(kept)
    await ask(other, 'next')
    await other.close()
    await page.close()
  })

  it('makes a reply again', async () => {
    const page = await openTab()
    await expect.poll(() => texts(page)).toHaveLength(kept + 2)
    const before = await ids(page)
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await expect.poll(async () => (await ids(page)).at(-1)).not.toBe(before.at(-1))
    await expect.poll(async () => (await texts(page)).at(-1)).toBe('You said: next')
    await settled(page)
    await reloadUntil(page, (all) => all.length === kept + 2 && all.at(-1) === 'You said: next')
    expect((await ids(page)).slice(0, -1)).toEqual(before.slice(0, -1))
    await page.close()
  })

  it('loses nothing of two tabs', async () => {
    const tabs = [await openTab(), await openTab()]
    await Promise.all(
      tabs.map(async (page, tab) => {
        await expect.poll(() => texts(page)).toHaveLength(kept + 2)
        for (let i = 0; i < 3; i++) {
          await send(page, `${tab} ${i}`)
          await expect.poll(() => texts(page)).toContain(`You said: ${tab} ${i}`)
          await settled(page)
        }
      }),
    )
    const all = kept + 2 + 2 * 6
    for (const page of tabs) {
      if (hasVersions) {
        await reloadUntil(page, ({ length }) => length === all - 6)
        const shown = new Set(await ids(page))
        // The other version is the one before or after this.
        await page
          .getByRole('button', { name: /version$/, disabled: false })
          .last()
          .click()
        await expect.poll(async () => new Set([...shown, ...(await ids(page))]).size).toBe(all)
      } else {
        await reloadUntil(page, ({ length }) => length === all)
        expect(new Set(await ids(page)).size).toBe(all)
      }
      await page.close()
    }
  })

  it('brings nothing back that was deleted while a reply was streamed', async () => {
    const [page, other] = [await openTab(), await openTab()]
    await expect.poll(async () => (await texts(page)).length).toBeGreaterThan(kept)
    const before = (await texts(page)).length
    await send(page, slowly)
    await expect.poll(async () => (await texts(page))[before + 1]).toMatch(/^You/)
    await other.getByRole('button', { name: 'Delete chat' }).click()
    await expect.poll(() => texts(other)).toEqual([])
    await reloadUntil(other, isJust())
    await page.close()
    await ask(other, 'hello')
    await reloadUntil(other, isJust('hello', 'You said: hello'))
    await other.close()
  })
})
