import type { StorageBackend } from '../contract/backend.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { SessionStore } from '../contract/store.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'

/** Opens what was mirrored sealed, and seals what is to be. What can't be opened is left out. */
export interface MirrorSealing {
  /** @param session - the local number it was mirrored with */
  open(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  seal(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  /** @throws when it is not what was stored */
  openBlob(hash: string, blob: Blob): Promise<Blob>
  sealBlob(hash: string, blob: Blob): Promise<Blob>
}

/** A database and its mirror. */
export interface MirroredPlace {
  readonly backend: StorageBackend
  /** Of the database. */
  readonly epoch: string
  /** Over the backend; what it stores is not mirrored again. */
  readonly store: SessionStore
  readonly folder: MirrorFolder
  /** Takes what the mirror lacks. */
  readonly mirror: CommitMirror
  /** Absent: what is mirrored is plain. */
  readonly sealing?: MirrorSealing
  /** Its file. */
  readonly own: string
  /** Names a file that joins others. */
  readonly boot: string
}
