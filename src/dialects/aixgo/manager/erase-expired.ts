import { unlessInUse } from '../../../client/session/in-use.ts'
import type { VersionVector } from '../../../contract/entry.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isExpired } from './is-expired.ts'

/** What a session's time is told by. */
export interface ExpiryRules {
  /** Name of the database. */
  readonly name: string
  /** Milliseconds; 0: for ever. */
  readonly ttl: number
  /** For which a leader erases. */
  readonly term?: number | undefined
}

/**
 * Erases a session whose time is over, unless somebody uses it: has it open in a manager, streams into it or watches
 * it. The reply that another tab streams shows in its drafts as well, where there are no Web Locks.
 *
 * @throws NotLeader when another tab leads by now
 * @returns whether it is gone
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

  // Most are not, and need no lock.
  if ((await findOver()) === undefined) return false
  await unlessInUse(name, key, async () => {
    const { vv } = await store.changes(key)
    const [meta, drafts] = await Promise.all([findOver(), store.listDrafts(key)])
    if (meta === undefined || drafts.length > 0) return
    const isLiving = meta.deletedAt === undefined
    // Behind a tombstone first: handles are refused from then on, and what one of them stored just before keeps the
    // session.
    if (isLiving) await store.delete(key, { durability: 'relaxed', ...fence }).catch(unlessMissing)
    try {
      const deletedAt = (await store.getMeta(key))?.deletedAt
      if (deletedAt === undefined || !(await isUntouched(store, key, vv))) return
      await store.purge(key, { deletedAt, ...fence }).then(() => (isGone = true), unlessBroughtBack)
    } finally {
      // Whoever leads by now: what this tab has hidden and not erased is to be seen again.
      if (!isGone && isLiving) await store.undelete(key).catch(unlessMissing)
    }
  })
  return isGone
}

/** Whether nothing came to a session since but its deletion. */
async function isUntouched(store: SessionStore, key: string, since: VersionVector): Promise<boolean> {
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, since, cursor)
    if (page.entries.some(({ type }) => type !== 'delete')) return false
    cursor = page.next
    if (cursor === undefined) return true
  }
}

/** Somebody wants it after all. */
function unlessBroughtBack(error: unknown): void {
  if (!isSessionError(error, 'ParentMoved')) throw error
}

/** Another tab was faster. */
function unlessMissing(error: unknown): void {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
