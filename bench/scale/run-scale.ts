import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { launchBench } from '../launch-bench.ts'
import type { Extreme, Measured, ScaleOptions } from './measured.ts'
import type { RunExtremes, RunScale } from './page/main.ts'
import { measureTabs } from './many-tabs.ts'
import { watchMemory } from './process-memory.ts'
import { scaleReport } from './scale-report.ts'

const document = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
const [begin, end] = ['<!-- scale: written by npm run bench -- --case scale -->', '<!-- scale ends -->']
const wholeRun: Pick<ScaleOptions, 'sizes' | 'counts'> = { sizes: [1000, 10_000, 100_000, 1_000_000], counts: [100, 10_000] }

/** Measures every public method at every size. A whole run writes its table into the document; a part is only printed. @returns whether all is as it should be */
export async function runScale(options: ScaleOptions): Promise<boolean> {
  const browser = await launchBench(fileURLToPath(new URL('./page', import.meta.url)))
  const memory = watchMemory()
  const start = Date.now()
  try {
    const page = await browser.context.newPage()
    page.on('console', (message) => console.error(`${((Date.now() - start) / 1000).toFixed(0).padStart(4)} s  ${message.text()}`))
    page.on('pageerror', (error) => console.error(error))
    await page.goto(browser.url)
    await page.waitForFunction(() => 'runScale' in globalThis)
    const { measured, unmeasured } = await page.evaluate((options) => (globalThis as unknown as { runScale: RunScale }).runScale(options), options)
    const withMemory = measured.map((one): Measured => {
      const megabytes = memory.heldDuring(one.calls)
      return megabytes === undefined ? one : { ...one, megabytes }
    })
    const extremes: readonly Extreme[] = options.only !== '' && options.only !== 'extremes' ? [] : [
      ...(await page.evaluate(() => (globalThis as unknown as { runExtremes: RunExtremes }).runExtremes())),
      ...(await measureTabs(browser.context, browser.url)),
    ]
    const minutes = ((Date.now() - start) / 60_000).toFixed(1)
    const words = `${new Date().toISOString().slice(0, 10)}, Chromium ${browser.version}, ${cpus().length} cores, ${minutes} minutes; ${options.reps} repetitions, median.`
    const { text, findings } = scaleReport({ measured: withMemory, extremes, unmeasured, words })
    console.log(text)
    await writeFile(fileURLToPath(new URL('../scale.json', import.meta.url)), JSON.stringify(withMemory))
    if (isWhole(options)) await writeInto(text)
    return findings.length === 0
  } finally {
    memory.stop()
    await browser.close()
  }
}

const isWhole = ({ sizes, counts, only }: ScaleOptions): boolean =>
  only === '' && wholeRun.sizes.every((size) => sizes.includes(size)) && wholeRun.counts.every((count) => counts.includes(count))

/** Puts the tables in the place of those of the last run. */
async function writeInto(text: string): Promise<void> {
  const before = await readFile(document, 'utf8')
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for the tables: it needs a line ${begin} and, after it, ${end}.`)
  await writeFile(document, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`)
}

/** Reads `--sizes 1000,10000 --counts 100 --reps 5 --only read`; `--only extremes` leaves out all sizes. */
export function scaleOptions(values: { readonly sizes?: string | undefined; readonly counts?: string | undefined; readonly reps?: string | undefined; readonly only?: string | undefined }): ScaleOptions {
  const numbers = (name: string, text: string | undefined, standard: readonly number[]): readonly number[] => {
    const list = text === undefined ? standard : text.split(',').filter((one) => one !== '').map(Number)
    for (const one of list) if (!Number.isInteger(one) || one < 100) throw new Error(`--${name} takes whole numbers of at least 100, such as ${standard.join(',')}; got "${text}".`)
    return [...list].sort((a, b) => a - b)
  }
  const reps = Number(values.reps ?? 7)
  if (!Number.isInteger(reps) || reps < 1) throw new Error(`--reps must be a whole number of at least 1, got "${values.reps}".`)
  return { sizes: numbers('sizes', values.sizes, wholeRun.sizes), counts: numbers('counts', values.counts, wholeRun.counts), reps, only: values.only ?? '' }
}
