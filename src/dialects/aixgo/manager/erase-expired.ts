import { unlessInUse } from '../../../client/session/in-use.ts'
import { ownNames } from '../../../client/session/own-names.ts'
import type { VersionVector } from '../../../contract/entry.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isExpired } from './is-expired.ts'

/** The rules by which sessions expire and are erased. */
export interface ExpiryRules {
  /** Name of the database. */
  readonly name: string
  /** Milliseconds that a session lives after its last entry, unless it has its own `ttl`; 0: never expires. */
  readonly ttl: number
  /** The leader's term, with which an outdated leader is refused. */
  readonly term?: number | undefined
}

/**
 * Erases a session that seems to have expired, if it has and is not in use: open in a manager, streamed into or watched
 * by a transcript. Without Web Locks, a reply that another tab streams is recognised by the session's drafts.
 *
 * @throws NotLeader when another tab is the leader now
 * @returns whether it was erased
 */
export async function eraseExpired(
  store: SessionStore,
  key: string,
  { name, ttl, term }: ExpiryRules,
): Promise<boolean> {
  const fence = term === undefined ? {} : { term }
  let isGone = false
  const findOver = async (): Promise<SessionMeta | undefined> => {
    const meta = await store.getMeta(key)
    return meta?.key === key && isExpired(meta, ttl, Date.now()) ? meta : undefined
  }

  await unlessInUse(name, await ownNames(store, key), async () => {
    const { vv } = await store.changes(key)
    const [meta, drafts] = await Promise.all([findOver(), store.listDrafts(key)])
    if (meta === undefined || drafts.length > 0) return
    const isLiving = meta.deletedAt === undefined
    // The session is deleted first: from then on the writes of other handles are refused. An entry that one of them
    // stored just before keeps the session.
    if (isLiving) await store.delete(key, { durability: 'relaxed', ...fence }).catch(unlessMissing)
    try {
      const deletedAt = (await store.getMeta(key))?.deletedAt
      if (deletedAt === undefined || !(await isUntouched(store, key, vv))) return
      await store.purge(key, { deletedAt, ...fence }).then(() => (isGone = true), unlessBroughtBack)
    } finally {
      // A session that was deleted here but not erased is restored, whichever tab is the leader now.
      if (!isGone && isLiving) await store.undelete(key).catch(unlessMissing)
    }
  })
  return isGone
}

/** Whether a session got no new entry except its deletion. */
async function isUntouched(store: SessionStore, key: string, since: VersionVector): Promise<boolean> {
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, since, cursor)
    if (page.entries.some(({ type }) => type !== 'delete')) return false
    cursor = page.next
    if (cursor === undefined) return true
  }
}

/** The session was restored in the meantime. */
function unlessBroughtBack(error: unknown): void {
  if (!isSessionError(error, 'ParentMoved')) throw error
}

/** Another tab has erased the session already. */
function unlessMissing(error: unknown): void {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
