import type { StoredEntry } from '../contract/rows.ts'
import type { LaneEntries, SessionWrite } from '../contract/write-batch.ts'
import { pushAll } from '../domain/push-all.ts'
import { plannedVersion } from '../storage/planned-version.ts'

/**
 * Splits writes of one session, each planned on the one before, into as few runs as possible that can be joined: one
 * record and one version for many appends. A write that also changes what was stored before it can only be the last one
 * of a run.
 */
export function splitIntoRuns<T extends { readonly write: SessionWrite }>(writes: readonly T[]): (readonly T[])[] {
  const runs: T[][] = []
  let isEnded = true
  for (const one of writes) {
    if (isEnded) runs.push([])
    runs.at(-1)!.push(one)
    isEnded = !onlyAppends(one.write)
  }
  return runs
}

function onlyAppends({ insert, edits, erase, pack }: SessionWrite): boolean {
  return insert.length + edits.length + erase.length === 0 && pack === undefined
}

/** Joins a run of writes into one. */
export function joinRun(run: readonly SessionWrite[]): SessionWrite {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) throw new RangeError('There is no write to join.')
  if (run.length === 1) return first
  const cold = run.findLast((write) => write.cold !== undefined)?.cold
  const pruned = run.findLast((write) => write.pruneOperations !== undefined)?.pruneOperations
  return {
    ...last,
    since: plannedVersion(first),
    append: joinLanes(run.map(({ append }) => append)),
    operations: run.flatMap(({ operations }) => operations),
    operationIds: run.flatMap(({ operationIds = [] }) => operationIds),
    ...(cold === undefined ? {} : { cold }),
    ...(pruned === undefined ? {} : { pruneOperations: pruned }),
  }
}

function joinLanes(appends: readonly (readonly LaneEntries[])[]): readonly LaneEntries[] {
  const lanes = new Map<number, StoredEntry[]>()
  for (const { lane, entries } of appends.flat()) {
    const known = lanes.get(lane)
    if (known === undefined) lanes.set(lane, [...entries])
    else pushAll(known, entries)
  }
  return [...lanes].map(([lane, entries]) => ({ lane, entries }))
}
