import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChromium } from '../../test/faults/browsers/chromium.ts'
import { ours } from '../contender-names.ts'
import { serveBench } from '../launch-bench.ts'
import type { Effort, PageCase } from '../sample.ts'
import { openWatchedPage } from '../watched-page.ts'
import { type CpuProfile, tableOf } from './cpu-profile.ts'

/** How often the profiler looks, in microseconds. */
const intervalUs = 100

/**
 * Runs one case of the bench with keepsession alone, and writes down which functions of the page and of its worker took
 * how long, once it is warm.
 *
 * @param effort - its repetitions are what is profiled
 */
export async function runProfile(name: PageCase, effort: Effort): Promise<string> {
  const served = await serveBench(fileURLToPath(new URL('../page', import.meta.url)), { isReadable: true })
  const profile = await mkdtemp(join(tmpdir(), 'keepsession-profile-'))
  const browser = await startChromium({ profile, urls: [], flags: ['--js-flags=--expose-gc'] })
  const { send } = browser.devtools
  try {
    const { target: page, evaluate, workers } = await openWatchedPage(browser.devtools, served.url)
    const only = { ...effort, only: ours }
    await evaluate(`new Promise((warm, failed) => {
      globalThis.whenWarm = () => new Promise((go) => { globalThis.go = go; warm() })
      globalThis.running = runCase(${JSON.stringify(name)}, ${JSON.stringify(only)})
      running.catch(failed)
    })`)
    const targets = [page, ...(await workers())]
    for (const target of targets) {
      await send('Profiler.enable', {}, target)
      await send('Profiler.setSamplingInterval', { interval: intervalUs }, target)
    }
    for (const target of targets) await send('Profiler.start', {}, target)
    await evaluate(`new Promise((done, failed) => {
      globalThis.whenDone = () => new Promise((go) => { globalThis.end = go; done() })
      running.catch(failed)
      go()
    })`)
    const parts: string[] = []
    for (const [i, target] of targets.entries()) {
      const stopped = (await send('Profiler.stop', {}, target)) as { readonly profile: CpuProfile }
      parts.push(`## ${i === 0 ? 'Page' : `Worker ${i}`}\n\n${tableOf(stopped.profile)}`)
    }
    const text = `# ${name}: where the time goes\n\n${effort.reps} repetitions, once warm.\n\n${parts.join('\n\n')}\n`
    await writeFile(fileURLToPath(new URL(`../profile.${name}.md`, import.meta.url)), text)
    return text
  } finally {
    await browser.kill()
    await served.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
