import type { StorageBackend } from '../../contract/backend.ts'
import type { VersionVector } from '../../contract/entry.ts'
import type { PurgeRecord } from '../../contract/store.ts'
import { includesVector } from '../../domain/version-vector.ts'
import type { Connection } from './connection.ts'
import { createKeyRanges } from './keys.ts'
import { purgesKey } from './schema.ts'

/** Purges that nobody was told of. */
export function untoldPurges({ write }: Pick<Connection, 'write'>, keyRange = globalThis.IDBKeyRange): Pick<StorageBackend, 'listPurges' | 'forgetPurges'> {
  const all = createKeyRanges(keyRange).purges()
  return {
    listPurges: async () => {
      const purges: PurgeRecord[] = []
      // What is purged later is stored strictly, and this with it.
      await write(['info'], 'relaxed', 'see what was purged', ({ store, read }) => {
        const info = store('info')
        info.put(true, purgesKey)
        read<IDBValidKey[]>(info.getAllKeys(all), (keys) =>
          read<VersionVector[]>(info.getAll(all), (vectors) => vectors.forEach((vector, i) => purges.push({ key: (keys[i] as [string, string])[1], vector }))),
        )
      })
      return purges
    },
    forgetPurges: async (told) => {
      await write(['info'], 'relaxed', 'forget what was purged', ({ store, read }) => {
        const info = store('info')
        if (told === undefined) {
          info.delete(purgesKey)
          info.delete(all)
        }
        for (const { key, vector } of told ?? []) {
          read<VersionVector | undefined>(info.get([purgesKey, key]), (stored = {}) => {
            if (includesVector(vector, stored)) info.delete([purgesKey, key])
          })
        }
      })
    },
  }
}
