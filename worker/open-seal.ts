import type { CoreBackend } from '../src/contract/backend.ts'
import type { ChangeSink } from '../src/contract/change.ts'
import type { EncryptionState, Keyring, KeyringPlace } from '../src/contract/encryption.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { createSpareKeyrings } from '../src/mirror/spare-keyring.ts'
import { type Keys, openKeys } from '../src/sealing/open-keys.ts'
import { sealBackend } from '../src/sealing/seal-backend.ts'
import type { MirrorHere } from './open-mirror-here.ts'

/** The encryption of what a worker stores. */
export interface OpenSeal {
  /** Absent: the store is plain. */
  readonly keys?: Keys
  readonly state: { readonly encryption?: EncryptionState }
  over<Backend extends CoreBackend>(backend: Backend): Backend
}

/**
 * Opens the keys of a database with the page's key or passphrase. Closes the database when they don't fit. @throws
 * WrongPassphrase, InvalidInput
 */
export async function openSeal(
  backend: CoreBackend & KeyringPlace,
  { encryption, name }: Pick<OpenMessage, 'encryption' | 'name'>,
  open: MirrorHere['open'],
  onNotice: ChangeSink,
): Promise<OpenSeal> {
  const spare = open && open.late === undefined ? createSpareKeyrings(open.folder) : undefined
  try {
    if (encryption === undefined) {
      if (open?.hasKeyring && (await spare!.load()).some(isOfLost(await backend.loadKeyring()))) {
        throw new SessionError(
          'WrongPassphrase',
          `The database "${name}" was encrypted before it was lost, and so is its mirror. Open it with its \`encryption\`; nothing was touched.`,
        )
      }
      return { state: {}, over: (plain) => plain }
    }
    const save = (keyring: Keyring): Promise<void> =>
      spare!.save(keyring).catch((error: unknown) => {
        onNotice({
          type: 'notice',
          name: 'degraded',
          message: `If the database is lost, its mirror can't be read: its keyring could not be written. ${(error as Error).message}`,
        })
      })
    const keys = await openKeys(backend, encryption, spare && { ...spare, save })
    return {
      keys,
      state: { encryption: { isMixed: keys.keyring().isMixed } },
      over: (plain) => sealBackend(plain, keys),
    }
  } catch (error) {
    await open?.mirror.close()
    await backend.close()
    throw error
  }
}

/**
 * Whether a spare keyring is that of an encrypted database that was lost. One with the keys of the stored keyring is
 * only older than it: the store was made plain in a page, which can't write to the mirror.
 */
function isOfLost(stored: Keyring | undefined): (spare: Keyring) => boolean {
  const known = new Set(stored?.keys.map(({ id }) => id))
  return ({ current, isMixed, keys }) => (current !== '' || isMixed) && !keys.every(({ id }) => known.has(id))
}
