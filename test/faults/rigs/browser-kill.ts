import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { appendForever } from '../work/append-forever.ts'
import { readBack } from '../work/read-back.ts'
import { streamForever } from '../work/stream-forever.ts'

const KILLS = { chromium: 100, firefox: 20, webkit: 20, node: 0 }

/** A profile goes through so many kills: Chromium throws a database away at the next start but one. */
const killsPerProfile = 20

/** Kills the whole browser while two tabs append and one streams, and starts it again on the same profile. */
export const browserKill: Rig = {
  name: 'browser-kill',
  goal: 'browser killed (SIGKILL) while 2 tabs append and 1 streams: 0 acknowledged lost, 0 gaps',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: [],
  async run({ scale, engine, report, signal }) {
    const kills = scaled(KILLS[engine], scale)
    const sum = { kills: 0, acknowledged: 0, lost: 0, gaps: 0, doubled: 0, interrupted: 0, refills: 0 }
    const failures: string[] = []
    while (sum.kills < kills) await throughOneProfile(Math.min(killsPerProfile, kills - sum.kills))
    return { figures: sum, failures }

    async function throughOneProfile(count: number): Promise<void> {
      const stage = await openStage(engine)
      const ledger = createLedger()
      const sessions: string[] = []
      try {
        for (let round = 0; ; round++) {
          signal.throwIfAborted()
          const tabs = await stage.start(round < count ? ['reader', 'a', 'b', 'stream'] : ['reader'])
          if (round > 0) {
            const found = await tabs[0]!.run(
              readBack,
              { name: 'kill', sessions, wanted: ledger.texts, waitMs: 15_000 },
              120_000,
            )
            const { lost, doubled, gaps } = ledger.judge(found)
            const wrong = [
              ...lost.map((text) => `lost ${text}`),
              ...doubled.map((text) => `twice ${text}`),
              ...gaps.map((text) => `gap at ${text}`),
              ...found.problems,
              ...found.errors,
            ]
            if (found.mode !== 'worker') wrong.push(`opened as ${found.mode}: ${found.skipped.join('; ')}`)
            failures.push(...wrong.slice(0, 5).map((line) => `after kill ${sum.kills}: ${line}`))
            sum.gaps += gaps.length
            sum.doubled += doubled.length
            if (found.notices.includes('refilled')) sum.refills++
            report(
              `${engine}: ${sum.kills} of ${kills} kills, ${sum.acknowledged + ledger.count} acknowledged, ${lost.length} lost, ${found.notices.join(', ')}`,
            )
            if (round === count) {
              sum.acknowledged += ledger.count
              sum.lost += lost.length
              sum.interrupted += found.interrupted.length
              return
            }
          }
          const keys = ['a', 'b', 'stream'].map((tab) => `${tab}-${round}`)
          sessions.push(...keys)
          await Promise.all([
            ...[1, 2].map((i) => tabs[i]!.run(appendForever, { name: 'kill', session: keys[i - 1]!, burst: 3 })),
            tabs[3]!.run(streamForever, { name: 'kill', session: keys[2]! }),
          ])
          // Not before the first acknowledgement, or there would be nothing to lose.
          await until(() => tabs.some(({ said }) => said.length > 0))
          await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 900))
          await stage.kill()
          sum.kills++
          for (const tab of tabs) ledger.hear(tab.said)
          failures.push(...unhandled(tabs.flatMap(({ said }) => said)))
        }
      } finally {
        await stage.close()
      }
    }
  },
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > 6000) throw new Error('Nothing was acknowledged within a minute.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function unhandled(said: readonly unknown[]): string[] {
  return said.flatMap((one) =>
    typeof one === 'object' && one !== null && 'unhandled' in one
      ? [`unhandled in a page: ${String(one.unhandled)}`]
      : [],
  )
}
