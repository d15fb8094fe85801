import type { Dialect } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import type { FileForm } from './survey-file.ts'

/** A file that is to be imported, told by its content. */
export interface WantedFile {
  readonly file: ForeignFile
  readonly dialect: Dialect
  readonly form: FileForm
}

/** What importers of several files that belong together are given besides these. */
export interface ImportDirectoryOptions {
  readonly signal?: AbortSignal
  /** Called with bytes that were read. */
  readonly onRead?: (bytes: number) => void
}
