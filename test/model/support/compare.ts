import type { JsonValue } from '../../../src/contract/json.ts'
import type { StoredEntry, ViewState } from '../../../src/contract/rows.ts'
import { canonicalJson } from '../../../src/domain/canonical-json.ts'
import { lineOf } from '../../../src/domain/line.ts'
import { summaryOf } from '../../../src/domain/summary.ts'
import { estimateTokens } from '../../../src/domain/tokens.ts'
import { knownVector } from '../../../src/domain/work.ts'
import type { Device } from './device.ts'
import { ascending, readTail, readView, valueOf } from './device.ts'
import type { ReferenceFold, ReferenceRow } from './reference-fold.ts'
import { idOf, referenceFold, writerText } from './reference-fold.ts'

const views = ['raw', 'transcript', 'context'] as const

/**
 * Holds everything a device keeps current against the fold of all it was given.
 *
 * @returns what differs, one line each
 */
export function differences(device: Device): string[] {
  const fold = referenceFold(device.log.values())
  const found: string[] = []
  const check = (name: string, kept: unknown, folded: unknown): void => {
    if (!isSame(kept, folded)) found.push(`${name}: kept ${textOf(kept)}, folded ${textOf(folded)}`)
  }
  const { hot, cold } = device.rows
  check('head', hot.head, fold.head)
  check('branches', Object.keys(cold.branches).sort(), [...fold.branches].sort())
  check('checkpoints', Object.keys(cold.checkpoints).sort(), [...fold.checkpoints].sort())
  check(
    'fields',
    Object.fromEntries(Object.entries(cold.fields).map(([name, [, value]]) => [name, value])),
    fold.fields,
  )
  for (const field of ['title', 'archived', 'restartedAt'] as const)
    check(field, hot[field], fold.fields[field] ?? undefined)
  check('deleted', [cold.deletion?.deleted ?? false, hot.deletedAt !== undefined], [fold.deleted, fold.deleted])
  check('newer', cold.newer, fold.newer)
  check('automatic title', hot.auto, fold.auto)
  check('created', hot.createdAt, fold.createdAt)
  check('vector', knownVector(device.rows), vectorOf(device))
  check('entries', hot.entries, device.stored.size + device.controls.size)
  check('clock', hot.clock, latestClock(device))
  for (const branch of ['', ...fold.branches, 'nobody.0']) {
    const line = lineOf(cold, branch)
    for (const view of views) {
      const kept = readView(device, branch, view)
      const folded = fold.line(branch, view)
      if (!areSameRows(kept, folded))
        check(
          `${view} of "${branch}"`,
          kept.map((row) => [idOf(row), valueOf(row)]),
          folded.map(({ entry, value }) => [idOf(entry), value]),
        )
    }
    check(`line "${branch}"`, line !== undefined, fold.resolvable(branch))
    if (line !== undefined) check(`summary of "${branch}"`, summaryOf(cold, line), fold.summary(branch))
  }
  checkHead(device, fold, check)
  return found
}

type Check = (name: string, kept: unknown, folded: unknown) => void

function checkHead(device: Device, fold: ReferenceFold, check: Check): void {
  const { hot } = device.rows
  const raw = fold.line(fold.head, 'raw')
  check('line end', hot.lineEnd, raw.at(-1)?.entry.order ?? '')
  const lane = ascending(device).filter(({ branch }) => branch === hot.head)
  check('last order', hot.lastOrder >= (lane.at(-1)?.order ?? ''), true)
  for (const view of ['transcript', 'context'] as const) {
    const rows = fold.line(fold.head, view)
    const state = hot[view]
    const messages = rows.filter(({ entry }) => entry.type === 'message')
    check(`${view} messages`, state.messages, messages.length)
    check(
      `${view} tokens`,
      state.tokens,
      messages.reduce((sum, { value }) => sum + estimateTokens(value!['message'] as object), 0),
    )
    checkFloor(view, state, rows, check)
  }
  if (hot.tail !== undefined) check('tail', hot.tail, readTail(device, hot.head))
}

function checkFloor(view: string, state: ViewState, rows: readonly ReferenceRow[], check: Check): void {
  const orders = rows.map(({ entry }) => entry.order)
  check(
    `${view} below the floor`,
    state.late,
    orders.filter((order) => order <= state.floor),
  )
}

function areSameRows(kept: readonly StoredEntry[], folded: readonly ReferenceRow[]): boolean {
  return (
    kept.length === folded.length &&
    kept.every(
      (row, i) =>
        row.w === folded[i]!.entry.w && row.s === folded[i]!.entry.s && isSame(valueOf(row), folded[i]!.value),
    )
  )
}

/** Most values are the same object, and writing millions of them out as JSON takes longer than all the rest. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b)
}

function textOf(value: unknown): string {
  return canonicalJson((value ?? null) as JsonValue)
}

function vectorOf(device: Device): Record<string, number> {
  const vector: Record<string, number> = {}
  for (const { w, s } of device.log.values()) vector[writerText(w)] = Math.max(vector[writerText(w)] ?? 0, s + 1)
  return vector
}

function latestClock(device: Device): unknown {
  return [...device.log.values()]
    .map(({ clock }) => clock)
    .reduce((a, b) => (a.hp > b.hp || (a.hp === b.hp && a.hc > b.hc) ? a : b), { hp: 0, hc: 0 })
}
