import type { TabWorld } from '../ground.ts'
import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { readBack } from '../work/read-back.ts'

const KILLS = { chromium: 300, firefox: 30, webkit: 30, node: 0 }

/** How long after its worker's death a call may take to settle, in milliseconds. */
const settleMs = 2000

interface Killed {
  readonly acknowledged: readonly string[]
  readonly errors: readonly string[]
  /** The longest that a call took to settle after the kill it was under way at. */
  readonly slowest: number
  /** Calls that were under way when the worker was killed. */
  readonly pending: number
}

/** Ends the session worker while appends are under way, again and again. */
export const workerKill: Rig = {
  name: 'worker-kill',
  goal: 'worker killed mid-append: everything acknowledged is stored, nothing twice, every call settles within 2 s',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: [],
  async run({ scale, engine, report, signal }) {
    const kills = scaled(KILLS[engine], scale)
    const failures: string[] = []
    const ledger = createLedger()
    const sum = { kills: 0, 'calls under way': 0, acknowledged: 0, lost: 0, doubled: 0, rejected: 0, 'slowest ms': 0 }
    const stage = await openStage(engine)
    try {
      const [tab] = await stage.start(['worker'])
      await tab!.run(openWithWorker, 'workers')
      const sessions: string[] = []
      while (sum.kills < kills) {
        signal.throwIfAborted()
        const session = `s${sum.kills}`
        sessions.push(session)
        const { acknowledged, errors, slowest, pending } = await tab!.run(appendAndKill, session)
        sum.kills++
        sum['calls under way'] += pending
        sum.rejected += errors.length
        sum['slowest ms'] = Math.max(sum['slowest ms'], Math.round(slowest))
        ledger.hear(acknowledged.map((text) => ({ session, text })))
        failures.push(
          ...errors
            .filter((line) => !line.startsWith('WorkerLost'))
            .map((line) => `kill ${sum.kills}: a call rejected with ${line}`),
        )
        if (slowest > settleMs) failures.push(`kill ${sum.kills}: a call settled only after ${Math.round(slowest)} ms`)
        if (sum.kills % 10 === 0)
          report(
            `${engine}: ${sum.kills} of ${kills} kills, slowest call ${sum['slowest ms']} ms, ${sum.rejected} rejected`,
          )
      }
      for (const one of tab!.said) failures.push(JSON.stringify(one))
      const found = await tab!.run(readBack, { name: 'workers', sessions, wanted: {}, waitMs: 0 }, 300_000)
      const { lost, doubled } = ledger.judge(found)
      failures.push(
        ...[...lost.map((text) => `lost ${text}`), ...doubled.map((text) => `twice ${text}`)].slice(0, 20),
        ...found.problems,
        ...found.errors,
      )
      Object.assign(sum, { acknowledged: ledger.count, lost: lost.length, doubled: doubled.length })
    } finally {
      await stage.close()
    }
    return { figures: sum, failures }
  },
}

async function openWithWorker({ sdk, kept }: TabWorld, name: string): Promise<void> {
  const worker = (): Worker => (kept['worker'] = new Worker('/dist/worker.js', { type: 'module' }))
  kept['store'] = await sdk.openSessionStore({ name, worker, modes: ['worker'], timeoutMs: 30_000 })
}

/**
 * In a page: appends in bursts, kills the worker at a random moment among them, and goes on a little. Waits until every
 * call has settled.
 */
async function appendAndKill({ kept }: TabWorld, key: string): Promise<Killed> {
  const acknowledged: string[] = []
  const errors: string[] = []
  const calls: Promise<void>[] = []
  const { port1, port2 } = new MessageChannel()
  const session = await kept['store'].session(key)
  let killedAt = Infinity
  let slowest = 0
  let underWay = 0
  let pending = 0
  const append = (n: number): void => {
    const text = `${key}#${n}`
    const startedAt = performance.now()
    underWay++
    const settle = (): void => {
      underWay--
      // From the death on, or from the call where that came later.
      if (killedAt < Infinity) slowest = Math.max(slowest, performance.now() - Math.max(killedAt, startedAt))
    }
    calls.push(
      session.append({ role: 'assistant', content: text }).then(
        () => (settle(), void acknowledged.push(text)),
        (error: Error) => (settle(), void errors.push(`${error.name}: ${error.message}`)),
      ),
    )
  }
  const killAfter = 5 + Math.floor(Math.random() * 40)
  for (let n = 0; n < killAfter + 10; n++) {
    append(n)
    if (n === killAfter) {
      pending = underWay
      killedAt = performance.now()
      kept['worker'].terminate()
    }
    if (Math.random() < 0.5) {
      port2.postMessage(undefined)
      await new Promise((resolve) => (port1.onmessage = resolve))
    }
    if (n % 8 === 0) await Promise.race(calls)
  }
  await Promise.all(calls)
  return { acknowledged, errors, slowest, pending }
}
