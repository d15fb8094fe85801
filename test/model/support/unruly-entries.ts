import fc from 'fast-check'
import type { Clock, Entry, TurnRef, VersionVector } from '../../../src/contract/entry.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import { compareClocks, laterClock, tick } from '../../../src/domain/clock.ts'
import { isControl } from '../../../src/domain/control.ts'
import { orderEnd, turnEnd, turnKey } from '../../../src/domain/order.ts'
import type { OpenEntry } from '../../../src/domain/seal.ts'
import { sealEntry } from '../../../src/domain/seal.ts'
import { turnOf } from '../../../src/domain/tail.ts'
import type { PlannedEntry } from '../../../src/domain/writer.ts'
import { assistant, lineEntry, message, tool, user } from './messages.ts'
import { idOf } from './reference-fold.ts'
import { numbersFrom } from './shuffle.ts'

/** One entry to be made: of which type, by whom, and a number from which all else is drawn. */
type Draw = readonly [what: number, who: number, seed: number]

const writers = [10, 11, 12, 13]

/**
 * Logs that keep what is checked of every single entry and no writer's rule beyond it: forks, cuts and checkpoints at
 * any place with any vector, branches that leave each other in circles or were never opened, rows older than the branch
 * they are on, turns continued from other lines, edits of what is no message, purges of what was never written.
 */
export function unrulyLogs(): fc.Arbitrary<readonly Entry[]> {
  return fc
    .array(fc.tuple(fc.nat(0xffff), fc.nat(3), fc.nat(0x7fffffff)), { minLength: 1, maxLength: 40, size: 'max' })
    .map(logOf)
}

function logOf(draws: readonly Draw[]): readonly Entry[] {
  const log: Entry[] = []
  for (const [what, who, seed] of draws)
    log.push(sealEntry(drawEntry({ log, w: writers[who]!, pick: numbersFrom(seed) }, what)))
  return log
}

interface Drawing {
  /** What was written before. */
  readonly log: readonly Entry[]
  readonly w: number
  /** A number below the bound. */
  readonly pick: (bound: number) => number
}

/** How often each type comes, in relation. */
const types = Object.entries({
  message: 8,
  custom: 1,
  branch: 3,
  head: 2,
  cut: 2,
  compaction: 2,
  edit: 2,
  meta: 1,
  checkpoint: 1,
  delete: 1,
  undelete: 1,
  purge: 1,
}).flatMap(([type, weight]) => Array.from({ length: weight }, () => type))

function drawEntry(drawing: Drawing, what: number): OpenEntry {
  const { log, w } = drawing
  const type = types[what % types.length]!
  const branch = anyBranch(drawing)
  const base = { w, s: countOf(log, w), branch, at: 1, clock: nextClock(drawing) }
  return isControl(type)
    ? { ...base, type, data: controlData(drawing, type) }
    : { ...base, ...lineDraft(drawing, type), ...anyTurn(drawing, branch, base.clock) }
}

function one<T>({ pick }: Drawing, list: readonly [T, ...T[]]): T
function one<T>({ pick }: Drawing, list: readonly T[]): T | undefined
function one<T>({ pick }: Drawing, list: readonly T[]): T | undefined {
  return list[pick(list.length)]
}

function countOf(log: readonly Entry[], w: number): number {
  return log.filter((entry) => entry.w === w).length
}

/** Later than the writer's own entries, mostly than all. */
function nextClock({ log, w, pick }: Drawing): Clock {
  const seen = pick(3) === 0 ? log.filter((entry) => entry.w === w) : log
  const last = seen.map(({ clock }) => clock).reduce(laterClock, { hp: 1, hc: 0 })
  return tick(last, pick(3) === 0 ? last.hp + 1 + pick(3) : 0)
}

function lineDraft(drawing: Drawing, type: string): Pick<PlannedEntry, 'type' | 'data'> {
  const { pick } = drawing
  const { data } = lineContent(drawing, type)
  return { type, data: pick(3) === 0 ? { ...data, mid: `id ${pick(4)}` } : data }
}

function lineContent(drawing: Drawing, type: string): Pick<PlannedEntry, 'data'> {
  const { log, pick } = drawing
  if (type !== 'message') return lineEntry(type, `text ${log.length}`)
  const call = `call ${pick(6)}`
  return one(drawing, [
    user(`question ${log.length}`),
    assistant(`answer ${log.length}`, pick(2) === 0 ? [] : [call]),
    tool(call),
  ])
}

/** Goes on with one of the last turns, mostly of the same branch. */
function anyTurn(drawing: Drawing, branch: string, clock: Clock): Pick<OpenEntry, 'turn' | 'run'> {
  const { log, w, pick } = drawing
  const openers = log.filter(
    (entry) =>
      !isControl(entry.type) &&
      entry.turn === undefined &&
      compareClocks(entry.clock, clock) < 0 &&
      (entry.branch === branch || pick(6) === 0),
  )
  const opener = openers.at(-1 - pick(3)) ?? openers.at(-1)
  if (opener === undefined || pick(4) === 0) return {}
  const turn = turnOf(opener)
  if (opener.w === w && pick(3) > 0) return { turn }
  const own = log.findLast((entry) => entry.w === w && entry.run !== undefined && isTurn(entry.turn!, turn))
  return { turn, run: own === undefined || pick(2) === 0 ? clock : own.run! }
}

function isTurn(a: TurnRef, b: TurnRef): boolean {
  return a.w === b.w && a.s === b.s
}

function anyBranch(drawing: Drawing): string {
  const { log, w, pick } = drawing
  const opened = log.filter(({ type }) => type === 'branch').map(idOf)
  const never = pick(20) === 0 ? ['nobody.1', idOf({ w, s: countOf(log, w) + pick(3) })] : []
  return one(drawing, ['', ...opened, ...never])
}

function anyOrder(drawing: Drawing): string {
  const { order } = one(drawing, drawing.log) ?? { order: '' }
  return order === ''
    ? one(drawing, ['', orderEnd])
    : one(drawing, ['', orderEnd, order, order, order, order, turnKey(order), turnEnd(order)])
}

function anyVector({ log, pick }: Drawing): VersionVector {
  const isFull = pick(3) === 0
  const counts = writers.map((w) => [w.toString(36), isFull ? countOf(log, w) : pick(countOf(log, w) + 1)] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

function controlData(drawing: Drawing, type: string): JsonObject {
  const { log, pick } = drawing
  const place = { branch: anyBranch(drawing), order: anyOrder(drawing) }
  switch (type) {
    case 'branch':
      return {
        fork: {
          ...place,
          ...(pick(3) === 0 ? { vv: anyVector(drawing) } : {}),
          ...(pick(3) === 0 ? { cuts: anyOrder(drawing) } : {}),
        },
        head: pick(3) > 0,
      }
    case 'head':
      return { branch: place.branch }
    case 'cut':
      return { order: place.order, vv: anyVector(drawing) }
    case 'compaction':
      return { order: place.order, vv: anyVector(drawing), summary: `summary ${log.length}` }
    case 'edit': {
      const { branch, order } =
        one(
          drawing,
          log.filter((entry) => !isControl(entry.type) || pick(10) === 0),
        ) ?? place
      return {
        branch,
        order,
        value:
          pick(2) === 0
            ? null
            : message({ role: pick(2) === 0 ? 'user' : 'assistant', content: `edit ${log.length}` }).data,
      }
    }
    case 'meta': {
      const many = { branches: [place.branch, 'nobody.1'], checkpoints: ['nobody.2'] }
      const named = pick(3) === 0 ? { checkpoint: 'nobody.2' } : pick(4) === 0 ? many : { branch: place.branch }
      const target = pick(2) === 0 ? {} : { target: named }
      const set =
        'target' in target
          ? { deleted: pick(3) > 0 }
          : { [one(drawing, ['title', 'summary', 'archived'])]: pick(3) === 0 ? null : `value ${log.length}` }
      return { set, ...target }
    }
    case 'checkpoint':
      return { ...place, vv: anyVector(drawing) }
    case 'delete':
      return { vv: anyVector(drawing) }
    case 'purge': {
      const w = one(drawing, writers)!
      const from = pick(countOf(log, w) + 1)
      const summary = pick(2) === 0 ? {} : { summary: place.order }
      return { ranges: { [w.toString(36)]: [[from, from + pick(3)]] }, ...summary }
    }
    default:
      return {}
  }
}
