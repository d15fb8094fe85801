import { isSessionError, type SessionErrorName } from '../contract/errors.ts'

/** What may not be met again by the same write. A write that fails otherwise must not hold up those behind it. */
const mendable: readonly SessionErrorName[] = ['QuotaExceeded', 'WorkerLost', 'StorageUnavailable', 'UpgradeBlocked']

/** Whether the same write may succeed later. */
export const isMendable = (error: unknown): boolean => mendable.some((name) => isSessionError(error, name))
