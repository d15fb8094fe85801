import { readdir, readFile } from 'node:fs/promises'
import type { TabWorld } from '../ground.ts'
import { createLedger } from '../ledger.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { readBack } from '../work/read-back.ts'

/** How long a store may take to find its feet again, in milliseconds. */
const recoveryMs = 30_000

/**
 * Kills the process of WebKit that holds the databases, under a page that is open: Safari's "Connection to Indexed
 * Database server lost".
 */
export const storageProcessKill: Rig = {
  name: 'storage-process-kill',
  goal: "WebKit's storage process killed: recovered without reload, 0 acknowledged lost",
  engines: ['webkit'],
  needs: [],
  async run({ scale, report, signal }) {
    const kills = scaled(10, scale)
    const failures: string[] = []
    const sum = { kills: 0, recovered: 0, acknowledged: 0, lost: 0, doubled: 0, 'slowest recovery ms': 0 }
    for (let kill = 0; kill < kills; kill++) {
      signal.throwIfAborted()
      // A page of its own for each: what is proved is the way back of a page that was well until then.
      const stage = await openStage('webkit')
      try {
        const [tab] = await stage.start(['page'])
        await tab!.run(open, 'lost')
        await tab!.run(appendSome, 10)
        const [pid] = await networkProcessesOf(stage.browser.pid)
        if (pid === undefined) throw new Error('MiniBrowser runs no WebKitNetworkProcess.')
        const going = tab!.run(appendSome, 20, 60_000).catch((error: Error) => error)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 30))
        process.kill(pid, 'SIGKILL')
        // The page's own requests went with the process, and come again with the next.
        const before = await going
        const outcome = await tab!.run(appendUntilStored, recoveryMs, recoveryMs + 60_000)
        sum.kills++
        const ledger = createLedger()
        ledger.hear(tab!.said)
        sum.acknowledged += ledger.count
        if (outcome.storedAfter === undefined)
          failures.push(`kill ${sum.kills}: nothing could be stored for ${recoveryMs} ms: ${outcome.errors.at(-1)}`)
        else {
          sum.recovered++
          sum['slowest recovery ms'] = Math.max(sum['slowest recovery ms'], Math.round(outcome.storedAfter))
          const read = await tab!.run(readBack, { name: 'lost', sessions: ['s'], wanted: {}, waitMs: 0 }, 120_000)
          const { lost, doubled } = ledger.judge(read)
          sum.lost += lost.length
          sum.doubled += doubled.length
          failures.push(
            ...lost.map((text) => `kill ${sum.kills}: lost ${text}`),
            ...doubled.map((text) => `kill ${sum.kills}: twice ${text}`),
          )
          failures.push(...read.errors.map((line) => `kill ${sum.kills}: ${line}`))
          if (read.mode !== 'worker')
            failures.push(`kill ${sum.kills}: opened anew as ${read.mode}: ${read.skipped.join('; ')}`)
        }
        report(
          `kill ${sum.kills} of ${kills}: ${outcome.storedAfter === undefined ? 'not recovered' : `stored again after ${Math.round(outcome.storedAfter)} ms`}, ${outcome.mode}; ${outcome.errors.length} refused; notices ${outcome.notices.join(', ')}${before instanceof Error ? `; ${before.message.split('\n')[0]}` : ''}`,
        )
      } finally {
        await stage.close()
      }
    }
    return { figures: sum, failures }
  },
}

async function open({ sdk, kept }: TabWorld, name: string): Promise<void> {
  const notices: string[] = (kept['notices'] = [])
  kept['store'] = await sdk.openSessionStore({
    name,
    timeoutMs: 30_000,
    onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
  })
  kept['session'] = await kept['store'].session('s')
  kept['n'] = 0
}

async function appendSome({ kept, say }: TabWorld, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const text = `s#${kept['n']++}`
    const isStored = await kept['session'].append({ role: 'user', content: text }).then(
      () => true,
      () => false,
    )
    if (isStored) say({ session: 's', text })
  }
}

interface Recovery {
  /** Milliseconds until something was stored. */
  readonly storedAfter?: number
  readonly errors: readonly string[]
  readonly notices: readonly string[]
  readonly mode: string
}

/** In the same page, without a reload: tries again as an app would, until something is stored durably. */
async function appendUntilStored({ kept, say }: TabWorld, withinMs: number): Promise<Recovery> {
  const errors: string[] = []
  const start = performance.now()
  let storedAfter: number | undefined
  while (storedAfter === undefined && performance.now() - start < withinMs) {
    const text = `s#${kept['n']++}`
    try {
      await kept['session'].append({ role: 'user', content: text })
      say({ session: 's', text })
      storedAfter = performance.now() - start
    } catch (error) {
      errors.push(`${(error as Error).name}: ${(error as Error).message}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const { mode, durable } = await kept['store'].health()
  if (storedAfter !== undefined && !durable) errors.push(`what was stored is not durable (${mode})`)
  return { ...(storedAfter === undefined || !durable ? {} : { storedAfter }), errors, notices: kept['notices'], mode }
}

/** Those of one MiniBrowser: others may run on this machine. */
async function networkProcessesOf(parent: number): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const [, process, rest] = /\((.*)\) (.*)$/s.exec(stat) ?? []
    // After the state: parent, then process group.
    if (process?.startsWith('WebKitNetwork') && rest?.split(' ')[2] === String(parent)) found.push(Number(name))
  }
  return found
}
