import type { TabWorld } from '../ground.ts'
import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { readBack } from '../work/read-back.ts'

/** Sets the clock of the worker forward and back by hours and years while two tabs append. */
export const clockJumps: Rig = {
  name: 'clock-jumps',
  goal: 'clock set forward and back: the entries of each tab stay in their order, nothing lost or doubled',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: [],
  async run({ engine, scale, report }) {
    const count = scaled(500, scale)
    const failures: string[] = []
    const stage = await openStage(engine)
    try {
      const tabs = await stage.start(['a', 'b'])
      await Promise.all(
        tabs.map((tab, i) =>
          tab.run(appendInJumpingTime, { name: 'clock', session: 'shared', tab: 'ab'[i]!, count }, 300_000),
        ),
      )
      const ledger = createLedger()
      for (const { said } of tabs) ledger.hear(said)
      const found = await tabs[0]!.run(
        readBack,
        { name: 'clock', sessions: ['shared'], wanted: {}, waitMs: 0 },
        120_000,
      )
      const { lost, doubled } = ledger.judge(found)
      let turned = 0
      for (const tab of 'ab') {
        const numbers = found.texts['shared']!.filter((text) => text.startsWith(tab)).map((text) =>
          Number(text.slice(1)),
        )
        turned += numbers.filter((n, i) => i > 0 && n < numbers[i - 1]!).length
      }
      if (turned > 0) failures.push(`${turned} entries stand before one that their tab stored earlier`)
      failures.push(
        ...lost.map((text) => `lost ${text}`),
        ...doubled.map((text) => `twice ${text}`),
        ...found.problems,
        ...found.errors,
      )
      report(`${engine}: ${ledger.count} acknowledged, ${turned} out of order`)
      return {
        figures: { acknowledged: ledger.count, lost: lost.length, doubled: doubled.length, 'out of order': turned },
        failures,
      }
    } finally {
      await stage.close()
    }
  },
}

/** In a page: appends one by one through a worker whose clock jumps with every tenth look at it. */
async function appendInJumpingTime(
  { sdk, say }: TabWorld,
  {
    name,
    session: key,
    tab,
    count,
  }: { readonly name: string; readonly session: string; readonly tab: string; readonly count: number },
): Promise<void> {
  const hour = 3_600_000
  const jumps = [0, -hour, 24 * hour, -24 * 365 * hour, 5000, -1]
  const clock = `let looks = 0; const jumps = ${JSON.stringify(jumps)}; const now = Date.now; Date.now = () => now() + jumps[Math.floor(looks++ / 10) % jumps.length]`
  const source = [`data:text/javascript,${encodeURIComponent(clock)}`, new URL('/dist/worker.js', location.href).href]
    .map((from) => `import ${JSON.stringify(from)}`)
    .join('\n')
  const worker = (): Worker =>
    new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' })
  const client = await sdk.openSessionStore({ name, worker, modes: ['worker'], mirror: true, timeoutMs: 30_000 })
  const session = await client.session(key)
  for (let n = 0; n < count; n++) {
    const text = `${tab}${n}`
    await session.append({ role: n % 2 === 0 ? 'user' : 'assistant', content: text })
    say({ session: key, text })
  }
}
