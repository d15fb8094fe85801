import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionChange } from '../../../contract/change.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { PurgeOptions } from '../../../contract/store/session-lifecycle.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { NumberedCall } from '../../../contract/worker-protocol.ts'
import type { CommitOutcome, SessionErasure } from '../../../contract/write-batch.ts'
import { lifeOf } from '../../../domain/deletion.ts'
import { includesVector } from '../../../domain/version-vector.ts'
import type { Engine } from '../engine.ts'
import { settledVector } from '../exchange/settled-vector.ts'
import { checkKey } from '../writing/input.ts'
import { attemptLimit, lostRace } from '../writing/lost-race.ts'
import { checkTerm } from './term-method.ts'

type CalledPurge = (PurgeOptions & NumberedCall) | undefined
type Gone = Pick<SessionChange, 'key' | 'session' | 'version'>

/** Erases a session for good, after the calls that are queued for it. */
export function createPurgeMethod({
  backend,
  writer,
  list,
  names,
  resolveKey,
  onChange,
}: Engine): Pick<SessionStore, 'purge'> {
  /** @returns the session that is gone; `undefined` when another one was begun since this very call erased it */
  const erase = async (before: SessionRows, options: CalledPurge): Promise<Gone | undefined> => {
    const { key } = before.hot
    for (let tries = 0; tries < attemptLimit; tries++) {
      const rows = await backend.loadSession(key)
      const { session, version } = (rows ?? before).hot
      if (rows !== undefined) {
        // The worker died that had erased it. Asked after the rows were read, so that they were begun since.
        if (typeof options?.call === 'string' && (await backend.findErasure?.(options.call))) return undefined
        refuseOthers(rows, options)
      }
      // Where it is not there, the tab that erased it may have died before it announced that.
      if (rows === undefined || (await eraseRows(backend, rows, options))) return { key, session, version: version + 1 }
    }
    throw lostRace(key)
  }
  const announce = (gone: Gone): void => {
    const change: SessionChange = { type: 'session', ...gone, rows: [], reload: true }
    names.forget()
    list.set(change)
    onChange(change)
  }
  return {
    purge: async (key, options) => {
      checkTerm(options)
      checkDeletedAt(options)
      const canonical = options?.isKey === true ? checkKey(key) : await resolveKey(key)
      const rows = await writer.rows(canonical)
      if (rows === undefined) return
      let gone: Gone | undefined
      // What waits for it begins the session anew, and must be announced after it.
      await writer.alone(
        canonical,
        async () => void (gone = await erase(rows, options)),
        () => gone && announce(gone),
      )
    },
  }
}

/** @returns whether they are erased; otherwise the session was changed in this moment */
async function eraseRows(backend: CoreBackend, rows: SessionRows, options: CalledPurge): Promise<boolean> {
  const { key, session, version } = rows.hot
  const isBound = options?.deletedAt !== undefined || options?.known !== undefined
  const erasure = { key, session, ...(isBound ? { version } : {}), ...checkTerm(options) }
  const commit = (report?: Partial<SessionErasure>): Promise<CommitOutcome> =>
    backend.commit({ sessions: [], erase: [{ ...erasure, ...report }] }, 'strict')
  const { stored } = await commit({
    ...(options?.isMoved === true ? {} : { vector: settledVector(rows), life: lifeOf(rows.cold) }),
    ...(typeof options?.call === 'string' ? { call: options.call } : {}),
    // An erasure that nothing remembers is better than none.
  }).catch((error: unknown) => (isSessionError(error, 'QuotaExceeded') ? commit() : Promise.reject(error)))
  return stored
}

/** @throws ParentMoved when the session is not as the caller has seen it */
function refuseOthers(rows: SessionRows, options: PurgeOptions | undefined): void {
  const { key } = rows.hot
  const { deletedAt, known } = options ?? {}
  if (deletedAt !== undefined && rows.hot.deletedAt !== deletedAt) {
    throw new SessionError(
      'ParentMoved',
      `Session "${key}" was changed since it was deleted at ${deletedAt}. Nothing was erased.`,
    )
  }
  if (known !== undefined && !includesVector(known, settledVector(rows))) {
    throw new SessionError(
      'ParentMoved',
      `Session "${key}" has entries that \`known\` does not cover. Nothing was erased.`,
    )
  }
}

/** @throws InvalidInput */
function checkDeletedAt(options: PurgeOptions | undefined): void {
  const deletedAt: unknown = (options as PurgeOptions | null | undefined)?.deletedAt
  if (deletedAt === undefined || typeof deletedAt === 'number') return
  throw new SessionError(
    'InvalidInput',
    `deletedAt must be milliseconds since 1970, from the session's metadata, got ${typeof deletedAt}.`,
  )
}
