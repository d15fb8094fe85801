import type { StorageBackend } from '../../contract/backend.ts'
import type { PurgeRecord } from '../../contract/store.ts'
import { isTold, purgeRecords, type PurgeRow } from '../unreported-purges.ts'
import type { Connection } from './connection.ts'
import { createKeyRanges } from './record-keys.ts'
import { purgesKey } from './schema.ts'

/** Purges that nobody was told of. */
export function untoldPurges({ write }: Pick<Connection, 'write'>, keyRange = globalThis.IDBKeyRange): Pick<StorageBackend, 'listPurges' | 'forgetPurges'> {
  const all = createKeyRanges(keyRange).purges()
  return {
    listPurges: async () => {
      let purges: readonly PurgeRecord[] = []
      // What is purged later is stored strictly, and this with it.
      await write(['info'], 'relaxed', 'see what was purged', ({ store, read }) => {
        const info = store('info')
        info.put(true, purgesKey)
        read<IDBValidKey[]>(info.getAllKeys(all), (keys) =>
          read<PurgeRow[]>(info.getAll(all), (rows) => (purges = purgeRecords(rows.map((row, i) => [(keys[i] as [string, string])[1], row])))),
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
        for (const record of told ?? []) {
          const place = [purgesKey, record.key]
          read<PurgeRow | undefined>(info.get(place), (stored) => {
            if (isTold(stored, record)) info.delete(place)
          })
        }
      })
    },
  }
}
