import type { TabWorld } from '../ground.ts'
import { type Rig, scaled } from '../rig.ts'
import { openStage } from '../stage.ts'
import { streamTokens } from '../work/stream-tokens.ts'

const WAYS = ['crash', 'close', 'chrome://crash'] as const

/**
 * What may be missing of a reply, in milliseconds of streaming; of a few rounds among other tests, which share the
 * processors, only that it is little.
 */
const allowedMs = (scale: number): number => (scale < 0.3 ? 1500 : 250)

/** Ends tabs while a reply is streamed into them, and reads what is left of it in another tab. */
export const streamKill: Rig = {
  name: 'stream-kill',
  goal: 'tab killed while streaming 100 tokens/s: ≤ 250 ms of text missing, entry marked interrupted',
  engines: ['chromium'],
  needs: [],
  async run({ scale, report, signal }) {
    const kills = scaled(50, scale)
    const failures: string[] = []
    const missing: number[] = []
    let interrupted = 0
    const stage = await openStage('chromium')
    try {
      const [watcher] = await stage.start(['watcher'])
      await watcher!.run(openWatcher, 'stream')
      for (let kill = 0; kill < kills; kill++) {
        signal.throwIfAborted()
        const key = `reply-${kill}`
        await watcher!.run(watch, key)
        const { tab, target } = await stage.open(key)
        // A person may look at another tab meanwhile: browsers let the timers of hidden pages run once a second.
        const other = kill % 2 === 1 ? await stage.devtools.open('about:blank') : undefined
        const visibility = await tab.run(streamTokens, { name: 'stream', session: key })
        await new Promise((resolve) => setTimeout(resolve, 400 + Math.random() * 2600))
        const way = WAYS[kill % WAYS.length]!
        // The answer may never come: its tab is dead.
        if (way === 'crash') void stage.devtools.send('Page.crash', {}, target).catch(() => undefined)
        else if (way === 'chrome://crash')
          void stage.devtools.send('Page.navigate', { url: 'chrome://crash' }, target).catch(() => undefined)
        else await stage.devtools.send('Target.closeTarget', { targetId: target })
        const { text, isMarked, missingMs, waited } = await watcher!.run(readReply, key)
        missing.push(missingMs)
        if (isMarked) interrupted++
        const what = `${way}, ${visibility}`
        if (!isMarked)
          failures.push(
            `${key} (${what}): the reply is not marked as interrupted (${text.length} characters, after ${waited} ms)`,
          )
        if (missingMs > allowedMs(scale)) failures.push(`${key} (${what}): ${missingMs} ms of text are missing`)
        if (!'t0 '.startsWith(text.slice(0, 3)))
          failures.push(`${key} (${what}): the text does not start at the start: ${text.slice(0, 20)}`)
        report(
          `${key}: ${what}, ${missingMs} ms missing, ${isMarked ? 'interrupted' : 'not marked'} after ${waited} ms`,
        )
        for (const left of [target, other])
          if (left !== undefined)
            await stage.devtools.send('Target.closeTarget', { targetId: left }).catch(() => undefined)
      }
    } finally {
      await stage.close()
    }
    return {
      figures: {
        kills,
        interrupted,
        'most missing ms': Math.max(...missing),
        'median missing ms': missing.toSorted((a, b) => a - b)[missing.length >> 1]!,
      },
      failures,
    }
  },
}

async function openWatcher({ sdk, kept }: TabWorld, name: string): Promise<void> {
  kept['store'] = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
}

/** Hears every token that the other tab wrote before it died, also those that never came to the store. */
function watch({ kept }: TabWorld, key: string): void {
  const heard: { readonly length: number; readonly at: number }[] = (kept['heard'] = [])
  new BroadcastChannel(key).addEventListener('message', ({ data }) => void heard.push(data))
}

/** Once the tab is dead: what of its reply is stored, and how many milliseconds of streaming are not. */
async function readReply(
  { kept }: TabWorld,
  key: string,
): Promise<{ readonly text: string; readonly isMarked: boolean; readonly missingMs: number; readonly waited: number }> {
  const { store: client, heard } = kept
  const start = Date.now()
  // The last word of the tab: nothing for a while.
  for (let length = -1; length !== heard.length; await new Promise((resolve) => setTimeout(resolve, 300)))
    length = heard.length
  for (;;) {
    await client.store.listDrafts(key)
    const messages = await (await client.session(key)).messages()
    const reply = messages.find(({ role }: { readonly role: string }) => role === 'assistant')
    const waited = Date.now() - start
    if (reply === undefined && waited < 10_000) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    const text = String(reply?.content ?? '')
    const lost = heard.filter(({ length }: { readonly length: number }) => length > text.length)
    const missingMs =
      lost.length === 0
        ? 0
        : heard.at(-1).at -
          (heard.findLast(({ length }: { readonly length: number }) => length <= text.length)?.at ?? heard[0].at)
    return { text, isMarked: reply?.interrupted === true, missingMs, waited }
  }
}
