import { blobGraceMs, type StorageBackend } from '../../../contract/backend.ts'
import type { InterruptibleWork } from '../../../contract/interruptible-work.ts'
import type { JobMethod, SessionStore } from '../../../contract/store/session-store.ts'
import type { Engine } from '../engine.ts'
import { createChangesMethod } from '../exchange/changes-method.ts'
import { createMergeMethod } from '../exchange/merge-method.ts'
import { createPurgeListMethods } from '../exchange/purge-list-methods.ts'
import { createPace } from '../work-pace.ts'
import { createCheckMethods } from './check-methods.ts'
import { createRowsCheck } from './check-rows.ts'
import { compactSession } from './reclaim.ts'
import { createUsageMethod } from './usage-method.ts'

/**
 * The methods that a session worker leaves to another one: merging, exporting changes, reclaiming, checking, repairing,
 * counting.
 */
export function createJobMethods(
  engine: Engine,
  backend: StorageBackend,
): Pick<SessionStore, JobMethod> & InterruptibleWork {
  const { writer, now, resolveKey } = engine
  const reclaim: InterruptibleWork['reclaim'] = async (key, options, work = {}) => {
    const canonical = await resolveKey(key)
    const rows = await writer.rows(canonical)
    // The session is read twice: to find what nothing shows, and to erase it.
    const erased =
      rows === undefined
        ? 0
        : await compactSession(backend, writer, canonical, options, createPace('reclaiming', 2 * rows.hot.bytes, work))
    await backend.collectBlobs(now() - blobGraceMs)
    return erased
  }

  return {
    ...createMergeMethod(engine),
    ...createChangesMethod(engine),
    ...createPurgeListMethods(backend),
    reclaim,
    save: async (key) => void (await reclaim(key)),
    ...createCheckMethods(engine, backend),
    ...createUsageMethod(engine, backend),
    ...createRowsCheck(engine, backend),
    listCollections: () => backend.listCollections(),
  }
}
