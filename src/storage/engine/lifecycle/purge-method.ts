import type { CommitOutcome, SessionErasure } from '../../../contract/backend.ts'
import type { SessionChange } from '../../../contract/change.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { PurgeOptions } from '../../../contract/store/session-lifecycle.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { lifeOf } from '../../../domain/deletion.ts'
import { includesVector } from '../../../domain/version-vector.ts'
import type { Engine } from '../engine.ts'
import { settledVector } from '../exchange/settled-vector.ts'
import { checkKey } from '../writing/input.ts'
import { attemptLimit, lostRace } from '../writing/lost-race.ts'
import { checkTerm } from './term-method.ts'

/** Erases a session for good, after the calls that are queued for it. */
export function createPurgeMethod({
  backend,
  writer,
  list,
  names,
  resolveKey,
  onChange,
}: Engine): Pick<SessionStore, 'purge'> {
  /** In the session's turn: what waits for it begins the session anew, and must be announced after this. */
  const announce = (gone: Pick<SessionChange, 'key' | 'session' | 'version'>): void => {
    const change: SessionChange = { type: 'session', ...gone, rows: [], reload: true }
    names.forget()
    list.set(change)
    onChange(change)
  }
  return {
    purge: async (key, options) => {
      const fence = checkTerm(options)
      const deletedAt = checkDeletedAt(options)
      const known = options?.known
      const canonical = options?.isKey === true ? checkKey(key) : await resolveKey(key)
      const rows = await writer.rows(canonical)
      if (rows === undefined) return
      await writer.alone(canonical, async () => {
        for (let tries = 0; tries < attemptLimit; tries++) {
          const stored = await backend.loadSession(canonical)
          const { session, version } = (stored ?? rows).hot
          const gone = { key: canonical, session, version: version + 1 }
          // The tab that erased it may have died before it announced that.
          if (stored === undefined) return announce(gone)
          if (deletedAt !== undefined && stored.hot.deletedAt !== deletedAt) {
            throw new SessionError(
              'ParentMoved',
              `Session "${canonical}" was changed since it was deleted at ${deletedAt}. Nothing was erased.`,
            )
          }
          if (known !== undefined && !includesVector(known, settledVector(stored))) {
            throw new SessionError(
              'ParentMoved',
              `Session "${canonical}" has entries that \`known\` does not cover. Nothing was erased.`,
            )
          }
          const erasure = {
            key: canonical,
            session,
            ...(deletedAt === undefined && known === undefined ? {} : { version }),
            ...fence,
          }
          const erase = (more?: Pick<SessionErasure, 'vector' | 'life'>): Promise<CommitOutcome> =>
            backend.commit({ sessions: [], erase: [{ ...erasure, ...more }] }, 'strict')
          // An erasure without a report is better than none.
          const outcome = await (options?.isMoved === true
            ? erase()
            : erase({ vector: settledVector(stored), life: lifeOf(stored.cold) })
          ).catch((error: unknown) => (isSessionError(error, 'QuotaExceeded') ? erase() : Promise.reject(error)))
          if (outcome.stored) return announce(gone)
        }
        throw lostRace(canonical)
      })
    },
  }
}

function checkDeletedAt(options: PurgeOptions | undefined): number | undefined {
  const deletedAt: unknown = (options as PurgeOptions | null | undefined)?.deletedAt
  if (deletedAt === undefined || typeof deletedAt === 'number') return deletedAt
  throw new SessionError(
    'InvalidInput',
    `deletedAt must be milliseconds since 1970, from the session's metadata, got ${typeof deletedAt}.`,
  )
}
