import type { StoredEntry } from '../contract/rows.ts'
import type { Keys } from './keys.ts'
import { unsealEach } from './seal-backend.ts'
import { unsealBlob } from './sealed-blob.ts'
import { sealEntry } from './sealed-entry.ts'
import { createSealer } from './sealer.ts'

/** What is mirrored comes sealed from the store, and must go back into it plain. */
export interface MirrorSealing {
  open(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  seal(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  openBlob(hash: string, blob: Blob): Promise<Blob>
}

export function createMirrorSealing(keys: Keys): MirrorSealing {
  const sealer = createSealer(keys)
  return {
    open: async (session, entries) => (await unsealEach(sealer, session, entries)).filter((entry) => entry !== undefined),
    seal: async (session, entries) => (sealer.isSealing() ? Promise.all(entries.map((entry) => sealEntry(sealer, session, entry))) : entries),
    openBlob: (hash, blob) => unsealBlob(sealer, hash, blob),
  }
}
