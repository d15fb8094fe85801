import type { EntryRef } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { pathEntriesInSteps } from '../domain/path-entries.ts'
import { createBreather, inBreaths } from '../pacing/breather.ts'
import { readFold, standingIn } from './read-fold.ts'
import type { ReadLogOptions } from './read-log.ts'

/** Metadata fields that a copy takes from the original session. */
const kept = ['agentId', 'userId', 'memo'] as const
/** Entries that are stored at once. A worker that stores many more at once does not answer in time. */
const batchSize = 2048

export interface CopyPathOptions extends ReadLogOptions {
  /** The store of the copy. Default: that of the session. */
  readonly target?: Pick<SessionStore, 'getMeta' | 'merge' | 'purge'>
}

/**
 * Stores the path to an entry of a session under another key, with the origin in `custom.parentSession`. If it fails,
 * nothing is stored.
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
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError('SessionNotFound', `There is no session "${key}" to branch from.`)
  const breathe = createBreather()
  const fold = await readFold(store, key, { ...options, breathe })
  const at = standingIn(fold, leaf)
  if (at === undefined)
    throw new SessionError(
      'InvalidInput',
      `Session "${key}" has no entry ${JSON.stringify(leaf)}. Pass an entry that read() returned, or the host's id of its message as "mid".`,
    )
  const fields = Object.fromEntries(kept.flatMap((field) => (meta[field] === undefined ? [] : [[field, meta[field]]])))
  const title = meta.titleSource === 'user' ? { title: meta.title } : {}
  const set: JsonObject = { ...fields, ...title, custom: { ...meta.custom, parentSession: key } }
  const steps = pathEntriesInSteps(fold, at, `path ${key} ${at.branch} ${at.order}`, set)
  const entries = await inBreaths(steps, breathe)
  const isNew = (await target.getMeta(into)) === undefined
  try {
    for (let from = 0; from < entries.length; from += batchSize) {
      if (options.signal?.aborted) throw new SessionError('Aborted', `Copying session "${key}" was cancelled.`)
      const batch = entries.slice(from, from + batchSize)
      // The last one makes the others durable, too.
      const durability = from + batchSize < entries.length ? 'relaxed' : 'strict'
      const { refused } = await target.merge(into, batch, { durability })
      if (refused[0] !== undefined)
        throw new SessionError('DataLoss', `Entry ${refused[0].id} was refused: ${refused[0].reason}`)
    }
  } catch (error) {
    // A part of it that an earlier call left is completed by the next one.
    if (isNew) await target.purge(into)
    throw error
  }
}
