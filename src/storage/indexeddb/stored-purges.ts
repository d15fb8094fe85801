import type { StorageBackend } from '../../contract/backend.ts'
import type { PurgeRecord } from '../../contract/store/log-exchange.ts'
import { isReported, type PurgeRow, purgeRecords } from '../unreported-purges.ts'
import type { Connection } from './connection.ts'
import { createKeyRanges } from './record-keys.ts'
import { purgesKey } from './schema.ts'

/** The purges that were not reported yet. */
export function storedPurges(
  { write }: Pick<Connection, 'write'>,
  keyRange = globalThis.IDBKeyRange,
): Pick<StorageBackend, 'listPurges' | 'forgetPurges'> {
  const all = createKeyRanges(keyRange).purges()
  return {
    listPurges: async () => {
      let purges: readonly PurgeRecord[] = []
      // Later purges are stored strictly, which brings this row to the disk too.
      await write(['info'], 'relaxed', 'see what was purged', ({ store, read }) => {
        const info = store('info')
        info.put(true, purgesKey)
        read<IDBValidKey[]>(info.getAllKeys(all), (keys) =>
          read<PurgeRow[]>(
            info.getAll(all),
            (rows) => (purges = purgeRecords(rows.map((row, i) => [(keys[i] as [string, string])[1], row]))),
          ),
        )
      })
      return purges
    },
    forgetPurges: async (reported) => {
      await write(['info'], 'relaxed', 'forget what was purged', ({ store, read }) => {
        const info = store('info')
        if (reported === undefined) {
          info.delete(purgesKey)
          info.delete(all)
        }
        for (const record of reported ?? []) {
          const place = [purgesKey, record.key]
          read<PurgeRow | undefined>(info.get(place), (stored) => {
            if (isReported(stored, record)) info.delete(place)
          })
        }
      })
    },
  }
}
