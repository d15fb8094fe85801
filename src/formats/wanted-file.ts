import type { Dialect } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import type { FileForm } from './survey-file.ts'

/** A file to be imported, with its kind, which was recognised by its content. */
export interface WantedFile {
  readonly file: ForeignFile
  readonly dialect: Dialect
  readonly form: FileForm
}

/** Options for importers of several files that belong together. */
export interface ImportDirectoryOptions {
  readonly signal?: AbortSignal
  /** Called with bytes that were read. */
  readonly onRead?: (bytes: number) => void
}
