import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChromium } from '../../test/faults/browsers/chromium.ts'
import { ours } from '../contender-names.ts'
import { count } from '../count.ts'
import { serveBench } from '../launch-bench.ts'
import type { CaseResult, Effort, Sample } from '../sample.ts'
import { openWatchedPage } from '../watched-page.ts'

/** What page and worker hold once they have appended many messages, without garbage. */
export async function runHeap({ isQuick }: Effort, say: (text: string) => void): Promise<CaseResult> {
  const sizes = isQuick ? [1000, 10_000] : [1000, 1_000_000]
  const served = await serveBench(fileURLToPath(new URL('./page', import.meta.url)))
  const profile = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  const browser = await startChromium({ profile, urls: [] })
  const { send } = browser.devtools
  const samples: Sample[] = []
  try {
    const page = await openWatchedPage(browser.devtools, served.url)
    const held = async (target: string): Promise<number> => {
      await send('HeapProfiler.enable', {}, target)
      await send('HeapProfiler.collectGarbage', {}, target)
      const { usedSize, backingStorageSize = 0 } = await send('Runtime.getHeapUsage', {}, target)
      return (usedSize + backingStorageSize) / 1e6
    }
    let appended = 0
    for (const size of sizes) {
      await page.evaluate(`appendMany(${size - appended})`)
      appended = size
      const workers = await page.workers()
      if (workers.length !== 1) throw new Error(`Expected one worker, found ${workers.length}.`)
      const figures = { worker: await held(workers[0]!), page: await held(page.target) }
      samples.push({ rep: 0, group: `after ${count(size)} appends`, contender: ours, figures })
      say(`after ${count(size)}: worker ${figures.worker.toFixed(1)} MB, page ${figures.page.toFixed(1)} MB`)
    }
  } finally {
    await browser.kill()
    await served.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  return {
    name: 'heap',
    title: 'Heap after many appends',
    notes: ['JavaScript heap and buffers of the worker and of the page, once garbage was collected.'],
    unit: 'MB',
    samples,
  }
}
