import type { OpenedStore } from '../client/opening/ladder.ts'
import type { ChangeFeed } from '../client/session/change-feed.ts'
import { runExclusively } from '../client/worker/run-exclusively.ts'
import type { ChangeSink } from '../contract/change.ts'
import type { Encryption, ResealReport } from '../contract/encryption.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import { namesOf } from '../domain/names-of.ts'
import { hasMirrorFiles } from '../mirror/has-mirror-files.ts'
import { openKeys } from '../sealing/open-keys.ts'
import { reseal } from '../sealing/reseal.ts'
import { sealBackend } from '../sealing/seal-backend.ts'
import { createSegmentSealing } from '../sealing/segment-sealing.ts'
import { dropIndexDatabase, type SegmentSealing } from '../search/open-index-database.ts'
import type { IndexedDbBackend } from '../storage/indexeddb/indexeddb-backend.ts'

/** A database of this realm whose content is encrypted. */
export interface Sealed {
  readonly backend: IndexedDbBackend & { readonly segments: SegmentSealing | undefined }
  readonly opened: Pick<OpenedStore, 'encryption' | 'changeEncryption'>
}

/** Opens the keys of a database; closes it when they don't fit. @throws WrongPassphrase, InvalidInput */
export async function openSealed(
  backend: IndexedDbBackend,
  encryption: Encryption,
  name: string,
  feed?: ChangeFeed,
): Promise<Sealed> {
  try {
    const keys = await openKeys(backend, encryption)
    let given = encryption
    const announce: ChangeSink = feed?.emit ?? (() => undefined)
    // Another tab changed the keys. A store that can't open the new ones gets the error with its next call.
    feed?.subscribe(
      (change) =>
        void (change.type === 'notice' && change.name === 'keysChanged' && keys.refresh().catch(() => undefined)),
    )
    return {
      backend: { ...sealBackend(backend, keys), segments: createSegmentSealing(keys) },
      opened: {
        encryption: { isMixed: keys.keyring().isMixed },
        changeEncryption: async (options) => {
          const change = async (): Promise<ResealReport> => {
            const report = await reseal(
              {
                backend,
                keys,
                encryption: given,
                name,
                announce,
                dropIndex: () => dropIndexDatabase(name),
                // Only workers can replace what an earlier run left in the mirror: the next one goes on. A store that
                // is made plain must open without a key all the same.
                renewMirror: async () => keys.current() === undefined || !(await hasMirrorFiles(name)),
              },
              options,
            )
            given = options.to ?? given
            await keys.relock(given)
            return report
          }
          // Workers of other tabs take it too.
          return runExclusively(`${namesOf(name)}:keys`, change, options.signal).catch((error: unknown) => {
            throw isSessionError(error) || !options.signal?.aborted
              ? error
              : new SessionError('Aborted', 'The change of the encryption was cancelled before it began.')
          })
        },
      },
    }
  } catch (error) {
    await backend.close()
    throw error
  }
}
