import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, VersionVector } from '../../src/contract/entry.ts'
import type { StoredEntry } from '../../src/contract/rows.ts'
import type { View } from '../../src/contract/store/session-log.ts'
import { isControl } from '../../src/domain/control.ts'
import { importedMid } from '../../src/domain/imported-mid.ts'
import { resolveChain } from '../../src/domain/line.ts'
import { covers, includesVector, inRanges } from '../../src/domain/version-vector.ts'
import { knownVector } from '../../src/domain/work.ts'
import type { Device } from './support/device.ts'
import { readView, valueOf } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import { restore, switchTo } from './support/operations.ts'
import { idOf, type ReferenceFold, referenceFold } from './support/reference-fold.ts'
import { schedules } from './support/schedules.ts'
import { exchangeAll, simulate } from './support/simulation.ts'

const views = ['raw', 'transcript', 'context'] as const

/** What every view of some lines shows. */
function shown(device: Device, branches: readonly string[]): unknown {
  return branches.map((branch) => [
    branch,
    ...views.map((view) => readView(device, branch, view).map((row) => [idOf(row), valueOf(row)])),
  ])
}

function branchesOf(device: Device): string[] {
  return ['', ...Object.keys(device.rows.cold.branches)]
}

describe('a truncated line', { timeout: patience }, () => {
  it('leaves every other line as it was', () => {
    const counts = { truncates: 0, lines: 0 }
    holds(
      { quick: 200, full: 20_000 },
      fc.property(schedules(), (schedule) => {
        simulate(schedule, {
          truncating: ({ device }, branch, _, truncate) => {
            const others = branchesOf(device).filter((other) => other !== branch)
            const before = shown(device, others)
            truncate()
            expect(shown(device, others)).toEqual(before)
            counts.truncates += 1
            counts.lines += others.length
          },
        })
      }),
    )
    report('truncate', counts)
  })

  it('keeps just the last messages of its context, and every entry after them', () => {
    holds(
      { quick: 200, full: 20_000 },
      fc.property(schedules(), (schedule) => {
        simulate(schedule, {
          truncating: ({ device }, branch, keepLast, truncate) => {
            const read = (): StoredEntry[] => readView(device, branch, 'context')
            const count = (rows: readonly StoredEntry[]): number => rows.filter(({ type }) => type === 'message').length
            const before = read()
            truncate()
            const after = read()
            expect(after.map(idOf)).toEqual(before.slice(before.length - after.length).map(idOf))
            expect(count(after)).toBe(Math.min(keepLast, count(before)))
          },
        })
      }),
    )
  })
})

/** The ids that a transcript and a context show. */
type Seen = readonly (readonly string[])[]

function seen(device: Device, branch: string): Seen {
  return (['transcript', 'context'] as const).map((view) => readView(device, branch, view).map(idOf))
}

describe('a restored checkpoint', { timeout: patience }, () => {
  /** Holds what a restored line shows against what the checkpoint saw. Restoring undoes neither edits nor purges. */
  function expectSame(device: Device, branch: string, saw: Seen): void {
    const edited = new Set(
      [...device.controls.values()]
        .filter(({ type }) => type === 'edit')
        .map(({ data }) => `${data['branch']} ${data['order']}`),
    )
    const isTouched = ({ w, s, branch: lane, order }: Entry): boolean =>
      edited.has(`${lane} ${order}`) || inRanges(device.rows.cold.purged, w, s)
    // What is done to one copy of an imported message is done to it: an edit counts for all copies, and for one that
    // was purged another stands.
    const touchedMids = new Set([...device.log.values()].filter(isTouched).flatMap((entry) => importedMid(entry) ?? []))
    const isAsItWas = (id: string): boolean => {
      const entry = device.log.get(id)!
      return !isTouched(entry) && !touchedMids.has(importedMid(entry) ?? '')
    }
    const untouched = (views: Seen): Seen => views.map((ids) => ids.filter(isAsItWas))
    const [now, then] = [untouched(seen(device, branch)), untouched(saw)]
    // What a compaction hid is there again, where one who did not know of the checkpoint cleared the line and purged it.
    const isSummarised = [...device.log.values()].some((entry) => entry.type === 'compaction' && isTouched(entry))
    expect(now.map((ids, i) => (i === 1 && isSummarised ? ids.filter((id) => then[i]!.includes(id)) : ids))).toEqual(
      then,
    )
  }

  it('shows exactly what it saw, whatever was appended, cut or merged since', () => {
    const counts = { restores: 0 }
    holds(
      { quick: 200, full: 20_000 },
      fc.property(schedules(), (schedule) => {
        const saved = new Map<string, Seen>()
        const check = (device: Device, checkpoint: string, branch: string): void => {
          const { vv } = device.rows.cold.checkpoints[checkpoint]!
          if (!includesVector(knownVector(device.rows), vv)) return
          counts.restores += 1
          expectSame(device, branch, saved.get(checkpoint)!)
        }
        const world = simulate(schedule, {
          checkpointed: ({ device }, checkpoint) => void saved.set(checkpoint, seen(device, device.rows.hot.head)),
          restored: ({ device }, checkpoint, branch) => check(device, checkpoint, branch),
        })
        exchangeAll(world)
        for (const device of world.devices) {
          for (const checkpoint of saved.keys())
            check(device, checkpoint, restore({ device, tab: device.tabs[0]!, now: world.now }, checkpoint))
        }
      }),
    )
    report('restore', counts)
  })

  it('shows the same on a device that had no part in it', () => {
    holds(
      { quick: 100, full: 5_000 },
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const [first, second] = world.devices as [Device, Device]
        for (const checkpoint of Object.keys(first.rows.cold.checkpoints)) {
          const [here, there] = [first, second].map((device) =>
            seen(device, restore({ device, tab: device.tabs[0]!, now: world.now }, checkpoint)),
          )
          expect(there).toEqual(here)
        }
      }),
    )
  })
})

describe('lines', { timeout: patience }, () => {
  it('all stay as they are when the head moves from one to the other', () => {
    holds(
      { quick: 100, full: 10_000 },
      fc.property(schedules(), fc.array(fc.nat(99), { minLength: 1, maxLength: 6 }), (schedule, moves) => {
        const world = simulate(schedule)
        const [device] = world.devices as [Device]
        const branches = branchesOf(device).filter((branch) => resolveChain(device.rows.cold, branch) !== undefined)
        const before = shown(device, branches)
        for (const move of moves)
          switchTo({ device, tab: device.tabs[0]!, now: world.now }, branches[move % branches.length]!)
        expect(shown(device, branches)).toEqual(before)
      }),
    )
  })

  it('are ascending, in segments that do not overlap', () => {
    holds(
      { quick: 100, full: 10_000 },
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule)
        const [device] = world.devices as [Device]
        for (const branch of branchesOf(device)) {
          const chain = resolveChain(device.rows.cold, branch) ?? []
          const positions = readView(device, branch, 'raw').map((row) => chain.indexOf(row.branch))
          expect(positions).toEqual([...positions].sort((a, b) => a - b))
        }
      }),
    )
  })
})

/** The ids of the last edits of some rows, now and at every checkpoint. */
function lastEdits(
  { log, stored }: Device,
  { checkpoints }: ReferenceFold,
  isMeant: (row: Entry) => boolean,
): ReadonlySet<string> {
  const edits = [...log.values()].filter(({ type }) => type === 'edit').sort((a, b) => (a.order < b.order ? -1 : 1))
  const vectors = checkpoints.map((id) => log.get(id)!.data['vv'] as VersionVector)
  return new Set(
    [undefined, ...vectors].flatMap((vv) => {
      const known = edits.filter(({ w, s }) => vv === undefined || covers(vv, w, s))
      const last = new Map(known.map((edit) => [targetOf(edit), idOf(edit)]))
      return [...stored].flatMap(([place, row]) => (isMeant(row) ? (last.get(place) ?? []) : []))
    }),
  )
}

function targetOf({ data: { branch, order } }: Entry): string {
  return `${branch} ${order}`
}

describe('a purge', { timeout: patience }, () => {
  it('takes nothing that a line or checkpoint of its device shows', () => {
    const counts = { purges: 0, edits: 0 }
    holds(
      { quick: 200, full: 20_000 },
      fc.property(schedules(), (schedule) => {
        const visible = new Map<Device, Set<string>>()
        const purges = new Map<Device, number>()
        simulate(schedule, {
          settled: (device) => {
            const fold = referenceFold(device.log.values())
            const own = [...device.log.values()].filter(
              ({ type, w }) => type === 'purge' && device.tabs.some((tab) => tab.w === w),
            )
            if (own.length > (purges.get(device) ?? 0)) {
              counts.purges += 1
              const ranges = own.at(-1)!.data['ranges'] as never
              for (const id of visible.get(device) ?? [])
                expect(inRanges(ranges, device.log.get(id)!.w, device.log.get(id)!.s)).toBe(false)
              const useful = lastEdits(device, fold, () => true)
              for (const entry of device.controls.values()) {
                if (entry.type !== 'edit' || !device.stored.has(targetOf(entry))) continue
                counts.edits += 1
                expect(useful).toContain(idOf(entry))
              }
            }
            purges.set(device, own.length)
            const ids = new Set<string>()
            for (const branch of ['', ...fold.branches]) {
              if (device.rows.cold.targets[`branch:${branch}`]?.['deleted']?.[1] === true) continue
              for (const { entry } of fold.line(branch, 'transcript')) ids.add(idOf(entry))
            }
            for (const checkpoint of fold.checkpoints) {
              for (const { entry, value } of fold.checkpointLine(checkpoint, 'transcript'))
                if (value !== null && !isControl(entry.type)) ids.add(idOf(entry))
            }
            for (const row of device.stored.values())
              if (
                resolveChain(device.rows.cold, row.branch) === undefined &&
                !inRanges(device.rows.cold.purged, row.w, row.s)
              )
                ids.add(idOf(row))
            for (const id of lastEdits(device, fold, (row) => ids.has(idOf(row)))) ids.add(id)
            visible.set(device, ids)
          },
        })
      }),
    )
    report('purge', counts)
  })
})

describe('a new branch', { timeout: patience }, () => {
  // Imported entries of which the fork leaves a copy behind are not compared: on a line, an edit of one copy counts for
  // all, and a cut that had not seen one leaves all. test/storage/engine/copies.test.ts has what is still to be mended.
  it('shows what the line that it continues shows up to its fork', () => {
    const counts = { branches: 0, entries: 0 }
    holds(
      { quick: 200, full: 20_000 },
      fc.property(schedules(), (schedule) => {
        simulate(schedule, {
          forking: ({ device }, line, at, open) => {
            const left = copiedBehind(device, line, at)
            const before = ['raw', 'transcript'].map((view) => readUpTo(device, line, view as View, at, left))
            const branch = open()
            expect(['raw', 'transcript'].map((view) => readUpTo(device, branch, view as View, at, left))).toEqual(
              before,
            )
            counts.branches += 1
            counts.entries += before[1]!.length
          },
        })
      }),
    )
    report('branch', counts)
  })
})

/** The ids of imported entries that have a copy behind a fork. */
function copiedBehind(device: Device, line: string, at: StoredEntry | undefined): ReadonlySet<string | undefined> {
  return new Set(
    readView(device, line, 'raw')
      .filter((row) => at !== undefined && row.order > at.order)
      .map(importedMid)
      .filter((mid) => mid !== undefined),
  )
}

function readUpTo(
  device: Device,
  branch: string,
  view: View,
  at: StoredEntry | undefined,
  left: ReadonlySet<string | undefined>,
): readonly unknown[] {
  return readView(device, branch, view)
    .filter((row) => at !== undefined && row.order <= at.order && !left.has(importedMid(row)))
    .map((row) => [idOf(row), valueOf(row)])
}
