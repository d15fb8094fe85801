import { readdir, readFile } from 'node:fs/promises'
import type { Tab, TabWorld } from '../ground.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'

/** How long a tab is stopped, in milliseconds. */
const stoppedMs = 30_000
/** So many tabs are stopped at once. Each keeps one of the six connections that a browser opens to a server. */
const abreast = 4
/** How long what a tab answered may take to show in another one, in milliseconds. */
const showMs = 20_000

/**
 * Stops the process of a tab right after an append of it was answered, when the journal has it and the database may
 * not. Another tab goes on with the conversation meanwhile. Then the tab is woken, or killed.
 */
export const stoppedTab: Rig = {
  name: 'stopped-tab',
  goal: 'process of a tab stopped (SIGSTOP) for 30 s right after an answer while another tab goes on, then woken or killed: nothing lost, doubled or in another order; what a woken tab says next is last',
  engines: ['chromium'],
  needs: [],
  async run({ scale, report, signal }) {
    const rounds = scaled(200, scale)
    const failures: string[] = []
    const sum = { rounds: 0, woken: 0, killed: 0, 'messages compared': 0, 'slowest append of the other tab ms': 0 }
    const stage = await openStage('chromium')
    try {
      const [other] = await stage.start(['other'])
      await other!.run(open)
      while (sum.rounds < rounds) {
        signal.throwIfAborted()
        const count = Math.min(abreast, rounds - sum.rounds)
        const victims = []
        for (let i = 0; i < count; i++) victims.push(await openVictim(`s${sum.rounds + i}`))
        await Promise.all(victims.map((victim, i) => oneRound(victim, other!, i % 2 === 0)))
        sum.rounds += count
        report(`${sum.rounds} of ${rounds} rounds, ${failures.length} failures`)
      }
      return { figures: sum, failures }
    } finally {
      await stage.close()
    }

    async function openVictim(key: string) {
      const before = await renderers(stage.browser.pid)
      const { tab, target } = await stage.open(key)
      await tab.run(open)
      for (const n of [1, 2, 3]) await tab.run(say, { key, text: `before ${n}` })
      return { key, tab, target, pid: await busiest(stage.browser.pid, before, tab) }
    }

    async function oneRound(
      { key, tab, target, pid }: Awaited<ReturnType<typeof openVictim>>,
      talker: Tab,
      isWoken: boolean,
    ): Promise<void> {
      const wrong = (line: string): void => void failures.push(`${key} (${isWoken ? 'woken' : 'killed'}): ${line}`)
      const expected = ['before 1', 'before 2', 'before 3', 'answered']
      const answering = tab.run(answerOnce, { key, text: 'answered' })
      while (!tab.said.includes('answered')) await new Promise((resolve) => setImmediate(resolve))
      process.kill(pid, 'SIGSTOP')
      const stoppedAt = Date.now()
      for (let n = 0; n < 5; n++) {
        const text = `meanwhile ${n}`
        const took = await talker.run(say, { key, text }, 60_000)
        sum['slowest append of the other tab ms'] = Math.max(
          sum['slowest append of the other tab ms'],
          Math.round(took),
        )
        expected.push(text)
      }
      await new Promise((resolve) => setTimeout(resolve, stoppedAt + stoppedMs - Date.now()))
      process.kill(pid, isWoken ? 'SIGCONT' : 'SIGKILL')
      if (isWoken) {
        await answering
        await tab.run(say, { key, text: 'after' })
        expected.push('after')
        sum.woken++
      } else sum.killed++
      const shown = await talker.run(texts, { key, count: expected.length, withinMs: showMs }, 60_000)
      if (isWoken) {
        const here = await tab.run(texts, { key, count: expected.length, withinMs: showMs }, 60_000)
        if (here.join() !== shown.join()) wrong(`the tabs show another order: ${here.join()} and ${shown.join()}`)
        if (shown.at(-1) !== 'after') wrong(`what it said last is not last: ${shown.join()}`)
      }
      if ([...shown].sort().join() !== [...expected].sort().join())
        wrong(`expected ${expected.join()}, found ${shown.join()}`)
      sum['messages compared'] += shown.length
      await stage.devtools.send('Target.closeTarget', { targetId: target }).catch(() => undefined)
    }
  },
}

async function open({ sdk, kept }: TabWorld): Promise<void> {
  kept['client'] = await sdk.openSessionStore({ name: 'stopped', timeoutMs: 30_000 })
}

async function say({ kept }: TabWorld, { key, text }: { key: string; text: string }): Promise<number> {
  const session = await kept['client'].session(key)
  const begin = performance.now()
  await session.append({ role: 'user', content: text }, { durability: 'relaxed' })
  return performance.now() - begin
}

async function answerOnce({ kept, say: tell }: TabWorld, { key, text }: { key: string; text: string }): Promise<void> {
  const session = await kept['client'].session(key)
  await session.append({ role: 'user', content: text }, { durability: 'relaxed' })
  tell(text)
}

async function texts(
  { kept }: TabWorld,
  { key, count, withinMs }: { key: string; count: number; withinMs: number },
): Promise<string[]> {
  const session = await kept['client'].session(key)
  for (const until = Date.now() + withinMs; ; ) {
    const found = (await session.messages()).map(({ content }: { content: string }) => content)
    if (found.length >= count || Date.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The processor time of each process that shows pages, in ticks. */
async function renderers(group: number): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!command.includes('--type=renderer')) continue
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The fields after the name, which may have spaces: state, parent, group, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[2]) === group) found.set(pid, Number(fields[11]) + Number(fields[12]))
  }
  return found
}

/** The process of a tab: the one that computes when the tab does, among those that were not there before. */
async function busiest(group: number, before: ReadonlyMap<number, number>, tab: Tab): Promise<number> {
  const idle = await renderers(group)
  await tab.run(() => {
    for (const until = performance.now() + 300; performance.now() < until; );
  })
  const busy = await renderers(group)
  let [most, pid] = [0, 0]
  for (const [one, ticks] of busy) {
    const more = ticks - (idle.get(one) ?? before.get(one) ?? 0)
    if (more > most) [most, pid] = [more, one]
  }
  if (pid === 0) throw new Error('The process of the tab was not found.')
  return pid
}
