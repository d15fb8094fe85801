import type { BrowserContext } from 'playwright-core'
import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/index.ts'
import type { Served } from '../support/serve.ts'
import { type SdkWindow, serveSdk } from '../support/served-sdk.ts'
import { useServed } from '../support/use-served.ts'

let served: Served
let context: BrowserContext

useServed(serveSdk, (opened) => void ({ served, context } = opened))

it('says what would help when the quota is reached, loses nothing, and goes on when there is room', async () => {
  const page = await context.newPage()
  await page.goto(served.url)
  await page.waitForFunction(() => 'sdk' in window)
  const devtools = await context.newCDPSession(page)
  const setQuota = (quotaSize?: number) =>
    devtools.send('Storage.overrideQuotaForOrigin', {
      origin: new URL(served.url).origin,
      ...(quotaSize === undefined ? {} : { quotaSize }),
    })
  await setQuota(3_000_000)
  await page.evaluate(async () => {
    const { sdk } = window as unknown as SdkWindow
    const notices: unknown[] = []
    const client = await sdk.openSessionStore({
      name: 'quota',
      mirror: false,
      onChange: (change) => change.type === 'notice' && notices.push(change),
    })
    await client.store.addMessage('gone', 'user', 'behind a tombstone')
    await client.delete('gone')
    Object.assign(window, { client, notices })
  })
  const full = await page.evaluate(async () => {
    const { client, notices, sdk } = window as unknown as SdkWindow & { client: SessionClient; notices: unknown[] }
    // What repeats is stored in a few bytes.
    const noise = () => Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) => byte.toString(16)).join('')
    let stored = 0
    for (;;) {
      try {
        await client.store.addMessage('s', 'user', noise())
        stored++
      } catch (error) {
        return {
          stored,
          isQuota: sdk.isSessionError(error, 'QuotaExceeded'),
          message: (error as Error).message,
          notices,
          read: (await client.store.getMeta('s'))?.messageCount,
        }
      }
    }
  })
  expect(full).toMatchObject({
    isQuota: true,
    message: expect.stringMatching(/needed about 1\d\d kB.*What would help: purging deleted sessions \(up to/),
    notices: expect.arrayContaining([
      expect.objectContaining({
        name: 'spaceLow',
        space: expect.objectContaining({ neededBytes: expect.any(Number) }),
      }),
    ]),
  })
  expect(full.read).toBe(full.stored)
  await setQuota()
  const after = await page.evaluate(async () => {
    const { client } = window as unknown as { client: SessionClient }
    await client.store.addMessage('s', 'user', 'there is room')
    const answer = await client.upkeep.persist({ timeoutMs: 2_000 })
    const job = client.upkeep.verify()
    const progress: number[] = []
    for await (const { entries } of job) progress.push(entries)
    const report = await job.result
    const retained = await client.upkeep.retain({ maxSessions: 0, action: 'archive', purgeDeletedAfterMs: 0 })
    const usage = await client.store.usage()
    await client.close()
    return {
      answer,
      problems: report.problems,
      sessions: report.sessions,
      isToldOf: progress.length > 0,
      retained: retained.done.map(({ key, action }) => [key, action]),
      left: usage.largest.map(({ key, archived }) => [key, archived]),
    }
  })
  expect(after).toMatchObject({
    answer: expect.stringMatching(/granted|denied/),
    problems: [],
    sessions: 2,
    isToldOf: true,
    retained: [
      ['gone', 'purge'],
      ['s', 'archive'],
    ],
    left: [['s', true]],
  })
})
