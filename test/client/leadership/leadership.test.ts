import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type LeaderChannel,
  type LeaderMessage,
  openLeaderChannel,
} from '../../../src/client/leadership/leader-channel.ts'
import { watchLeader } from '../../../src/client/leadership/watch-leader.ts'
import { type Browser, createBrowser, type Means, type Tab } from './support/open-tab.ts'

let browser: Browser
afterEach(() => browser.close())

const isLeading = (tab: Tab): boolean => tab.terms.at(-1) !== 0
const leaders = (tabs: readonly Tab[]): readonly Tab[] => tabs.filter(isLeading)
const soon = { timeout: 20_000, interval: 2 }

async function leaderOf(tabs: readonly Tab[]): Promise<Tab> {
  await expect.poll(() => leaders(tabs).length, soon).toBe(1)
  return leaders(tabs)[0]!
}

/** A write of a leader's, to a session of its own. */
const write = (term: number) =>
  browser.store.append(`from term ${term}`, [{ type: 'message', message: { role: 'user', content: 'x' } }], { term })

describe.each<[string, Means]>([
  ['by Web Lock', { locks: true, channel: true }],
  ['without Web Locks', { locks: false, channel: true }],
  ['where tabs can neither lock nor hear each other', { locks: false, channel: false }],
])('%s', (_, means) => {
  it('one of three tabs leads, and the next one when it is closed, for a later term', async () => {
    browser = createBrowser(means)
    const tabs = [browser.open(), browser.open(), browser.open()]
    const first = await leaderOf(tabs)
    await first.close()
    const others = tabs.filter((tab) => tab !== first)
    const second = await leaderOf(others)
    expect(first.terms.at(-1)).toBe(0)
    expect(Math.max(...second.terms)).toBeGreaterThan(Math.max(...first.terms))
    await second.close()
    const third = await leaderOf(others.filter((tab) => tab !== second))
    expect(Math.max(...third.terms)).toBeGreaterThan(Math.max(...second.terms))
  })

  it('a frozen leader is replaced, refused when it comes back, and steps down', async () => {
    browser = createBrowser(means)
    const old = browser.open()
    await leaderOf([old])
    const term = old.terms.at(-1)!
    let hasStopped = false
    let isBack = (): void => undefined
    const back = new Promise<void>((resolve) => (isBack = resolve))
    const starts: number[] = []
    const late: unknown[] = []
    void old
      .lead(async (given, signal) => {
        starts.push(given)
        if (given !== term) return
        signal.addEventListener('abort', () => (hasStopped = true))
        await back
        // Before it can have heard of anything.
        await write(given).catch((error: unknown) => late.push(error))
      })
      .catch(() => undefined)
    await expect.poll(() => starts, soon).toEqual([term])
    await write(term)
    const other = browser.open()
    old.freeze()
    await expect.poll(() => isLeading(other), soon).toBe(true)
    isBack()
    await expect.poll(() => late, soon).toMatchObject([{ name: 'NotLeader' }])
    old.thaw()
    await expect.poll(() => hasStopped, soon).toBe(true)
    await leaderOf([old, other])
    expect((await browser.store.getHistory(`from term ${term}`)).length).toBe(1)
  })
})

describe.each<[string, Means]>([
  ['by Web Lock', { locks: true, channel: true }],
  ['without Web Locks', { locks: false, channel: true }],
])('a leader without lasting work, %s,', (_, means) => {
  const forEver = (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

  it('hands over to a tab that has, also when it had work before', async () => {
    browser = createBrowser(means)
    const first = browser.open()
    await leaderOf([first])
    const ending = new AbortController()
    const ended = first.lead(forEver, { signal: ending.signal, isLasting: true }).catch((error: Error) => error.name)
    const [second, third] = [browser.open(), browser.open()]
    void third.lead(forEver, { isLasting: true }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isLeading(first)).toBe(true)
    ending.abort()
    expect(await ended).toBe('Aborted')
    await expect.poll(() => isLeading(third), soon).toBe(true)
    await expect.poll(() => leaders([first, second, third]).length, soon).toBe(1)
  })

  it('stays where nobody else has', async () => {
    browser = createBrowser(means)
    const tabs = [browser.open(), browser.open()]
    const first = await leaderOf(tabs)
    const term = first.terms.at(-1)
    for (const tab of tabs) void tab.lead(forEver).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect([leaders(tabs), first.terms.at(-1)]).toEqual([[first], term])
  })
})

describe('work of a leader', () => {
  const open = (): Tab => {
    browser = createBrowser({ locks: true, channel: true })
    return browser.open()
  }

  it('gives what it made, also when this tab leads already', async () => {
    const tab = open()
    expect(await tab.lead((term) => Promise.resolve(['first', term]))).toEqual(['first', tab.terms.at(-1)])
    expect(await tab.lead(() => 'second')).toBe('second')
  })

  it('is done by one of two tabs, and by the other one when that is closed in the middle of it', async () => {
    const one = open()
    await leaderOf([one])
    const other = browser.open()
    const told: string[] = []
    const work =
      (name: string) =>
      async (_: number, signal: AbortSignal): Promise<void> => {
        told.push(`${name} begins`)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        told.push(`${name} ends`)
      }
    const ended = one.lead(work('one')).catch((error: unknown) => (error as Error).name)
    const waiting = other.lead(work('other')).catch((error: unknown) => (error as Error).name)
    await expect.poll(() => told, soon).toEqual(['one begins'])
    await one.close()
    expect(await ended).toBe('StorageClosed')
    await expect.poll(() => told, soon).toEqual(['one begins', 'one ends', 'other begins'])
    await other.close()
    expect([told.at(-1), await waiting]).toEqual(['other ends', 'StorageClosed'])
  })

  it('begins again with another term when a write of it was refused', async () => {
    const tab = open()
    const terms: number[] = []
    await tab.lead(async (term) => {
      terms.push(term)
      if (terms.length > 1) return write(term)
      // As a leader of another database that took its place would.
      const after = await browser.store.claimTerm()
      await browser.store.claimTerm({ after, next: { term: after.term + 5, holder: 'somebody', beat: 0 } })
      return write(term)
    })
    expect(terms).toHaveLength(2)
    expect(terms[1]).toBeGreaterThan(terms[0]! + 5)
  })

  it('rejects with what it throws, and this tab leads on', async () => {
    const tab = open()
    await expect(tab.lead(() => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    expect(isLeading(tab)).toBe(true)
  })

  it('ends by its signal, while it waits and while it runs', async () => {
    const leader = open()
    await leaderOf([leader])
    for (const tab of [leader, browser.open()]) {
      const ending = new AbortController()
      let inner: AbortSignal | undefined
      const work = tab.lead(
        (_, signal) => new Promise((resolve) => (inner = signal).addEventListener('abort', () => resolve(1))),
        { signal: ending.signal },
      )
      if (tab === leader) await expect.poll(() => inner, soon).toBeDefined()
      ending.abort('enough')
      await expect(work).rejects.toMatchObject({ name: 'Aborted', cause: 'enough' })
      expect(inner?.aborted).toBe(tab === leader ? true : undefined)
    }
    await expect(leader.lead(() => 1, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
  })

  it('is refused when it is no function, and after closing', async () => {
    const tab = open()
    await expect(tab.lead('work' as never)).rejects.toThrow(TypeError)
    await tab.close()
    await expect(tab.lead(() => 1)).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})

describe('the office', () => {
  it('goes from a tab that was long in the background to one in sight, and not to another one there', async () => {
    browser = createBrowser({ locks: true, channel: true })
    let hidden = 1
    const first = browser.open({ hiddenFor: () => hidden })
    await leaderOf([first])
    const background = browser.open({ hiddenFor: () => 1 })
    const inSight = browser.open({ hiddenFor: () => 0 })
    const asked = await countQuestions(first)
    expect([isLeading(first), asked]).toEqual([true, true])
    hidden = 60_000
    await expect.poll(() => isLeading(inSight), soon).toBe(true)
    expect(background.terms).toEqual([0])
    await expect.poll(() => isLeading(first), soon).toBe(false)
  })

  it('stays with a tab that has lasting work when one in sight without any asks', async () => {
    browser = createBrowser({ locks: true, channel: true })
    const mine = openLeaderChannel('asked')!
    const heirs: unknown[] = []
    mine.subscribe((message) => message.keepsession === 'leader' && heirs.push(message.heir))
    const leader = browser.open({ channel: openLeaderChannel('asked'), hiddenFor: () => 60_000 })
    const work = (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    void leader.lead(work, { isLasting: true }).catch(() => undefined)
    // It tells that it begins.
    await expect.poll(() => heirs, soon).toEqual([undefined])
    const ask = (hasLasting: boolean): void =>
      mine.say({ keepsession: 'who-leads', from: 'me', isVisible: true, hasLasting })
    ask(false)
    await expect.poll(() => heirs.length, soon).toBe(2)
    ask(true)
    await expect.poll(() => heirs.slice(0, 3), soon).toEqual([undefined, undefined, 'me'])
    mine.close()
  })

  it.each([
    ['has lasting work', true, 1],
    ['has none', false, 2],
  ])('is asked for in sight where a hidden leader %s: %s', (_, isBusy, questions) => {
    vi.useFakeTimers()
    browser = createBrowser({ locks: true, channel: true })
    const told: unknown[] = []
    let hear: (message: LeaderMessage) => void = () => undefined
    const channel: LeaderChannel = {
      say: (message) => told.push(message),
      subscribe: (listener) => {
        hear = listener
        return () => undefined
      },
      close: () => undefined,
    }
    const means = { tickMs: 10, hiddenFor: () => 0, hasLasting: () => false }
    const stop = watchLeader(means, channel, 'me', () => undefined)
    hear({ keepsession: 'leader', term: 1, isVisible: false, hasLasting: isBusy })
    vi.advanceTimersByTime(10)
    expect(told).toHaveLength(questions)
    stop()
    vi.useRealTimers()
  })

  it('is taken by the stored row where Web Locks are refused', async () => {
    browser = createBrowser({ locks: false, channel: true })
    const locks = {
      request: async () => Promise.reject(new DOMException('No', 'SecurityError')),
    } as unknown as LockManager
    const told: string[] = []
    const tab = browser.open({ locks, onTrouble: (message) => told.push(message) })
    expect(await tab.lead(() => 'done')).toBe('done')
    expect(told).toEqual([])
  })

  it('is taken once the store can say who leads, and that it could not is told once', async () => {
    browser = createBrowser({ locks: true, channel: true })
    const told: string[] = []
    let failures = 3
    const claimTerm: typeof browser.store.claimTerm = async (claim) =>
      failures-- > 0 ? Promise.reject(new Error('disk')) : browser.store.claimTerm(claim)
    const tab = browser.open({ store: { claimTerm }, onTrouble: (message) => told.push(message) })
    expect(await tab.lead(() => 'done')).toBe('done')
    expect(told).toEqual(["It can't be found out which tab leads, so that what only one tab does has to wait. disk"])
  })

  it('goes to another tab when the database of the leader is gone', async () => {
    browser = createBrowser({ locks: true, channel: true })
    let isGone = false
    const told: string[] = []
    const claimTerm: typeof browser.store.claimTerm = async (claim) =>
      isGone ? Promise.reject(new Error('gone')) : browser.store.claimTerm(claim)
    const first = browser.open({ store: { claimTerm }, onTrouble: (message) => told.push(message) })
    await leaderOf([first])
    const other = browser.open()
    first.recheck()
    isGone = true
    first.recheck()
    await expect.poll(() => isLeading(other), soon).toBe(true)
    await expect.poll(() => isLeading(first), soon).toBe(false)
  })

  it('is its own in a store that nobody else is on', async () => {
    browser = createBrowser({ locks: true, channel: true })
    const [one, other] = [
      browser.open({ lock: undefined, channel: undefined }),
      browser.open({
        lock: undefined,
        channel: undefined,
        store: createBrowser({ locks: true, channel: false }).store,
      }),
    ]
    expect(await Promise.all([one.lead(() => 1), other.lead(() => 2)])).toEqual([1, 2])
  })
})

/** Waits until the leader has answered for many ticks. */
async function countQuestions(leader: Tab): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 100))
  return leader.terms.filter((term) => term !== 0).length === 1
}
