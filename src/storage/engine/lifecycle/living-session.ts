import type { CoreBackend } from '../../../contract/backend.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionRows } from '../../../contract/rows.ts'

/** The rows of a session; `undefined` when they can't be read, so that a damaged session blocks nothing. */
export async function loadReadable(backend: CoreBackend, key: string): Promise<SessionRows | undefined> {
  return backend.loadSession(key).catch((error: unknown) => {
    if (!isSessionError(error, 'ChecksumMismatch')) throw error
    return undefined
  })
}

/** The same for a session that is not deleted. */
export async function loadLiving(backend: CoreBackend, key: string): Promise<SessionRows | undefined> {
  const rows = await loadReadable(backend, key)
  return rows?.hot.deletedAt === undefined ? rows : undefined
}
