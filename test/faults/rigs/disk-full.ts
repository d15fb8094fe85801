import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm, statfs, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionErrorNames } from '../../../src/contract/errors.ts'
import { createLedger } from '../ledger.ts'
import type { Rig } from '../rig.ts'
import { openStage } from '../stage.ts'
import { appendAgain } from '../work/append-again.ts'
import { fillUp } from '../work/fill-up.ts'
import { readBack } from '../work/read-back.ts'

/** Fills the disk under a browser, and empties it again. */
export const diskFull: Rig = {
  name: 'disk-full',
  goal: 'disk full (200 MB tmpfs): writes fail with typed errors and work again once there is room; 0 acknowledged lost',
  engines: ['chromium', 'firefox', 'webkit'],
  needs: ['mount as root'],
  async run({ engine, report }) {
    const failures: string[] = []
    const disk = await mkdtemp(join(tmpdir(), 'keepsession-disk-'))
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`No tmpfs could be mounted: ${stderr}`)
    try {
      const stage = await openStage(engine, { profile: disk })
      try {
        const [tab] = await stage.start(['page'])
        const ledger = createLedger()
        ledger.hear(
          (await tab!.run(fillUp, { name: 'disk', session: 'before', refusals: 1, most: 20 }, 120_000)).acknowledged,
        )
        const filler = join(disk, 'filler')
        await fillDisk(disk, filler)
        const { acknowledged, errors } = await tab!.run(
          fillUp,
          { name: 'disk', session: 'full', refusals: 5, most: 200 },
          300_000,
        )
        ledger.hear(acknowledged)
        report(`${engine}: ${acknowledged.length} entries fitted, then ${[...new Set(errors)].join(' | ')}`)
        if (errors.length === 0) failures.push('nothing was refused: the disk was not full')
        failures.push(
          ...new Set(
            errors
              .filter((line) => !(sessionErrorNames as readonly string[]).includes(line.split(':')[0]!))
              .map((line) => `refused with ${line}`),
          ),
        )
        await truncate(filler, 0)
        await rm(filler)
        const again = await tab!
          .run(appendAgain, { session: 'full', text: 'full#after' }, 60_000)
          .catch((error: Error) => error)
        if (again instanceof Error)
          failures.push(`nothing can be written though there is room again: ${again.message.split('\n')[0]}`)
        else ledger.hear([again])
        await stage.stop()
        const [reader] = await stage.start(['reader'])
        const found = await reader!.run(
          readBack,
          { name: 'disk', sessions: ['before', 'full'], wanted: ledger.texts, waitMs: 15_000 },
          120_000,
        )
        const { lost } = ledger.judge(found)
        failures.push(...lost.map((text) => `lost ${text.slice(0, 20)}`), ...found.problems, ...found.errors)
        report(`${engine}: ${lost.length} lost; ${found.notices.join(', ')}`)
        return { figures: { acknowledged: ledger.count, refused: errors.length, lost: lost.length }, failures }
      } finally {
        await stage.close()
      }
    } finally {
      spawnSync('umount', ['-l', disk])
      await rm(disk, { recursive: true, force: true })
    }
  },
}

/** Leaves half a megabyte, which the browser's own writing takes soon. */
async function fillDisk(disk: string, filler: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk)
  const file = await open(filler, 'w')
  // The browser writes meanwhile: what no longer fits is left out.
  for (let left = bavail * bsize - 500_000; left > 0; left -= 1_000_000)
    await file.write(Buffer.alloc(Math.min(left, 1_000_000), 1)).catch(() => undefined)
  await file.close()
}
