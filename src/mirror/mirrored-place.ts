import type { CoreBackend, StorageBackend } from '../contract/backend.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { FoundRow, StoredRow } from '../contract/stored-row.ts'
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
  /** @returns `null` when the row can't be opened */
  openRow(collection: string, key: string, row: StoredRow): Promise<FoundRow>
}

/** The rows of collections in a database with a mirror. */
export interface RowsPlace {
  /** The database itself, whose rows are sealed as the mirror's are. */
  readonly stored: Pick<StorageBackend, 'rangeRows' | 'listCollections' | 'flush'> &
    Required<Pick<StorageBackend, 'lastRowsStamp'>>
  /** A backend whose commits are sealed and mirrored. */
  readonly mirrored: Pick<CoreBackend, 'commit'>
  /** Is told which rows were restored. */
  onRestored(collection: string, keys: readonly string[]): void
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
  /** Absent: rows of collections are neither compared nor restored. */
  readonly rows?: RowsPlace
  /** Absent: the mirror is plain. */
  readonly sealing?: MirrorSealing
  /** The file of {@link mirror}. */
  readonly own: string
  /** For the name of a file that joins others. */
  readonly boot: string
}
