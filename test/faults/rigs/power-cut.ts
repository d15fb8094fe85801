import { createLedger } from '../ledger.ts'
import { createPowerModel } from '../power/power-model.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { readBack } from '../work/read-back.ts'
import { turnsForever } from '../work/turns-forever.ts'

const CUTS = { chromium: 50, firefox: 10, webkit: 10, node: 0 }

/** A profile goes through so many cuts. */
const cutsPerProfile = 5

interface Said {
  readonly session: string
  readonly text: string
  readonly strict?: true
}

/** Lets nothing of a profile survive but what was synced, in the middle of turns. */
export const powerCut: Rig = {
  name: 'power-cut',
  goal: 'power cut mid-turn (simulated): 0 lost up to the last strict acknowledgement, never a gap',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: ['gcc'],
  async run({ scale, engine, report, signal }) {
    const cuts = scaled(CUTS[engine], scale)
    const sum = { cuts: 0, acknowledged: 0, 'up to strict': 0, lost: 0, 'relaxed lost': 0, gaps: 0, refills: 0 }
    const failures: string[] = []
    while (sum.cuts < cuts) await throughOneProfile(Math.min(cutsPerProfile, cuts - sum.cuts))
    return { figures: sum, failures }

    async function throughOneProfile(count: number): Promise<void> {
      const model = await createPowerModel(engine)
      const stage = await openStage(engine, { profile: model.profile, env: model.env })
      const durable = createLedger()
      const relaxed = createLedger()
      const sessions: string[] = []
      try {
        for (let round = 0; ; round++) {
          signal.throwIfAborted()
          const tabs = await stage.start(round < count ? ['reader', 'a', 'b'] : ['reader'])
          if (round > 0) {
            const found = await tabs[0]!.run(
              readBack,
              { name: 'power', sessions, wanted: durable.texts, waitMs: 10_000 },
              120_000,
            )
            const { lost, gaps, doubled } = durable.judge(found)
            const wrong = [
              ...lost.map((text) => `lost ${text}`),
              ...gaps.map((text) => `gap at ${text}`),
              ...doubled.map((text) => `twice ${text}`),
              ...found.problems,
              ...found.errors,
            ]
            if (found.mode !== 'worker') wrong.push(`opened as ${found.mode}: ${found.skipped.join('; ')}`)
            failures.push(...wrong.slice(0, 5).map((line) => `after cut ${sum.cuts}: ${line}`))
            if (found.notices.includes('refilled')) sum.refills++
            sum.gaps += gaps.length
            report(`${engine}: ${sum.cuts} of ${cuts} cuts, ${lost.length} lost, ${found.notices.join(', ')}`)
            if (round === count) {
              sum['up to strict'] += durable.count
              sum.acknowledged += durable.count + relaxed.count
              sum.lost += lost.length
              sum['relaxed lost'] += relaxed.judge(found).lost.length
              return
            }
          }
          const keys = ['a', 'b'].map((tab) => `${tab}-${round}`)
          sessions.push(...keys)
          await Promise.all([0, 1].map((i) => tabs[i + 1]!.run(turnsForever, { name: 'power', session: keys[i]! })))
          for (let tries = 0; !tabs.some(({ said }) => said.length > 3) && tries < 6000; tries++)
            await new Promise((resolve) => setTimeout(resolve, 10))
          await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1500))
          await stage.kill()
          const { deleted, restored } = await model.cut()
          sum.cuts++
          for (const tab of tabs) {
            const said = tab.said as readonly Said[]
            const last = said.findLastIndex(({ strict }) => strict === true)
            durable.hear(said.slice(0, last + 1))
            relaxed.hear(said.slice(last + 1))
          }
          report(
            `${engine}: cut ${sum.cuts}, ${durable.count} acknowledged up to strict, ${deleted} files gone, ${restored} as they were synced`,
          )
        }
      } finally {
        await stage.close()
        await model.close()
      }
    }
  },
}
