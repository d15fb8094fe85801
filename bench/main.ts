import { writeFile } from 'node:fs/promises'
import { cpus, loadavg, uptime } from 'node:os'
import { fileURLToPath } from 'node:url'
import { launchBench } from './launch-bench.ts'
import { readOptions } from './options.ts'
import type { RunCase } from './page/main.ts'
import { runProfile } from './profile/run-profile.ts'
import { chartOf } from './report/chart.ts'
import { reportOf } from './report/report.ts'
import { checkTargets } from './report/targets.ts'
import type { CaseResult } from './sample.ts'
import { runScale } from './scale/run-scale.ts'

/**
 * Runs the bench: `npm run bench -- [--case append,burst,tail,load,list] [--reps 9] [--quick] [--profile]`, or the
 * scale rig: `npm run bench -- --case scale [--sizes 1000,10000] [--counts 100,10000] [--only read] [--reps 7]
 * [--resume]`.
 */
export async function main(args: readonly string[]): Promise<void> {
  const { cases, scale, isProfile, ...effort } = readOptions(args)
  if (scale !== undefined) {
    if (!(await runScale(scale))) process.exitCode = 1
    return
  }
  if (isProfile) {
    for (const name of cases) console.log(await runProfile(name, effort))
    return
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, up ${Math.round(uptime() / 60)} min, load ${loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')}`
  console.log(`${machine}\n`)
  if ((loadavg()[0] ?? 0) > cpus().length / 2)
    console.log('The machine is busy with other work: this measures that as well.\n')
  const browser = await launchBench()
  const results: CaseResult[] = []
  try {
    for (const name of cases) {
      const page = await browser.context.newPage()
      page.on('console', (message) => console.error(message.text()))
      page.on('pageerror', (error) => console.error(error))
      await page.goto(browser.url)
      await page.waitForFunction(() => 'runCase' in globalThis)
      try {
        results.push(
          await page.evaluate(
            ([name, effort]) => (globalThis as unknown as { runCase: RunCase }).runCase(name, effort),
            [name, effort] as const,
          ),
        )
      } catch (error) {
        console.error(`${name} failed:`, error)
      }
      await page.close()
    }
  } finally {
    await browser.close()
  }
  const report = reportOf(
    results,
    { machine, browser: `Chromium ${browser.version}`, reps: effort.reps, isQuick: effort.isQuick },
    checkTargets(results),
  )
  console.log(report)
  // A part, or small sizes, must not take the place of the whole.
  const stem = effort.isQuick || cases.length < 5 ? 'partial' : 'results'
  const write = (ending: string, text: string): Promise<void> =>
    writeFile(fileURLToPath(new URL(`./${stem}.${ending}`, import.meta.url)), text)
  await Promise.all([
    write('md', `${report}\n`),
    write('svg', chartOf(results)),
    write('json', JSON.stringify(results)),
  ])
}
