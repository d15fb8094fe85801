import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionErrorNames } from '../../../src/contract/errors.ts'
import { DAMAGES, type Damage } from '../damage.ts'
import { createLedger } from '../ledger.ts'
import type { Outcome, Rig, RigRun } from '../rig.ts'
import { openStage, type Stage } from '../stage.ts'
import { fill } from '../work/fill.ts'
import { readBack } from '../work/read-back.ts'

const SESSIONS = ['one', 'two', 'three']

/** Notices by which an app hears that something is not as it was. */
const TELLING = ['dataLost', 'refilled', 'recordSkipped', 'degraded']

/**
 * Damages the files of a database while the browser is closed, in every way known, and looks what an app sees of it
 * afterwards.
 */
export const corruption: Rig = {
  name: 'corruption',
  goal: 'every kind of damage: every loss is reported; with the mirror (Chromium, Firefox) 0 acknowledged lost',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: [],
  async run(run) {
    const withMirror = run.engine === 'webkit' ? undefined : await damageAll(run, true)
    const without = await damageAll(run, false)
    return {
      figures: {
        ...withMirror?.figures,
        ...Object.fromEntries(
          Object.entries(without.figures).map(([name, value]) => [`without mirror: ${name}`, value]),
        ),
      },
      failures: [...(withMirror?.failures ?? []), ...without.failures],
    }
  },
}

async function damageAll({ engine, scale, report, signal }: RigRun, isMirrored: boolean): Promise<Outcome> {
  const kinds = DAMAGES[engine].slice(0, Math.max(1, Math.round(DAMAGES[engine].length * scale)))
  const failures: string[] = []
  const sum = { kinds: 0, acknowledged: 0, lost: 0, silent: 0, refills: 0 }
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-damage-'))
  const [profile, whole] = [join(folder, 'profile'), join(folder, 'whole')]
  await mkdir(profile)
  const stage = await openStage(engine, { profile })
  try {
    const ledger = createLedger()
    const [tab] = await stage.start(['fill'])
    ledger.hear(
      await tab!.run(
        fill,
        { name: 'damaged', sessions: SESSIONS, count: scale < 0.3 ? 40 : 300, size: 4000, largeEvery: 60, isMirrored },
        300_000,
      ),
    )
    // Long enough for the browser to have written down what it writes now and then.
    await new Promise((resolve) => setTimeout(resolve, 8000))
    await stage.stop()
    await cp(profile, whole, { recursive: true })
    for (const kind of kinds) {
      signal.throwIfAborted()
      const { lost, silent, refills, told } = await damageOnce(stage, kind)
      sum.kinds++
      sum.acknowledged += ledger.count
      sum.lost += lost
      sum.silent += silent ? 1 : 0
      sum.refills += refills
      const what = `${kind.name}${isMirrored ? '' : ', without a mirror'}`
      if (silent) failures.push(`${what}: ${lost} entries are missing, and nothing says so`)
      else if (lost > 0 && isMirrored)
        failures.push(`${what}: ${lost} of ${ledger.count} acknowledged entries are lost (${told})`)
      report(`${engine}: ${what}: ${lost} lost${silent ? ' in silence' : ''}, ${told}`)
      for (const line of told.split('; ').filter((one) => one.startsWith('untyped'))) failures.push(`${what}: ${line}`)
    }
    return { figures: sum, failures }

    async function damageOnce(
      stage: Stage,
      { name, to }: Damage,
    ): Promise<{ readonly lost: number; readonly silent: boolean; readonly refills: number; readonly told: string }> {
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
      await cp(whole, profile, { recursive: true })
      const damaged = await to(profile)
      if (damaged === undefined)
        throw new Error(
          `There is nothing to do "${name}" to: the browser keeps its files in another way than this rig knows.`,
        )
      const notices: string[] = []
      const errors: string[] = []
      let lost = 0
      // Twice: some damage shows only at the start after.
      for (let start = 0; start < 2; start++) {
        const [tab] = await stage.start(['reader'])
        const found = await tab!
          .run(
            readBack,
            {
              name: 'damaged',
              sessions: SESSIONS,
              wanted: ledger.texts,
              waitMs: isMirrored ? 20_000 : 2000,
              isMirrored,
            },
            180_000,
          )
          .catch((error: Error) => error)
        notices.push(...(found instanceof Error ? [] : found.notices))
        const refused =
          found instanceof Error ? [found.message.replace(/^In the tab [^:]+: /, '').split('\n')[0]!] : found.errors
        errors.push(...refused.map((line) => (isTyped(line) ? line : `untyped ${line}`)))
        if (found instanceof Error) lost = ledger.count
        else lost = ledger.judge(found).lost.length
        if (!(found instanceof Error) && found.mode !== 'worker')
          errors.push(`opened as ${found.mode}: ${found.skipped.join(', ')}`)
        await stage.stop()
      }
      const isTold = notices.some((name) => TELLING.includes(name)) || errors.some(isTyped)
      return {
        lost,
        silent: lost > 0 && !isTold,
        refills: notices.filter((name) => name === 'refilled').length,
        told: [...new Set([...notices, ...errors])].join('; ') || 'nothing was said',
      }
    }
  } finally {
    await stage.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function isTyped(line: string): boolean {
  return (sessionErrorNames as readonly string[]).includes(line.split(':')[0]!)
}
