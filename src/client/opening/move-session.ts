import type { Entry, VersionVector } from '../../contract/entry.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { entryId } from '../../domain/address.ts'
import { pushAll } from '../../domain/push-all.ts'
import { replyMessage } from '../../domain/reply-message.ts'
import { covers, includesVector } from '../../domain/version-vector.ts'

/** Sessions that an earlier run kept in Web Storage. */
export interface LeftSessions {
  readonly store: SessionStore
  /** Keys of all sessions, including those that can't be read. */
  keys(): readonly string[]
  /** A session as it is stored; `null` if it does not exist. */
  text(key: string): string | null
  /** Removes a session, if it is still stored as this text. */
  remove(key: string, text: string): void
}

/** The whole content of a session. */
interface Log {
  readonly entries: readonly Entry[]
  readonly vv: VersionVector
}

/**
 * Moves a session into another store with unchanged entries, so that repeating it changes nothing. All entries are
 * stored in one transaction that survives power loss, read back and compared; only then is the session removed from its
 * old place. Replies that were being streamed become entries first. Its aliases lead to the new place, unless another
 * session owns them by then. A deleted session of that key begins anew with what is moved.
 *
 * @throws what the stores reject with; DataLoss when a part of it can't be read, or is missing afterwards;
 *   AliasConflict. Then the session stays where it is, complete, and the target has either all of it or nothing
 */
export async function moveSession(from: LeftSessions, target: SessionStore, key: string): Promise<void> {
  const { store } = from
  const owner = await target.resolveSessionKey(key)
  if (owner !== key) throw new SessionError('AliasConflict', `Its key is an alias of session "${owner}".`)
  for (const { id, role, parts, resumes } of await store.listDrafts(key)) {
    if (parts.length === 0) await store.dropDraft(key, id)
    else await store.sealDraft(key, id, resumes === undefined ? replyMessage(role, parts, 'interrupted') : undefined)
  }
  const stored = from.text(key)
  const { problems } = await store.verify(key)
  if (problems[0] !== undefined)
    throw new SessionError('DataLoss', `A part of it can't be read: ${problems[0].message}`)
  const log = await readLog(store, key)
  await restart(target, key, log, await store.getMeta(key))
  const { refused } = await target.merge(key, log.entries, { durability: 'strict' })
  if (refused[0] !== undefined)
    throw new SessionError('DataLoss', `Entry ${refused[0].id} was refused: ${refused[0].reason}`)
  const there = await readLog(target, key)
  compare(log, there)
  await restoreFields(from, target, key, log, there)
  if (stored !== null) from.remove(key, stored)
}

/**
 * Begins a deleted session anew before a conversation that goes on under its key joins it: as a part of the deleted one,
 * it would be hidden. The cut hides only what the target knows by now. A deletion after an earlier attempt stays.
 */
async function restart(
  target: SessionStore,
  key: string,
  { entries, vv }: Log,
  held: SessionMeta | undefined,
): Promise<void> {
  const meta = await target.getMeta(key)
  if (held === undefined || held.deletedAt !== undefined || meta === undefined) return
  // An attempt may have ended when it had begun anew.
  const isDeleted = meta.deletedAt !== undefined
  if (!isDeleted && !isBegunFor(held, meta)) return
  const there = (await target.changes(key, vv)).vv
  if (includesVector(there, vv)) return
  // It is this conversation that was deleted, after an attempt that had left it here too: the cut would hide that part.
  if (entries.some(({ w, s }) => covers(there, w, s))) return isDeleted ? target.undelete(key) : undefined
  if (isDeleted) await target.ensureSessionMetadata(key)
  // A branch shows what was there when it was opened, in spite of later cuts.
  if (entries.some(({ type }) => type === 'branch')) await target.reclaim(key)
}

/** Whether a session began anew after all that is moved. */
const isBegunFor = (held: SessionMeta, { createdAt }: SessionMeta): boolean => createdAt >= held.updatedAt

/**
 * Beginning anew unset the fields and made the main line current, later than all that is moved. What it unset is set
 * again, also by the attempt after one that ended in between, and so is the line, unless somebody chose one since.
 */
async function restoreFields(
  { store }: LeftSessions,
  target: SessionStore,
  key: string,
  log: Log,
  there: Log,
): Promise<void> {
  const [held, meta] = [await store.getMeta(key), await target.getMeta(key)]
  if (held === undefined || meta === undefined || held.deletedAt !== undefined || meta.deletedAt !== undefined) return
  if (!isBegunFor(held, meta)) return
  const set = fieldsOf(there)
  for (const [field, value] of Object.entries(fieldsOf(log))) {
    if (value === null || (set[field] ?? null) !== null) continue
    // A field of another release can't be set, and nobody needs it here.
    await target.updateMeta(key, { [field]: value }, { durability: 'strict' }).catch((error: unknown) => {
      if (!isSessionError(error, 'InvalidInput')) throw error
    })
  }
  if (meta.head === '' && held.head !== '') await target.switchBranch(key, held.head, { durability: 'strict' })
}

function fieldsOf({ entries }: Log): JsonObject {
  const fields: Record<string, JsonValue> = {}
  const sets = entries.filter(({ type, data }) => type === 'meta' && data['target'] === undefined)
  for (const { data } of sets.toSorted((a, b) => (a.order < b.order ? -1 : 1))) Object.assign(fields, data['set'])
  return fields
}

async function readLog(store: SessionStore, key: string): Promise<Log> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, {}, cursor)
    pushAll(entries, page.entries)
    cursor = page.next
    if (cursor === undefined) return { entries, vv: page.vv }
  }
}

/** Entries that the target reclaimed after an earlier attempt are gone there, but its vector still covers them. */
function compare(source: Log, target: Log): void {
  const there = new Map(target.entries.map((entry) => [entryId(entry.w, entry.s), entry.crc]))
  for (const { w, s, crc } of source.entries) {
    const id = entryId(w, s)
    if ((there.get(id) ?? crc) !== crc) throw new SessionError('DataLoss', `The target store has another entry ${id}.`)
  }
  if (!includesVector(target.vv, source.vv))
    throw new SessionError('DataLoss', 'Some of its entries were missing after they were stored.')
}
