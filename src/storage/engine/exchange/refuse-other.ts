import { SessionError } from '../../../contract/errors.ts'
import type { HavingOptions } from '../../../contract/store/write-options.ts'
import { includesVector } from '../../../domain/version-vector.ts'
import type { Plan } from '../writing/plan.ts'
import { settledVector } from './settled-vector.ts'

/** @throws ParentMoved when the session is not the one that the caller means; InvalidInput */
export function refuseOther({ work }: Plan, { having }: HavingOptions = {}): void {
  if (having === undefined) return
  if (typeof having !== 'object' || having === null)
    throw new SessionError('InvalidInput', `having must be a version vector, from getVector, got ${String(having)}.`)
  if (!includesVector(settledVector(work), having))
    throw new SessionError(
      'ParentMoved',
      `Session "${work.hot.key}" does not have what \`having\` says: it may have been erased and begun anew. Nothing was changed.`,
    )
}
