import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store.ts'
import { contentHash } from '../content-hash.ts'
import type { Engine } from './engine.ts'

/** Bytes by content. */
export function createBlobMethods({ backend }: Engine): Pick<SessionStore, 'putBlob' | 'getBlob'> {
  return {
    putBlob: async (blob) => {
      if (typeof (blob as Blob | undefined | null)?.arrayBuffer !== 'function') throw new SessionError('InvalidInput', 'putBlob needs a Blob. Wrap other bytes: new Blob([bytes]).')
      const hash = await contentHash(blob)
      await backend.putBlob(hash, blob)
      return hash
    },
    getBlob: (hash) => backend.getBlob(hash),
  }
}
