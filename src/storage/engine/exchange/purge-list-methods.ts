import type { StorageBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { PurgeRecord, SessionStore } from '../../../contract/store.ts'
import { isObject } from '../../../domain/is-object.ts'

/** What was purged here, for who tells it elsewhere. */
export function createUntoldPurgesMethods(backend: StorageBackend): Pick<SessionStore, 'listPurges' | 'forgetPurges'> {
  return {
    listPurges: () => backend.listPurges(),
    forgetPurges: async (told) => {
      if (told !== undefined && !(Array.isArray(told) && Array.from(told).every(isPurge))) throw new SessionError('InvalidInput', 'Purges that were told are a list of { key, vector, life }, as `listPurges` gave them. None was forgotten.')
      await backend.forgetPurges(told)
    },
  }
}

function isPurge(told: unknown): told is PurgeRecord {
  const { key, vector, life = 0 } = (told ?? {}) as Partial<PurgeRecord>
  return typeof key === 'string' && Number.isSafeInteger(life) && isObject(vector) && Object.values(vector).every((next) => Number.isSafeInteger(next))
}
