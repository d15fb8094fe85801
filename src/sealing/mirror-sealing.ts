import type { StoredEntry } from '../contract/rows.ts'
import type { FoundRow, StoredRow } from '../contract/stored-row.ts'
import type { Keys } from './open-keys.ts'
import { keyOfBlob, sealBlob, unsealBlob } from './sealed-blob.ts'
import { keyOfEntry, sealEntry } from './sealed-entry.ts'
import { unsealFound } from './sealed-row.ts'
import { isSealed } from './sealed-rows.ts'
import { createSealer, keyOfSealed } from './sealer.ts'
import { unsealEach } from './unseal-stored.ts'

/** Opens mirrored content, which is sealed as it was in the store, and seals new content for the mirror. */
export interface MirrorSealing {
  open(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  seal(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  openBlob(hash: string, blob: Blob): Promise<Blob>
  sealBlob(hash: string, blob: Blob): Promise<Blob>
  openRow(collection: string, key: string, row: StoredRow): Promise<FoundRow>
  isCurrent(entry: StoredEntry): boolean
  isCurrentRow(row: StoredRow): boolean
  renewBlob(hash: string, blob: Blob): Promise<Blob | undefined>
}

export function createMirrorSealing(keys: Keys): MirrorSealing {
  const sealer = createSealer(keys)
  return {
    open: async (session, entries) =>
      (await unsealEach(sealer, session, entries)).filter((entry) => entry !== undefined),
    seal: async (session, entries) =>
      sealer.isSealing() ? Promise.all(entries.map((entry) => sealEntry(sealer, session, entry))) : entries,
    openBlob: (hash, blob) => unsealBlob(sealer, hash, blob),
    sealBlob: async (hash, blob) => (sealer.isSealing() ? sealBlob(sealer, hash, blob) : blob),
    openRow: (collection, key, row) => unsealFound(sealer, collection, key, row),
    isCurrentRow: (row) => (isSealed(row) ? keyOfSealed(row.sealed) : '') === sealer.keyId(),
    isCurrent: (entry) => keyOfEntry(entry) === sealer.keyId(),
    renewBlob: async (hash, blob) => {
      if (((await keyOfBlob(blob)) ?? '') === sealer.keyId()) return undefined
      const plain = await unsealBlob(sealer, hash, blob)
      return sealer.isSealing() ? sealBlob(sealer, hash, plain) : plain
    },
  }
}
