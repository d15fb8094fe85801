import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { missingTools } from './needs.ts'
import { type FaultOptions, readOptions } from './options.ts'
import { keepResult, loadResult, type Result } from './results.ts'
import type { Engine, Outcome, Rig } from './rig.ts'
import { RIGS } from './rigs.ts'
import { failuresOf, type Row, tableOf } from './table.ts'
import { versionsOf } from './versions.ts'

const REPORT = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url))

const HEAD = `# Reliability

These are the results of \`npm run test:faults\`, which breaks things on purpose, in browsers that no automation tool
controls. Each row has the date and the versions it was measured with. It is replaced when the same test runs again with
at least as many rounds. "Lost" counts writes that were acknowledged and missing afterwards.

Not tested: Safari itself, iOS and Android; real power cuts (in the simulation, data that was not flushed is lost, but
renames and deletions always survive); eviction when storage runs low. If all site data is cleared while no tab is open,
no trace of the loss remains: it looks like a first visit.
`

/**
 * Runs the rigs: `npm run test:faults -- [--only=<rig>] [--skip=<rig>] [--engine=<engine>] [--scale=0.1 | --quick]`.
 */
export async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args, RIGS)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort(new Error('Ended from the keyboard.')))
  const rows: Row[] = []
  const failed: string[] = []
  for (const rig of RIGS) {
    const isSkipped = options.skip.includes(rig.name)
    const isAsked = !isSkipped && (options.only.length === 0 || options.only.includes(rig.name))
    for (const engine of rig.engines) {
      const fresh =
        isAsked && options.engines.includes(engine) && !ending.signal.aborted
          ? await runRig(rig, engine, options, ending.signal)
          : undefined
      if (fresh !== undefined && fresh.failures.length > 0) failed.push(`${rig.name} (${engine})`)
      rows.push({ rig, engine, result: fresh ?? (await loadResult(rig.name, engine)), isSkipped })
    }
  }
  console.log(`\n${tableOf(rows)}\n\n${failuresOf(rows)}`)
  // The document has the results that are kept: a quick run takes none of their places.
  const kept = await Promise.all(
    rows.map(async (row) => ({ ...row, result: await loadResult(row.rig.name, row.engine) })),
  )
  await mkdir(fileURLToPath(new URL('.', `file://${REPORT}`)), { recursive: true })
  await writeFile(REPORT, `${[HEAD, tableOf(kept), '', failuresOf(kept)].join('\n').trimEnd()}\n`)
  if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
  process.exit(failed.length > 0 || ending.signal.aborted ? 1 : 0)
}

async function runRig(rig: Rig, engine: Engine, { scale }: FaultOptions, signal: AbortSignal): Promise<Result> {
  console.log(`${rig.name}, ${engine}: ${rig.goal}`)
  const start = Date.now()
  const missing = missingTools(engine, rig.needs)
  const outcome: Outcome =
    missing.length > 0
      ? { figures: {}, failures: missing.map((line) => `${line}; or leave the rig out with --skip=${rig.name}`) }
      : await rig.run({ scale, engine, report: (line) => console.log(`  ${line}`), signal }).catch((error: Error) => {
          // Where in the rig is for whoever mends it; the table is for everybody.
          console.error(error.stack)
          return { figures: {}, failures: [`the rig ended early: ${error.message}`] }
        })
  const result: Result = {
    rig: rig.name,
    engine,
    date: new Date().toISOString().slice(0, 10),
    scale,
    seconds: Math.round((Date.now() - start) / 1000),
    versions: missing.length > 0 ? '' : await versionsOf(engine),
    ...outcome,
  }
  console.log(
    `  ${result.failures.length === 0 ? 'passed' : 'FAILED'} in ${result.seconds} s: ${JSON.stringify(result.figures)}`,
  )
  for (const line of result.failures.slice(0, 10)) console.log(`  - ${line}`)
  // One that never ran tells nothing.
  if (missing.length === 0 && !signal.aborted) await keepResult(result)
  return result
}
