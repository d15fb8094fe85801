import type { StorageBackend } from '../../contract/backend.ts'
import type { BlobReference } from '../../contract/blob-references.ts'
import { collectWaiting } from './collect-blobs.ts'
import type { Connection } from './connection.ts'
import { createKeyRanges } from './record-keys.ts'
import type { ReferenceRow } from './schema.ts'

/** The blob methods that only jobs need. */
export function blobKeeper(
  { read, write }: Pick<Connection, 'read' | 'write'>,
  keyRange = globalThis.IDBKeyRange,
): Pick<StorageBackend, 'blobReferences' | 'collectBlobs'> {
  const ranges = createKeyRanges(keyRange)
  return {
    blobReferences: (session) =>
      read<readonly BlobReference[]>(['references'], 'read what a session names', (steps) => {
        const store = steps.store('references')
        steps.read<IDBValidKey[]>(store.index('session').getAllKeys(session), (keys) => {
          const found: BlobReference[] = []
          if (keys.length === 0) steps.answer(found)
          for (const [hash] of keys as [hash: string][]) {
            steps.read<unknown[]>(store.getAll(ranges.references(hash)), (rows) => {
              const own = rows.find((row) => (row as ReferenceRow).session === session) as ReferenceRow
              found.push({ hash, count: own.count, wasPut: !('session' in (rows[0] as object)) })
              if (found.length === keys.length) steps.answer(found)
            })
          }
        })
      }),
    collectBlobs: async (before) => {
      const collected = new Set<string>()
      await write(['references', 'blobs', 'drafts'], 'relaxed', 'collect blobs', (steps) =>
        collectWaiting(steps, ranges, before, collected),
      )
      return [...collected]
    },
  }
}
