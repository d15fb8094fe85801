import type { TabWorld } from '../ground.ts'
import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage, type Stage } from '../stage.ts'
import { appendForever } from '../work/append-forever.ts'
import { leadUntilClosed, standForLeader } from '../work/lead.ts'
import { readBack } from '../work/read-back.ts'

/** How long a tab may wait for a write because of what became of another, in milliseconds. */
const waitMs = 2000
/** How long nobody may lead after a leader has closed or crashed, in milliseconds. */
const handOverMs = 500
/**
 * How long a call may take to settle once nothing stands in its way, in milliseconds: three browsers may be busy on a
 * small machine.
 */
const settleMs = 20_000

/**
 * Freezes and crashes one tab, while another one goes on.
 *
 * Chromium on a desktop freezes no page that holds a Web Lock, and none that holds an IndexedDB transaction
 * (`kHoldingWebLock`, `kHoldingIndexedDBLock` and `kHoldingBlockingIndexedDBLock` among the reasons in
 * `components/performance_manager/public/freezing/ cannot_freeze_reason.h`); a page with a store always holds a lock.
 * Developer tools freeze it all the same, and so may Android, five minutes after a page was hidden. Hence two kinds of
 * rounds: in one the victim has come to rest when it is frozen, and must stand in nobody's way; in the other it is
 * frozen in the middle of a transaction, which no other tab can end. There only the browser can help who waits; what
 * counts is that after the thaw, or the crash, nothing is lost, nothing is there twice and every call settles.
 */
export const tabCrashAndFreeze: Rig = {
  name: 'tab-crash-and-freeze',
  goal: 'tab frozen while idle, or crashed mid-append: the other tab can write within 2 s; tab frozen mid-append, then thawed or crashed: every call settles; 0 acknowledged lost, no duplicates; a leader that closes or crashes is replaced within 500 ms',
  engines: ['chromium'],
  needs: [],
  async run({ scale, report, signal }) {
    const rounds = scaled(10, scale)
    const failures: string[] = []
    const ledger = createLedger()
    const sessions: string[] = []
    const worst = { atRest: 0, crashed: 0, midAppend: 0, onClose: 0, onCrash: 0, sinceCommand: 0 }
    let [crashedAt, begunAt] = [0, 0]
    let afterThaw = 0
    let unsettled = 0
    const stage = await openStage('chromium')
    const freeze = (target: string, state: 'frozen' | 'active') =>
      stage.devtools.send('Page.setWebLifecycleState', { state }, target)
    const crash = (target: string): void => void stage.devtools.send('Page.crash', {}, target).catch(() => undefined)
    try {
      const [other] = await stage.start(['other'])
      await other!.run(open, 'tabs')

      async function atRest(round: number): Promise<void> {
        const { key, mine, tab, target } = await openVictim(stage, `rest-${round}`)
        worst.onClose = Math.max(worst.onClose, await handOver(tab, () => tab.run(closeLeader)))
        await tab.run(rest)
        await freeze(target, 'frozen')
        // To the victim's own session too: nothing that a frozen tab holds may stand in the way.
        const whileFrozen = await other!.run(appendTimed, { own: mine, shared: key })
        const before = tab.said.length
        await freeze(target, 'active')
        await tab.run(goOn)
        await new Promise((resolve) => setTimeout(resolve, 1000))
        if (tab.said.length > before) afterThaw++
        else failures.push(`round ${round}: the thawed tab stores nothing more`)
        const ms = await handOver(tab, async () => {
          const gone = stage.devtools.event('Inspector.targetCrashed', target)
          await stage.devtools.send('Inspector.enable', {}, target)
          const at = Date.now()
          crash(target)
          // Chromium describes a crash before it lets the process die, which takes as long as the machine is busy.
          // Until then the office is its own.
          crashedAt = at
          return gone
        })
        worst.onCrash = Math.max(worst.onCrash, ms)
        worst.sinceCommand = Math.max(worst.sinceCommand, begunAt - crashedAt)
        const afterCrash = await other!.run(appendTimed, { own: mine, shared: key })
        worst.atRest = Math.max(worst.atRest, whileFrozen)
        worst.crashed = Math.max(worst.crashed, afterCrash)
        for (const [when, ms] of Object.entries({ 'frozen while idle': whileFrozen, crashed: afterCrash }))
          if (ms > waitMs) failures.push(`round ${round}: with the other tab ${when} a write took ${Math.round(ms)} ms`)
        await leave(tab, target)
      }

      /** Every other round ends with a crash in the place of a thaw. */
      async function midAppend(round: number): Promise<void> {
        const { key, mine, tab, target } = await openVictim(stage, `mid-${round}`)
        await freeze(target, 'frozen')
        await other!.run(beginAppends, { own: mine, shared: key })
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        if (round % 2 === 1) crash(target)
        else {
          await freeze(target, 'active')
          await tab
            .run(rest, undefined, settleMs)
            .catch(
              (error: Error) =>
                void failures.push(`round ${round}: calls of the thawed tab do not settle: ${error.message}`),
            )
        }
        const { slowest, open: left, refused } = await other!.run(settleAppends, settleMs)
        worst.midAppend = Math.max(worst.midAppend, slowest)
        unsettled += left
        if (left > 0)
          failures.push(
            `round ${round}: ${left} calls of the other tab have not settled ${settleMs} ms after the ${round % 2 === 1 ? 'crash' : 'thaw'}`,
          )
        failures.push(...refused.map((line) => `round ${round}: a write of the other tab was refused: ${line}`))
        await leave(tab, target)
      }

      async function openVictim(on: Stage, name: string) {
        const [key, mine] = [`victim-${name}`, `other-${name}`]
        sessions.push(key, mine)
        const { tab, target } = await on.open(key)
        await tab.run(appendForever, { name: 'tabs', session: key, burst: 3 })
        await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 400))
        return { key, mine, tab, target }
      }

      /** Has a tab lead and the other one wait for the office. @returns for how long nobody leads, in milliseconds */
      async function handOver(
        tab: Awaited<ReturnType<Stage['open']>>['tab'],
        end: () => Promise<number>,
      ): Promise<number> {
        await tab.run(leadUntilClosed, 'office')
        await other!.run(standForLeader, 'office')
        const endedAt = await end()
        // The news of a crash may come later than the lock.
        begunAt = await other!.run(succeed)
        const ms = Math.max(0, begunAt - endedAt)
        if (ms > handOverMs) failures.push(`a leader was followed after ${ms} ms`)
        return ms
      }

      async function leave(tab: Awaited<ReturnType<Stage['open']>>['tab'], target: string): Promise<void> {
        await stage.devtools.send('Target.closeTarget', { targetId: target }).catch(() => undefined)
        ledger.hear(tab.said)
      }

      for (let round = 0; round < rounds; round++) {
        signal.throwIfAborted()
        await atRest(round)
        await midAppend(round)
        report(
          `round ${round}: slowest write ${Math.round(Math.max(worst.atRest, worst.crashed))} ms, hand-over ${worst.onClose} and ${worst.onCrash} ms, ${ledger.count} acknowledged`,
        )
      }
      ledger.hear(other!.said)
      const found = await other!.run(readBack, { name: 'tabs', sessions, wanted: ledger.texts, waitMs: 0 }, 120_000)
      const { lost, doubled } = ledger.judge(found)
      failures.push(
        ...lost.map((text) => `lost ${text}`),
        ...doubled.map((text) => `twice ${text}`),
        ...found.problems,
        ...found.errors,
      )
      const figures = {
        'rounds while idle': rounds,
        'rounds mid-append': rounds,
        'continued after thaw': afterThaw,
        acknowledged: ledger.count,
        lost: lost.length,
        doubled: doubled.length,
        'calls unsettled': unsettled,
        'slowest write ms, frozen while idle': Math.round(worst.atRest),
        'slowest write ms, crashed': Math.round(worst.crashed),
        'slowest write ms, frozen mid-append for 2 s': Math.round(worst.midAppend),
        'hand-over on close ms': worst.onClose,
        'hand-over on crash ms': worst.onCrash,
        'from the crash command to the next leader ms': worst.sinceCommand,
      }
      return { figures, failures }
    } finally {
      await stage.close()
    }
  },
}

async function open({ sdk, kept }: TabWorld, name: string): Promise<void> {
  kept['store'] = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  kept['n'] = 0
}

/** Has a tab that appends stop. Resolves once all that it asked for has settled. */
function rest({ kept }: TabWorld): Promise<void> {
  return new Promise((resolve) => {
    kept['rest'] = () => (resolve(), new Promise<void>((goOn) => (kept['goOn'] = goOn)))
  })
}

function goOn({ kept }: TabWorld): void {
  delete kept['rest']
  kept['goOn']()
}

/** @returns when it was told to close */
async function closeLeader({ kept }: TabWorld): Promise<number> {
  const at = Date.now()
  await kept['leading'].close()
  return at
}

/** @returns when this tab began to lead */
async function succeed({ kept }: TabWorld): Promise<number> {
  const at = await kept['begun']
  await kept['heir'].close()
  return at
}

interface Both {
  readonly own: string
  readonly shared: string
}

/** Appends to both sessions, one after the other. @returns the longest that one took, in milliseconds */
async function appendTimed({ kept, say }: TabWorld, { own, shared }: Both): Promise<number> {
  let slowest = 0
  for (let i = 0; i < 10; i++) {
    const key = i % 2 === 0 ? own : shared
    const text = `from the other ${kept['n']++}`
    const start = performance.now()
    const storing = (await kept['store'].session(key))
      .append({ role: 'user', content: text })
      .then(() => say({ session: key, text }))
    // One that hangs is not waited for to its end: it may come with the thaw.
    await Promise.race([storing, new Promise((resolve) => setTimeout(resolve, 10_000))])
    slowest = Math.max(slowest, performance.now() - start)
    if (performance.now() - start > 9000) break
  }
  return slowest
}

/** Begins to append to both sessions, and waits for nothing. */
function beginAppends({ kept, say }: TabWorld, { own, shared }: Both): void {
  const calls = { open: 0, slowest: 0, refused: [] as string[], all: [] as Promise<void>[] }
  kept['calls'] = calls
  for (const key of [own, shared]) {
    const text = `from the other ${kept['n']++}`
    const start = performance.now()
    calls.open++
    calls.all.push(
      Promise.resolve(kept['store'].session(key))
        .then((session) => session.append({ role: 'user', content: text }))
        .then(
          () => say({ session: key, text }),
          (error: Error) => void calls.refused.push(`${error.name}: ${error.message}`),
        )
        .finally(() => {
          calls.open--
          calls.slowest = Math.max(calls.slowest, performance.now() - start)
        }),
    )
  }
}

/** @returns what became of them; those that are still open when the time is over are counted */
async function settleAppends(
  { kept }: TabWorld,
  withinMs: number,
): Promise<{ readonly open: number; readonly slowest: number; readonly refused: readonly string[] }> {
  const { all } = kept['calls']
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, withinMs))])
  const { open, slowest, refused } = kept['calls']
  return { open, slowest, refused }
}
