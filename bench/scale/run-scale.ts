import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { launchBench } from '../launch-bench.ts'
import { writeBetween } from '../write-between.ts'
import { isWholeRun, joinRuns, wholeRun } from './joined-runs.ts'
import { measureTabs, tabsTitle } from './many-tabs.ts'
import type { Extreme, Measured, ScaleOptions, ScaleRun } from './measured.ts'
import type { RunExtreme, RunScale } from './page/main.ts'
import { watchMemory } from './process-memory.ts'
import { scaleReport } from './scale-report.ts'
import { watchTasks } from './watch-tasks.ts'

const leftFile = fileURLToPath(new URL('../scale.json', import.meta.url))

interface RigPage {
  readonly runScale: RunScale
  readonly runExtreme: RunExtreme
  readonly extremeTitles: () => readonly string[]
  readonly rowNames: () => readonly string[]
}

/**
 * Measures every public method at every size. What is measured is kept row by row, so that a run that dies is gone on
 * with. Once nothing of a whole run is missing, its tables are written into the document; a part is only printed.
 *
 * @returns whether all is as it should be
 */
export async function runScale(options: ScaleOptions): Promise<boolean> {
  const before = options.resume ? await readLeft() : undefined
  const browser = await launchBench(fileURLToPath(new URL('./page', import.meta.url)))
  const memory = watchMemory()
  const start = Date.now()
  const say = (text: string): void =>
    console.error(`${((Date.now() - start) / 1000).toFixed(0).padStart(4)} s  ${text}`)
  const measured: Measured[] = []
  const extremes: Extreme[] = []
  let unmeasured: readonly string[] = []
  const soFar = (): ScaleRun =>
    joinRuns(before, {
      sizes: options.sizes,
      counts: options.counts,
      reps: options.reps,
      minutes: (Date.now() - start) / 60_000,
      measured,
      extremes,
      unmeasured,
    })
  const keep = (): Promise<void> => writeFile(leftFile, JSON.stringify(soFar()))
  try {
    // Refuses to join what was measured otherwise, before it measures for minutes.
    soFar()
    const page = await browser.context.newPage()
    page.on('console', (message) => say(message.text()))
    page.on('pageerror', (error) => console.error(error))
    const tasks = await watchTasks(browser.context, page)
    await page.exposeFunction('beginTasks', tasks.begin)
    await page.exposeFunction('endTasks', tasks.end)
    await page.exposeFunction('keepRow', (row: readonly Measured[]) => {
      for (const one of row) {
        const megabytes = memory.heldDuring(one.calls)
        measured.push(megabytes === undefined ? one : { ...one, megabytes })
      }
      return keep()
    })
    await page.goto(browser.url)
    await page.waitForFunction(() => 'runScale' in globalThis)
    const done = (before?.measured ?? []).map(({ axis, row }) => `${axis} ${row}`)
    unmeasured = await page.evaluate(([options, done]) => (globalThis as unknown as RigPage).runScale(options, done), [
      options,
      done,
    ] as const)
    await keep()
    const titles = [...(await page.evaluate(() => (globalThis as unknown as RigPage).extremeTitles())), tabsTitle]
    for (const title of titles.filter((one) =>
      options.only.split(',').some((part) => `extremes: ${one}`.includes(part)),
    )) {
      if (before?.extremes.some(({ name }) => name.startsWith(`${title}: `))) continue
      for (const one of title === tabsTitle
        ? await measureTabs(browser.context, browser.url, tasks, say)
        : await page.evaluate((title) => (globalThis as unknown as RigPage).runExtreme(title), title))
        extremes.push(one)
      await keep()
    }
    const run = soFar()
    const words = `${new Date().toISOString().slice(0, 10)}, Chromium ${browser.version}, ${cpus().length} cores, ${run.minutes.toFixed(1)} minutes; ${run.reps} repetitions, median.`
    const { text, findings } = scaleReport({ ...run, words })
    console.log(text)
    const names = await page.evaluate(() => (globalThis as unknown as RigPage).rowNames())
    if (isWholeRun(run, names, titles)) await writeBetween('scale', text)
    return findings.length === 0
  } finally {
    memory.stop()
    await browser.close()
  }
}

async function readLeft(): Promise<ScaleRun | undefined> {
  const text = await readFile(leftFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : (JSON.parse(text) as ScaleRun)
}

/** Reads `--sizes 1000,10000 --counts 100 --reps 5 --only read --resume`; `--only extremes` leaves out all sizes. */
export function scaleOptions(values: {
  readonly sizes?: string | undefined
  readonly counts?: string | undefined
  readonly reps?: string | undefined
  readonly only?: string | undefined
  readonly resume?: boolean
}): ScaleOptions {
  const numbers = (name: string, text: string | undefined, standard: readonly number[]): readonly number[] => {
    const list =
      text === undefined
        ? standard
        : text
            .split(',')
            .filter((one) => one !== '')
            .map(Number)
    for (const one of list)
      if (!Number.isInteger(one) || one < 100)
        throw new Error(`--${name} takes whole numbers of at least 100, such as ${standard.join(',')}; got "${text}".`)
    return [...list].sort((a, b) => a - b)
  }
  const reps = Number(values.reps ?? 7)
  if (!Number.isInteger(reps) || reps < 1)
    throw new Error(`--reps must be a whole number of at least 1, got "${values.reps}".`)
  return {
    sizes: numbers('sizes', values.sizes, wholeRun.sizes),
    counts: numbers('counts', values.counts, wholeRun.counts),
    reps,
    only: values.only ?? '',
    resume: values.resume ?? false,
  }
}
