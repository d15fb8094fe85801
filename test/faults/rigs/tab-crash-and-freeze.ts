import type { TabWorld } from '../ground.ts'
import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { appendForever } from '../work/append-forever.ts'
import { readBack } from '../work/read-back.ts'

/** How long a tab may wait for a write because of what became of another, in milliseconds. */
const waitMs = 2000

/** Freezes and crashes one tab in the middle of its writes, while another one goes on. */
export const tabCrashAndFreeze: Rig = {
  name: 'tab-crash-and-freeze',
  goal: 'tab frozen, thawed, crashed mid-append: the other tab writes on within 2 s, 0 acknowledged lost, no duplicates',
  engines: ['chromium'],
  needs: [],
  async run({ scale, report, signal }) {
    const rounds = scaled(10, scale)
    const failures: string[] = []
    const ledger = createLedger()
    const sessions: string[] = []
    let slowest = 0
    let afterThaw = 0
    const stage = await openStage('chromium')
    try {
      const [other] = await stage.start(['other'])
      await other!.run(open, 'tabs')
      for (let round = 0; round < rounds; round++) {
        signal.throwIfAborted()
        const [key, mine] = [`victim-${round}`, `other-${round}`]
        sessions.push(key, mine)
        const { tab, target } = await stage.open(key)
        await tab.run(appendForever, { name: 'tabs', session: key, burst: 3 })
        await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 400))
        await stage.devtools.send('Page.setWebLifecycleState', { state: 'frozen' }, target)
        // To the victim's own session too: nothing that a frozen tab holds may stand in the way.
        const whileFrozen = await other!.run(appendTimed, { own: mine, shared: key })
        const before = tab.said.length
        await stage.devtools.send('Page.setWebLifecycleState', { state: 'active' }, target)
        await new Promise((resolve) => setTimeout(resolve, 1000))
        if (tab.said.length > before) afterThaw++
        else failures.push(`round ${round}: the thawed tab stores nothing more`)
        void stage.devtools.send('Page.crash', {}, target).catch(() => undefined)
        const afterCrash = await other!.run(appendTimed, { own: mine, shared: key })
        slowest = Math.max(slowest, whileFrozen, afterCrash)
        for (const [when, ms] of Object.entries({ frozen: whileFrozen, crashed: afterCrash })) if (ms > waitMs) failures.push(`round ${round}: with the other tab ${when} a write took ${Math.round(ms)} ms`)
        await stage.devtools.send('Target.closeTarget', { targetId: target }).catch(() => undefined)
        ledger.hear(tab.said)
        report(`round ${round}: slowest write ${Math.round(slowest)} ms, ${ledger.count} acknowledged`)
      }
      const found = await other!.run(readBack, { name: 'tabs', sessions, wanted: ledger.texts, waitMs: 0 }, 120_000)
      ledger.hear(other!.said)
      const { lost, doubled } = ledger.judge(found)
      failures.push(...lost.map((text) => `lost ${text}`), ...doubled.map((text) => `twice ${text}`), ...found.problems, ...found.errors)
      return { figures: { rounds, 'went on after thaw': afterThaw, acknowledged: ledger.count, lost: lost.length, doubled: doubled.length, 'slowest write ms': Math.round(slowest) }, failures }
    } finally {
      await stage.close()
    }
  },
}

async function open({ sdk, kept }: TabWorld, name: string): Promise<void> {
  kept['store'] = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  kept['n'] = 0
}

/** Appends to both sessions, one after the other. @returns the longest that one took, in milliseconds */
async function appendTimed({ kept, say }: TabWorld, { own, shared }: { readonly own: string; readonly shared: string }): Promise<number> {
  let slowest = 0
  for (let i = 0; i < 10; i++) {
    const key = i % 2 === 0 ? own : shared
    const text = `from the other ${kept['n']++}`
    const start = performance.now()
    const storing = (await kept['store'].session(key)).append({ role: 'user', content: text }).then(() => say({ session: key, text }))
    // One that hangs is not waited for to its end: it may come with the thaw.
    await Promise.race([storing, new Promise((resolve) => setTimeout(resolve, 10_000))])
    slowest = Math.max(slowest, performance.now() - start)
    if (performance.now() - start > 9000) break
  }
  return slowest
}
