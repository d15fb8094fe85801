import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import type { StoredEntry } from '../../src/contract/rows.ts'
import { isControl } from '../../src/domain/control.ts'
import { turnKey } from '../../src/domain/order.ts'
import { callIds, resultIds } from '../../src/domain/tool-calls.ts'
import type { Device } from './support/device.ts'
import { createDevice, readTail, readView, receive } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import { assistant, tool, user } from './support/messages.ts'
import { append } from './support/operations.ts'
import { idOf } from './support/reference-fold.ts'
import { schedules } from './support/schedules.ts'
import type { Observer } from './support/simulation.ts'
import { exchangeAll, missing, simulate } from './support/simulation.ts'

describe('what a tab writes', { timeout: patience }, () => {
  it('sorts after everything its device had seen when it opens a turn or is a control entry', () => {
    const counts = { entries: 0 }
    holds(
      { quick: 200, full: 40_000 },
      fc.property(schedules(), (schedule) => {
        const latest = new Map<Device, string>()
        const sizes = new Map<Device, number>()
        simulate(schedule, {
          settled: (device) => {
            for (const entry of [...device.log.values()].slice(sizes.get(device) ?? 0)) {
              const isOwn = device.tabs.some(({ w }) => w === entry.w)
              if (isOwn && entry.turn === undefined) {
                counts.entries += 1
                expect(entry.order > (latest.get(device) ?? '')).toBe(true)
              }
              if (entry.order > (latest.get(device) ?? '')) latest.set(device, entry.order)
            }
            sizes.set(device, device.log.size)
          },
        })
      }),
    )
    report('sorts last', counts)
  })

  it('is visible at once on its own line, but for the result of a hidden call', () => {
    const counts = { appends: 0 }
    const observer: Observer = {
      appended: ({ actor: { device }, entries }) => {
        for (const entry of entries) {
          counts.appends += 1
          for (const view of ['transcript', 'context'] as const) {
            const visible = new Set(readView(device, entry.branch, view).map(idOf))
            if (visible.has(idOf(entry))) continue
            // The call may be purged by now, so it is looked up in the log.
            const call = [...device.log.values()].find(
              (row) => answers(entry, row) && turnKey(row.order) === turnKey(entry.order),
            )
            expect(
              call !== undefined && !visible.has(idOf(call)),
              `${idOf(entry)} is not in the ${view} of its line`,
            ).toBe(true)
          }
        }
      },
    }
    holds(
      { quick: 200, full: 40_000 },
      fc.property(schedules(), (schedule) => void simulate(schedule, observer)),
    )
    report('visible at once', counts)
  })

  it('stands together with the rest of its turn on every line', () => {
    const counts = { turns: 0, lines: 0 }
    holds(
      { quick: 200, full: 36_000 },
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const [device] = world.devices as [Device]
        for (const branch of ['', ...Object.keys(device.rows.cold.branches)]) {
          const turns = readView(device, branch, 'raw').map(({ order }) => turnKey(order))
          const starts = turns.filter((turn, i) => turn !== turns[i - 1])
          expect(new Set(starts).size).toBe(starts.length)
          counts.turns += starts.length
          counts.lines += 1
        }
      }),
    )
    report('turns contiguous', counts)
  })
})

/** What an agent does in a turn: how many calls in each round, and in which order they are answered. */
const rounds = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 3 })

/** Whose step it is, by number, and whether the others hear of it at once. */
const timetable = fc.array(fc.tuple(fc.nat(9), fc.boolean()), { minLength: 4, maxLength: 40, size: 'max' })

/** An agent that runs one turn step by step. */
interface Agent {
  readonly device: Device
  readonly steps: (() => void)[]
}

function agent(
  device: Device,
  w: number,
  plan: readonly (readonly number[])[],
  name: string,
  question: boolean,
): Agent {
  const actor = { device, tab: { w }, now: 1_700_000_000_000 }
  const steps: (() => void)[] = question
    ? [() => append(actor, [user(`question of ${name}`)])]
    : [() => append(actor, (readTail(device, '')?.open ?? []).map(tool))]
  plan.forEach((answers, round) => {
    const calls = answers.map((_, n) => `call ${name} ${round} ${n}`)
    steps.push(() => append(actor, [assistant(`answer of ${name}`, calls)]))
    const later = [...calls].sort((a, b) => answers[calls.indexOf(a)]! - answers[calls.indexOf(b)]!)
    for (const call of later) steps.push(() => append(actor, [tool(call)]))
  })
  return { device, steps }
}

/** Lets agents take steps by a timetable, and all that is left at the end. */
function play(agents: readonly Agent[], turns: readonly (readonly [number, boolean])[]): StoredEntry[] {
  const devices = [...new Set(agents.map(({ device }) => device))]
  const spread = (): void => {
    for (const from of devices) for (const to of devices) if (from !== to) receive(to, missing(from, to))
  }
  for (const [who, isHeard] of turns) {
    agents[who % agents.length]!.steps.shift()?.()
    if (isHeard) spread()
  }
  for (const { steps } of agents) for (const step of steps) step()
  spread()
  return readView(devices[0]!, '', 'transcript')
}

describe('a call and its results', { timeout: patience }, () => {
  it('stay together while each turn has one writer', () => {
    const counts = { pairs: 0 }
    holds(
      { quick: 150, full: 5_000 },
      fc.property(
        fc.array(rounds, { minLength: 1, maxLength: 4 }),
        timetable,
        fc.integer({ min: -86_400_000, max: 86_400_000 }),
        (plans, turns, skew) => {
          const devices = [createDevice([], 0), createDevice([], skew)]
          counts.pairs += pairsTogether(
            play(
              plans.map((plan, i) => agent(devices[i % 2]!, 10 + i, plan, String(i), true)),
              turns,
            ),
          )
        },
      ),
    )
    report('one writer', counts)
  })

  it('stay together when two writers fight over one turn', () => {
    const counts = { pairs: 0 }
    holds(
      { quick: 150, full: 10_000 },
      fc.property(rounds, rounds, rounds, timetable, fc.boolean(), (first, second, third, turns, isOneDevice) => {
        const device = createDevice([], 0)
        const other = isOneDevice ? device : createDevice([], -3_600_000)
        const opener = agent(device, 7, first, 'a', true)
        opener.steps.splice(0, 1)[0]!()
        if (!isOneDevice) receive(other, missing(device, other))
        const rivals = [agent(other, 8, second, 'b', false), agent(other, 9, third, 'c', false)]
        counts.pairs += pairsTogether(play([opener, ...rivals], turns), true)
      }),
    )
    report('two writers', counts)
  })

  it('stay together when one writer after the other dies and the next takes over', () => {
    const counts = { pairs: 0 }
    holds(
      { quick: 150, full: 10_000 },
      fc.property(fc.array(fc.tuple(rounds, fc.nat(8)), { minLength: 2, maxLength: 4 }), (lives) => {
        const device = createDevice([], 0)
        lives.forEach(([plan, steps], i) => {
          for (const step of agent(device, 20 + i, plan, String(i), i === 0).steps.slice(0, 1 + steps)) step()
        })
        counts.pairs += pairsTogether(readView(device, '', 'transcript'))
      }),
    )
    report('taken over', counts)
  })
})

function answers(entry: Entry, row: Entry): boolean {
  const calls = row.type === 'message' && !isControl(row.type) ? callIds(row.data['message']) : []
  return entry.type === 'message' && resultIds(entry.data['message']).some((id) => calls.includes(id))
}

/**
 * Expects nothing but other results of the same message between a call and its first result; returns how many pairs
 * there were.
 */
function pairsTogether(rows: readonly StoredEntry[], sameWriterOnly = false): number {
  let pairs = 0
  rows.forEach((call, i) => {
    for (const id of callIds(call.data['message'])) {
      const result = rows.findIndex(
        (row) => resultIds(row.data['message']).includes(id) && (!sameWriterOnly || row.w === call.w),
      )
      if (result < 0) continue
      pairs += 1
      expect(result).toBeGreaterThan(i)
      for (const between of rows.slice(i + 1, result))
        expect(answers(between, call), `${idOf(between)} splits ${id}`).toBe(true)
    }
  })
  return pairs
}
