import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOf } from '../../src/domain/line.ts'
import type { Device } from './support/device.ts'
import { readView } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import type { PageQuery } from './support/pages.ts'
import { readPage } from './support/pages.ts'
import { idOf } from './support/reference-fold.ts'
import { schedules } from './support/schedules.ts'
import { play, simulate } from './support/simulation.ts'

const views = ['transcript', 'context'] as const
type Reader = Pick<PageQuery, 'branch' | 'view' | 'limit'>

/** Reads a line page by page; `between` may change it after each page. */
function readAll(
  device: Device,
  reader: Reader,
  direction: 'before' | 'after',
  between: () => void = () => undefined,
): { readonly ids: string[]; readonly orders: string[]; readonly pages: number } {
  const ids: string[] = []
  const orders: string[] = []
  let pages = 0
  for (let cursor = direction === 'before' ? '~' : ' '; ; pages++) {
    const page = readPage(device, { ...reader, [direction]: cursor })
    if (page.length === 0) return { ids, orders, pages }
    if (direction === 'before') {
      ids.unshift(...page.map(idOf))
      orders.unshift(...page.map(({ order }) => order))
      cursor = page[0]!.order
    } else {
      ids.push(...page.map(idOf))
      orders.push(...page.map(({ order }) => order))
      cursor = page.at(-1)!.order
    }
    between()
  }
}

function linesOf(device: Device): string[] {
  return ['', ...Object.keys(device.rows.cold.branches)].filter(
    (branch) => lineOf(device.rows.cold, branch) !== undefined,
  )
}

describe('the pages of a line', { timeout: patience }, () => {
  it('concatenate to the whole view, in both directions', () => {
    const counts = { lines: 0, pages: 0 }
    holds(
      { quick: 150, full: 10_000 },
      fc.property(schedules(), fc.integer({ min: 1, max: 7 }), (schedule, limit) => {
        const world = simulate(schedule)
        for (const device of world.devices) {
          for (const branch of linesOf(device)) {
            for (const view of views) {
              const whole = readView(device, branch, view).map(idOf)
              for (const direction of ['before', 'after'] as const) {
                const { ids, pages } = readAll(device, { branch, view, limit }, direction)
                expect(ids).toEqual(whole)
                counts.pages += pages
              }
              counts.lines += 1
            }
          }
        }
      }),
    )
    report('pages', counts)
  })

  it('repeat nothing, ascend, and miss nothing that stayed visible while the log changed between them', () => {
    const counts = { pages: 0, arrivals: 0 }
    holds(
      { quick: 200, full: 40_000 },
      fc.property(
        schedules(120),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(99),
        fc.nat(99),
        fc.constantFrom(...views),
        fc.constantFrom('before' as const, 'after' as const),
        (schedule, limit, line, who, view, direction) => {
          const half = Math.ceil(schedule.steps.length / 2)
          const world = simulate({ ...schedule, steps: schedule.steps.slice(0, half) })
          const rest = schedule.steps.slice(half)
          const device = world.devices[who % world.devices.length]!
          // Mostly the head line, whose floor is kept current.
          const lines = [...linesOf(device), device.rows.hot.head, device.rows.hot.head]
          const branch = lines[line % lines.length]!
          const visible = (): string[] => readView(device, branch, view).map(idOf)
          let stayed = visible()
          const before = device.log.size
          const { ids, orders, pages } = readAll(device, { branch, view, limit }, direction, () => {
            play(world, rest.splice(0, 1 + (who % 5)))
            const now = new Set(visible())
            stayed = stayed.filter((id) => now.has(id))
          })
          expect(new Set(ids).size).toBe(ids.length)
          expect(orders).toEqual([...orders].sort())
          for (const id of stayed) expect(ids).toContain(id)
          counts.pages += pages
          counts.arrivals += device.log.size - before
        },
      ),
    )
    report('pages of a changing line', counts)
  })
})
