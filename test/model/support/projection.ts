import { knownVector } from '../../../src/domain/work.ts'
import type { Device } from './device.ts'
import { readView, valueOf } from './device.ts'
import { idOf } from './reference-fold.ts'

/**
 * What must be the same on every device that was given the same entries. Left out is what is local (lane numbers,
 * versions, packing, floors, what was erased when) and, once something was purged, what only those know who had the
 * rows: pending edits.
 */
export function projection(device: Device): unknown {
  const { hot, cold } = device.rows
  const { branches, heads, cuts, compactions, checkpoints, fields, targets, deletion, newer, purged, pending } = cold
  const { head, clock, createdAt, restartedAt, updatedAt, lineEnd, title, archived, deletedAt, auto } = hot
  const hasPurged = Object.keys(purged).length > 0
  return {
    branches,
    heads,
    cuts,
    compactions,
    checkpoints,
    fields,
    targets,
    deletion,
    newer,
    purged,
    vv: knownVector(device.rows),
    head,
    clock,
    createdAt,
    restartedAt,
    updatedAt,
    lineEnd,
    title,
    archived,
    deletedAt,
    auto,
    counts: [hot.transcript.messages, hot.transcript.tokens, hot.context.messages, hot.context.tokens],
    ...(hasPurged ? {} : { pending }),
    lines: ['', ...Object.keys(branches).sort()].map((branch) => [
      branch,
      ...(['raw', 'transcript', 'context'] as const).map((view) =>
        readView(device, branch, view).map((row) => [idOf(row), valueOf(row)]),
      ),
    ]),
  }
}
