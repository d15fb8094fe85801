import { expect, it } from 'vitest'
import type { Outcome, Rig } from '../faults/rig.ts'
import { browserKill } from '../faults/rigs/browser-kill.ts'
import { corruption } from '../faults/rigs/corruption.ts'
import { streamKill } from '../faults/rigs/stream-kill.ts'
import { workerKill } from '../faults/rigs/worker-kill.ts'

// A few rounds of the rigs that need nothing but Chromium; `npm run test:faults` runs all of them, in three engines, at
// full figures.
const run = (rig: Rig, scale: number): Promise<Outcome> =>
  rig.run({ scale, engine: 'chromium', report: () => undefined, signal: new AbortController().signal })

it('loses no acknowledged append when the browser is killed, again and again', async () => {
  expect(await run(browserKill, 3 / 100)).toMatchObject({ failures: [], figures: { kills: 3 } })
}, 120_000)

it('loses and doubles nothing when the worker is killed among appends', async () => {
  expect(await run(workerKill, 10 / 300)).toMatchObject({ failures: [], figures: { kills: 10 } })
}, 120_000)

it('keeps all but the end of a reply whose tab dies, and says that it was interrupted', async () => {
  expect(await run(streamKill, 3 / 50)).toMatchObject({ failures: [], figures: { kills: 3, interrupted: 3 } })
}, 120_000)

it('fills a damaged database from its mirror, and says so where there is none', async () => {
  expect(await run(corruption, 2 / 11)).toMatchObject({ failures: [], figures: { kinds: 2 } })
}, 180_000)
