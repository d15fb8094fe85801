import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import type { ColdRow } from '../../src/contract/rows.ts'
import { canonicalJson } from '../../src/domain/canonical-json.ts'
import { isControl } from '../../src/domain/control.ts'
import { foldEntries, foldView } from '../../src/domain/fold.ts'
import { lineOf } from '../../src/domain/line.ts'
import { summaryOf } from '../../src/domain/summary.ts'
import { inRanges } from '../../src/domain/version-vector.ts'
import { knownVector } from '../../src/domain/work.ts'
import { differences } from './support/compare.ts'
import { createDevice, receive } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import { projection } from './support/projection.ts'
import { idOf, referenceFold } from './support/reference-fold.ts'
import { schedules } from './support/schedules.ts'
import { pieces, shuffled, shuffledBySender } from './support/shuffle.ts'
import { exchangeAll, simulate } from './support/simulation.ts'

const runs = { quick: 150, full: 52_000 }

describe('devices that were given the same entries', { timeout: patience }, () => {
  it('show the same, whatever came late, twice or out of order', () => {
    const counts = { entries: 0, deliveries: 0 }
    holds(
      runs,
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const [first, ...others] = world.devices.map(projection)
        for (const other of others) expect(other).toEqual(first)
        const { size } = world.devices[0]!.log
        counts.entries += size
        counts.deliveries += size * others.length
      }),
    )
    report('convergence', counts)
  })

  it('show the same as one that gets the whole log late, mixed, each writer in sequence', () => {
    const counts = { deliveries: 0 }
    holds(
      runs,
      fc.property(schedules(), fc.nat(), fc.integer({ min: 1, max: 40 }), (schedule, seed, most) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const fresh = createDevice([1], 0)
        for (const piece of pieces(shuffledBySender([...world.devices[0]!.log.values()], seed), most, seed))
          receive(fresh, piece)
        expect(projection(fresh)).toEqual(projection(world.devices[0]!))
        counts.deliveries += fresh.log.size
      }),
    )
    report('convergence of a fresh device', counts)
  })

  it('show the same as one that was never sent what was purged', () => {
    holds(
      { quick: 100, full: 10_000 },
      fc.property(schedules(), fc.nat(), (schedule, seed) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const [{ log, rows }] = world.devices as [(typeof world.devices)[number]]
        const isPurged = (entry: Entry): boolean =>
          (entry.type === 'edit' || !isControl(entry.type)) && inRanges(rows.cold.purged, entry.w, entry.s)
        const sent = [...log.values()].filter((entry) => !isPurged(entry))
        const fresh = createDevice([1], 0)
        for (const piece of pieces(shuffledBySender(sent, seed), 8, seed)) receive(fresh, piece)
        expect(differences(fresh).filter((line) => !line.startsWith('vector'))).toEqual([])
        const { head, lines, counts, newer, auto } = projection(fresh) as Record<string, unknown>
        expect({ head, lines, counts, newer, auto }).toEqual(
          (({ head, lines, counts, newer, auto }) => ({ head, lines, counts, newer, auto }))(
            projection(world.devices[0]!) as Record<string, unknown>,
          ),
        )
      }),
    )
  })
})

describe('the fold of a log', { timeout: patience }, () => {
  const logs = schedules().map((schedule) => {
    const world = simulate(schedule)
    exchangeAll(world)
    return [...world.devices[0]!.log.values()]
  })

  it('is the same in whatever order the entries come', () => {
    holds(
      { quick: 150, full: 10_000 },
      fc.property(logs, fc.nat(), (log, seed) => {
        const { lanes, ...cold } = foldEntries(log).cold
        const { lanes: others, ...again } = foldEntries(shuffled([...log, ...log.slice(0, 9)], seed)).cold
        expect(canonicalJson(again as never)).toBe(canonicalJson(cold as never))
        expect(Object.keys(others).sort()).toEqual(Object.keys(lanes).sort())
      }),
    )
  })

  it('is what the rules say, also of a part of the log', () => {
    holds(
      { quick: 150, full: 10_000 },
      fc.property(logs, fc.nat(), fc.nat(100), (log, seed, percent) => {
        const part = shuffled(log, seed).slice(0, Math.ceil((log.length * percent) / 100))
        const fold = foldEntries(part)
        const reference = referenceFold(part)
        expect([fold.head, fold.deleted, fold.cold.newer]).toEqual([reference.head, reference.deleted, reference.newer])
        for (const branch of ['', ...reference.branches, 'nobody.0']) {
          for (const view of ['raw', 'transcript', 'context'] as const) {
            const rows = foldView(fold, branch, view).map((row) => [
              idOf(row),
              row.edit === undefined ? row.data : row.edit.value,
            ])
            expect(rows).toEqual(reference.line(branch, view).map(({ entry, value }) => [idOf(entry), value]))
          }
          const line = lineOf(fold.cold, branch)
          expect(line === undefined).toBe(!reference.resolvable(branch))
          if (line !== undefined) expect(summaryOf(fold.cold, line)).toBe(reference.summary(branch))
        }
      }),
    )
  })

  it('is what every device keeps of it, but for what is local', () => {
    holds(
      { quick: 100, full: 10_000 },
      fc.property(schedules(), (schedule) => {
        for (const device of simulate(schedule).devices) {
          const fold = foldEntries(device.log.values())
          const kept = { ...device.rows.cold, vv: knownVector(device.rows) }
          expect(canonicalJson(shared(kept))).toBe(canonicalJson(shared(fold.cold)))
          expect([device.rows.hot.head, device.rows.hot.deletedAt !== undefined]).toEqual([fold.head, fold.deleted])
        }
      }),
    )
  })
})

/**
 * The version, the numbers of lanes and what spares looking for copies are local, and an edit of a purged row is
 * pending only where that row never was.
 */
function shared({ version: _, lanes: __, importer: ___, hasCopies: ____, pending, ...cold }: ColdRow): JsonObject {
  return { ...cold, ...(Object.keys(cold.purged).length > 0 ? {} : { pending }) } as unknown as JsonObject
}
