import type { Entry, EntryRef } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { JobProgress } from '../contract/job.ts'
import type { JsonObject } from '../contract/json.ts'
import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { entryId } from '../domain/address.ts'
import { coveringVector } from '../domain/covering-vector.ts'
import { pathEntriesInSteps } from '../domain/path-entries.ts'
import { inBreaths } from '../pacing/breather.ts'
import { breatheUntil } from './breathe-until.ts'
import { readFold, standingIn } from './read-fold.ts'
import type { ReadLogOptions } from './read-log.ts'

/** Metadata fields that a copy takes from the original session. */
const kept = ['agentId', 'userId', 'memo'] as const
/** Entries that are stored at once. A worker that stores many more at once does not answer in time. */
const batchSize = 16_384

export interface CopyPathOptions extends ReadLogOptions {
  /** The store of the copy. Default: that of the session. */
  readonly target?: Pick<SessionStore, 'getMeta' | 'merge' | 'purge'>
  /**
   * The key was drawn for this call, so that nobody can complete a copy that fails: what is stored of it is erased. A
   * copy under a key that the app chose stays, because the same call completes it.
   */
  readonly isDrawn?: boolean
}

/**
 * Stores the path to an entry of a session under another key, with the origin in `custom.parentSession`.
 *
 * @throws SessionNotFound; InvalidInput when there is no such entry, or another session has the key; Aborted
 */
export async function copyPath(
  store: SessionStore,
  key: string,
  leaf: EntryRef,
  into: string,
  { target = store, isDrawn = false, signal, onProgress }: CopyPathOptions = {},
): Promise<void> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError('SessionNotFound', `There is no session "${key}" to branch from.`)
  // To store the entries takes as long as to read them.
  let read: JobProgress | undefined
  const onRead = (progress: JobProgress): void => {
    read = { ...progress, totalBytes: 2 * progress.totalBytes }
    onProgress?.(read)
  }
  const breathe = breatheUntil(signal, `Copying session "${key}"`)
  const fold = await readFold(store, key, { signal, breathe, ...(onProgress && { onProgress: onRead }) })
  const at = standingIn(fold, leaf)
  if (at === undefined)
    throw new SessionError(
      'InvalidInput',
      `Session "${key}" has no entry ${JSON.stringify(leaf)}. Pass an entry that read() returned, or the host's id of its message as "mid".`,
    )
  const source = `path ${key} ${at.branch} ${at.order}`
  const entries = await inBreaths(pathEntriesInSteps(fold, at, source, metaOfCopy(key, meta)), breathe)
  // Others may have used the key while the session was read.
  refuseOtherSession(into, await target.getMeta(into), key)
  const stored: Entry[] = []
  try {
    for (let from = 0; from < entries.length; from += batchSize) {
      await breathe()
      const batch = entries.slice(from, from + batchSize)
      for (const entry of batch) stored.push(entry)
      // The last one makes the others durable, too.
      const durability = stored.length < entries.length ? 'relaxed' : 'strict'
      const { refused } = await target.merge(into, batch, { durability })
      if (refused[0] !== undefined)
        throw new SessionError('DataLoss', `Entry ${refused[0].id} was refused: ${refused[0].reason}`)
      if (read !== undefined) {
        const readBytes = Math.round((read.totalBytes / 2) * (1 + stored.length / entries.length))
        onProgress?.({ ...read, readBytes })
      }
    }
  } catch (error) {
    // What others have written there meanwhile stays, and so does the copy then. The reason of the failure is this error.
    const known = coveringVector(stored.map(({ w, s }) => ({ id: entryId(w, s) })))
    if (isDrawn && stored.length > 0) await target.purge(into, { isKey: true, known }).catch(() => undefined)
    throw error
  }
}

function metaOfCopy(key: string, meta: SessionMeta): JsonObject {
  const fields = Object.fromEntries(kept.flatMap((field) => (meta[field] === undefined ? [] : [[field, meta[field]]])))
  const title = meta.titleSource === 'user' ? { title: meta.title } : {}
  return { ...fields, ...title, custom: { ...meta.custom, parentSession: key } }
}

/** @throws InvalidInput where a session has the key that is no copy of this one */
export function refuseOtherSession(key: string, meta: SessionMeta | undefined, parent: string): void {
  if (meta === undefined || (meta.deletedAt === undefined && meta.custom['parentSession'] === parent)) return
  throw new SessionError(
    'InvalidInput',
    `"${key}" is the key of another session${meta.deletedAt === undefined ? '' : ', which was deleted'}. ` +
      'Pass a key that is free, or none.',
  )
}
