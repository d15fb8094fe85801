import { writeFile } from 'node:fs/promises'
import { cpus, loadavg, uptime } from 'node:os'
import { fileURLToPath } from 'node:url'
import { casesOutside } from './cases-outside.ts'
import { readOptions } from './options.ts'
import { runProfile } from './profile/run-profile.ts'
import { chartOf } from './report/chart.ts'
import { reportOf } from './report/report.ts'
import { checkTargets } from './report/targets.ts'
import { openBenchPages } from './run-in-page.ts'
import { type CaseName, type CaseResult, caseNames, type PageCase, pageCases } from './sample.ts'
import { runScale } from './scale/run-scale.ts'
import { writeBetween } from './write-between.ts'

const isInPage = (name: CaseName): name is PageCase => (pageCases as readonly string[]).includes(name)

/**
 * Runs the bench: `npm run bench -- [--case append,burst,tail,load,list] [--reps 9] [--quick] [--profile]`, or the
 * scale rig: `npm run bench -- --case scale [--sizes 1000,10000] [--counts 100,10000] [--only read] [--reps 7]
 * [--resume]`. A whole run at full size is written into docs/performance.md.
 */
export async function main(args: readonly string[]): Promise<void> {
  const { cases, scale, isProfile, ...effort } = readOptions(args)
  if (scale !== undefined) {
    if (!(await runScale(scale))) process.exitCode = 1
    return
  }
  if (isProfile) {
    for (const name of cases.filter(isInPage)) console.log(await runProfile(name, effort))
    return
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  const load = loadavg().map((load) => load.toFixed(2))
  console.log(`${machine}, up ${Math.round(uptime() / 60)} min, load ${load.join(' ')}\n`)
  if ((loadavg()[0] ?? 0) > cpus().length / 2)
    console.log('The machine is busy with other work: this measures that as well.\n')
  const pages = await openBenchPages()
  const results: CaseResult[] = []
  try {
    for (const name of cases) {
      const say = (text: string): void => console.error(`${name}: ${text}`)
      try {
        results.push(await (isInPage(name) ? pages.run(name, effort) : casesOutside[name](effort, say)))
      } catch (error) {
        console.error(`${name} failed:`, error)
        process.exitCode = 1
      }
    }
  } finally {
    await pages.close()
  }
  const circumstances = { machine, browser: `Chromium ${pages.version}`, reps: effort.reps, isQuick: effort.isQuick }
  const report = reportOf(results, circumstances, checkTargets(results))
  console.log(report)
  // A part, or small sizes, must not take the place of the whole.
  const isWhole = !effort.isQuick && caseNames.every((name) => results.some((result) => result.name === name))
  const stem = isWhole ? 'results' : 'partial'
  const write = (ending: string, text: string): Promise<void> =>
    writeFile(fileURLToPath(new URL(`./${stem}.${ending}`, import.meta.url)), text)
  await Promise.all([
    write('md', `${report}\n`),
    write('svg', chartOf(results)),
    write('json', JSON.stringify(results)),
    ...(isWhole ? [writeBetween('bench', report)] : []),
  ])
}
