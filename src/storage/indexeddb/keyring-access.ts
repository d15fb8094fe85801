import type { Keyring, KeyringPlace } from '../../contract/encryption.ts'
import type { Connection } from './connection.ts'
import { type DatabaseInfo, infoKey, keyringKey, sealedFormat } from './schema.ts'

/** The methods of a backend for its keyring. */
export function keyringAccess({ read, write }: Pick<Connection, 'read' | 'write'>): KeyringPlace {
  return {
    loadKeyring: () =>
      read<Keyring | undefined>(['info'], 'read the keyring', ({ store, read, answer }) =>
        read<Keyring | undefined>(store('info').get(keyringKey), answer),
      ),
    saveKeyring: async (keyring) => {
      let stored = keyring
      await write(['info', 'sessions', 'blobs', 'rows'], 'strict', 'store the keyring', ({ store, read }) => {
        read<Keyring | undefined>(store('info').get(keyringKey), (found) => {
          if ((found?.generation ?? 0) !== keyring.generation - 1) {
            stored = found ?? keyring
            return
          }
          let counted = 0
          const count = (rows: number): void => void (counted += rows)
          read(store('sessions').count(), count)
          read(store('rows').index('size').count(), count)
          read(store('blobs').count(), (blobs) => {
            // An empty database has nothing to seal.
            stored = { ...keyring, isMixed: keyring.isMixed && counted + blobs > 0 }
            store('info').put(stored, keyringKey)
          })
          read<DatabaseInfo>(store('info').get(infoKey), (info) => {
            const isSealed = keyring.current !== '' || keyring.isMixed
            store('info').put(
              {
                ...info,
                formatVersion: (info.formatVersion % sealedFormat) + (isSealed ? sealedFormat : 0),
              } satisfies DatabaseInfo,
              infoKey,
            )
          })
        })
      })
      return stored
    },
  }
}
