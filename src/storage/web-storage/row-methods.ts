import type { StorageBackend } from '../../contract/backend.ts'
import type { RowTexts } from './row-texts.ts'
import { type TextWrite, writeTexts } from './write-texts.ts'

type Act = <T>(act: () => T) => Promise<T>

/** The methods of the backend for collections. @param change - acts while no other tab writes */
export function rowMethods(
  storage: Storage,
  rows: RowTexts,
  call: Act,
  change: Act,
): Pick<StorageBackend, 'getRows' | 'rangeRows' | 'setRowAside' | 'listCollections'> {
  return {
    getRows: (collection, keys) => call(() => keys.map((key) => rows.get(collection, key))),
    rangeRows: (read) => call(() => rows.range(read)),
    setRowAside: (collection, key) =>
      change(() => {
        const moved: readonly TextWrite[] = rows.asideOf(collection, key)
        writeTexts(storage, moved)
        return moved.length > 0
      }),
    listCollections: () => call(rows.usage),
  }
}
