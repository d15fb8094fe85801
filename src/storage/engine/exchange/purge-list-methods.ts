import type { StorageBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { PurgeRecord } from '../../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isObject } from '../../../domain/is-object.ts'

/** The methods for reporting local purges elsewhere. */
export function createPurgeListMethods(backend: StorageBackend): Pick<SessionStore, 'listPurges' | 'forgetPurges'> {
  return {
    listPurges: () => backend.listPurges(),
    forgetPurges: async (reported) => {
      if (reported !== undefined && !(Array.isArray(reported) && Array.from(reported).every(isPurge)))
        throw new SessionError(
          'InvalidInput',
          'Reported purges must be a list of { key, vector, life } from `listPurges`. None was forgotten.',
        )
      await backend.forgetPurges(reported)
    },
  }
}

function isPurge(given: unknown): given is PurgeRecord {
  const { key, vector, life = 0 } = (given ?? {}) as Partial<PurgeRecord>
  return (
    typeof key === 'string' &&
    Number.isSafeInteger(life) &&
    isObject(vector) &&
    Object.values(vector).every((next) => Number.isSafeInteger(next))
  )
}
