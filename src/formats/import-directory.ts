import type { ImportReport, SourceFile } from '../contract/job.ts'
import type { Dialect } from './dialect.ts'
import type { ImportFilesStore } from './dry-store.ts'
import { importPicoClaw } from './import-picoclaw.ts'

export type ImportDirectory = (store: ImportFilesStore, files: readonly SourceFile[], options: { readonly signal?: AbortSignal }) => Promise<ImportReport>

/**
 * Importers of dialects whose files belong together and go by their names. Another one: a line here, and in `dialect.ts` how its files are told.
 */
export const directoryImporters: ReadonlyMap<Dialect, ImportDirectory> = new Map([['picoclaw', importPicoClaw]])
