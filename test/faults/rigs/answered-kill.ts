import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { answerSlowly } from '../work/answer-slowly.ts'
import { readBack } from '../work/read-back.ts'

const KILLS = { chromium: 200, firefox: 40, webkit: 40, node: 0 }

/** A profile goes through so many kills. */
const killsPerProfile = 20

/**
 * Kills the whole browser right after an append was answered, when the journal has it and the database may not: the
 * database follows some 25 ms later.
 */
export const answeredKill: Rig = {
  name: 'answered-kill',
  goal: 'browser killed (SIGKILL) some ms after an append was answered, before the database had it: 0 acknowledged lost, 0 doubled',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: [],
  async run({ scale, engine, report, signal }) {
    const kills = scaled(KILLS[engine], scale)
    const sum = { kills: 0, acknowledged: 0, lost: 0, doubled: 0 }
    const delays: number[] = []
    const failures: string[] = []
    while (sum.kills < kills) await throughOneProfile(Math.min(killsPerProfile, kills - sum.kills))
    delays.sort((a, b) => a - b)
    const figures = {
      ...sum,
      'median ms from answer to kill': delays[delays.length >> 1]!,
      'longest ms': delays.at(-1)!,
    }
    return { figures, failures }

    async function throughOneProfile(count: number): Promise<void> {
      const stage = await openStage(engine)
      const ledger = createLedger()
      const sessions: string[] = ['shared']
      try {
        for (let round = 0; ; round++) {
          signal.throwIfAborted()
          const tabs = await stage.start(round < count ? ['reader', 'a', 'b'] : ['reader'])
          if (round > 0) {
            const reading = { name: 'answered', sessions, wanted: ledger.texts, waitMs: 15_000 }
            const found = await tabs[0]!.run(readBack, reading, 120_000)
            const { lost, doubled } = ledger.judge(found)
            const wrong = [
              ...lost.map((text) => `lost ${text}`),
              ...doubled.map((text) => `twice ${text}`),
              ...found.problems,
              ...found.errors,
            ]
            failures.push(...wrong.slice(0, 5).map((line) => `after kill ${sum.kills}: ${line}`))
            sum.doubled += doubled.length
            report(`${engine}: ${sum.kills} of ${kills} kills, ${ledger.count} acknowledged, ${lost.length} lost`)
            if (round === count) {
              sum.acknowledged += ledger.count
              sum.lost += lost.length
              return
            }
          }
          const own = [1, 2].map((i) => `own-${round}-${i}`)
          sessions.push(...own)
          await Promise.all(
            own.map((key, i) =>
              tabs[i + 1]!.run(answerSlowly, { name: 'answered', sessions: [key, 'shared'], mark: `${round}.${i}` }),
            ),
          )
          const answers = 5 + Math.floor(Math.random() * 20)
          const said = (): number => tabs.reduce((all, tab) => all + tab.said.length, 0)
          while (said() < answers) await new Promise((resolve) => setImmediate(resolve))
          const killedAt = Date.now()
          await stage.kill()
          sum.kills++
          const answered = tabs.flatMap((tab) => tab.said as { readonly at?: number }[])
          delays.push(killedAt - Math.max(...answered.map(({ at = 0 }) => at)))
          for (const tab of tabs) ledger.hear(tab.said)
        }
      } finally {
        await stage.close()
      }
    }
  },
}
