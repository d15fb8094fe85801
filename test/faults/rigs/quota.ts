import { startFirefox } from '../browsers/firefox.ts'
import { createLedger } from '../ledger.ts'
import type { Rig } from '../rig.ts'
import { openStage } from '../stage.ts'
import { appendAgain } from '../work/append-again.ts'
import { fillUp } from '../work/fill-up.ts'
import { readBack } from '../work/read-back.ts'

/** What Chromium gives the page, in bytes. */
const CHROMIUM_LIMIT = 10_000_000
/** What Firefox gives all pages together, in KiB. */
const FIREFOX_LIMIT = 50_000

/**
 * So many entries of 60 kB are purged to make room: half of it, as Chromium lets more be stored in a hurry than there
 * is room for.
 */
const BALLAST = 80

/** Fills the room that a browser gives, and makes room again. */
export const quota: Rig = {
  name: 'quota',
  goal: 'quota full: writes fail with QuotaExceeded, reads work; within 5 s after a purge, writes work again; 0 acknowledged lost',
  engines: ['chromium', 'firefox'],
  needs: [],
  async run({ engine, report }) {
    const failures: string[] = []
    const preferences = { 'dom.quotaManager.temporaryStorage.fixedLimit': FIREFOX_LIMIT }
    const stage = await openStage(
      engine,
      engine === 'firefox' ? { launch: (how) => startFirefox({ ...how, preferences }) } : {},
    )
    try {
      const [tab] = await stage.start(['page'])
      const ledger = createLedger()
      // Before the database is opened: Chromium looks at the room that is left only now and then.
      if (engine === 'chromium')
        await stage.devtools.send(
          'Storage.overrideQuotaForOrigin',
          { origin: stage.ground.url, quotaSize: CHROMIUM_LIMIT },
          (await targetsOf(stage.devtools))[0],
        )
      ledger.hear(
        (await tab!.run(fillUp, { name: 'quota', session: 'ballast', refusals: 1, most: BALLAST }, 120_000))
          .acknowledged,
      )
      const { acknowledged, errors, isReadable } = await tab!.run(
        fillUp,
        { name: 'quota', session: 'full', refusals: 3, most: 1500 },
        300_000,
      )
      ledger.hear(acknowledged)
      report(`${engine}: ${acknowledged.length} entries fitted, then ${errors[0]}`)
      if (errors.length === 0) failures.push('nothing was refused: the quota was not reached')
      failures.push(
        ...new Set(errors.filter((line) => !line.startsWith('QuotaExceeded')).map((line) => `refused with ${line}`)),
      )
      if (!isReadable) failures.push('nothing can be read while the quota is full')
      await tab!.run(async ({ kept }) => kept['store'].purge('ballast'), undefined, 60_000)
      const purgedAt = performance.now()
      ledger.hear([await tab!.run(appendAgain, { session: 'full', text: 'full#after' }, 60_000)])
      const waited = Math.round(performance.now() - purgedAt)
      if (waited > 5000) failures.push(`after the purge the first write that fitted came ${waited} ms later`)
      // What refused writes left behind must not be in the way of later ones, large ones neither.
      const after = await tab!.run(fillUp, { name: 'quota', session: 'later', refusals: 1, most: 10 }, 60_000)
      ledger.hear(after.acknowledged)
      if (after.acknowledged.length < 10)
        failures.push(`only ${after.acknowledged.length} of 10 later writes found room, then ${after.errors[0]}`)
      if (errors.some((line) => !/It needed about \d+ kB/.test(line)))
        failures.push(`does not say how much it needed: ${errors[0]}`)
      const { early, refused } = await tab!.run(({ kept }) => ({
        early: (kept['spaceLow'] as boolean[]).length,
        refused: (kept['spaceLow'] as boolean[]).filter((isRefused) => isRefused).length,
      }))
      if (refused === 0) failures.push('no notice said that a write found no room')
      const wanted = { full: ledger.texts['full'] ?? [], later: ledger.texts['later'] ?? [] }
      const found = await tab!.run(readBack, { name: 'quota', sessions: ['full', 'later'], wanted, waitMs: 0 }, 120_000)
      const there = new Set(Object.values(found.texts).flat())
      const lost = [...wanted.full, ...wanted.later].filter((text) => !there.has(text))
      failures.push(...lost.map((text) => `lost ${text.slice(0, 20)}`), ...found.problems, ...found.errors)
      if (found.mode !== 'worker') failures.push(`opened as ${found.mode}: ${found.skipped.join('; ')}`)
      return {
        figures: {
          acknowledged: ledger.count,
          refused: errors.length,
          lost: lost.length,
          'writing again ms': waited,
          'spaceLow notices': early,
        },
        failures,
      }
    } finally {
      await stage.close()
    }
  },
}

async function targetsOf(devtools: { send(method: string): Promise<any> }): Promise<string[]> {
  const { targetInfos } = (await devtools.send('Target.getTargets')) as {
    readonly targetInfos: readonly { readonly targetId: string; readonly type: string; readonly url: string }[]
  }
  return targetInfos
    .filter(({ type, url }) => type === 'page' && url.startsWith('http'))
    .map(({ targetId }) => targetId)
}
