import type { StorageBackend } from '../contract/backend.ts'
import type { SessionStore } from '../contract/store.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'

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
  /** Its file. */
  readonly own: string
  /** Names a file that joins others. */
  readonly boot: string
}
