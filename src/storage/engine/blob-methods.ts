import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { contentHash } from '../content-hash.ts'
import { damagedBlob } from '../damaged-row.ts'
import type { Engine } from './engine.ts'

/** The methods for blobs, which are stored under the hash of their content. */
export function createBlobMethods({ backend, now }: Engine): Pick<SessionStore, 'putBlob' | 'getBlob'> {
  return {
    putBlob: async (blob) => {
      if (!isBlob(blob))
        throw new SessionError('InvalidInput', 'putBlob needs a Blob. Wrap other bytes: new Blob([bytes]).')
      const hash = await contentHash(blob)
      await backend.putBlob(hash, blob, now())
      return hash
    },
    getBlob: async (hash) => {
      const blob = await backend.getBlob(hash)
      // Only reading shows that the file of a blob is gone.
      await blob
        ?.slice(0, 1)
        .arrayBuffer()
        .catch((error: unknown) => {
          throw damagedBlob(hash, error)
        })
      return blob
    },
  }
}

/** Accepts blobs of other realms too. */
function isBlob(value: unknown): value is Blob {
  try {
    return typeof (value as Blob | undefined | null)?.arrayBuffer === 'function'
  } catch {
    // It is a Proxy that throws.
    return false
  }
}
