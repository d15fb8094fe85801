import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lazyAccount } from './account.ts'
import { apartCells } from './apart-cells.ts'
import { type BenchDevices, launchDevices } from './launch-devices.ts'
import { manyCells } from './many-cells.ts'
import { automergeKind, plainKind, sealedKind, tinybaseKind, yMapKind } from './models.ts'
import { reconnectCells } from './reconnect-cells.ts'
import type { SyncSample } from './sample.ts'
import { sessionCells } from './session-cells.ts'
import { syncReport } from './sync-report.ts'

/** Sessions of an account, and messages of each. */
const manySizes = [
  [1000, 100],
  [2000, 1],
] as const

/**
 * Runs the rows of sync: `npm run bench:sync -- [--reps 3] [--quick] [--only part-of-a-group's-name]`. Every repetition
 * runs all contenders, in another order each time.
 */
export async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      reps: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  })
  const reps = Number(values.reps)
  if (!Number.isInteger(reps) || reps < 1)
    throw new Error(`--reps must be a whole number of at least 1, got "${values.reps}".`)
  let launched: Promise<BenchDevices> | undefined
  const devices = (): Promise<BenchDevices> => (launched ??= launchDevices())
  const kinds = [plainKind, await sealedKind(), automergeKind, tinybaseKind, yMapKind]
  const many = (values.quick ? [[50, 20]] : manySizes).map(([sessions, messages]) => ({
    sessions,
    messages,
    account: lazyAccount(sessions, messages),
  }))
  const sizes = values.quick ? [100] : [1000, 10_000]
  const cells = [
    ...sessionCells(kinds, values.quick ? 300 : 10_000),
    ...reconnectCells(values.quick ? 50 : 200),
    ...sizes.flatMap((size) => apartCells(devices, size, 1000)),
    ...many.flatMap(({ account, ...size }) => manyCells({ ...size, account: account.get, devices })),
  ].filter(({ group }) => values.only === undefined || group.includes(values.only))
  const samples: SyncSample[] = []
  for (let rep = 0; rep < reps; rep++) {
    for (let i = 0; i < cells.length; i++) {
      const { group, contender, run } = cells[(i + rep) % cells.length]!
      console.error(`${rep + 1} of ${reps}: ${group}, ${contender}`)
      samples.push({ rep, group, contender, figures: await run() })
    }
  }
  samples.sort(
    (a, b) => cells.findIndex(({ group }) => group === a.group) - cells.findIndex(({ group }) => group === b.group),
  )
  const report = syncReport(
    samples,
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, load ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  )
  console.log(report)
  const stem = values.quick || values.only !== undefined ? 'partial' : 'results'
  const write = (ending: string, text: string): Promise<void> =>
    writeFile(fileURLToPath(new URL(`../${stem}.sync.${ending}`, import.meta.url)), text)
  await Promise.all([write('md', `${report}\n`), write('json', JSON.stringify(samples))])
  await Promise.all([...many.map(({ account }) => account.close()), launched?.then((browsers) => browsers.close())])
  // A repository of Automerge has no way to be closed.
  process.exit()
}
