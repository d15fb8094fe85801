import type { Entry, EntryRef } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { pathEntries } from '../../domain/path-entries.ts'
import { readFold, standingIn } from './read-fold.ts'

/** Metadata fields that a copy takes from the original session. */
const kept = ['agentId', 'userId', 'memo'] as const

/**
 * The entries of a new session: the path to an entry of this session, and the origin in `custom.parentSession`.
 *
 * @throws SessionNotFound; InvalidInput when there is no such entry
 */
export async function branchSession(store: SessionStore, key: string, leaf: EntryRef): Promise<readonly Entry[]> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError('SessionNotFound', `There is no session "${key}" to branch from.`)
  const fold = await readFold(store, key)
  const at = standingIn(fold, leaf)
  if (at === undefined)
    throw new SessionError(
      'InvalidInput',
      `Session "${key}" has no entry ${JSON.stringify(leaf)}. Pass an entry that read() returned, or the host's id of its message as "mid".`,
    )
  const fields = Object.fromEntries(kept.flatMap((field) => (meta[field] === undefined ? [] : [[field, meta[field]]])))
  const title = meta.titleSource === 'user' ? { title: meta.title } : {}
  const set: JsonObject = { ...fields, ...title, custom: { ...meta.custom, parentSession: key } }
  return pathEntries(fold, at, `path ${key} ${at.branch} ${at.order}`, set)
}
