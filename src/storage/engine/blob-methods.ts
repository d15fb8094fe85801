import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store.ts'
import { contentHash } from '../content-hash.ts'
import type { Engine } from './engine.ts'

/** Bytes by content. */
export function createBlobMethods({ backend }: Engine): Pick<SessionStore, 'putBlob' | 'getBlob'> {
  return {
    putBlob: async (blob) => {
      if (!isBlob(blob)) throw new SessionError('InvalidInput', 'putBlob needs a Blob. Wrap other bytes: new Blob([bytes]).')
      const hash = await contentHash(blob)
      await backend.putBlob(hash, blob)
      return hash
    },
    getBlob: (hash) => backend.getBlob(hash),
  }
}

/** Also one of another realm. */
function isBlob(value: unknown): value is Blob {
  try {
    return typeof (value as Blob | undefined | null)?.arrayBuffer === 'function'
  } catch {
    // A Proxy that lets nobody look.
    return false
  }
}
