import type { StorageBackend } from '../contract/backend.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'

/** Opens mirrored content that is sealed, and seals new content. Content that can't be opened is left out. */
export interface MirrorSealing {
  /** @param session - the local number under which the entries were mirrored */
  open(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  seal(session: number, entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
  /** @throws when the blob is damaged */
  openBlob(hash: string, blob: Blob): Promise<Blob>
  sealBlob(hash: string, blob: Blob): Promise<Blob>
}

/** A database and its mirror. */
export interface MirroredPlace {
  readonly backend: StorageBackend
  /** Epoch of the database. */
  readonly epoch: string
  /** A store over the backend. What it stores is not mirrored again. */
  readonly store: SessionStore
  readonly folder: MirrorFolder
  /** Receives the entries and blobs that the mirror lacks. */
  readonly mirror: CommitMirror
  /** Absent: the mirror is plain. */
  readonly sealing?: MirrorSealing
  /** The file of {@link mirror}. */
  readonly own: string
  /** For the name of a file that joins others. */
  readonly boot: string
}
