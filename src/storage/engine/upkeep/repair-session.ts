import type { StorageBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Engine } from '../engine.ts'
import type { Pace } from '../work-pace.ts'
import { announceReload } from '../writing/announce-reload.ts'
import { type BlobCheck, checkBlobs, refillBlobs } from './check-blobs.ts'
import { withPending } from './rebuild-session.ts'
import { replaceEdits, replaceRows } from './replace-rows.ts'
import { checkSession, type SessionCheck } from './verify.ts'

/** How often to search for damage again. Each search names a thousand records at most. */
const roundLimit = 1000
/** How often rows are rebuilt because others wrote to the session in the meantime. */
const attemptLimit = 5

/** A check of a session with the blobs that it names. */
export type WholeCheck = SessionCheck & { readonly blobs: BlobCheck }

/**
 * Checks everything of a session.
 *
 * @param sound - results for blobs, which several sessions may name
 */
export async function inspectSession(
  backend: StorageBackend,
  rows: SessionRows,
  sound: Map<string, boolean>,
  pace: Pace,
): Promise<WholeCheck | undefined> {
  const check = await checkSession(backend, rows, pace)
  if (check === undefined) return undefined
  const blobs = await checkBlobs(backend, check.rows.hot, check.named, sound, check.unreadable.length > 0, pace)
  for (const problem of blobs.problems) check.problems.add(problem)
  return { ...check, blobs }
}

/**
 * Moves unreadable records out of the way, and gives rows their last edit. @returns what is left to do, or `undefined`
 * when the session is gone
 */
async function repairEntries(
  { writer }: Engine,
  backend: StorageBackend,
  found: WholeCheck,
  pace: Pace,
): Promise<WholeCheck | undefined> {
  const { hot } = found.rows
  for (const { lane, record } of found.unreadable) {
    await pace.step(0, 0)
    await backend.setAside(hot.session, lane, record)
  }
  if (found.edited.length > 0) {
    await writer.alone(hot.key, async () => {
      const rows = await backend.loadSession(hot.key)
      if (rows !== undefined) await replaceEdits(backend, rows, found.edited, pace)
    })
  }
  const rows = await backend.loadSession(hot.key)
  return rows && inspectSession(backend, rows, new Map(), pace)
}

/** Repairs what can be repaired, in small transactions. @returns how many of the session's problems were solved */
export async function repairSession(
  engine: Engine,
  backend: StorageBackend,
  before: WholeCheck,
  pace: Pace,
): Promise<number> {
  const { writer, list, now, onChange } = engine
  const { key } = before.rows.hot
  await refillBlobs(backend, before.blobs.broken, now)
  let found: WholeCheck | undefined = before
  for (
    let round = 0;
    found !== undefined && found.unreadable.length + found.edited.length > 0 && round < roundLimit;
    round++
  ) {
    const next: WholeCheck | undefined = await repairEntries(engine, backend, found, pace)
    const isStuck = next !== undefined && next.problems.count() >= found.problems.count()
    found = next
    if (isStuck) break
  }
  for (let attempt = 1; found !== undefined; attempt++) {
    const rebuilt = await withPending(backend, found.log, pace)
    const references = found.blobs.changes.map((change) => ({
      ...change,
      at: now(),
      isLost: rebuilt.cold.lost !== undefined,
    }))
    let isStored = false
    await writer.alone(key, async () => void (isStored = await replaceRows(backend, rebuilt, references)))
    if (isStored || attempt === attemptLimit) break
    // Others wrote in the meantime, so that the rebuilt rows lack something.
    const rows = await backend.loadSession(key)
    found = rows && (await inspectSession(backend, rows, new Map(), pace))
  }
  const after = await backend.loadSession(key)
  if (after === undefined) return before.problems.count()
  const change = announceReload(after)
  list.set(change)
  onChange(change)
  const left = await inspectSession(backend, after, new Map(), pace)
  return Math.max(0, before.problems.count() - (left?.problems.count() ?? 0))
}
