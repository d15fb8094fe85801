import type { Entry, EntryRef } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { pathEntries } from '../domain/path-entries.ts'
import { readFold, standingIn } from './read-fold.ts'
import type { ReadLogOptions } from './read-log.ts'

/** Metadata fields that a copy takes from the original session. */
const kept = ['agentId', 'userId', 'memo'] as const

export interface CopyPathOptions extends ReadLogOptions {
  /** The store of the copy. Default: that of the session. */
  readonly target?: Pick<SessionStore, 'merge'>
}

/**
 * Stores the path to an entry of a session under another key, completely or not at all, with the origin in
 * `custom.parentSession`.
 *
 * @throws SessionNotFound; InvalidInput when there is no such entry; Aborted
 */
export async function copyPath(
  store: SessionStore,
  key: string,
  leaf: EntryRef,
  into: string,
  { target = store, ...options }: CopyPathOptions = {},
): Promise<void> {
  const entries = await entriesOfPath(store, key, leaf, options)
  const { refused } = await target.merge(into, entries, { durability: 'strict' })
  if (refused[0] !== undefined)
    throw new SessionError('DataLoss', `Entry ${refused[0].id} was refused: ${refused[0].reason}`)
}

async function entriesOfPath(
  store: SessionStore,
  key: string,
  leaf: EntryRef,
  options: ReadLogOptions,
): Promise<readonly Entry[]> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError('SessionNotFound', `There is no session "${key}" to branch from.`)
  const fold = await readFold(store, key, options)
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
